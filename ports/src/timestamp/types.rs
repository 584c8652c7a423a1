//! Messages between SMs, L1s, L2 banks and memory of timestamp coherence
//! (`rtl/timestamp/timestamp_types.svh`), and the parameters of its blocks: one path for all of it.
//!
//! All blocks have the same messages. Those of TC have timestamps of [`TC_TS_W`] bits, and an
//! expiry of 32 bits is `{wts, rts}`.

pub use super::parameters::*;
use crate::{Bytes, message};

/// The bytes of one line; those at or above `line` are zero.
pub type LineData = Bytes<MAX_LINE>;

/// `CoreReq::op` and `CoreRsp::op`.
pub mod op {
    /// Load.
    pub const LD: u8 = 0;
    /// Store.
    pub const ST: u8 = 1;
    /// Atomic.
    pub const ATOM: u8 = 2;
}

/// `CoreReq::aop` and `BusReq::aop`.
pub mod aop {
    /// Sum.
    pub const ADD: u8 = 0;
    /// Minimum of two signed numbers.
    pub const MIN: u8 = 1;
    /// Maximum.
    pub const MAX: u8 = 2;
    /// Minimum of two unsigned numbers.
    pub const UMIN: u8 = 3;
    /// Maximum.
    pub const UMAX: u8 = 4;
    /// And.
    pub const AND: u8 = 5;
    /// Or.
    pub const OR: u8 = 6;
    /// Exclusive or.
    pub const XOR: u8 = 7;
    /// Exchange.
    pub const XCHG: u8 = 8;
}

/// `BusReq::op`.
pub mod bus_op {
    /// A line is read.
    pub const RD: u8 = 0;
    /// Bytes of it are written.
    pub const WR: u8 = 1;
    /// Elements of it are changed.
    pub const ATOM: u8 = 2;
}

/// `BusRsp::op`.
pub mod rsp_op {
    /// The line.
    pub const FILL: u8 = 0;
    /// A longer lease of the line that the L1 has.
    pub const RNW: u8 = 1;
    /// The bytes are written.
    pub const WR_ACK: u8 = 2;
    /// The elements are changed: what they were.
    pub const ATOM_ACK: u8 = 3;
}

/// `L1Event::kind` and `L2Event::kind`.
pub mod event {
    /// A line has been used.
    pub const USED: u8 = 0;
    /// A line has gone.
    pub const GONE: u8 = 1;
    /// All lines have.
    pub const ALL_GONE: u8 = 2;
    /// A line has come.
    pub const CAME: u8 = 3;
}

/// `sync` of an L2 bank.
pub mod sync {
    /// All dirty lines are written back, and stay.
    pub const RELEASE: u8 = 0;
    /// They are, and all lines go.
    pub const ACQUIRE: u8 = 1;
}

message! {
    /// From an SM to its L1. 1198 bits at paper size (specification 3).
    pub struct CoreReq: "TIMESTAMP_CORE_REQ_T" in "timestamp_types.svh" (line: u32, line_w: u32) {
        /// See [`op`].
        pub op: u8 = 2,
        /// See [`aop`].
        pub aop: u8 = 4,
        /// Elements of an atomic have 8 bytes, else 4.
        pub sz: bool = 1,
        /// Whatever the SM calls it.
        pub id: u8 = 8,
        /// Warp.
        pub warp: u8 = 6,
        /// Address of the line: byte address / `line`.
        pub line: u64 = line_w,
        /// Bit b: byte b of the line is written, or of an element that is changed.
        pub mask: u128 = line,
        /// Bytes in their places.
        pub data: LineData = line,
    }
}

message! {
    /// From an L1 to its SM.
    pub struct CoreRsp: "TIMESTAMP_CORE_RSP_T" in "timestamp_types.svh" (line: u32, ts_w: u32) {
        /// Generation of `ts`. 0 of TC.
        pub rep: u8 = 2,
        /// Logical time of the operation. 0 of TC.
        pub ts: u32 = ts_w,
        /// Of the request.
        pub op: u8 = 2,
        /// Of the request.
        pub warp: u8 = 6,
        /// Of the request.
        pub id: u8 = 8,
        /// Load: the line. Atomic: what its elements were. Else 0.
        pub data: LineData = line,
    }
}

message! {
    /// From an L1 to an L2 bank. 1231 bits at paper size. Fields foreign to an operation are 0
    /// (thesis, table 3.1; specification 3).
    pub struct BusReq: "TIMESTAMP_BUS_REQ_T" in "timestamp_types.svh"
        (line: u32, line_w: u32, ts_w: u32)
    {
        /// See [`bus_op`].
        pub op: u8 = 2,
        /// See [`aop`].
        pub aop: u8 = 4,
        /// Elements of an atomic have 8 bytes, else 4.
        pub sz: bool = 1,
        /// Generation of the L1.
        pub rep: u8 = 2,
        /// SM.
        pub sm: u8 = 5,
        /// Bit 7 is 0: a load, of the MSHR of bits 5 to 0; 1: of the store table's entry.
        pub id: u8 = 8,
        /// Address of the line.
        pub line: u64 = line_w,
        /// When the L1's copy was written; 0 where it has none.
        pub wts: u32 = ts_w,
        /// The warp's clock.
        pub warp_ts: u32 = ts_w,
        /// Bytes written or changed.
        pub mask: u128 = line,
        /// They.
        pub data: LineData = line,
    }
}

message! {
    /// From an L2 bank to an L1. 1074 bits at paper size.
    pub struct BusRsp: "TIMESTAMP_BUS_RSP_T" in "timestamp_types.svh" (line: u32, ts_w: u32) {
        /// See [`rsp_op`].
        pub op: u8 = 2,
        /// Generation of the bank.
        pub rep: u8 = 2,
        /// Write: the L1's copy was as new as the bank's, or nothing of it is left.
        pub ok: bool = 1,
        /// SM.
        pub sm: u8 = 5,
        /// Of the request.
        pub id: u8 = 8,
        /// When the line was written.
        pub wts: u32 = ts_w,
        /// End of its lease, included.
        pub rts: u32 = ts_w,
        /// Fill: the line. Answer of an atomic: what its elements were. Else 0.
        pub data: LineData = line,
    }
}

message! {
    /// From an L2 bank to memory.
    pub struct DramReq: "TIMESTAMP_DRAM_REQ_T" in "timestamp_types.svh" (line: u32, line_w: u32) {
        /// The line is written.
        pub we: bool = 1,
        /// Address of the line.
        pub line: u64 = line_w,
        /// Its bytes; 0 of a read.
        pub data: LineData = line,
    }
}

message! {
    /// From memory to an L2 bank: a line that was read.
    pub struct DramRsp: "TIMESTAMP_DRAM_RSP_T" in "timestamp_types.svh" (line: u32, line_w: u32) {
        /// Address of the line.
        pub line: u64 = line_w,
        /// Its bytes.
        pub data: LineData = line,
    }
}

message! {
    /// A cache asks its policy for a way for a line.
    pub struct Ask: "TIMESTAMP_ASK_T" in "timestamp_types.svh" (line_w: u32, ways: u32) {
        /// SM of the request; 0 in an L1.
        pub sm: u8 = 5,
        /// Address of the line.
        pub line: u64 = line_w,
        /// Bit w: way w of its set may go.
        pub ways: u16 = ways,
    }
}

message! {
    /// What the policy says.
    pub struct Pick: "TIMESTAMP_PICK_T" in "timestamp_types.svh" () {
        /// The line is kept.
        pub keep: bool = 1,
        /// The way that it takes.
        pub way: u8 = 4,
    }
}

message! {
    /// What has become of the lines of a cache, for its policy.
    pub struct Event: "TIMESTAMP_EVENT_T" in "timestamp_types.svh" (line_w: u32) {
        /// See [`event`].
        pub kind: u8 = 2,
        /// Way.
        pub way: u8 = 4,
        /// Address of the line.
        pub line: u64 = line_w,
    }
}
