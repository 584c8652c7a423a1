//! A component of a machine.

use crate::context::Context;
use crate::core::Core;
use crate::engine::link::Link;
use crate::gate::Gate;
use crate::l1::GpuUnit;
use crate::l1::combiner::Combiner;
use crate::l2::L2;
use crate::l3::Slice;
use crate::launch::{Global, Local};

/// What the machine is made of; one visit is one cycle.
#[derive(Debug)]
pub enum Part {
    /// A CU with its L1.
    Core(Box<Core>),
    /// What combines reads of several CUs.
    Combiner(Box<Combiner>),
    /// An L2 bank.
    Bank(Box<dyn L2>),
    /// An L3 slice and its memory channel.
    Slice(Box<Slice>),
    /// A link between chiplets.
    Link(Box<Link>),
    /// A chiplet's command processor.
    Local(Box<Local>),
    /// A GPU's command processor.
    Global(Box<Global>),
    /// What an L1 design has once in a GPU.
    Unit(Box<dyn GpuUnit>),
    /// What joins the GPUs.
    Gate(Box<Gate>),
    /// Takes nothing: shows what a deadlock looks like.
    #[cfg(test)]
    Nothing,
}

impl Part {
    /// One cycle.
    #[inline(always)]
    pub fn tick(&mut self, ctx: &mut Context) {
        match self {
            Self::Core(core) => core.tick(ctx),
            Self::Combiner(combiner) => combiner.tick(ctx),
            Self::Bank(bank) => bank.tick(ctx),
            Self::Slice(slice) => slice.tick(ctx),
            Self::Link(link) => link.tick(ctx),
            Self::Local(local) => local.tick(ctx),
            Self::Global(global) => global.tick(ctx),
            Self::Unit(unit) => unit.tick(ctx),
            Self::Gate(gate) => gate.tick(ctx),
            #[cfg(test)]
            Self::Nothing => {}
        }
    }

    /// A GPU's command processors.
    pub fn global_mut(&mut self) -> Option<&mut Global> {
        match self {
            Self::Global(global) => Some(global),
            _ => None,
        }
    }

    /// What joins GPUs.
    pub fn gate_mut(&mut self) -> Option<&mut Gate> {
        match self {
            Self::Gate(gate) => Some(gate),
            _ => None,
        }
    }
}
