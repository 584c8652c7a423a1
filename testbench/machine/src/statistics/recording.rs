//! What is recorded of a run for display: statistics over time, and how long loads take.

use std::collections::BTreeMap;

use crate::context::layout::{Layout, Site};
use crate::context::message::{Kind, Message};
use crate::engine::Cycle;
use crate::statistics::spans::Spans;

/// Most samples: where there are as many, every other one goes, and they come half as often.
const MOST_SAMPLES: usize = 512;
/// Cycles between the first samples.
const FIRST_PERIOD: Cycle = 64;

/// Statistics in some cycles of a run, evenly spaced, and at its end.
#[derive(Clone, Debug)]
pub struct Samples {
    /// Cycle, and each value by name: statistics, and of each kind of queue, `queue.KIND`, the
    /// messages that all of them hold.
    pub all: Vec<(Cycle, BTreeMap<String, u64>)>,
    period: Cycle,
    /// The next cycle of which a sample is wanted.
    next: Cycle,
}

impl Default for Samples {
    fn default() -> Self {
        Self { all: Vec::new(), period: FIRST_PERIOD, next: 0 }
    }
}

impl Samples {
    /// Whether cycle `now` wants one.
    #[inline]
    pub(crate) fn is_time(&self, now: Cycle) -> bool {
        now >= self.next
    }

    /// Adds one.
    pub(crate) fn add(&mut self, now: Cycle, values: BTreeMap<String, u64>) {
        if self.all.len() == MOST_SAMPLES {
            let mut number = 0;
            self.all.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            self.period *= 2;
        }
        self.all.push((now, values));
        self.next = now + self.period;
    }
}

/// Loads that have come to some point of their way, and the cycles since they left their
/// wavefronts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Passed {
    /// Loads of a line.
    pub loads: u64,
    /// Cycles, together.
    pub cycles: u64,
}

/// Points on the way of a load.
pub const POINTS: [&str; 8] = [
    "requested from the L2",
    "requested from another GPU",
    "requested from the L3",
    "requested from the home's L2",
    "answered by the L3",
    "answered by the home's L2",
    "answered by the L2",
    "value at the wavefront",
];
const VALUE: usize = 7;

/// What is recorded of each access.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    /// Latencies.
    pub loads: Loads,
    /// For a timeline.
    pub spans: Option<Spans>,
}

/// How long loads take, and where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Loads {
    /// At each of [`POINTS`].
    pub at: [Passed; POINTS.len()],
    /// Loads whose latency has so many bits: 0 to 1 cycles, 2 to 3, 4 to 7 and so on.
    pub by_bits: [u64; 32],
}

impl Loads {
    /// A message is sent in cycle `now`.
    #[cold]
    pub(crate) fn sent(&mut self, now: Cycle, message: &Message, layout: &Layout) {
        use Site::{Bank, Core, Gate, Slice};
        let point = match (message.kind, layout.site(message.from), layout.site(message.to)) {
            (Kind::Read, Core(..), Bank(..)) => 0,
            (Kind::Read, Core(..), Gate(_)) => 1,
            (Kind::Read, Bank(..), Slice(..)) => 2,
            (Kind::Read, Bank(..), Bank(..)) => 3,
            (Kind::Data, Slice(..), Bank(..)) => 4,
            (Kind::Data, Bank(..), Bank(..)) => 5,
            (Kind::Data, Bank(..), Core(..)) => 6,
            _ => return,
        };
        self.pass(point, now, message.born);
    }

    /// A load's value is at its wavefront in cycle `now`.
    #[cold]
    pub(crate) fn ended(&mut self, now: Cycle, born: u32) {
        let cycles = self.pass(VALUE, now, born);
        self.by_bits[(32 - cycles.max(1).leading_zeros() - 1) as usize] += 1;
    }

    fn pass(&mut self, point: usize, now: Cycle, born: u32) -> u32 {
        let cycles = (now as u32).wrapping_sub(born);
        self.at[point].loads += 1;
        self.at[point].cycles += u64::from(cycles);
        cycles
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_of_a_long_run_are_few_and_evenly_spaced() {
        let mut samples = Samples::default();
        for now in 0..1_000_000 {
            if samples.is_time(now) {
                samples.add(now, BTreeMap::new());
            }
        }
        let cycles: Vec<_> = samples.all.iter().map(|(cycle, _)| *cycle).collect();
        assert!((MOST_SAMPLES / 2..=MOST_SAMPLES).contains(&cycles.len()), "{}", cycles.len());
        let steps: Vec<_> = cycles.windows(2).map(|pair| pair[1] - pair[0]).collect();
        // But for the last change of the period.
        let odd = steps.iter().filter(|&&step| step != steps[0]).count();
        assert!(odd <= 1, "{steps:?}");
    }

    #[test]
    fn a_latency_is_counted_by_its_bits() {
        let mut loads = Loads::default();
        for (now, born) in [(5, 5), (6, 5), (9, 5), (1, u32::MAX)] {
            loads.ended(now, born);
        }
        assert_eq!(loads.by_bits[..3], [2, 1, 1]);
        assert_eq!(loads.at[VALUE], Passed { loads: 4, cycles: 7 });
    }
}
