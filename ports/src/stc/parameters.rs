//! Parameters that the blocks of turn-based spatiotemporal coherence share (STC, TACO 20(3) art.
//! 33, table 3, section 6).

use serde::{Deserialize, Serialize};

use crate::Limit::{Names, PowerOfTwo, Range};
use crate::{ConfigError, FieldValue, Fields, fields};

/// Most CUs of an epoch manager.
pub const MAX_CUS: usize = 32;
/// Most bands, and so most epochs.
pub const MAX_BANDS: usize = 32;

/// Which epochs follow each other, and where the epoch bits lie (STC, section 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Variant {
    /// Each in turn, whether or not a request waits for it.
    Nv,
    /// Skips those that no request waits for.
    Es,
    /// Es, and the epoch bits move.
    Ab,
    /// Ab, and several epochs at once.
    Mb,
}

impl Variant {
    /// True where CUs demand epochs.
    pub fn has_demands(self) -> bool {
        self != Self::Nv
    }

    /// True where conflicts move the epoch bits.
    pub fn has_conflicts(self) -> bool {
        matches!(self, Self::Ab | Self::Mb)
    }
}

impl From<Variant> for u64 {
    fn from(variant: Variant) -> Self {
        variant as Self
    }
}

impl FieldValue for Variant {}

fields! {
    /// All parameters of the STC blocks (specification 2.1). Each block takes its own from here.
    pub struct Stc of Self {
        /// CUs.
        pub n_cu: u32 = Range(1, MAX_CUS as u64), "CUs", "STC, table 3";
        /// Bits of an address that select its band.
        pub band_bits: u32 = Range(2, 5), "bits", "STC, section 4.2";
        /// Bits of an address.
        pub addr_w: u32 = Range(12, 32), "bits", "specification 2.1";
        /// Lowest start epoch bit.
        pub seb_min: u32 = Range(1, 32), "bit", "STC, section 6";
        /// Highest start epoch bit.
        pub seb_max: u32 = Range(1, 32), "bit", "STC, section 6",
            where "at least seb_min": |stc| stc.seb_max >= stc.seb_min;
        /// Start epoch bit after reset.
        pub seb_init: u32 = Range(1, 32), "bit", "STC, section 6",
            where "at least seb_min": |stc| stc.seb_init >= stc.seb_min,
            where "at most seb_max": |stc| stc.seb_init <= stc.seb_max;
        /// Length of an epoch.
        pub wakeup: u32 = Range(8, 511), "cycles", "STC, table 3",
            where "more than the bands, 2^band_bits": |stc| stc.wakeup > 1 << stc.band_bits;
        /// Variant.
        pub variant: Variant = Names(variants), "", "STC, section 6";
        /// Maximum number of bands that an epoch grants.
        pub max_bands: u32 = Range(1, 4), "bands", "STC, section 6",
            where "1 in other variants than mb":
                |stc| stc.variant == Variant::Mb || stc.max_bands == 1;
        /// Address bits that a vote compares. 0: those above a page; 1: all.
        pub adapt_cmp: u32 = Range(0, 1), "", "specification 2.1";
        /// 1: the start epoch bit can move once per rotation; 0: at every selection.
        pub seb_on_wrap: u32 = Range(0, 1), "", "specification 2.1";
        /// Entries of the blocked store queue.
        pub bsq_n: u32 = PowerOfTwo(16, 256), "entries", "STC, table 3";
        /// Banks of the blocked store queue.
        pub bsq_banks: u32 = PowerOfTwo(1, 16), "banks", "specification 2.1";
        /// Entries of a bank that a scan examines per cycle.
        pub bsq_rd: u32 = Range(1, 256), "entries", "specification 2.1",
            where "at most bsq_n / bsq_banks": |stc| stc.bsq_rd <= stc.bsq_n / stc.bsq_banks;
    }
}

fn variants() -> Vec<String> {
    ["nv", "es", "ab", "mb"].map(String::from).to_vec()
}

impl Stc {
    /// Any legal values, which remain legal whatever legal values others are given.
    pub const LEGAL: Self = Self {
        n_cu: 1,
        band_bits: 2,
        addr_w: 32,
        seb_min: 1,
        seb_max: 32,
        seb_init: 32,
        wakeup: 511,
        variant: Variant::Es,
        max_bands: 1,
        adapt_cmp: 0,
        seb_on_wrap: 1,
        bsq_n: 256,
        bsq_banks: 1,
        bsq_rd: 1,
    };

    /// Checks every limit of specification 2.1.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.check_fields()
    }
}
