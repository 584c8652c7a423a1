//! What an L1 design may have once in each GPU.

use std::fmt::Debug;

use crate::context::Context;
use crate::statistics::CounterValues;

/// A unit of a GPU.
pub trait GpuUnit: Debug {
    /// One cycle. At the end of a run once more in the last one.
    fn tick(&mut self, ctx: &mut Context);

    /// Who it waits for, for a person: nothing can go on.
    fn waits_for(&self) -> Option<String> {
        None
    }

    /// Counters by name, among those of the L1s.
    fn counters(&self, _: &mut CounterValues) {}
}
