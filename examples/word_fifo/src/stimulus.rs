//! Constrained-random inputs of `word_fifo`, and the line that registers the block with `duet`.

use cosim::blocks;
use cosim::stimulus::{Driver, Random, Stimulus, count};

use crate::model::WordFifo;
use crate::ports::{Config, In, Out};

// The named configurations: configs/word_fifo.toml.
cosim::family!(Config, "word_fifo");
cosim::pair!(WordFifo: Config);

inventory::submit! {
    blocks::entry::<Inputs>("a FIFO of words")
}

// What a run prints: transfers on each channel, and how often each case of interest was reached.
cosim::seen! {
    transfers: push, pop;
    rows: push_held, pop_held, full,
}

cosim::phase! {
    /// What is drawn for some hundred cycles. Chances are parts of 256.
    pub struct Phase(r: &mut Random) {
        /// Cycles.
        left: u32 = 64 + r.below(256),
        /// Chance of a push in a cycle.
        push: u32 = r.pick(&[256, 128, 24, 0]),
        /// Chance that the oldest word is taken in a cycle.
        pop: u32 = r.pick(&[256, 128, 24]),
    }
}

/// The stimulus. State of its own, such as what a memory holds, would be its fields.
pub struct Inputs;

impl Stimulus for Inputs {
    type Model = WordFifo;
    type Phase = Phase;
    type Seen = Seen;

    fn start(_: &mut Driver<Self>) -> Self {
        Self
    }

    fn phase(&mut self, d: &mut Driver<Self>) -> Phase {
        Phase::draw(&mut d.random)
    }

    fn inputs(&mut self, d: &mut Driver<Self>, out: &Out) -> In {
        // A push that the block has not accepted stays; else a new one comes with the chance.
        let push = d.offer(d.last.push, d.before.push_ready, d.phase.push, |d| {
            d.random.word() >> (64 - d.config.data_width)
        });
        let pop_ready = d.random.chance(d.phase.pop);
        count(push, out.push_ready, &mut d.seen.push, &mut d.seen.push_held);
        count(out.pop, pop_ready, &mut d.seen.pop, &mut d.seen.pop_held);
        d.seen.full += u64::from(!out.push_ready);
        In { push, pop_ready }
    }
}
