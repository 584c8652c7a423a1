//! Where the time of a GPU goes, as its command processors see it.

use crate::engine::Cycle;

/// What a GPU does in a cycle. The first that applies counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// Work-groups run, or have begun and are not all dispatched.
    Kernel,
    /// An L2 releases or acquires, or stores are on their way to other GPUs for a release.
    Sync,
    /// Nothing has been requested that is not answered: only the firmware can continue.
    Firmware,
    /// A launch is enabled, and no work-group has begun; or all have ended, which the chiplets
    /// still report.
    Latency,
    /// There is no packet.
    #[default]
    Idle,
}

/// Names: of the counter behind `launch.cycles.`, and of the phase in texts.
pub const PHASES: [(&str, &str); 5] = [
    ("kernel", "kernels"),
    ("sync", "L2 operations"),
    ("firmware", "firmware"),
    ("latency", "launch latency"),
    ("idle", "waiting for other GPUs"),
];

/// The cycles of each phase.
#[derive(Clone, Copy, Debug, Default)]
pub struct Phases {
    phase: Phase,
    since: Cycle,
    cycles: [Cycle; PHASES.len()],
}

impl Phases {
    /// From cycle `now` on the GPU is in this phase.
    pub fn enter(&mut self, now: Cycle, phase: Phase) {
        if phase != self.phase {
            self.cycles[self.phase as usize] += now - self.since;
            (self.phase, self.since) = (phase, now);
        }
    }

    /// The cycles of each phase before cycle `now`. Their sum is `now`.
    pub fn cycles(&self, now: Cycle) -> [Cycle; PHASES.len()] {
        let mut cycles = self.cycles;
        cycles[self.phase as usize] += now - self.since;
        cycles
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cycle_counts_for_one_phase() {
        let mut phases = Phases::default();
        phases.enter(3, Phase::Firmware);
        phases.enter(10, Phase::Firmware);
        phases.enter(14, Phase::Kernel);
        assert_eq!(phases.cycles(14), [0, 0, 11, 0, 3]);
        assert_eq!(phases.cycles(20), [6, 0, 11, 0, 3]);
        phases.enter(21, Phase::Firmware);
        assert_eq!(phases.cycles(22), [7, 0, 12, 0, 3]);
    }
}
