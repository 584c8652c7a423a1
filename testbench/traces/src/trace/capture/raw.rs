//! The records of a raw capture.

use crate::trace::wire::little_endian;

/// Bytes of a record.
pub const RECORD_BYTES: usize = 40;

/// The work-item of accesses by the whole work-group.
pub const WHOLE_GROUP: u16 = 0xffff;

/// A record, as it stands in the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Raw {
    /// Number of the launch.
    pub kernel: u32,
    /// Work-group.
    pub group: u32,
    /// Work-item within its group.
    pub item: u16,
    /// Static instruction.
    pub pc: u16,
    /// See [`Raw::what`].
    pub kind: u8,
    /// Bytes of the access.
    pub size: u8,
    /// Atomic operation, flags.
    pub aux: u16,
    /// Address: number of the buffer in the top 16 bits, offset below.
    pub addr: u64,
    /// Value; of atomics old and new; of host operations size and place of the data.
    pub value: [u8; 16],
}

/// What a record says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A load, or an atomic that did not store.
    Load,
    /// A store.
    Store,
    /// An atomic.
    Atomic,
    /// All work-items of the group meet.
    Barrier,
    /// A kernel begins.
    BeginKernel,
    /// A kernel ends.
    EndKernel,
    /// A work-group begins.
    BeginGroup,
    /// A work-group ends.
    EndGroup,
    /// The host reads.
    HostRead,
    /// The host writes.
    HostWrite,
    /// The host maps memory.
    Map,
    /// The host ends a mapping.
    Unmap,
    /// A buffer begins.
    Alloc,
    /// A buffer ends.
    Free,
}

impl Raw {
    /// From its bytes.
    pub fn from_bytes(b: &[u8; RECORD_BYTES]) -> Self {
        let half = |at: usize| little_endian(&b[at..at + 2]) as u16;
        let word = |at: usize| little_endian(&b[at..at + 4]) as u32;
        let mut value = [0; 16];
        value.copy_from_slice(&b[24..]);
        Self {
            kernel: word(0),
            group: word(4),
            item: half(8),
            pc: half(10),
            kind: b[12],
            size: b[13],
            aux: half(14),
            addr: little_endian(&b[16..24]),
            value,
        }
    }

    /// What it says; none for a kind that does not exist.
    pub fn what(&self) -> Option<What> {
        Some(match self.kind {
            0 | 3 | 4 => What::Load,
            1 | 5 => What::Store,
            2 => What::Atomic,
            8 => What::Barrier,
            16 => What::BeginKernel,
            17 => What::EndKernel,
            18 => What::BeginGroup,
            19 => What::EndGroup,
            32 => What::HostRead,
            33 => What::HostWrite,
            34 => What::Map,
            35 => What::Unmap,
            36 => What::Alloc,
            37 => What::Free,
            _ => return None,
        })
    }

    /// Low or high half of the value.
    pub fn number(&self, half: usize) -> u64 {
        little_endian(&self.value[8 * half..8 * half + 8])
    }
}
