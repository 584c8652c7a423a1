//! Parameters that the blocks of turn-based spatiotemporal coherence share (STC, TACO 20(3) art.
//! 33, table 3, section 6).

use serde::{Deserialize, Serialize};

use crate::ConfigError;

/// Most CUs of an epoch manager.
pub const MAX_CUS: usize = 32;
/// Most bands, and so most epochs.
pub const MAX_BANDS: usize = 32;

/// Which epochs follow each other, and where the epoch bits lie (STC, section 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Variant {
    /// Each in turn, whether or not somebody waits for it.
    Nv,
    /// Skips those that nobody waits for.
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

/// All parameters of the STC blocks (specification 2.1). Each block takes its own from here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stc {
    /// CUs, 1 to 32.
    pub n_cu: u32,
    /// Bits of an address that say its band, 2 to 5.
    pub band_bits: u32,
    /// Bits of an address, 12 to 32.
    pub addr_w: u32,
    /// Lowest start epoch bit, 1 to 32.
    pub seb_min: u32,
    /// Highest start epoch bit, `seb_min` to 32.
    pub seb_max: u32,
    /// Start epoch bit after reset, `seb_min` to `seb_max`.
    pub seb_init: u32,
    /// Cycles of an epoch, 8 to 511, more than bands.
    pub wakeup: u32,
    /// Variant.
    pub variant: Variant,
    /// Most bands of an epoch: 1 to 4 in mb, else 1.
    pub max_bands: u32,
    /// What of an address a vote compares: 0 above a page, 1 everything.
    pub adapt_cmp: u32,
    /// 1 where the start epoch bit moves once per rotation, 0 where it may at every selection.
    pub seb_on_wrap: u32,
    /// Entries of the blocked store queue, 16 to 256, a power of 2.
    pub bsq_n: u32,
    /// Its banks, 1 to 16, a power of 2.
    pub bsq_banks: u32,
    /// Entries of a bank that a scan examines in a cycle, 1 to `bsq_n / bsq_banks`.
    pub bsq_rd: u32,
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

    /// Checks every limit of specification 2.1, in its order.
    pub fn validate(&self) -> Result<(), ConfigError> {
        ConfigError::range("n_cu", self.n_cu, 1..=MAX_CUS as u32)?;
        ConfigError::range("band_bits", self.band_bits, 2..=5)?;
        ConfigError::range("addr_w", self.addr_w, 12..=32)?;
        ConfigError::range("seb_min", self.seb_min, 1..=32)?;
        ConfigError::range("seb_max", self.seb_max, self.seb_min..=32)?;
        ConfigError::range("seb_init", self.seb_init, self.seb_min..=self.seb_max)?;
        let limit = format!("8 to 511, more than the {} bands", 1 << self.band_bits);
        let legal = (8..=511).contains(&self.wakeup) && self.wakeup > 1 << self.band_bits;
        ConfigError::check(legal, "wakeup", self.wakeup.into(), limit)?;
        let most = if self.variant == Variant::Mb { 4 } else { 1 };
        let limit = format!("1 to {most} in this variant");
        let legal = (1..=most).contains(&self.max_bands);
        ConfigError::check(legal, "max_bands", self.max_bands.into(), limit)?;
        ConfigError::range("adapt_cmp", self.adapt_cmp, 0..=1)?;
        ConfigError::range("seb_on_wrap", self.seb_on_wrap, 0..=1)?;
        ConfigError::power_of_two("bsq_n", self.bsq_n, 16..=256)?;
        ConfigError::power_of_two("bsq_banks", self.bsq_banks, 1..=16)?;
        ConfigError::range("bsq_rd", self.bsq_rd, 1..=self.bsq_n / self.bsq_banks)
    }
}
