//! Messages between the race detection blocks (`rtl/race/race_types.svh`), and their parameters:
//! one path for all of it.

pub use super::parameters::*;
use crate::{Bytes, message};

/// `Req::kind`.
pub mod req_kind {
    /// A read miss.
    pub const RDCHK: u8 = 0;
    /// Only to check: hits of a line have been used up.
    pub const HITCHK: u8 = 1;
    /// A write.
    pub const WRITE: u8 = 2;
    /// An atomic.
    pub const ATOM: u8 = 3;
}

/// `Rsp::kind`.
pub mod rsp_kind {
    /// No other SM has written what is read since the last synchronisation.
    pub const NORACE: u8 = 0;
    /// One has, or the signature says so: the epoch ends.
    pub const RACE: u8 = 1;
    /// A write or an atomic has its place in the order.
    pub const WACK: u8 = 2;
    /// The signature was full: it answers no request.
    pub const FORCED: u8 = 3;
}

/// `rs` of the access validation unit.
pub mod result {
    /// The line may be used.
    pub const HIT: u8 = 0;
    /// Its hits are used up: it must be checked.
    pub const HIT_NEEDCHK: u8 = 1;
    /// The L1 does not hold it.
    pub const MISS_COLD: u8 = 2;
    /// It is two epochs old, or more.
    pub const MISS_EXPIRED: u8 = 3;
    /// It is one epoch old, and may have been written.
    pub const MISS_AVU: u8 = 4;
}

message! {
    /// From an SM to the race detection unit.
    pub struct Req: "RACE_REQ_T" in "race_types.svh" () {
        /// See [`req_kind`].
        pub kind: u8 = 2,
        /// Whatever the SM calls it.
        pub id: u8 = 8,
        /// Bit b: byte b of the line is written; ignored in checks.
        pub mask: u128 = 128,
        /// Byte address; the line is bits 31 to 7.
        pub addr: u32 = 32,
    }
}

message! {
    /// The L2 bank of this address serves the oldest request of this SM next.
    pub struct Token: "RACE_TOK_T" in "race_types.svh" () {
        /// SM.
        pub sm: u8 = 4,
        /// Byte address, as in the request.
        pub addr: u32 = 32,
    }
}

message! {
    /// A beat of the unit's answer: a header, or 256 bits of a signature behind it.
    pub struct Rsp: "RACE_RSP_T" in "race_types.svh" () {
        /// It is the header.
        pub hdr: bool = 1,
        /// It is the last beat of the answer.
        pub last: bool = 1,
        /// See [`rsp_kind`].
        pub kind: u8 = 3,
        /// Of the request.
        pub id: u8 = 8,
        /// The SM's epoch after it.
        pub epoch: u8 = 5,
        /// The SM's epoch has changed.
        pub sync: bool = 1,
        /// Which 256 bits of the signature.
        pub chunk: u8 = 6,
        /// They.
        pub data: Bytes<32> = 32,
    }
}

message! {
    /// A lookup in an L1.
    pub struct Lookup: "RACE_LK_T" in "race_types.svh" () {
        /// Place in the L1.
        pub line: u8 = 8,
        /// The L1 holds the line there.
        pub tag_hit: bool = 1,
        /// The access is the `2^size` aligned bytes that hold `addr`.
        pub size: u8 = 3,
        /// Byte address.
        pub addr: u32 = 32,
    }
}

message! {
    /// A line is installed.
    pub struct Fill: "RACE_FILL_T" in "race_types.svh" () {
        /// Place in the L1.
        pub line: u8 = 8,
        /// Epoch of the header that answered its miss.
        pub epoch: u8 = 5,
    }
}

message! {
    /// Bytes that a load has read: is any of their granules in the signature?
    pub struct Query: "RACE_Q_T" in "race_types.svh" () {
        /// The access is the `2^size` aligned bytes that hold `addr`.
        pub size: u8 = 3,
        /// Byte address.
        pub addr: u32 = 32,
    }
}

message! {
    /// An answer of the unit is complete and in force.
    pub struct Done: "RACE_DONE_T" in "race_types.svh" () {
        /// See [`rsp_kind`].
        pub kind: u8 = 3,
        /// Of the request.
        pub id: u8 = 8,
        /// Epoch after it.
        pub epoch: u8 = 5,
        /// The epoch has changed.
        pub sync: bool = 1,
    }
}

message! {
    /// A load that has hit while an answer was outstanding.
    pub struct Alloc: "RACE_ALLOC_T" in "race_types.svh" () {
        /// Warp.
        pub warp: u8 = 6,
        /// Names the load.
        pub tag: u16 = 16,
        /// The access is the `2^size` aligned bytes that hold `addr`.
        pub size: u8 = 3,
        /// Byte address.
        pub addr: u32 = 32,
    }
}

message! {
    /// A load of the speculative load queue.
    pub struct LoadName: "RACE_LOAD_T" in "race_types.svh" () {
        /// Warp.
        pub warp: u8 = 6,
        /// As allocated.
        pub tag: u16 = 16,
    }
}
