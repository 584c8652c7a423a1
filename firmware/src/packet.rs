//! What the firmware reads of AQL packets (specification 3.6).

use crate::aql::{ACQUIRE_SCOPE, RELEASE_SCOPE, SYSTEM, at, kind};
use crate::bus::Bus;
use crate::config::Config;
use crate::map::{TRUNCATED, error, reg};

/// What a packet asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A kernel.
    Dispatch,
    /// Nothing but its scopes: with a system release and empty queues, the end of the program.
    Barrier,
}

/// A packet as it lies in its slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    pub kind: Kind,
    /// Chiplets that its stream may use; a dispatch has some.
    pub chiplets: u16,
    /// Acquire scope system.
    pub acquires: bool,
    /// Release scope system.
    pub releases: bool,
    /// It names an extension block.
    pub labelled: bool,
    /// The extension block is longer than the slot.
    pub truncated: bool,
}

impl Packet {
    /// Reads a packet, where its time does not matter. The error is as of `read`.
    #[inline(never)]
    pub fn read_again<B: Bus>(bus: &mut B, slot: usize, config: &Config) -> Result<Self, u32> {
        Self::read(bus, slot, config)
    }

    /// Reads a packet. The error is the code with which it is rejected.
    #[inline(always)]
    pub fn read<B: Bus>(bus: &mut B, slot: usize, config: &Config) -> Result<Self, u32> {
        let header = bus.packet(slot, at::HEADER);
        let meta = bus.get(reg::PKT_META + 4 * slot as u32);
        let mut packet = Self {
            kind: Kind::Dispatch,
            chiplets: (meta >> 8) as u16 & config.all(),
            // The undefined scope 3 counts as system, which is never wrong.
            acquires: header >> ACQUIRE_SCOPE & 3 >= SYSTEM,
            releases: header >> RELEASE_SCOPE & 3 >= SYSTEM,
            labelled: false,
            truncated: meta & TRUNCATED != 0,
        };
        match header & 0xff {
            kind::KERNEL_DISPATCH => {
                let xy = bus.packet(slot, at::WORKGROUP);
                let z = bus.packet(slot, at::WORKGROUP + 4) as u16;
                let grid = [0, 1, 2].map(|i| bus.packet(slot, at::GRID + 4 * i));
                if xy as u16 == 0 || xy >> 16 == 0 || z == 0 || grid.contains(&0) {
                    return Err(error::PACKET);
                }
                // More work-groups than a message can say.
                if (grid[1] != 1 || grid[2] != 1) && work_groups(bus, slot).is_none() {
                    return Err(error::PACKET);
                }
                if packet.chiplets == 0 {
                    return Err(error::CHIPLET);
                }
                let address = bus.packet(slot, at::EXTENSION) | bus.packet(slot, at::EXTENSION + 4);
                packet.labelled = address != 0;
            }
            kind::BARRIER_AND => {
                packet.kind = Kind::Barrier;
                let signals = (0..at::DEP_WORDS)
                    .fold(0, |all, i| all | bus.packet(slot, at::DEP_SIGNALS + 4 * i));
                if signals != 0 {
                    return Err(error::PACKET);
                }
            }
            _ => return Err(error::PACKET),
        }
        Ok(packet)
    }
}

/// Number of work-groups of a kernel, if it is below 2^32.
pub fn work_groups<B: Bus>(bus: &mut B, slot: usize) -> Option<u32> {
    let xy = bus.packet(slot, at::WORKGROUP);
    let sizes = [xy & 0xffff, xy >> 16, bus.packet(slot, at::WORKGROUP + 4) & 0xffff];
    let mut groups = 1u32;
    for (i, size) in (0..).zip(sizes) {
        let grid = bus.packet(slot, at::GRID + 4 * i);
        let count = if size <= 1 { grid } else { grid.div_ceil(size) };
        groups = match (groups, count) {
            (groups, 1) => groups,
            (1, count) => count,
            _ => groups.checked_mul(count)?,
        };
    }
    Some(groups)
}

/// The completion signal, 0 for none.
pub fn signal<B: Bus>(bus: &mut B, slot: usize) -> (u32, u32) {
    (bus.packet(slot, at::SIGNAL), bus.packet(slot, at::SIGNAL + 4))
}
