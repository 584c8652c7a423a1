//! Parameters that the blocks of race detection share (Tabbakh's thesis, chapter 4, table 4.1,
//! section 4.3.3).

use serde::{Deserialize, Serialize};

use crate::ConfigError;

/// Most SMs of a GPU: a token names one with 4 bits.
pub const MAX_SMS: usize = 16;
/// Most tests of the speculative load queue in a cycle.
pub const MAX_VLANES: usize = 8;
/// Bits of a signature that travel in one beat.
pub const BEAT_BITS: u32 = 256;
/// Most bits of a signature.
pub const MAX_SIGNATURE: u32 = 16384;

/// All parameters of the race detection blocks (specification 2). Each block takes its own from
/// here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RaceDetection {
    /// SMs, 2 to 16.
    pub n_sm: u32,
    /// Bits of a signature: 256, or 1024 to 16384, a power of 2.
    pub m: u32,
    /// New bits after which a signature is sent unasked, 1 to `m / 8`.
    pub n_sat: u32,
    /// Bytes of a granule: 1, 4, 128 or 512.
    pub gran: u32,
    /// Lines of an L1, 1 to 256.
    pub lines: u32,
    /// Hits of a line without a check, 1 to 7.
    pub hits: u32,
    /// Bits of an epoch, 2 to 5.
    pub epoch_w: u32,
    /// Slots of a speculative load queue, 1 to 256.
    pub slq_n: u32,
    /// Places of an SM's queue in the unit, 1 to 64.
    pub rq_n: u32,
    /// Granules that the unit looks at in a cycle: 1, 2, 4 or 8.
    pub lanes: u32,
    /// Loads that are validated in a cycle, 1 to 8.
    pub v_lanes: u32,
}

impl RaceDetection {
    /// Any legal values, which remain legal whatever legal values others are given.
    pub const LEGAL: Self = Self {
        n_sm: 2,
        m: MAX_SIGNATURE,
        n_sat: 1,
        gran: 128,
        lines: 1,
        hits: 1,
        epoch_w: 2,
        slq_n: 1,
        rq_n: 1,
        lanes: 1,
        v_lanes: 1,
    };

    /// Checks every limit of specification 2, in its order.
    pub fn validate(&self) -> Result<(), ConfigError> {
        ConfigError::range("n_sm", self.n_sm, 2..=MAX_SMS as u32)?;
        let legal = self.m == 256 || self.m.is_power_of_two() && self.m >= 1024;
        let legal = legal && self.m <= MAX_SIGNATURE;
        let limit = "256, or a power of 2 from 1024 to 16384".to_string();
        ConfigError::check(legal, "m", self.m.into(), limit)?;
        ConfigError::range("n_sat", self.n_sat, 1..=self.m / 8)?;
        let legal = [1, 4, 128, 512].contains(&self.gran);
        ConfigError::check(legal, "gran", self.gran.into(), "1, 4, 128 or 512".to_string())?;
        ConfigError::range("lines", self.lines, 1..=256)?;
        ConfigError::range("hits", self.hits, 1..=7)?;
        ConfigError::range("epoch_w", self.epoch_w, 2..=5)?;
        ConfigError::range("slq_n", self.slq_n, 1..=256)?;
        ConfigError::range("rq_n", self.rq_n, 1..=64)?;
        ConfigError::power_of_two("lanes", self.lanes, 1..=8)?;
        ConfigError::range("v_lanes", self.v_lanes, 1..=MAX_VLANES as u32)
    }
}
