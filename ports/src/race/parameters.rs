//! Parameters that the blocks of race detection share (Tabbakh's thesis, chapter 4, table 4.1,
//! section 4.3.3).

use crate::Limit::{OneOf, PowerOfTwo, Range};
use crate::{ConfigError, Fields, fields};

/// Most SMs of a GPU: a token names one with 4 bits.
pub const MAX_SMS: usize = 16;
/// Most tests of the speculative load queue in a cycle.
pub const MAX_VLANES: usize = 8;
/// Bits of a signature that travel in one beat.
pub const BEAT_BITS: u32 = 256;
/// Most bits of a signature.
pub const MAX_SIGNATURE: u32 = 16384;

fields! {
    /// All parameters of the race detection blocks (specification 2). Each block takes its own from
    /// here.
    pub struct RaceDetection of Self {
        /// SMs.
        pub n_sm: u32 = Range(2, MAX_SMS as u64), "SMs", "thesis, table 4.1";
        /// Bits of a signature.
        pub m: u32 = OneOf(&[256, 1024, 2048, 4096, 8192, 16384]), "bits",
            "thesis, section 4.3.3";
        /// New bits after which a signature is sent without a request.
        pub n_sat: u32 = Range(1, MAX_SIGNATURE as u64 / 8), "bits", "thesis, section 4.3.3",
            where "at most m / 8": |race| race.n_sat <= race.m / 8;
        /// Bytes of a granule.
        pub gran: u32 = OneOf(&[1, 4, 128, 512]), "bytes", "thesis, section 4.3.3";
        /// Lines of an L1.
        pub lines: u32 = Range(1, 256), "lines", "thesis, table 4.1";
        /// Hits on a line that need no check.
        pub hits: u32 = Range(1, 7), "hits", "thesis, chapter 4";
        /// Bits of an epoch number.
        pub epoch_w: u32 = Range(2, 5), "bits", "thesis, chapter 4";
        /// Entries of a speculative load queue.
        pub slq_n: u32 = Range(1, 256), "slots", "thesis, chapter 4";
        /// Depth of an SM's request queue in the race detection unit.
        pub rq_n: u32 = Range(1, 64), "requests", "specification 2";
        /// Granules that the race detection unit processes per cycle.
        pub lanes: u32 = PowerOfTwo(1, 8), "granules", "specification 2";
        /// Loads that the speculative load queue validates per cycle.
        pub v_lanes: u32 = Range(1, MAX_VLANES as u64), "loads", "specification 2";
    }
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

    /// Checks every limit of specification 2.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.check_fields()
    }
}
