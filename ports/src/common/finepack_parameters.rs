//! Parameters that the FinePack blocks share, and what follows from them (FinePack, HPCA'23,
//! section IV, table III).

use serde::{Deserialize, Serialize};

use crate::ConfigError;

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

/// All parameters of the FinePack blocks (specification section 2). Each block takes its own from
/// here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FinePack {
    /// GPUs of the system, 2 to 16.
    pub num_gpus: u32,
    /// Entries of a bank, 2 to 64, a power of 2.
    pub entries: u32,
    /// Bytes of a line, 16 to 128, a power of 2, at most `2^offset_width`.
    pub line: u32,
    /// Banks of a partition, 1 or 2.
    pub banks: u32,
    /// Bytes of a sub-header, 2 to 6.
    pub sub_header_bytes: u32,
    /// Bits of an offset, `8 * sub_header_bytes - 10`.
    pub offset_width: u32,
    /// Largest payload of a packet in bytes.
    pub max_payload: u32,
    /// Bytes of a beat: 8, 16, 32, 64 or 128.
    pub beat: u32,
    /// Depth of a partition's order queue, 2 to 16.
    pub order_queue_depth: u32,
    /// Depth of the de-packetizer's buffer in lines, 2 to 64.
    pub output_depth: u32,
    /// 1 where an ECRC is sent.
    pub ecrc: u32,
    /// PCIe generation of the link, 2 to 6.
    pub pcie_generation: u32,
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
        let check =
            |ok, name, value: u32, limit: &str| ConfigError::check(ok, name, value.into(), limit);
        ConfigError::range("num_gpus", self.num_gpus, 2..=16)?;
        ConfigError::power_of_two("entries", self.entries, 2..=64)?;
        ConfigError::range("sub_header_bytes", self.sub_header_bytes, 2..=6)?;
        let offset_width = offset_bits(self.sub_header_bytes);
        let limit = format!("8 * sub_header_bytes - 10 = {offset_width}");
        check(self.offset_width == offset_width, "offset_width", self.offset_width, &limit)?;
        ConfigError::power_of_two("line", self.line, 16..=128)?;
        let window = 1u64 << offset_width;
        let limit = format!("at most 2^offset_width = {window}");
        check(u64::from(self.line) <= window, "line", self.line, &limit)?;
        check((1..=2).contains(&self.banks), "banks", self.banks, "1 or 2")?;
        let least = self.line / 2 * (1 + self.sub_header_bytes) + 4;
        let fits = self.max_payload.is_multiple_of(4) && (least..=4096).contains(&self.max_payload);
        let limit =
            format!("a multiple of 4, (line / 2) * (1 + sub_header_bytes) + 4 = {least} to 4096");
        check(fits, "max_payload", self.max_payload, &limit)?;
        let beat = self.beat.is_power_of_two() && (8..=128).contains(&self.beat);
        check(beat, "beat", self.beat, "8, 16, 32, 64 or 128")?;
        ConfigError::range("order_queue_depth", self.order_queue_depth, 2..=16)?;
        ConfigError::range("output_depth", self.output_depth, 2..=64)?;
        check(self.ecrc <= 1, "ecrc", self.ecrc, "0 or 1")?;
        ConfigError::range("pcie_generation", self.pcie_generation, 2..=6)
    }
}
