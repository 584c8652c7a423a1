//! What a host writes into a queue: AQL packets, and the extension block with what a kernel
//! touches, as `hipSetAccessMode` and `hipSetAccessModeRange` would (CPElide, MICRO 2024, listings
//! 1 and 2; specification 3.6).

/// To whom a packet's acquire or release is visible.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// Nobody.
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

/// A packet's type.
mod kind {
    pub const KERNEL_DISPATCH: u16 = 2;
    pub const BARRIER_AND: u16 = 3;
}

fn header(kind: u16, acquire: Scope, release: Scope) -> [u8; 2] {
    (kind | (acquire as u16) << 9 | (release as u16) << 11).to_le_bytes()
}

fn put(bytes: &mut [u8; 64], at: usize, field: &[u8]) {
    bytes[at..at + field.len()].copy_from_slice(field);
}

impl Dispatch {
    /// The packet's 64 bytes, little-endian, with three dimensions.
    pub fn encode(&self) -> [u8; 64] {
        let mut bytes = [0; 64];
        put(&mut bytes, 0, &header(kind::KERNEL_DISPATCH, self.acquire, self.release));
        put(&mut bytes, 2, &3u16.to_le_bytes());
        for (i, size) in self.workgroup_size.iter().enumerate() {
            put(&mut bytes, 4 + 2 * i, &size.to_le_bytes());
        }
        for (i, size) in self.grid_size.iter().enumerate() {
            put(&mut bytes, 12 + 4 * i, &size.to_le_bytes());
        }
        put(&mut bytes, 32, &self.kernel_object.to_le_bytes());
        put(&mut bytes, 40, &self.kernarg_address.to_le_bytes());
        put(&mut bytes, 48, &self.extension.to_le_bytes());
        put(&mut bytes, 56, &self.completion_signal.to_le_bytes());
        bytes
    }
}

/// A barrier packet: with release scope system and nothing else in the queues, the end of the
/// program.
pub fn barrier(acquire: Scope, release: Scope, completion_signal: u64) -> [u8; 64] {
    let mut bytes = [0; 64];
    put(&mut bytes, 0, &header(kind::BARRIER_AND, acquire, release));
    put(&mut bytes, 56, &completion_signal.to_le_bytes());
    bytes
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

const MAGIC: [u8; 4] = *b"CPE1";
const VERSION: u16 = 1;
const HEADER_BYTES: usize = 16;
const RANGE_BYTES: usize = 16;
/// Largest extension block.
const MAX_BYTES: usize = 4032;
/// Most structures of an extension block.
const MAX_STRUCTURES: usize = 32;

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
        let first = self.ranges.len() / RANGE_BYTES;
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
        let bytes = HEADER_BYTES + self.structures.len() + self.ranges.len();
        if bytes > MAX_BYTES || self.num_structures > MAX_STRUCTURES {
            return None;
        }
        let mut block = Vec::with_capacity(bytes);
        block.extend(MAGIC);
        block.extend(VERSION.to_le_bytes());
        block.extend((bytes as u16).to_le_bytes());
        block.push(self.num_structures as u8);
        block.push(self.scheduled);
        block.extend(((self.ranges.len() / RANGE_BYTES) as u16).to_le_bytes());
        block.push(u8::from(self.unknown));
        block.extend([0; 3]);
        block.extend(&self.structures);
        block.extend(&self.ranges);
        Some(block)
    }
}
