//! What an L1 design may have once in each GPU.

use std::fmt::Debug;

use crate::context::Context;
use crate::engine::{InletId, OutletId};

/// A unit's channels: to and from each CU of its GPU, and each L2 bank that has a hook of the
/// design, in the order of their units.
#[derive(Clone, Debug, Default)]
pub struct UnitPorts {
    /// CUs.
    pub cores: Vec<(OutletId, InletId)>,
    /// L2 banks; none where they have no hooks.
    pub banks: Vec<(OutletId, InletId)>,
}

/// A unit of a GPU.
pub trait GpuUnit: Debug {
    /// One cycle.
    fn tick(&mut self, ctx: &mut Context);

    /// Counters by name, among those of the L1s.
    fn counters(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }
}
