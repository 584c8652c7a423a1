//! The model of `word_fifo`, written from the rules in `rtl/word_fifo/README.md`.

use std::collections::VecDeque;

use ::ports::{ConfigError, Parameters};
use hwmodel::{Block, Model, State};

use crate::ports::{Config, In, Out};

/// The state after each clock edge.
#[derive(Clone, Debug)]
pub struct WordFifo {
    config: Config,
    /// Oldest first.
    words: VecDeque<u64>,
}

impl Block for WordFifo {
    type In = In;
    type Out = Out;

    /// The outputs of the current cycle.
    fn outputs(&self) -> Out {
        Out {
            push_ready: self.words.len() < self.config.depth as usize,
            pop: self.words.front().copied(),
            count: self.words.len() as u32,
        }
    }

    /// One rising clock edge.
    fn tick(&mut self, inputs: &In) -> Out {
        let out = self.outputs();
        if out.pop.is_some() && inputs.pop_ready {
            self.words.pop_front();
        }
        if let Some(word) = inputs.push.filter(|_| out.push_ready) {
            self.words.push_back(word);
        }
        out
    }

    fn is_idle(&self) -> bool {
        self.words.is_empty()
    }

    /// Registers that waveforms and reports show beside those of the RTL, by the RTL's names.
    fn show_state(&self, state: &mut State) {
        state.bits("count", 5, self.words.len() as u32);
    }
}

impl Model for WordFifo {
    const NAME: &'static str = "word_fifo";
    type Config = Config;

    fn new(config: &Config) -> Result<Self, ConfigError> {
        config.validate()?;
        let words = VecDeque::with_capacity(config.depth as usize);
        Ok(Self { config: config.clone(), words })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn push(word: u64) -> In {
        In { push: Some(word), pop_ready: false }
    }

    #[test]
    fn words_leave_in_their_order_and_a_full_fifo_takes_none() {
        let mut fifo = WordFifo::new(&Config { depth: 2, data_width: 8 }).unwrap();
        let taken: Vec<_> = (1..=3).map(|word| fifo.tick(&push(word)).push_ready).collect();
        // Rules 1 and 2: two entries.
        assert_eq!(taken, [true, true, false]);
        let pop = In { push: None, pop_ready: true };
        let left: Vec<_> = (0..3).map(|_| fifo.tick(&pop).pop).collect();
        // Rule 4: oldest first.
        assert_eq!(left, [Some(1), Some(2), None]);
    }

    #[test]
    fn a_word_can_be_popped_from_the_cycle_after_its_push() {
        let mut fifo = WordFifo::new(&Config { depth: 2, data_width: 8 }).unwrap();
        assert_eq!(fifo.tick(&push(7)), Out { push_ready: true, pop: None, count: 0 });
        assert_eq!(fifo.outputs(), Out { push_ready: true, pop: Some(7), count: 1 });
    }

    #[test]
    fn illegal_parameters_are_refused() {
        for (depth, data_width) in [(0, 8), (17, 8), (2, 0), (2, 65)] {
            assert!(WordFifo::new(&Config { depth, data_width }).is_err());
        }
    }
}
