//! Parameters that the blocks of sharing-aware scheduling and caching share (Tabbakh's thesis,
//! chapter 2, table 2.1).

use crate::Limit::{PowerOfTwo, Range};
use crate::{ConfigError, Fields, fields};

/// Most SMs: an owner has 4 bits.
pub const MAX_SMS: usize = 16;

fields! {
    /// All parameters of the sharing-aware blocks (specification 2). Each block takes its own from
    /// here.
    pub struct Sharing of Self {
        /// SMs.
        pub n_sm: u32 = Range(1, MAX_SMS as u64), "SMs", "thesis, table 2.1";
        /// Maximum number of work-groups (CTAs) on an SM.
        pub slots: u32 = Range(1, 16), "work-groups", "specification 2";
        /// Bits of a work-group's number.
        pub cta_w: u32 = Range(2, 32), "bits", "specification 4";
        /// Sets of an L1.
        pub l1_sets: u32 = PowerOfTwo(1, 256), "sets", "thesis, table 2.1";
        /// Ways of a set of an L1.
        pub l1_ways: u32 = Range(1, 8), "ways", "thesis, table 2.1";
        /// Sets of an L2 bank.
        pub l2_sets: u32 = PowerOfTwo(1, 1024), "sets", "thesis, table 2.1";
        /// Ways of a set of an L2 bank.
        pub l2_ways: u32 = Range(1, 16), "ways", "thesis, table 2.1";
        /// MSHRs of an L2 bank.
        pub l2_mshr: u32 = Range(1, 64), "lines", "specification 2";
        /// 1: L1s evict shared lines first; 0: L1s evict the least recently used line.
        pub l1_mgt: u32 = Range(0, 1), "", "thesis, section 2.6";
        /// 1: L2 banks evict private lines first; 0: L2 banks evict the least recently used line.
        pub l2_mgt: u32 = Range(0, 1), "", "thesis, section 2.6";
        /// 1: L1s predict dead private lines.
        pub dead: u32 = Range(0, 1), "", "thesis, section 2.5.2";
    }
}

/// Bits of a number below this, at least 1.
pub(crate) fn index_w(places: u32) -> u32 {
    places.next_power_of_two().ilog2().max(1)
}

impl Sharing {
    /// Any legal values, which remain legal whatever legal values others are given.
    pub const LEGAL: Self = Self {
        n_sm: 1,
        slots: 1,
        cta_w: 32,
        l1_sets: 1,
        l1_ways: 1,
        l2_sets: 1,
        l2_ways: 1,
        l2_mshr: 1,
        l1_mgt: 1,
        l2_mgt: 1,
        dead: 1,
    };

    /// Checks every limit of specification 2.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.check_fields()
    }
}
