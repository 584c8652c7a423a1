//! What a host writes into a queue: AQL packets, and the extension block with what a kernel
//! touches, as `hipSetAccessMode` and `hipSetAccessModeRange` would (CPElide, MICRO 2024, listings
//! 1 and 2; specification 3.6).

use firmware::aql::extension::{HEADER, MAGIC, MAX_BYTES, MAX_STRUCTURES, RANGE, UNKNOWN, VERSION};
use firmware::aql::{ACQUIRE_SCOPE, BYTES, RELEASE_SCOPE, at, kind};

/// To whom a packet's acquire or release is visible.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// None.
    None,
    /// This GPU.
    #[default]
    Agent,
    /// Every GPU and the host.
    System,
}

/// A kernel dispatch packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dispatch {
    /// Work-items of a work-group.
    pub workgroup_size: [u16; 3],
    /// Work-items.
    pub grid_size: [u32; 3],
    /// Which kernel.
    pub kernel_object: u64,
    /// Where its arguments are.
    pub kernarg_address: u64,
    /// Extension block, 0 for none.
    pub extension: u64,
    /// Written when the kernel has ended and its release is done; 0 for none.
    pub completion_signal: u64,
    /// Before the kernel.
    pub acquire: Scope,
    /// After it.
    pub release: Scope,
}

/// A packet of this type with these fields, by their offsets.
fn packet<const N: usize>(
    kind: u32,
    acquire: Scope,
    release: Scope,
    fields: [(u32, &[u8]); N],
) -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    let header = kind | (acquire as u32) << ACQUIRE_SCOPE | (release as u32) << RELEASE_SCOPE;
    let header = (at::HEADER, &header.to_le_bytes()[..2]);
    for (at, field) in [header].into_iter().chain(fields) {
        bytes[at as usize..][..field.len()].copy_from_slice(field);
    }
    bytes
}

impl Dispatch {
    /// The packet's 64 bytes, little-endian, with three dimensions.
    pub fn encode(&self) -> [u8; 64] {
        let workgroup = self.workgroup_size.map(u16::to_le_bytes);
        let grid = self.grid_size.map(u32::to_le_bytes);
        let fields: [(u32, &[u8]); 7] = [
            (at::SETUP, &3u16.to_le_bytes()),
            (at::WORKGROUP, workgroup.as_flattened()),
            (at::GRID, grid.as_flattened()),
            (at::KERNEL_OBJECT, &self.kernel_object.to_le_bytes()),
            (at::KERNARG, &self.kernarg_address.to_le_bytes()),
            (at::EXTENSION, &self.extension.to_le_bytes()),
            (at::SIGNAL, &self.completion_signal.to_le_bytes()),
        ];
        packet(kind::KERNEL_DISPATCH, self.acquire, self.release, fields)
    }
}

/// A barrier packet: with release scope system and nothing else in the queues, the end of the
/// program.
pub fn barrier(acquire: Scope, release: Scope, completion_signal: u64) -> [u8; 64] {
    let signal = [(at::SIGNAL, &completion_signal.to_le_bytes()[..])];
    packet(kind::BARRIER_AND, acquire, release, signal)
}

/// How a kernel accesses a structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// It only reads.
    Read,
    /// It reads and writes.
    ReadWrite,
}

/// Bytes that one chiplet touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// Number among the chiplets that the kernel is scheduled on.
    pub chiplet: u8,
    /// First byte.
    pub start: u64,
    /// Last byte.
    pub end: u64,
}

/// The labels of a kernel.
#[derive(Clone, Debug)]
pub struct Labels {
    scheduled: u8,
    structures: Vec<u8>,
    ranges: Vec<u8>,
    num_structures: usize,
    unknown: bool,
}

impl Labels {
    /// Of a kernel that runs on so many chiplets, the lowest of its stream's.
    pub fn new(scheduled: u8) -> Self {
        let (structures, ranges) = (Vec::new(), Vec::new());
        Self { scheduled, structures, ranges, num_structures: 0, unknown: false }
    }

    /// The kernel follows pointers: what it touches cannot be said.
    pub fn set_unknown(&mut self) {
        self.unknown = true;
    }

    /// Each chiplet may touch all of a structure.
    pub fn set_access_mode(&mut self, base: u64, bytes: u64, access: Access) {
        self.set_access_mode_range(base, bytes, access, &[]);
    }

    /// Each chiplet touches these bytes of a structure, and no others; without ranges, all may
    /// touch all of it.
    pub fn set_access_mode_range(
        &mut self,
        base: u64,
        bytes: u64,
        access: Access,
        ranges: &[Range],
    ) {
        let first = self.ranges.len() / RANGE as usize;
        self.structures.extend(base.to_le_bytes());
        self.structures.extend(bytes.to_le_bytes());
        self.structures.push(u8::from(access == Access::ReadWrite));
        self.structures.push(ranges.len() as u8);
        self.structures.extend((first as u16).to_le_bytes());
        self.structures.extend([0; 12]);
        self.num_structures += 1;
        for range in ranges {
            self.ranges.extend((range.start | u64::from(range.chiplet) << 56).to_le_bytes());
            self.ranges.extend(range.end.to_le_bytes());
        }
    }

    /// The extension block. None where it would be too long, or name too many structures: such a
    /// kernel has no labels.
    pub fn encode(&self) -> Option<Vec<u8>> {
        let bytes = HEADER as usize + self.structures.len() + self.ranges.len();
        if bytes > MAX_BYTES as usize || self.num_structures > MAX_STRUCTURES {
            return None;
        }
        let mut block = Vec::with_capacity(bytes);
        block.extend(MAGIC.to_le_bytes());
        block.extend((VERSION as u16).to_le_bytes());
        block.extend((bytes as u16).to_le_bytes());
        block.push(self.num_structures as u8);
        block.push(self.scheduled);
        block.extend(((self.ranges.len() / RANGE as usize) as u16).to_le_bytes());
        block.push(if self.unknown { UNKNOWN as u8 } else { 0 });
        block.extend([0; 3]);
        block.extend(&self.structures);
        block.extend(&self.ranges);
        Some(block)
    }
}
