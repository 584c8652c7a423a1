//! The configurations that are searched.

use ports::directory::coherence_directory::{Config, Replacement, Variant};

/// A configuration.
pub struct Setup {
    /// What it is, for tables.
    pub name: &'static str,
    variant: Variant,
    gpus: u32,
    /// Lines that an entry covers.
    covers: u32,
    /// Numbers of the lines that are used.
    pub lines: &'static [u64],
    /// GPUs release.
    pub releases: bool,
    /// The home evicts entries that are not in the way, as when it gives a page away.
    pub evicts: bool,
    /// All its states take longer than some seconds.
    pub is_large: bool,
}

const BASE: Setup = Setup {
    name: "",
    variant: Variant::Baseline,
    gpus: 3,
    covers: 1,
    lines: &[0],
    releases: false,
    evicts: false,
    is_large: false,
};

/// All configurations, the smallest first.
pub const SETUPS: &[Setup] = &[
    Setup { name: "two GPUs, one line, releases", gpus: 2, releases: true, ..BASE },
    Setup { name: "two GPUs, two lines, an entry of one line", gpus: 2, lines: &[0, 1], ..BASE },
    Setup {
        name: "two GPUs, two lines, an entry of hmg",
        variant: Variant::Hmg,
        gpus: 2,
        covers: 4,
        lines: &[0, 1],
        ..BASE
    },
    Setup {
        name: "two GPUs, two lines, an entry of rec, evictions",
        variant: Variant::Rec,
        gpus: 2,
        covers: 2,
        lines: &[0, 1],
        evicts: true,
        is_large: true,
        ..BASE
    },
    Setup { name: "three GPUs, one line", is_large: true, ..BASE },
    Setup { name: "three GPUs, one line, releases", releases: true, is_large: true, ..BASE },
];

impl Setup {
    /// One set of one entry.
    pub fn config(&self) -> Config {
        Config {
            variant: self.variant,
            gpus: self.gpus,
            entries: 1,
            ways: 1,
            line: 64,
            range: 64 * self.covers,
            address_width: 16,
            replacement: Replacement::Fifo,
            jobs: 2,
            responses: 3,
            ideal_lines: 64,
        }
    }
}
