//! What G-TSC and TC differ in for what stands around their blocks: which ports they have.

use hwmodel::Model;
use hwmodel::timestamp::{gtsc_l1, gtsc_l2, tc_l1, tc_l2};
use ports::ConfigError;
use ports::timestamp::types::{
    Ask, BusReq, BusRsp, CoreReq, CoreRsp, DramReq, DramRsp, Event, Pick, TC_TS_W, Timestamp,
    bus_op, rsp_op,
};

use super::rule::Rule;
use crate::statistics::CounterValues;

/// Inputs of an L1.
#[derive(Clone, Copy, Debug, Default)]
pub struct L1In {
    pub core_req: Option<CoreReq>,
    pub core_rsp_ready: bool,
    pub bus_req_ready: bool,
    pub bus_rsp: Option<BusRsp>,
    pub sm_id: u8,
    /// G-TSC.
    pub rep: u8,
    /// TC.
    pub flush: bool,
    /// A policy says which ways lines take; what it says.
    pub policy: bool,
    pub pick: Option<Pick>,
}

/// Outputs of an L1.
#[derive(Clone, Copy, Debug, Default)]
pub struct L1Out {
    pub core_req_ready: bool,
    pub core_rsp: Option<CoreRsp>,
    pub bus_req: Option<BusReq>,
    pub bus_rsp_ready: bool,
    /// G-TSC.
    pub rep_ack: u8,
    /// TC.
    pub flush_done: bool,
    /// Bit w: a fence of warp w may pass.
    pub fence_ok: u64,
    /// Loads that have hit.
    pub load_hit: u32,
    /// For the policy.
    pub ask: Option<Ask>,
    pub event: Option<Event>,
    pub err: Option<u8>,
}

/// Inputs of a bank.
#[derive(Clone, Copy, Debug, Default)]
pub struct L2In {
    pub bus_req: Option<BusReq>,
    pub bus_rsp_ready: bool,
    pub dram_req_ready: bool,
    pub dram_rsp: Option<DramRsp>,
    pub sync: Option<u8>,
    /// G-TSC.
    pub halt: bool,
    pub rst: bool,
    /// A policy says which ways lines take; what it says.
    pub policy: bool,
    pub pick: Option<Pick>,
}

/// Outputs of a bank.
#[derive(Clone, Copy, Debug, Default)]
pub struct L2Out {
    pub bus_req_ready: bool,
    pub bus_rsp: Option<BusRsp>,
    pub dram_req: Option<DramReq>,
    pub dram_rsp_ready: bool,
    pub sync_ready: bool,
    pub sync_done: bool,
    /// G-TSC.
    pub ovf: bool,
    pub halted: bool,
    pub rst_done: bool,
    /// For the policy.
    pub ask: Option<Ask>,
    pub event: Option<Event>,
    pub err: Option<u8>,
}

/// A model that does not keep a rule, where that is one of its own.
pub type Without<M> = Option<Result<M, ConfigError>>;

/// A pair of blocks: L1 and L2 bank.
pub trait Side: std::fmt::Debug + 'static {
    type L1: Model + std::fmt::Debug + 'static;
    type L2: Model + std::fmt::Debug + 'static;

    /// Whether waves have clocks in the block, which a barrier must join.
    const JOINS: bool;

    /// Bits of a timestamp.
    fn ts_w(blocks: &Timestamp) -> u32;
    /// Bytes of timestamps in a request, and in an answer, of an operation (specification, table
    /// 3.1 and section 9).
    fn request_bytes(op: u8, ts_w: u32) -> u8;
    fn answer_bytes(op: u8, ts_w: u32) -> u8;
    fn l1_config(blocks: &Timestamp) -> <Self::L1 as Model>::Config;
    fn l2_config(blocks: &Timestamp) -> <Self::L2 as Model>::Config;
    fn l1_without(blocks: &Timestamp, rule: Rule) -> Without<Self::L1>;
    fn l2_without(blocks: &Timestamp, rule: Rule) -> Without<Self::L2>;
    fn l1_in(inputs: &L1In) -> <Self::L1 as hwmodel::Block>::In;
    fn l1_out(out: &<Self::L1 as hwmodel::Block>::Out) -> L1Out;
    fn l2_in(inputs: &L2In) -> <Self::L2 as hwmodel::Block>::In;
    fn l2_out(out: &<Self::L2 as hwmodel::Block>::Out) -> L2Out;
    fn l1_counters(out: &<Self::L1 as hwmodel::Block>::Out, all: &mut CounterValues);
    fn l2_counters(out: &<Self::L2 as hwmodel::Block>::Out, all: &mut CounterValues);
}

/// `gtsc_l1` and `gtsc_l2`.
#[derive(Debug)]
pub struct Gtsc;

/// `tc_l1` and `tc_l2`.
#[derive(Debug)]
pub struct Tc;

impl Side for Gtsc {
    type L1 = gtsc_l1::GtscL1;
    type L2 = gtsc_l2::GtscL2;

    const JOINS: bool = true;

    fn ts_w(blocks: &Timestamp) -> u32 {
        blocks.ts_w
    }

    /// An atomic needs no `wts`: it leaves no copy in its L1.
    #[inline]
    fn request_bytes(op: u8, ts_w: u32) -> u8 {
        let fields = if op == bus_op::ATOM { 1 } else { 2 };
        fields * ts_w.div_ceil(8) as u8
    }

    /// A renewal is an `rts`.
    #[inline]
    fn answer_bytes(op: u8, ts_w: u32) -> u8 {
        let fields = if op == rsp_op::RNW { 1 } else { 2 };
        fields * ts_w.div_ceil(8) as u8
    }

    fn l1_config(blocks: &Timestamp) -> ports::timestamp::gtsc_l1::Config {
        blocks.into()
    }

    fn l2_config(blocks: &Timestamp) -> ports::timestamp::gtsc_l2::Config {
        blocks.into()
    }

    fn l1_without(blocks: &Timestamp, rule: Rule) -> Without<Self::L1> {
        let Rule::L1(rule) = rule else { return None };
        Some(gtsc_l1::GtscL1::without(&blocks.into(), rule))
    }

    fn l2_without(blocks: &Timestamp, rule: Rule) -> Without<Self::L2> {
        let Rule::L2(rule) = rule else { return None };
        Some(gtsc_l2::GtscL2::without(&blocks.into(), rule))
    }

    #[inline]
    fn l1_in(inputs: &L1In) -> ports::timestamp::gtsc_l1::In {
        let L1In {
            core_req, core_rsp_ready, bus_req_ready, bus_rsp, sm_id, rep, policy, pick, ..
        } = *inputs;
        ports::timestamp::gtsc_l1::In {
            core_req,
            core_rsp_ready,
            bus_req_ready,
            bus_rsp,
            sm_id,
            rep,
            policy,
            pick,
        }
    }

    #[inline]
    fn l1_out(out: &ports::timestamp::gtsc_l1::Out) -> L1Out {
        L1Out {
            core_req_ready: out.core_req_ready,
            core_rsp: out.core_rsp,
            bus_req: out.bus_req,
            bus_rsp_ready: out.bus_rsp_ready,
            rep_ack: out.rep_ack,
            flush_done: false,
            // An access that is over has been performed everywhere.
            fence_ok: u64::MAX,
            load_hit: out.cnt.load_hit,
            ask: out.ask,
            event: out.event,
            err: out.err,
        }
    }

    #[inline]
    fn l2_in(inputs: &L2In) -> ports::timestamp::gtsc_l2::In {
        let L2In {
            bus_req,
            bus_rsp_ready,
            dram_req_ready,
            dram_rsp,
            sync,
            halt,
            rst,
            policy,
            pick,
            ..
        } = *inputs;
        ports::timestamp::gtsc_l2::In {
            bus_req,
            bus_rsp_ready,
            dram_req_ready,
            dram_rsp,
            halt,
            rst,
            sync,
            policy,
            pick,
        }
    }

    #[inline]
    fn l2_out(out: &ports::timestamp::gtsc_l2::Out) -> L2Out {
        L2Out {
            bus_req_ready: out.bus_req_ready,
            bus_rsp: out.bus_rsp,
            dram_req: out.dram_req,
            dram_rsp_ready: out.dram_rsp_ready,
            sync_ready: out.sync_ready,
            sync_done: out.sync_done,
            ovf: out.ovf,
            halted: out.halted,
            rst_done: out.rst_done,
            ask: out.ask,
            event: out.event,
            err: out.err,
        }
    }

    fn l1_counters(out: &ports::timestamp::gtsc_l1::Out, all: &mut CounterValues) {
        let cnt = &out.cnt;
        let counted = [
            ("hits", cnt.load_hit),
            ("merges", cnt.merged_loads),
            ("timestamp_cold_misses", cnt.miss_cold),
            ("timestamp_expired_misses", cnt.miss_expired),
            ("timestamp_lock_waits", cnt.lock_wait),
            ("timestamp_extra_renewals", cnt.extra_renewals),
            ("stores", cnt.stores),
            ("atomics", cnt.atomics),
            ("timestamp_fills", cnt.fill_rsp),
            ("timestamp_renewals", cnt.renew_rsp),
            ("timestamp_stale_answers", cnt.stale_rsp),
            ("timestamp_lock_drops", cnt.lock_drops),
            ("timestamp_hold_cycles", cnt.hold_cycles),
            ("timestamp_spin_ticks", cnt.spin_ticks),
            ("timestamp_flushes", cnt.flushes),
        ];
        all.extend(counted.map(|(name, count)| (name, count.into())));
    }

    fn l2_counters(out: &ports::timestamp::gtsc_l2::Out, all: &mut CounterValues) {
        let cnt = &out.cnt;
        let counted =
            [("timestamp_evictions", cnt.evictions), ("timestamp_l2_hold_cycles", cnt.hold_cycles)];
        all.extend(counted.map(|(name, count)| (name, count.into())));
    }
}

impl Side for Tc {
    type L1 = tc_l1::TcL1;
    type L2 = tc_l2::TcL2;

    const JOINS: bool = false;

    fn ts_w(_blocks: &Timestamp) -> u32 {
        TC_TS_W
    }

    #[inline]
    fn request_bytes(_op: u8, _ts_w: u32) -> u8 {
        0
    }

    /// When the lease is over: a time of 32 bits.
    #[inline]
    fn answer_bytes(_op: u8, _ts_w: u32) -> u8 {
        4
    }

    fn l1_config(blocks: &Timestamp) -> ports::timestamp::tc_l1::Config {
        blocks.into()
    }

    fn l2_config(blocks: &Timestamp) -> ports::timestamp::tc_l2::Config {
        blocks.into()
    }

    fn l1_without(blocks: &Timestamp, rule: Rule) -> Without<Self::L1> {
        let Rule::TcL1(rule) = rule else { return None };
        Some(tc_l1::TcL1::without(&blocks.into(), rule))
    }

    fn l2_without(blocks: &Timestamp, rule: Rule) -> Without<Self::L2> {
        let Rule::TcL2(rule) = rule else { return None };
        Some(tc_l2::TcL2::without(&blocks.into(), rule))
    }

    #[inline]
    fn l1_in(inputs: &L1In) -> ports::timestamp::tc_l1::In {
        let L1In {
            core_req,
            core_rsp_ready,
            bus_req_ready,
            bus_rsp,
            sm_id,
            flush,
            policy,
            pick,
            ..
        } = *inputs;
        ports::timestamp::tc_l1::In {
            core_req,
            core_rsp_ready,
            bus_req_ready,
            bus_rsp,
            sm_id,
            flush,
            policy,
            pick,
        }
    }

    #[inline]
    fn l1_out(out: &ports::timestamp::tc_l1::Out) -> L1Out {
        L1Out {
            core_req_ready: out.core_req_ready,
            core_rsp: out.core_rsp,
            bus_req: out.bus_req,
            bus_rsp_ready: out.bus_rsp_ready,
            rep_ack: 0,
            flush_done: out.flush_done,
            fence_ok: out.fence_ok,
            load_hit: out.cnt.load_hit,
            ask: out.ask,
            event: out.event,
            err: out.err,
        }
    }

    #[inline]
    fn l2_in(inputs: &L2In) -> ports::timestamp::tc_l2::In {
        let L2In { bus_req, bus_rsp_ready, dram_req_ready, dram_rsp, sync, policy, pick, .. } =
            *inputs;
        ports::timestamp::tc_l2::In {
            bus_req,
            bus_rsp_ready,
            dram_req_ready,
            dram_rsp,
            sync,
            policy,
            pick,
        }
    }

    #[inline]
    fn l2_out(out: &ports::timestamp::tc_l2::Out) -> L2Out {
        L2Out {
            bus_req_ready: out.bus_req_ready,
            bus_rsp: out.bus_rsp,
            dram_req: out.dram_req,
            dram_rsp_ready: out.dram_rsp_ready,
            sync_ready: out.sync_ready,
            sync_done: out.sync_done,
            ovf: false,
            halted: false,
            rst_done: false,
            ask: out.ask,
            event: out.event,
            err: out.err,
        }
    }

    fn l1_counters(out: &ports::timestamp::tc_l1::Out, all: &mut CounterValues) {
        let cnt = &out.cnt;
        let counted = [
            ("hits", cnt.load_hit),
            ("timestamp_cold_misses", cnt.miss_cold),
            ("timestamp_expired_misses", cnt.miss_expired),
            ("timestamp_late_fills", cnt.late_fills),
        ];
        all.extend(counted.map(|(name, count)| (name, count.into())));
    }

    fn l2_counters(out: &ports::timestamp::tc_l2::Out, all: &mut CounterValues) {
        let cnt = &out.cnt;
        let counted = [
            ("timestamp_lease_stalls", cnt.stall_lease),
            ("timestamp_eviction_stalls", cnt.stall_evict),
        ];
        all.extend(counted.map(|(name, count)| (name, count.into())));
    }
}
