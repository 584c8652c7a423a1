//! Parameters and ports of the sharing-aware policy of an L1
//! (`rtl/sharing/sharing_l1_policy/sharing_l1_policy.sv`).

use crate::sharing::types::{L1Fill, Place, Sharing, Victim, index_w};
use crate::{message, ports};

crate::parameters! {
    /// Parameters, one for each RTL parameter.
    pub struct Config: Sharing {
        /// `L1Sets`: sets, 1 to 256, a power of 2.
        pub l1_sets = "L1Sets",
        /// `L1Ways`: ways of a set, 1 to 8.
        pub l1_ways = "L1Ways",
        /// `L1Mgt`: 1 for the policy, 0 for the least recently used line.
        pub l1_mgt = "L1Mgt",
        /// `Dead`: 1 to find private lines that are no longer used.
        pub dead = "Dead",
    }
}

impl Config {
    /// Bits of a set's number.
    pub fn set_w(&self) -> u32 {
        index_w(self.l1_sets)
    }

    /// Bits of a way's number.
    pub fn way_w(&self) -> u32 {
        index_w(self.l1_ways)
    }
}

/// `err_code_o` (specification section 12).
pub mod err {
    /// A way that holds no line.
    pub const WAY: u8 = 1;
}

message! {
    /// Events since reset, modulo 2^32 (specification section 9).
    pub struct Counters: "SHARING_L1_POLICY_CNT_T" in "sharing_l1_policy_types.svh" () {
        /// Hits.
        pub touches: u32 = 32,
        /// Private lines kept.
        pub fills_private: u32 = 32,
        /// Shared lines kept.
        pub fills_shared: u32 = 32,
        /// Shared lines not kept.
        pub bypass_shared: u32 = 32,
        /// Private lines that went.
        pub evict_private: u32 = 32,
        /// Shared lines that went.
        pub evict_shared: u32 = 32,
        /// Of the private ones, those thought to be dead.
        pub evict_dead: u32 = 32,
    }
}

ports! {
    /// Input ports. All are taken.
    pub struct In: In (c: Config) {
        /// All lines are gone.
        pub flush: bool = 1,
        /// This line is.
        pub inv: Option<Place> as (inv_valid, inv) = (c.set_w(), c.way_w()),
        /// This line is used.
        pub touch: Option<Place> as (touch_valid, touch) = (c.set_w(), c.way_w()),
        /// A line has come.
        pub fill: Option<L1Fill> as (fill_valid, fill) = (c.set_w(),),
    }
}

ports! {
    /// Output ports, all functions of registers.
    pub struct Out: Out (c: Config) {
        /// Where the line of the cycle before goes.
        pub vic: Option<Victim> as (vic_valid, vic) = (c.way_w(),),
        /// Pulse: error code.
        pub err: Option<u8> as (err_valid, err_code) = 4,
        /// Events since reset.
        pub counters: Counters = (),
    }
}
