//! Items for the queue for tests, and back-pressure.

use hwmodel::common::test_queue::TestQueue;
use ports::common::test_queue::{Config, In, Item, Out};

use crate::stimulus::{Driver, Random, Stimulus, count};
use crate::{blocks, phase, seen};

crate::family!(Config, "common");
crate::pair!(TestQueue: Config);

inventory::submit! {
    blocks::entry::<Inputs>("a FIFO with a latency, for tests of the machine's extension points")
}

seen! {
    transfers: item, done;
    rows: item_held, done_held,
}

phase! {
    /// Chances are parts of 256.
    pub struct Phase(r: &mut Random) {
        left: u32 = 64 + r.below(256),
        valid: u32 = r.pick(&[256, 128, 24, 0]),
        ready: u32 = r.pick(&[256, 128, 24]),
    }
}

/// The stimulus.
pub struct Inputs;

impl Stimulus for Inputs {
    type Model = TestQueue;
    type Phase = Phase;
    type Seen = Seen;

    fn start(_: &mut Driver<Self>) -> Self {
        Self
    }

    fn phase(&mut self, d: &mut Driver<Self>) -> Phase {
        Phase::draw(&mut d.random)
    }

    fn inputs(&mut self, d: &mut Driver<Self>, out: &Out) -> In {
        let item = d.offer(d.last.item, d.before.item_ready, d.phase.valid, |d| Item {
            id: d.random.word() as u16,
        });
        let done_ready = d.random.chance(d.phase.ready);
        count(item, out.item_ready, &mut d.seen.item, &mut d.seen.item_held);
        count(out.done, done_ready, &mut d.seen.done, &mut d.seen.done_held);
        In { item, done_ready }
    }
}
