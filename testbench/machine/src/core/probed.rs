//! What a snapshot shows of a CU.

use super::Core;
use super::wave::State;
use crate::engine::Cycle;
use crate::statistics::probe::WAVES;

impl Core {
    /// Its resident waves in cycle `now`, by what they do.
    pub fn resident(&self, now: Cycle) -> [u32; WAVES.len()] {
        let mut waves = [0; WAVES.len()];
        // An access is in hand that the L1 does not take, or that finds no free entry.
        let is_stalled = self.waits_from.is_some_and(|from| from <= now)
            && self.issue.next < self.issue.lines.len();
        for (at, wave) in self.waves.iter().enumerate() {
            let does = match wave.state {
                State::Free => continue,
                State::Issuing if is_stalled => 1,
                State::Ready if is_stalled && self.ready.of(at) <= now => 1,
                State::Starting | State::Ready | State::Issuing => 0,
                State::Loads => 2,
                State::Fence | State::Ended => 3,
                State::Barrier => 4,
                State::Held | State::Unconfirmed | State::FenceHeld | State::EndHeld => 5,
            };
            waves[does] += 1;
        }
        waves
    }

    /// Shows the line of each access that the L1 has not answered.
    pub fn unanswered(&self, see: impl FnMut(u64)) {
        self.transactions.unanswered(see);
    }
}
