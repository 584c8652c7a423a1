//! Parameters and ports of the L1 of timestamp coherence
//! (`rtl/timestamp/timestamp_l1/timestamp_l1.sv`). An input that a protocol does not have is
//! ignored, an output that it does not have is 0.

use crate::timestamp::types::{
    Ask, BusReq, BusRsp, CoreReq, CoreRsp, Event, Pick, Protocol, Timestamp,
};
use crate::{message, ports};

crate::parameters! {
    /// Parameters, one for each RTL parameter.
    pub struct Config: Timestamp {
        /// `Protocol`: 0 G-TSC, 1 TC-Strong, 2 TC-Weak.
        pub protocol: Protocol = "Protocol",
        /// `Warps`: warps of the SM, 1 to 64.
        pub warps = "Warps",
        /// `TsW`: bits of a timestamp of G-TSC, 5 to 32.
        pub ts_w = "TsW",
        /// `Line`: bytes of a line, 16, 32, 64 or 128.
        pub line = "Line",
        /// `LineW`: bits of the address of a line, 8 to 40.
        pub line_w = "LineW",
        /// `L1Sets`: sets, 1 to 256, a power of 2.
        pub l1_sets = "L1Sets",
        /// `L1Ways`: ways of a set, 1 to 8.
        pub l1_ways = "L1Ways",
        /// `L1Mshr`: MSHRs, 1 to 64.
        pub l1_mshr = "L1Mshr",
        /// `Waiters`: loads that wait in an MSHR, 1 to 48.
        pub waiters = "Waiters",
        /// `Stq`: entries of the store table, 1 to 64.
        pub stq = "Stq",
        /// `Spin`: hits after which a warp's clock moves, 1 to 65535.
        pub spin = "Spin",
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
    /// An illegal request.
    pub const REQUEST: u8 = 1;
    /// A BusFill or BusRnw without an MSHR in SENT.
    pub const FILL: u8 = 2;
    /// An acknowledgement without a store.
    pub const ACK: u8 = 3;
    /// A generation that is neither the L1's nor the next.
    pub const GENERATION: u8 = 4;
    /// The policy picks a way that is no candidate.
    pub const PICK: u8 = 5;
}

message! {
    /// Events since reset, modulo 2^32 (specification section 9). TC counts `load_hit`,
    /// `miss_cold`, `miss_expired` and `late_fills`, G-TSC all but `late_fills`; the others stay 0.
    pub struct Counters: "TIMESTAMP_L1_CNT_T" in "timestamp_l1_types.svh" () {
        /// Loads that hit.
        pub load_hit: u32 = 32,
        /// Loads of absent lines.
        pub miss_cold: u32 = 32,
        /// Loads of lines whose lease is over.
        pub miss_expired: u32 = 32,
        /// Loads that join an MSHR.
        pub merged_loads: u32 = 32,
        /// Loads that allocate an MSHR for a locked line.
        pub lock_wait: u32 = 32,
        /// Requests of re-evaluated MSHRs.
        pub extra_renewals: u32 = 32,
        /// Stores.
        pub stores: u32 = 32,
        /// Atomics.
        pub atomics: u32 = 32,
        /// Fills.
        pub fill_rsp: u32 = 32,
        /// Renewals.
        pub renew_rsp: u32 = 32,
        /// Fills and renewals of stale MSHRs.
        pub stale_rsp: u32 = 32,
        /// Lines dropped by an acknowledgement.
        pub lock_drops: u32 = 32,
        /// Cycles in which the oldest request is held.
        pub hold_cycles: u32 = 32,
        /// Clocks moved by the spin rule.
        pub spin_ticks: u32 = 32,
        /// Flushes.
        pub flushes: u32 = 32,
        /// Fills whose lease was over.
        pub late_fills: u32 = 32,
    }
}

ports! {
    /// Input ports.
    pub struct In: In (c: Config) {
        /// Requests of the SM.
        pub core_req: Option<CoreReq> as (core_req_valid, core_req) = (c.line, c.line_w),
        /// The SM takes the answer.
        pub core_rsp_ready: bool = 1,
        /// The network takes the request.
        pub bus_req_ready: bool = 1,
        /// Answers of the L2 banks.
        pub bus_rsp: Option<BusRsp> as (bus_rsp_valid, bus_rsp) = (c.line, c.ts_bits()),
        /// Number of the SM; static.
        pub sm_id: u8 = 5,
        /// G-TSC: generation that `gtsc_rst` announces.
        pub rep: u8 = 2,
        /// TC: all lines are dropped.
        pub flush: bool = 1,
        /// A policy picks the way of a fill; static.
        pub policy: bool = 1,
        /// The pick, in a cycle with `ask`.
        pub pick: Option<Pick> as (pick_valid, pick) = (),
    }
}

ports! {
    /// Output ports, all functions of registers.
    pub struct Out: Out (c: Config) {
        /// The request is accepted.
        pub core_req_ready: bool = 1,
        /// Answers: one to each request.
        pub core_rsp: Option<CoreRsp> as (core_rsp_valid, core_rsp) = (c.line, c.ts_bits()),
        /// Requests to the L2 banks.
        pub bus_req: Option<BusReq> as (bus_req_valid, bus_req) = (c.line, c.line_w, c.ts_bits()),
        /// The answer is accepted.
        pub bus_rsp_ready: bool = 1,
        /// Bit w: warp w has requests without an answer.
        pub warp_busy: u64 = c.warps,
        /// G-TSC: generation of the L1.
        pub rep_ack: u8 = 2,
        /// TC, pulse: all lines are dropped.
        pub flush_done: bool = 1,
        /// TC: bit w: a fence of warp w can complete.
        pub fence_ok: u64 = c.warps,
        /// Query of the policy, until `pick`.
        pub ask: Option<Ask> as (ask_valid, ask) = (c.line_w, c.l1_ways),
        /// What the action of the cycle before did to a line.
        pub event: Option<Event> as (event_valid, event) = (c.line_w,),
        /// Pulse: error code.
        pub err: Option<u8> as (err_valid, err_code) = 4,
        /// Events since reset.
        pub counters: Counters = (),
    }
}
