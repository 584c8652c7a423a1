//! Parameters and ports of the sharing-aware policy of an L2 bank
//! (`rtl/sharing/sharing_l2_policy/sharing_l2_policy.sv`).

use crate::sharing::types::{Action, L2Fill, Lookup, Place, Sharing, index_w};
use crate::{message, ports};

crate::parameters! {
    /// Parameters, one for each RTL parameter.
    pub struct Config: Sharing {
        /// `NSm`: SMs, 1 to 16.
        pub n_sm = "NSm",
        /// `L2Sets`: sets, 1 to 1024, a power of 2.
        pub l2_sets = "L2Sets",
        /// `L2Ways`: ways of a set, 1 to 16.
        pub l2_ways = "L2Ways",
        /// `L2Mshr`: lines that are waited for, 1 to 64.
        pub l2_mshr = "L2Mshr",
        /// `L2Mgt`: 1 for the policy, 0 for the least recently used line.
        pub l2_mgt = "L2Mgt",
    }
}

impl Config {
    /// Bits of an MSHR's number.
    pub fn mshr_w(&self) -> u32 {
        index_w(self.l2_mshr)
    }

    /// Bits of a set's number.
    pub fn set_w(&self) -> u32 {
        index_w(self.l2_sets)
    }

    /// Bits of a way's number.
    pub fn way_w(&self) -> u32 {
        index_w(self.l2_ways)
    }
}

/// `err_code_o` (specification section 12).
pub mod err {
    /// A hit of a way that holds no line.
    pub const HIT: u8 = 1;
    /// An MSHR that waits for no line, or one for a new line that waits for another.
    pub const MSHR: u8 = 2;
    /// A line that no request waits for.
    pub const FILL: u8 = 3;
    /// An SM that there is not.
    pub const SM: u8 = 4;
    /// A line that is not there is gone.
    pub const INV: u8 = 5;
}

message! {
    /// Events since reset, modulo 2^32 (specification section 9).
    pub struct Counters: "SHARING_L2_POLICY_CNT_T" in "sharing_l2_policy_types.svh" () {
        /// Accesses to lines that are there.
        pub hits: u32 = 32,
        /// To lines that are waited for.
        pub merges: u32 = 32,
        /// Lines fetched into a way.
        pub allocs: u32 = 32,
        /// Accesses to local memory that are not kept.
        pub bypasses: u32 = 32,
        /// Accesses that are to be asked again.
        pub stalls: u32 = 32,
        /// Lines, there or waited for, that became shared.
        pub sf_set: u32 = 32,
        /// Private lines that went.
        pub evict_private: u32 = 32,
        /// Shared lines that went.
        pub evict_shared: u32 = 32,
    }
}

ports! {
    /// Input ports. All are taken.
    pub struct In: In (c: Config) {
        /// All lines are gone; those that are waited for come.
        pub flush: bool = 1,
        /// This line is.
        pub inv: Option<Place> as (inv_valid, inv) = (c.set_w(), c.way_w()),
        /// A line has come.
        pub fill: Option<L2Fill> as (fill_valid, fill) = (c.mshr_w(), c.set_w(), c.way_w()),
        /// An access.
        pub lk: Option<Lookup> as (lk_valid, lk) = (c.mshr_w(), c.set_w(), c.way_w()),
    }
}

ports! {
    /// Output ports, all functions of registers.
    pub struct Out: Out (c: Config) {
        /// Whether the line of the cycle before is shared: for each answer of its MSHR.
        pub fsf: Option<bool> as (fsf_valid, fsf) = 1,
        /// What becomes of the access of the cycle before.
        pub act: Option<Action> as (act_valid, act) = (c.way_w(),),
        /// Pulse: error code.
        pub err: Option<u8> as (err_valid, err_code) = 4,
        /// Events since reset.
        pub counters: Counters = (),
    }
}
