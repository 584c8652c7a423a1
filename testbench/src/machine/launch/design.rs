//! Launch designs: which chiplets' L2s are released and acquired at a kernel's boundaries.

use std::fmt::Debug;

use super::Packet;

/// Chiplets of a GPU, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Masks {
    /// L2s to write back.
    pub release: u16,
    /// L2s to invalidate.
    pub acquire: u16,
}

/// A launch design, one instance for each GPU.
pub trait LaunchDesign: Debug {
    /// Before a kernel on the chiplets of `all` starts. `extension` is its labels, if it has any.
    fn before(&mut self, packet: &Packet, extension: &[u8], all: u16) -> Masks;

    /// After it has ended.
    fn after(&mut self, all: u16) -> Masks;

    /// True where memory shows the kernel's stores after its completion signal. Without it only loads are
    /// checked.
    fn releases(&self) -> bool {
        true
    }
}

/// Everything is written back after each kernel and invalidated before each (CPElide specification 7,
/// `BASELINE`).
#[derive(Debug, Default)]
pub struct Software;

impl LaunchDesign for Software {
    fn before(&mut self, _packet: &Packet, _extension: &[u8], all: u16) -> Masks {
        Masks { release: 0, acquire: all }
    }

    fn after(&mut self, all: u16) -> Masks {
        Masks { release: all, acquire: 0 }
    }
}

/// Dirty lines are written back after each kernel, and stores to other chiplets made visible; nothing is invalidated, as
/// directories see to that (REC, J. Systems Architecture 160, 2025, section 2.3).
#[derive(Debug, Default)]
pub struct Coherent;

impl LaunchDesign for Coherent {
    fn before(&mut self, _packet: &Packet, _extension: &[u8], _all: u16) -> Masks {
        Masks::default()
    }

    fn after(&mut self, all: u16) -> Masks {
        Masks { release: all, acquire: 0 }
    }
}

/// Nothing is done: for negative tests.
#[derive(Debug, Default)]
pub struct Nothing;

impl LaunchDesign for Nothing {
    fn before(&mut self, _packet: &Packet, _extension: &[u8], _all: u16) -> Masks {
        Masks::default()
    }

    fn after(&mut self, _all: u16) -> Masks {
        Masks::default()
    }

    fn releases(&self) -> bool {
        false
    }
}
