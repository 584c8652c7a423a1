//! What the hardware says of itself.

use crate::decide::Masks;
use crate::map::{PRIVATE_BYTES, error};
use crate::record::Record;

/// Most chiplets.
pub const MAX_CHIPLETS: usize = 16;
/// Most table entries.
pub const MAX_ENTRIES: usize = 256;

/// Who keeps the L2s of chiplets coherent at kernel boundaries (specification 2 and 7), in the
/// order of their codes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SyncMode {
    /// None.
    #[default]
    None,
    /// All are released after each kernel and acquired before each.
    Baseline,
    /// The chiplet coherence table.
    Cpelide,
    /// Directories; only a system release writes back.
    Hmg,
}

/// The register CONF.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// Chiplets, 2 to 16; 1 where there is nothing to keep coherent.
    pub chiplets: usize,
    /// What is done at kernel boundaries.
    pub sync_mode: SyncMode,
    /// Most records of a kernel, 1 to 16.
    pub max_structs: usize,
    /// Entries of the table, up to 256.
    pub table_entries: usize,
    /// log2 of the lines of a 4 KiB page: 6, or 5 with lines of 128 bytes.
    pub page_shift: u32,
    /// log2 of the bytes of a line.
    pub line_shift: u32,
    /// Words of a table entry.
    pub stride: usize,
    /// An L2 holds lines that other chiplets asked for (policy `home_forward`).
    pub home_forward: bool,
    /// Other GPUs reach the L2s.
    pub several_gpus: bool,
    /// The table knows that under `home_forward` a line has one copy (specification 5.9).
    pub home_aware: bool,
    /// Launches are decided while the kernel before runs (specification 5.10).
    pub ahead: bool,
}

impl Config {
    /// Nothing.
    pub const ZERO: Self = Self {
        chiplets: 0,
        sync_mode: SyncMode::None,
        max_structs: 0,
        table_entries: 0,
        page_shift: 0,
        line_shift: 0,
        stride: 0,
        home_forward: false,
        several_gpus: false,
        home_aware: false,
        ahead: false,
    };

    /// From the register; the error is the code to halt with.
    pub fn decode(word: u32) -> Result<Self, u32> {
        let chiplets = (word & 31) as usize;
        let page_shift = if word >> 25 & 1 == 1 { 5 } else { 6 };
        let config = Self {
            chiplets,
            sync_mode: match word >> 8 & 3 {
                0 => SyncMode::None,
                1 => SyncMode::Baseline,
                2 => SyncMode::Cpelide,
                _ => SyncMode::Hmg,
            },
            max_structs: (word >> 11 & 31) as usize,
            table_entries: (word >> 16 & 511) as usize,
            page_shift,
            line_shift: 12 - page_shift,
            stride: 2 + 2 * chiplets + usize::from(chiplets == MAX_CHIPLETS),
            home_forward: word >> 10 & 1 == 1,
            several_gpus: word >> 28 & 1 == 1,
            home_aware: word >> 26 & 1 == 1,
            ahead: word >> 27 & 1 == 1,
        };
        let fits = (1..=MAX_CHIPLETS).contains(&config.chiplets)
            && (1..=16).contains(&config.max_structs)
            && (config.max_structs..=MAX_ENTRIES).contains(&config.table_entries)
            && config.stride * config.table_entries * 4 <= PRIVATE_BYTES as usize
            && (config.home_forward || !config.home_aware);
        if fits { Ok(config) } else { Err(error::FATAL) }
    }

    /// No two chiplets' L2s can hold a line of this: their ranges do not overlap, or a line has one
    /// copy.
    pub fn are_apart(&self, record: &Record) -> bool {
        self.home_aware || record.is_disjoint(self.chiplets)
    }

    /// Both operations on all chiplets.
    pub const fn everything(&self) -> Masks {
        Masks { release: self.all(), acquire: self.all() }
    }

    /// All chiplets.
    pub const fn all(&self) -> u16 {
        (u16::MAX as u32 >> (16 - self.chiplets)) as u16
    }
}
