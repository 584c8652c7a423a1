//! Where a directory keeps L2s coherent, a line of another chiplet passes two banks: the own one
//! and its home. A load of it is to take as long as where only the home is asked
//! (`l2.policy = "home-forward"`): one way between a CU and a bank, one bank's array. So the way
//! between two banks is that between two chiplets alone, and each bank takes half of the array's
//! time; what the second bank's ports and the way from the link to it need is taken off as well.

use crate::config::System;

/// The cycles of that.
#[derive(Clone, Copy, Debug)]
pub struct Afar {
    /// Cycles that a bank's answers leave early.
    pub early: u32,
    /// A half that is left.
    odd: u32,
}

impl Afar {
    /// Of a system.
    pub fn of(system: &System) -> Self {
        let n = &system.network;
        let port = |bytes: u32| u64::from(bytes).div_ceil(n.bytes_per_cycle) as u32 - 1;
        let ports = 2 * (port(n.header_bytes) + port(n.header_bytes + system.machine.line));
        let ways = n.memory_latency.div_ceil(2) + n.latency.div_ceil(2);
        // Of both banks together.
        let arrays = (system.l2.latency + n.latency).saturating_sub(ways + ports);
        let each = (arrays / 2).max(1);
        Self { early: system.l2.latency + n.latency / 2 - each, odd: arrays % 2 }
    }

    /// Latency of the way on from the link's end, or the gate's, on which requests of other banks
    /// come: a cycle less, that of a bank's outlet.
    pub fn leaving(self, latency: u32) -> u32 {
        (latency + self.odd).saturating_sub(1).max(1)
    }
}
