//! Parameters and ports of the race detection unit
//! (`rtl/race/race_detection_unit/race_detection_unit.sv`).

use crate::race::types::{MAX_SMS, RaceDetection, Req, Rsp, Token};
use crate::{message, ports};

crate::parameters! {
    /// Parameters, one for each RTL parameter.
    pub struct Config: RaceDetection {
        /// `NSm`: SMs, 2 to 16.
        pub n_sm = "NSm",
        /// `M`: bits of a signature.
        pub m = "M",
        /// `NSat`: new bits after which a signature is sent unasked, 1 to `m / 8`.
        pub n_sat = "NSat",
        /// `Gran`: bytes of a granule.
        pub gran = "Gran",
        /// `EpochW`: bits of an epoch, 2 to 5.
        pub epoch_w = "EpochW",
        /// `RqN`: places of an SM's queue, 1 to 64.
        pub rq_n = "RqN",
        /// `Lanes`: granules in a cycle.
        pub lanes = "Lanes",
    }
}

message! {
    /// Events since reset, modulo 2^32 (specification section 9).
    pub struct Counters: "RACE_DETECTION_UNIT_CNT_T" in "race_detection_unit_types.svh" () {
        /// Last steps of read misses.
        pub reads: u32 = 32,
        /// Of checks of hits.
        pub hit_checks: u32 = 32,
        /// Of writes.
        pub writes: u32 = 32,
        /// Of atomics.
        pub atomics: u32 = 32,
        /// Answers that tell of a race.
        pub races: u32 = 32,
        /// Signatures sent unasked.
        pub forced: u32 = 32,
        /// Granules of writes, once for each other SM.
        pub inserts: u32 = 32,
        /// Granules of reads and checks.
        pub granules_checked: u32 = 32,
        /// Steps of reads and checks.
        pub check_steps: u32 = 32,
        /// Cycles in which a last step waits for the token register.
        pub token_stall: u32 = 32,
        /// Headers that were taken.
        pub header_beats: u32 = 32,
        /// Chunks of signatures that were taken.
        pub chunk_beats: u32 = 32,
        /// Requests that were not taken, once in each cycle.
        pub queue_full: u32 = 32,
    }
}

/// A request of each SM; those at or above `n_sm` are not ports.
pub type Reqs = [Req; MAX_SMS];
/// A beat to each SM; those at or above `n_sm` are not ports.
pub type Rsps = [Rsp; MAX_SMS];

ports! {
    /// Input ports.
    pub struct In: In (c: Config) {
        /// Bit i: SM i sends a request.
        pub req_valid: u16 = c.n_sm,
        /// The requests.
        pub req: Reqs = ((), c.n_sm),
        /// The token is taken.
        pub tok_ready: bool = 1,
        /// Bit i: SM i takes its beat.
        pub rsp_ready: u16 = c.n_sm,
    }
}

ports! {
    /// Output ports, all functions of registers.
    pub struct Out: Out (c: Config) {
        /// Bit i: the request of SM i is taken.
        pub req_ready: u16 = c.n_sm,
        /// The order of all writes and checked reads.
        pub tok: Option<Token> as (tok_valid, tok) = (),
        /// Bit i: there is a beat for SM i.
        pub rsp_valid: u16 = c.n_sm,
        /// The beats; 0 where there is none.
        pub rsp: Rsps = ((), c.n_sm),
        /// Nothing is under way, and no signature is due.
        pub idle: bool = 1,
        /// Events since reset.
        pub counters: Counters = (),
    }
}
