//! A stretch of an episode that is longer than a counter of 16 bits counts.

use super::Random;

/// One such stretch in each episode that has room for it.
#[derive(Clone, Debug)]
pub struct LongTime {
    /// Cycle of the episode in which it begins.
    begins: u64,
    /// Cycles of the episode so far.
    cycle: u64,
}

impl LongTime {
    /// Cycles of a stretch: 2^16, and some in which to get ready for it.
    pub const CYCLES: u64 = 70_000;
    /// Cycles of the episode that are left behind it at least.
    const BEHIND: u64 = 200;

    /// None.
    pub fn never() -> Self {
        Self { begins: u64::MAX, cycle: 0 }
    }

    /// Places it in an episode of so many cycles.
    pub fn plan(random: &mut Random, cycles: u64) -> Self {
        let room = cycles.saturating_sub(Self::CYCLES + Self::BEHIND);
        if room == 0 { Self::never() } else { Self { begins: random.word() % room, cycle: 0 } }
    }

    /// True in an episode that has one.
    pub fn is_planned(&self) -> bool {
        self.begins != u64::MAX
    }

    /// Counts a cycle; the number of this cycle in the stretch, outside of it `None`.
    pub fn cycle(&mut self) -> Option<u64> {
        let cycle = self.cycle;
        self.cycle += 1;
        cycle.checked_sub(self.begins).filter(|of_stretch| *of_stretch < Self::CYCLES)
    }
}
