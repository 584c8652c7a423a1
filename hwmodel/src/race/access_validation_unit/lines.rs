//! The epoch in which each line of the L1 was filled, and its hits since (specification 5.3).

use ports::race::types::{Fill, result};

use super::Config;
use super::choices::Choices;
use crate::state::State;

/// The lines.
#[derive(Clone, Debug)]
pub(super) struct Lines {
    epoch: Box<[u8]>,
    /// Hits since the fill or the last check.
    hits: Box<[u8]>,
    /// Filled, in an epoch whose number was not used again.
    live: Box<[bool]>,
    most_hits: u8,
    epoch_mask: u8,
}

/// The result of a lookup, the age of the line, and whether the signature was tested.
#[derive(Clone, Copy, Debug)]
pub(super) struct Verdict {
    pub result: u8,
    pub age: u8,
    pub tested: bool,
}

impl Lines {
    pub fn new(config: &Config) -> Self {
        let lines = config.lines as usize;
        Self {
            epoch: vec![0; lines].into(),
            hits: vec![0; lines].into(),
            live: vec![false; lines].into(),
            most_hits: config.hits as u8,
            epoch_mask: (1 << config.epoch_w) - 1,
        }
    }

    /// The L1 has this line.
    #[inline(always)]
    pub fn has(&self, line: u8) -> bool {
        usize::from(line) < self.live.len()
    }

    /// The result of a lookup in epoch `now` of a line that the L1 holds. `written`: a granule is
    /// in the signature.
    #[inline(always)]
    pub fn judge(
        &self,
        line: u8,
        now: u8,
        written: impl FnOnce() -> bool,
        choices: &Choices,
    ) -> Verdict {
        let line = usize::from(line);
        let age = now.wrapping_sub(self.epoch[line]) & self.epoch_mask;
        if !self.live[line] || age >= choices.expiry {
            return Verdict { result: result::MISS_EXPIRED, age, tested: false };
        }
        let tested = age != 0;
        let result = if tested && written() {
            result::MISS_AVU
        } else if self.hits[line] == self.most_hits {
            choices.needs_check
        } else {
            result::HIT
        };
        Verdict { result, age, tested }
    }

    /// A lookup of the line was a hit.
    #[inline(always)]
    pub fn hit(&mut self, line: u8) {
        let hits = &mut self.hits[usize::from(line)];
        *hits = self.most_hits.min(*hits + 1);
    }

    /// A check of the line was answered. Behind a lookup of its cycle.
    #[inline(always)]
    pub fn clear_hits(&mut self, line: u8) {
        self.hits[usize::from(line)] = 0;
    }

    /// The epoch becomes `epoch`: lines that were filled in the last epoch of this number end.
    /// Returns how many, without the line that is filled in this cycle.
    #[inline(always)]
    pub fn synchronise(&mut self, epoch: u8, filled: Option<u8>) -> u32 {
        if let Some(line) = filled {
            self.live[usize::from(line)] = false;
        }
        let mut ended = 0;
        for (live, of) in self.live.iter_mut().zip(&self.epoch) {
            let ends = *live & (*of == epoch);
            *live &= !ends;
            ended += u32::from(ends);
        }
        ended
    }

    /// A line is installed. Behind everything else of its cycle.
    #[inline(always)]
    pub fn fill(&mut self, Fill { line, epoch }: Fill) {
        let line = usize::from(line);
        (self.epoch[line], self.hits[line], self.live[line]) = (epoch & self.epoch_mask, 0, true);
    }

    /// The registers.
    pub fn show_state(&self, state: &mut State, config: &Config) {
        state.flags("live", self.live.iter().copied());
        for line in 0..self.live.len() {
            let live = self.live[line];
            state.bits_while(live, &format!("hits[{line}]"), 3, self.hits[line]);
            // The RTL holds them bit by bit.
            let name = format!("epoch_of_line[{line}]");
            state.bits_while(live, &name, config.epoch_w, self.epoch[line]);
        }
    }
}
