//! What runs the firmware of a GPU: the ports are the same, the cycles are those of the host.

use hwmodel::command_processor::{In, Out};

use super::timed::Timed;

/// A host of the firmware.
#[derive(Debug)]
pub enum Host {
    /// Called directly, with the paper's times.
    Native(Box<Timed>),
}

impl Host {
    /// What the ports show before the next edge.
    pub fn outputs(&self) -> Out {
        match self {
            Self::Native(host) => host.outputs(),
        }
    }

    /// One edge of the chiplets' clock.
    pub fn tick(&mut self, inputs: &In) {
        match self {
            Self::Native(host) => host.tick(inputs),
        };
    }

    /// True when nothing happens until something comes.
    pub fn is_idle(&self) -> bool {
        match self {
            Self::Native(host) => host.is_idle(),
        }
    }

    /// Lets cycles pass in which nothing comes: a multiple of [`Host::pattern`].
    pub fn skip(&mut self, cycles: u64) {
        match self {
            Self::Native(host) => host.skip(cycles),
        }
    }

    /// Length of the pattern of the clock enable.
    pub fn pattern(&self) -> u32 {
        match self {
            Self::Native(_) => 1,
        }
    }
}
