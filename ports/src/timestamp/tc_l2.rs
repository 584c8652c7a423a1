//! Parameters and ports of a bank of the L2 of TC (`rtl/timestamp/tc_l2/tc_l2.sv`).

use crate::timestamp::types::{
    Ask, BusReq, BusRsp, DramReq, DramRsp, Event, Pick, Protocol, TC_TS_W, Timestamp,
};
use crate::{message, ports};

crate::parameters! {
    /// Parameters, one for each RTL parameter.
    pub struct Config: Timestamp {
        /// `NSm`: SMs, 1 to 32.
        pub n_sm = "NSm",
        /// `Line`: bytes of a line, 16, 32, 64 or 128.
        pub line = "Line",
        /// `LineW`: bits of the address of a line, 8 to 40.
        pub line_w = "LineW",
        /// `L2Banks`: banks, 1 to 16, a power of 2.
        pub l2_banks = "L2Banks",
        /// `L2Sets`: sets, 1 to 1024, a power of 2.
        pub l2_sets = "L2Sets",
        /// `L2Ways`: ways of a set, 1 to 16.
        pub l2_ways = "L2Ways",
        /// `L2Mshr`: lines that are waited for, 1 to 64.
        pub l2_mshr = "L2Mshr",
        /// `L2Wait`: requests that wait for one of them, the first included, 1 to 16.
        pub l2_wait = "L2Wait",
        /// `L2Div`: cycles from one action to the next, 1 to 4.
        pub l2_div = "L2Div",
        /// `Proto`: 0 TC-Strong, 1 TC-Weak.
        pub protocol: Protocol = "Proto",
        /// `TcLease`: cycles for which a line is lent, 1 to 65535.
        pub tc_lease = "TcLease",
    }
}

/// `err_code_o` (specification section 12).
pub mod err {
    /// A request that cannot be.
    pub const REQUEST: u8 = 1;
    /// A line that nobody waits for.
    pub const FILL: u8 = 2;
    /// The policy picks a way that may not go.
    pub const PICK: u8 = 3;
}

message! {
    /// Events since reset, modulo 2^32 (specification section 9).
    pub struct Counters: "TC_L2_CNT_T" in "tc_l2_types.svh" () {
        /// Cycles with a write that waits for a lease.
        pub stall_lease: u32 = 32,
        /// Cycles in which a request waits because each line of its set is lent.
        pub stall_evict: u32 = 32,
    }
}

ports! {
    /// Input ports.
    pub struct In: In (c: Config) {
        /// Requests of the L1s.
        pub bus_req: Option<BusReq> as (bus_req_valid, bus_req) = (c.line, c.line_w, TC_TS_W),
        /// The network takes the answer.
        pub bus_rsp_ready: bool = 1,
        /// Memory takes the request.
        pub dram_req_ready: bool = 1,
        /// Lines that were read.
        pub dram_rsp: Option<DramRsp> as (dram_rsp_valid, dram_rsp) = (c.line, c.line_w),
        /// A release or an acquire, see [`sync`](crate::timestamp::types::sync).
        pub sync: Option<u8> as (sync_valid, sync) = 1,
        /// A policy says which way a line takes; static.
        pub policy: bool = 1,
        /// It says so, in a cycle with `ask`.
        pub pick: Option<Pick> as (pick_valid, pick) = (),
    }
}

ports! {
    /// Output ports, all functions of registers.
    pub struct Out: Out (c: Config) {
        /// The request is taken.
        pub bus_req_ready: bool = 1,
        /// Answers to the L1s.
        pub bus_rsp: Option<BusRsp> as (bus_rsp_valid, bus_rsp) = (c.line, TC_TS_W),
        /// Requests to memory.
        pub dram_req: Option<DramReq> as (dram_req_valid, dram_req) = (c.line, c.line_w),
        /// The line is taken.
        pub dram_rsp_ready: bool = 1,
        /// The release or acquire is taken.
        pub sync_ready: bool = 1,
        /// Pulse: it is complete.
        pub sync_done: bool = 1,
        /// A way is wanted, until `pick`.
        pub ask: Option<Ask> as (ask_valid, ask) = (c.line_w, c.l2_ways),
        /// What the action of the cycle before did to a line.
        pub event: Option<Event> as (event_valid, event) = (c.line_w,),
        /// Pulse: error code.
        pub err: Option<u8> as (err_valid, err_code) = 4,
        /// Events since reset.
        pub cnt: Counters = (),
    }
}
