//! Items for the queue for tests, and back-pressure.

use hwmodel::common::test_queue::TestQueue;
use ports::common::test_queue::{Config, In, Item, Out};

use crate::blocks;
use crate::seen;
use crate::stimulus::{NewStimulus, Random, Reached, Statics, Stimulus};

crate::family!(Config, "common");
crate::pair!(TestQueue: Config);

inventory::submit! {
    blocks::entry::<Inputs>("a FIFO with a latency, for tests of the machine's extension points")
}

/// The stimulus. Chances are parts of 256.
#[derive(Clone, Debug)]
pub struct Inputs {
    random: Random,
    left: u32,
    valid: u32,
    ready: u32,
    held: Option<Item>,
    seen: Seen,
}

seen! {
    transfers: item, done;
    rows: item_held, done_held,
}

impl Stimulus for Inputs {
    type Model = TestQueue;

    fn restart(&mut self, _cycles: u64) {
        (self.left, self.held) = (0, None);
    }

    fn inputs(&mut self, out: &Out) -> In {
        if self.left == 0 {
            self.left = 64 + self.random.below(256);
            self.valid = self.random.pick(&[256, 128, 24, 0]);
            self.ready = self.random.pick(&[256, 128, 24]);
        }
        self.left -= 1;
        if self.held.is_none() && self.random.chance(self.valid) {
            self.held = Some(Item { id: self.random.word() as u16 });
        }
        let input = In { item: self.held, done_ready: self.random.chance(self.ready) };
        let seen = &mut self.seen;
        if input.item.is_some() {
            *(if out.item_ready { &mut seen.item } else { &mut seen.item_held }) += 1;
        }
        if out.done.is_some() {
            *(if input.done_ready { &mut seen.done } else { &mut seen.done_held }) += 1;
        }
        if out.item_ready {
            self.held = None;
        }
        input
    }

    fn seen(&self) -> &dyn Reached {
        &self.seen
    }
}

impl NewStimulus for Inputs {
    fn unstarted(_config: &Config, _statics: &Statics, seed: u64) -> Self {
        let random = Random::new(seed);
        Self { random, left: 0, valid: 0, ready: 0, held: None, seen: Seen::default() }
    }
}
