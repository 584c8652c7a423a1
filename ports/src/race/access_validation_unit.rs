//! Parameters and ports of the access validation unit
//! (`rtl/race/access_validation_unit/access_validation_unit.sv`).

use crate::race::types::{Done, Fill, Lookup, MAX_VLANES, Query, RaceDetection, Rsp};
use crate::{message, ports};

crate::parameters! {
    /// Parameters, one for each RTL parameter.
    pub struct Config: RaceDetection {
        /// `M`: bits of a signature.
        pub m = "M",
        /// `Gran`: bytes of a granule.
        pub gran = "Gran",
        /// `EpochW`: bits of an epoch, 2 to 5.
        pub epoch_w = "EpochW",
        /// `Lines`: lines of the L1, 1 to 256.
        pub lines = "Lines",
        /// `Hits`: hits of a line without a check, 1 to 7.
        pub hits = "Hits",
        /// `VLanes`: queries in a cycle, 1 to 8.
        pub v_lanes = "VLanes",
    }
}

/// `err_code_o` (specification section 12).
pub mod err {
    /// A chunk while no signature is loaded.
    pub const CHUNK: u8 = 1;
    /// A header while one is.
    pub const HEADER: u8 = 2;
    /// Kind, sync and last of a header contradict.
    pub const KIND: u8 = 3;
    /// An epoch that does not follow.
    pub const EPOCH: u8 = 4;
    /// A chunk beyond the signature.
    pub const INDEX: u8 = 5;
    /// A line that the L1 does not have.
    pub const LINE: u8 = 6;
}

message! {
    /// Events since reset, modulo 2^32 (specification section 9).
    pub struct Counters: "ACCESS_VALIDATION_UNIT_CNT_T" in "access_validation_unit_types.svh" () {
        /// Hits of lines of this epoch.
        pub hit_age0: u32 = 32,
        /// Of the one before.
        pub hit_age1: u32 = 32,
        /// Hits that need a check.
        pub needchk: u32 = 32,
        /// Lookups of lines that the L1 does not hold.
        pub miss_cold: u32 = 32,
        /// Of lines that are too old.
        pub miss_expired: u32 = 32,
        /// Of lines that may have been written.
        pub miss_avu: u32 = 32,
        /// Lookups and queries that the signature was asked for.
        pub signature_tests: u32 = 32,
        /// Changes of the epoch.
        pub syncs: u32 = 32,
        /// Cycles without a lookup because a signature is loaded.
        pub load_cycles: u32 = 32,
        /// Lines that would have looked new again.
        pub wrapped: u32 = 32,
    }
}

/// Queries of a cycle; those at or above `v_lanes` are not ports.
pub type Queries = [Query; MAX_VLANES];

ports! {
    /// Input ports.
    pub struct In: In (c: Config) {
        /// Beats from the race detection unit.
        pub rsp: Option<Rsp> as (rsp_valid, rsp) = (),
        /// A load is looked up in the L1.
        pub lk: Option<Lookup> as (lk_valid, lk) = (),
        /// A line is installed. All are taken.
        pub fill: Option<Fill> as (fill_valid, fill) = (),
        /// The check of this line is answered. All are taken.
        pub hc_clr: Option<u8> as (hc_clr_valid, hc_clr) = 8,
        /// Bit v: the speculative load queue asks query v.
        pub q_valid: u8 = c.v_lanes,
        /// The queries.
        pub q: Queries = ((), c.v_lanes),
        /// The speculative load queue validates.
        pub slq_busy: bool = 1,
    }
}

ports! {
    /// Output ports, all functions of registers.
    pub struct Out: Out (c: Config) {
        /// The beat is taken.
        pub rsp_ready: bool = 1,
        /// The lookup is taken.
        pub lk_ready: bool = 1,
        /// Result of the lookup of the cycle before: see
        /// [`result`](crate::race::types::result).
        pub rs: Option<u8> as (rs_valid, rs) = 3,
        /// Bit v: query v of the cycle before is in the signature.
        pub q_member: u8 = c.v_lanes,
        /// The epoch of this SM.
        pub epoch: u8 = 5,
        /// An answer is complete and in force.
        pub done: Option<Done> as (done_valid, done) = (),
        /// Pulse: error code.
        pub err: Option<u8> as (err_valid, err_code) = 4,
        /// Events since reset.
        pub counters: Counters = (),
    }
}
