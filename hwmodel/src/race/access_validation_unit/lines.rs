//! Of each line of the L1 the epoch that it was filled in, and its hits since (specification 5.3).

use ports::race::types::{Fill, result};

use super::{Config, Rule};
use crate::state::State;

/// The lines.
#[derive(Clone, Debug)]
pub(super) struct Lines {
    epoch: Box<[u8]>,
    /// Hits since the fill or the last check.
    hits: Box<[u8]>,
    /// Filled, and its epoch is no older than it looks.
    live: Box<[bool]>,
    most_hits: u8,
    epoch_mask: u8,
}

/// What a lookup found: the result, the age, and whether the signature was asked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Verdict {
    pub result: u8,
    pub age: u8,
    pub asked: bool,
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

    /// A lookup of a line that the L1 holds, in epoch `now`. `written` asks the signature.
    #[inline(always)]
    pub fn look_up(
        &mut self,
        line: u8,
        now: u8,
        written: impl FnOnce() -> bool,
        without: Option<Rule>,
    ) -> Verdict {
        let line = usize::from(line);
        let mut age = now.wrapping_sub(self.epoch[line]) & self.epoch_mask;
        if without == Some(Rule::Expires) {
            age = age.min(1);
        }
        if !self.live[line] || age >= 2 {
            return Verdict { result: result::MISS_EXPIRED, age, asked: false };
        }
        let asked = age == 1;
        let result = if asked && written() {
            result::MISS_AVU
        } else if self.hits[line] < self.most_hits {
            self.hits[line] += 1;
            result::HIT
        } else if without == Some(Rule::Hits) {
            result::HIT
        } else {
            result::HIT_NEEDCHK
        };
        Verdict { result, age, asked }
    }

    /// A check of the line is answered. Behind a lookup of its cycle.
    #[inline(always)]
    pub fn clear_hits(&mut self, line: u8) {
        self.hits[usize::from(line)] = 0;
    }

    /// The epoch becomes `epoch`: lines filled in the last one of this number end, but for the one
    /// that is filled in this cycle. Returns how many.
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
