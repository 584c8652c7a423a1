//! Parameters and ports of the speculative load queue
//! (`rtl/race/speculative_load_queue/speculative_load_queue.sv`).

use crate::race::types::{Alloc, Done, LoadName, MAX_VLANES, Query, RaceDetection};
use crate::{message, ports};

crate::parameters! {
    /// Parameters, one for each RTL parameter.
    pub struct Config: RaceDetection {
        /// `SlqN`: slots, 1 to 256.
        pub slq_n = "SlqN",
        /// `VLanes`: queries in a cycle, 1 to 8.
        pub v_lanes = "VLanes",
    }
}

/// `err_code_o` (specification section 12).
pub mod err {
    /// An answer while none is outstanding.
    pub const DONE: u8 = 1;
    /// A request while 255 are outstanding.
    pub const REQUEST: u8 = 2;
    /// A sync during a validation.
    pub const SYNC: u8 = 3;
}

message! {
    /// Events since reset, modulo 2^32 (specification section 9).
    pub struct Counters: "SPECULATIVE_LOAD_QUEUE_CNT_T" in "speculative_load_queue_types.svh" () {
        /// Entries allocated.
        pub allocs: u32 = 32,
        /// Loads committed.
        pub commits: u32 = 32,
        /// Loads replayed.
        pub replays: u32 = 32,
        /// Other entries that replays dropped.
        pub dropped: u32 = 32,
        /// Cycles in which a load found no slot.
        pub full_cycles: u32 = 32,
        /// Cycles of validation.
        pub busy_cycles: u32 = 32,
        /// Most slots occupied at once.
        pub occ_max: u32 = 32,
    }
}

/// Queries of a cycle; those at or above `v_lanes` are not ports.
pub type Queries = [Query; MAX_VLANES];

ports! {
    /// Input ports.
    pub struct In: In (c: Config) {
        /// A request of this SM is sent to the race detection unit.
        pub inc: bool = 1,
        /// The access validation unit has an answer.
        pub done: Option<Done> as (done_valid, done) = (),
        /// A load has hit while an answer was outstanding.
        pub alloc: Option<Alloc> as (alloc_valid, alloc) = (),
        /// Bit v: query v of the cycle before is in the signature.
        pub q_member: u8 = c.v_lanes,
        /// The replay is accepted.
        pub replay_ready: bool = 1,
    }
}

ports! {
    /// Output ports, all functions of registers.
    pub struct Out: Out (c: Config) {
        /// The load gets a slot.
        pub alloc_ready: bool = 1,
        /// Bit v: query v is valid.
        pub q_valid: u8 = c.v_lanes,
        /// The queries; 0 where there is none.
        pub q: Queries = ((), c.v_lanes),
        /// The oldest load is correct; always taken.
        pub commit: Option<LoadName> as (commit_valid, commit) = (),
        /// The warp must restart at this load.
        pub replay: Option<LoadName> as (replay_valid, replay) = (),
        /// Requests whose answer is not complete.
        pub out: u8 = 8,
        /// Bit w: warp w has a live entry.
        pub spec: u64 = 64,
        /// Validation in progress.
        pub busy: bool = 1,
        /// No slot is occupied.
        pub empty: bool = 1,
        /// Pulse: error code.
        pub err: Option<u8> as (err_valid, err_code) = 4,
        /// Events since reset.
        pub counters: Counters = (),
    }
}
