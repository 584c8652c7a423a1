//! Parameters and ports of a bank of the L2 of timestamp coherence
//! (`rtl/timestamp/timestamp_l2/timestamp_l2.sv`). An input that a protocol does not have is
//! ignored, an output that it does not have is 0.

use crate::timestamp::types::{
    Ask, BusReq, BusRsp, DramReq, DramRsp, Event, Pick, Protocol, Timestamp,
};
use crate::{message, ports};

crate::parameters! {
    /// Parameters, one for each RTL parameter.
    pub struct Config: Timestamp {
        /// `Protocol`: 0 G-TSC, 1 TC-Strong, 2 TC-Weak.
        pub protocol: Protocol = "Protocol",
        /// `NSm`: SMs, 1 to 32.
        pub n_sm = "NSm",
        /// `TsW`: bits of a timestamp of G-TSC, 5 to 32.
        pub ts_w = "TsW",
        /// `Lease`: logical time for which a line is lent by G-TSC, 1 to `2^(ts_w - 2)`.
        pub lease = "Lease",
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
        /// `TcLease`: cycles for which a line is lent by TC, 1 to 65535.
        pub tc_lease = "TcLease",
    }
}

impl Config {
    /// Bits of a timestamp in a message.
    pub fn ts_bits(&self) -> u32 {
        self.protocol.ts_bits(self.ts_w)
    }
}

/// `err_code_o` (specification section 12).
pub mod err {
    /// A request that cannot be.
    pub const REQUEST: u8 = 1;
    /// A line for which no request waits.
    pub const FILL: u8 = 2;
    /// The policy picks a way that may not go.
    pub const PICK: u8 = 3;
}

message! {
    /// Events since reset, modulo 2^32 (specification section 9). TC counts `stall_lease` and
    /// `stall_evict`, G-TSC all but these; the others stay 0.
    pub struct Counters: "TIMESTAMP_L2_CNT_T" in "timestamp_l2_types.svh" () {
        /// Reads performed.
        pub busrd: u32 = 32,
        /// Writes.
        pub buswr: u32 = 32,
        /// Atomics.
        pub busatom: u32 = 32,
        /// Lines sent.
        pub fills_sent: u32 = 32,
        /// Renewals sent.
        pub renews_sent: u32 = 32,
        /// Lines asked of memory.
        pub dram_reads: u32 = 32,
        /// Lines written back.
        pub writebacks: u32 = 32,
        /// Lines that went for another one, or were not to be kept.
        pub evictions: u32 = 32,
        /// Cycles in which the request could not act.
        pub hold_cycles: u32 = 32,
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
        pub bus_req: Option<BusReq> as (bus_req_valid, bus_req) = (c.line, c.line_w, c.ts_bits()),
        /// The network takes the answer.
        pub bus_rsp_ready: bool = 1,
        /// Memory takes the request.
        pub dram_req_ready: bool = 1,
        /// Lines that were read.
        pub dram_rsp: Option<DramRsp> as (dram_rsp_valid, dram_rsp) = (c.line, c.line_w),
        /// G-TSC: all banks stand still.
        pub halt: bool = 1,
        /// G-TSC: leases begin anew.
        pub rst: bool = 1,
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
        pub bus_rsp: Option<BusRsp> as (bus_rsp_valid, bus_rsp) = (c.line, c.ts_bits()),
        /// Requests to memory.
        pub dram_req: Option<DramReq> as (dram_req_valid, dram_req) = (c.line, c.line_w),
        /// The line is taken.
        pub dram_rsp_ready: bool = 1,
        /// G-TSC: a timestamp would not fit.
        pub ovf: bool = 1,
        /// G-TSC: this bank stands still.
        pub halted: bool = 1,
        /// G-TSC: all leases begin anew.
        pub rst_done: bool = 1,
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
        pub counters: Counters = (),
    }
}
