//! Constrained-random inputs of `word_fifo`, and the line that registers the block with `duet`.

use cosim::blocks;
use cosim::stimulus::{NewStimulus, Random, Reached, Statics, Stimulus};

use crate::model::WordFifo;
use crate::ports::{Config, In, Out};

// The named configurations: configs/word_fifo.toml.
cosim::family!(Config, "word_fifo");
cosim::pair!(WordFifo: Config);

inventory::submit! {
    blocks::entry::<Inputs>("a FIFO of words")
}

/// The stimulus.
#[derive(Clone, Debug)]
pub struct Inputs {
    random: Random,
    data_width: u32,
    /// Cycles until other chances are drawn.
    left: u32,
    /// Chance of a push in a cycle, in 256ths.
    push: u32,
    /// Chance that the oldest word is taken in a cycle, in 256ths.
    pop: u32,
    /// A push that the block has not accepted: it must not change.
    held: Option<u64>,
    seen: Seen,
}

// What a run prints: transfers on each channel, and how often each case of interest was reached.
cosim::seen! {
    transfers: push, pop;
    rows: push_held, pop_held, full,
}

impl Stimulus for Inputs {
    type Model = WordFifo;

    fn restart(&mut self, _cycles: u64) {
        (self.left, self.held) = (0, None);
    }

    fn inputs(&mut self, out: &Out) -> In {
        let random = &mut self.random;
        if self.left == 0 {
            self.left = 64 + random.below(256);
            self.push = random.pick(&[256, 128, 24, 0]);
            self.pop = random.pick(&[256, 128, 24]);
        }
        self.left -= 1;
        if self.held.is_none() && random.chance(self.push) {
            self.held = Some(random.word() >> (64 - self.data_width));
        }
        let inputs = In { push: self.held, pop_ready: random.chance(self.pop) };
        let seen = &mut self.seen;
        if inputs.push.is_some() {
            *(if out.push_ready { &mut seen.push } else { &mut seen.push_held }) += 1;
        }
        if out.pop.is_some() {
            *(if inputs.pop_ready { &mut seen.pop } else { &mut seen.pop_held }) += 1;
        }
        seen.full += u64::from(!out.push_ready);
        if out.push_ready {
            self.held = None;
        }
        inputs
    }

    fn seen(&self) -> &dyn Reached {
        &self.seen
    }
}

impl NewStimulus for Inputs {
    fn unstarted(config: &Config, _statics: &Statics, seed: u64) -> Self {
        Self {
            random: Random::new(seed),
            data_width: config.data_width,
            left: 0,
            push: 0,
            pop: 0,
            held: None,
            seen: Seen::default(),
        }
    }
}
