//! Parameters that the FinePack blocks share, and what follows from them (FinePack, HPCA'23,
//! section IV, table III).

use crate::Limit::{OneOf, PowerOfTwo, Range};
use crate::{ConfigError, Fields, fields};

/// Most GPUs of a system.
pub const MAX_GPUS: usize = 16;
/// Most partitions of a remote write queue: one for each other GPU.
pub const MAX_PARTS: usize = MAX_GPUS - 1;
/// Longest line in bytes.
pub const MAX_LINE: usize = 128;
/// Longest beat in bytes.
pub const MAX_BEAT: usize = 128;

/// Partition that serves GPU `dest` in GPU `self_id`.
#[inline]
pub fn partition_of(dest: u8, self_id: u8) -> usize {
    usize::from(if dest < self_id { dest } else { dest - 1 })
}

/// GPU that partition `part` of GPU `self_id` serves.
#[inline]
pub fn gpu_of(part: usize, self_id: u8) -> u8 {
    if part < usize::from(self_id) { part as u8 } else { part as u8 + 1 }
}

/// Bytes of the packetizer's accumulator and of the de-packetizer's window (specification 5.5,
/// 5.6).
pub const fn window_bytes(beat: u32, sub_header_bytes: u32, line: u32) -> u32 {
    (2 * beat + sub_header_bytes + line).next_multiple_of(8)
}

/// Offset bits that `sub_header_bytes` bytes of sub-header leave (FinePack, table II).
pub const fn offset_bits(sub_header_bytes: u32) -> u32 {
    8 * sub_header_bytes - 10
}

fields! {
    /// All parameters of the FinePack blocks (specification section 2). Each block takes its own
    /// from here.
    pub struct FinePack of Self {
        /// GPUs of the system.
        pub num_gpus: u32 = Range(2, MAX_GPUS as u64), "GPUs", "FinePack, section V";
        /// Entries of a bank of the remote write queue.
        pub entries: u32 = PowerOfTwo(2, 64), "entries", "FinePack, table III";
        /// Bytes of a line in the remote write queue.
        pub line: u32 = PowerOfTwo(16, MAX_LINE as u64), "bytes", "FinePack, section IV-B",
            where "at most 2^offset_width": |p| u64::from(p.line) <= 1 << p.offset_width;
        /// Banks of a partition.
        pub banks: u32 = Range(1, 2), "banks", "specification 2";
        /// Bytes of a sub-header.
        pub sub_header_bytes: u32 = Range(2, 6), "bytes", "FinePack, table II";
        /// Bits of an offset.
        pub offset_width: u32 = Range(6, 38), "bits", "FinePack, table II",
            where "8 * sub_header_bytes - 10":
                |p| p.offset_width == offset_bits(p.sub_header_bytes);
        /// Maximum payload of a packet.
        pub max_payload: u32 = Range(28, 4096), "bytes", "FinePack, table III",
            where "a multiple of 4": |p| p.max_payload.is_multiple_of(4),
            where "at least (line / 2) * (1 + sub_header_bytes) + 4":
                |p| p.max_payload >= p.line / 2 * (1 + p.sub_header_bytes) + 4;
        /// Bytes of a beat.
        pub beat: u32 = OneOf(&[8, 16, 32, 64, MAX_BEAT as u64]), "bytes", "specification 2";
        /// Depth of a partition's order queue.
        pub order_queue_depth: u32 = Range(2, 16), "windows", "specification 2";
        /// Depth of the de-packetizer's buffer.
        pub output_depth: u32 = Range(2, 64), "lines", "FinePack, section IV-B";
        /// 1: packets have an ECRC.
        pub ecrc: u32 = Range(0, 1), "", "PCIe Base Specification";
        /// PCIe generation of the link.
        pub pcie_generation: u32 = Range(2, 6), "generation", "FinePack, section V";
    }
}

impl FinePack {
    /// Any legal values, which remain legal whatever legal values others are given.
    pub const LEGAL: Self = Self {
        num_gpus: 2,
        entries: 2,
        line: 64,
        banks: 1,
        sub_header_bytes: 2,
        offset_width: 6,
        max_payload: 4096,
        beat: 8,
        order_queue_depth: 2,
        output_depth: 2,
        ecrc: 0,
        pcie_generation: 4,
    };

    /// Checks every limit of specification section 2.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.check_fields()
    }
}
