//! What all launches cost together.

use super::group::Measured;
use crate::engine::Cycle;
use crate::run::kernel_use::{KernelUse, KernelUses};

/// What a program costs: by all its launches, or by those of them that were simulated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Estimate {
    /// Cycles.
    pub cycles: Cycle,
    /// The interval in which the cycles of all launches are expected.
    pub low: Cycle,
    /// Its upper end.
    pub high: Cycle,
    /// Launches.
    pub launches: u32,
    /// Those of them that were simulated.
    pub simulated: u32,
    /// What each kernel costs.
    pub kernels: Vec<KernelUse>,
    /// Statistics of all launches; of a maximum that of the launches that were simulated.
    pub statistics: Vec<(String, u64)>,
}

/// A sum over launches.
#[derive(Clone, Debug, Default)]
pub struct Sum {
    cycles: Cycle,
    error: f64,
    /// Of each kernel.
    pub kernels: KernelUses,
}

impl Sum {
    /// Launches of a kernel with their cycles together, and the error of these. Statistics grow by
    /// as much in each cycle as in these two launches; they are rounded up, so that the cycles of
    /// phases are at least those of the launches.
    pub fn add(
        &mut self,
        name: &str,
        launches: u32,
        cycles: f64,
        error: f64,
        [one, other]: [&Measured; 2],
    ) {
        let rounded = cycles.round() as Cycle;
        self.cycles += rounded;
        self.error += error;
        let share = cycles / ((one.cycles + other.cycles).max(1) as f64);
        let growth = one.growth.iter().zip(&other.growth);
        let growth = growth.map(|(&one, &other)| ((one + other) as f64 * share).ceil() as u64);
        self.kernels.grow(name, launches, rounded, growth);
    }

    /// Cycles, and the interval in which they are.
    pub fn cycles(&self) -> (Cycle, [Cycle; 2]) {
        let error = self.error.ceil() as Cycle;
        (self.cycles, [self.cycles.saturating_sub(error), self.cycles.saturating_add(error)])
    }
}
