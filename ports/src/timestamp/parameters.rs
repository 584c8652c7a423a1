//! Parameters that the blocks of timestamp coherence share: G-TSC, and TC, with which it is
//! compared (Tabbakh's thesis, chapter 3, table 3.3).

use serde::{Deserialize, Serialize};

use crate::Limit::{Names, OneOf, PowerOfTwo, Range};
use crate::{ConfigError, FieldValue, Fields, fields};

/// Most SMs.
pub const MAX_SMS: usize = 32;
/// Most bytes of a line.
pub const MAX_LINE: usize = 128;
/// Bits of a timestamp in TC's messages: an expiry is two of them.
pub const TC_TS_W: u32 = 16;

/// Protocol of the L1s and L2 banks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// G-TSC: leases in logical time, and a write waits for none of them.
    Gtsc,
    /// TC-Strong: leases in cycles, and a write waits for the end of each lease of its line.
    Tcs,
    /// TC-Weak: leases in cycles; a write waits for none of them, a fence does.
    Tcw,
}

impl Protocol {
    /// Bits of a timestamp in a message, of `ts_w` in G-TSC.
    pub fn ts_bits(self, ts_w: u32) -> u32 {
        match self {
            Self::Gtsc => ts_w,
            Self::Tcs | Self::Tcw => TC_TS_W,
        }
    }
}

impl From<Protocol> for u64 {
    fn from(protocol: Protocol) -> Self {
        protocol as Self
    }
}

impl FieldValue for Protocol {}

fields! {
    /// All parameters of the blocks of timestamp coherence (specification 2). Each block takes its
    /// own from here.
    pub struct Timestamp of Self {
        /// Protocol of the L1s and L2 banks.
        pub protocol: Protocol = Names(protocols), "", "thesis, section 3.2.1";
        /// SMs.
        pub n_sm: u32 = Range(1, MAX_SMS as u64), "SMs", "thesis, table 3.3";
        /// Warps of an SM.
        pub warps: u32 = Range(1, 64), "warps", "thesis, table 3.3";
        /// Bits of a timestamp in G-TSC.
        pub ts_w: u32 = Range(5, 32), "bits", "thesis, section 3.5.4";
        /// Lease of a line in G-TSC.
        pub lease: u32 = Range(1, 1 << 30), "logical time", "thesis, section 3.6.2",
            where "at most 2^(ts_w - 2)": |ts| ts.lease <= 1 << (ts.ts_w - 2);
        /// Bytes of a line.
        pub line: u32 = OneOf(&[16, 32, 64, 128]), "bytes", "thesis, table 3.3";
        /// Bits of the address of a line.
        pub line_w: u32 = Range(8, 40), "bits", "specification 2";
        /// Sets of an L1.
        pub l1_sets: u32 = PowerOfTwo(1, 256), "sets", "thesis, table 3.3",
            where "at most 2^(line_w - 1)":
                |ts| u64::from(ts.l1_sets) <= 1 << (ts.line_w - 1);
        /// Ways of a set of an L1.
        pub l1_ways: u32 = Range(1, 8), "ways", "thesis, table 3.3";
        /// MSHRs of an L1.
        pub l1_mshr: u32 = Range(1, 64), "lines", "thesis, table 3.3";
        /// Maximum number of loads in an L1 that wait for one line.
        pub waiters: u32 = Range(1, 48), "loads", "specification 2";
        /// Maximum number of outstanding stores and atomics of an L1.
        pub stq: u32 = Range(1, 64), "stores", "specification 2";
        /// Consecutive hits in an L1 after which the clock of a warp advances.
        pub spin: u32 = Range(1, 65535), "hits", "specification 5.6";
        /// Banks of the L2.
        pub l2_banks: u32 = PowerOfTwo(1, 16), "banks", "thesis, table 3.3";
        /// Sets of an L2 bank.
        pub l2_sets: u32 = PowerOfTwo(1, 1024), "sets", "thesis, table 3.3",
            where "l2_banks x l2_sets at most 2^(line_w - 1)":
                |ts| u64::from(ts.l2_banks) * u64::from(ts.l2_sets) <= 1 << (ts.line_w - 1);
        /// Ways of a set of an L2 bank.
        pub l2_ways: u32 = Range(1, 16), "ways", "thesis, table 3.3";
        /// MSHRs of an L2 bank.
        pub l2_mshr: u32 = Range(1, 64), "lines", "thesis, table 3.3";
        /// Maximum number of requests in an L2 bank that wait for one line, including the first.
        pub l2_wait: u32 = Range(1, 16), "requests", "specification 2";
        /// Cycles between two actions of an L2 bank.
        pub l2_div: u32 = Range(1, 4), "cycles", "thesis, table 3.3";
        /// Lease of a line in TC.
        pub tc_lease: u32 = Range(1, 65535), "cycles", "specification 2";
    }
}

fn protocols() -> Vec<String> {
    ["gtsc", "tcs", "tcw"].map(String::from).to_vec()
}

impl Timestamp {
    /// Any legal values, which remain legal whatever legal values others are given.
    pub const LEGAL: Self = Self {
        protocol: Protocol::Gtsc,
        n_sm: 1,
        warps: 1,
        ts_w: 32,
        lease: 1,
        line: 128,
        line_w: 40,
        l1_sets: 1,
        l1_ways: 1,
        l1_mshr: 1,
        waiters: 1,
        stq: 1,
        spin: 1,
        l2_banks: 1,
        l2_sets: 1,
        l2_ways: 1,
        l2_mshr: 1,
        l2_wait: 1,
        l2_div: 1,
        tc_lease: 1,
    };

    /// Checks every limit of specification 2.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.check_fields()
    }
}
