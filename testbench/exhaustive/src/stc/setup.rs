//! The configurations that are searched.

use ports::stc::types::{Stc, Variant};

/// A configuration.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    /// What it is, for tables.
    pub name: &'static str,
    variant: Variant,
    max_bands: u32,
    /// Stores of each CU.
    pub stores: &'static [u8],
    /// Bands that they are to.
    pub bands: &'static [u8],
    /// All its states take longer than some seconds.
    pub is_large: bool,
}

const BASE: Setup = Setup {
    name: "",
    variant: Variant::Es,
    max_bands: 1,
    stores: &[1, 1],
    bands: &[0, 1],
    is_large: false,
};

/// Cycles of an epoch.
pub const WAKEUP: u32 = 8;
/// The lowest bit of a band.
pub const BAND: u32 = 4;

/// All configurations, the smallest first.
pub const SETUPS: &[Setup] = &[
    Setup { name: "one band in an epoch", ..BASE },
    Setup { name: "one band in an epoch, two stores of a CU", stores: &[2, 1], ..BASE },
    Setup {
        name: "two bands in an epoch",
        variant: Variant::Mb,
        max_bands: 2,
        bands: &[1, 2],
        ..BASE
    },
];

impl Setup {
    /// Parameters of the blocks.
    pub fn stc(&self) -> Stc {
        Stc {
            n_cu: self.stores.len() as u32,
            addr_w: 12,
            seb_min: BAND,
            // It does not move.
            seb_max: BAND,
            seb_init: BAND,
            wakeup: WAKEUP,
            variant: self.variant,
            max_bands: self.max_bands,
            bsq_n: 16,
            bsq_banks: 4,
            bsq_rd: 4,
            ..Stc::LEGAL
        }
    }
}
