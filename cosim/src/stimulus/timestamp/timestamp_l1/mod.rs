//! Stimulus of an L1: its SM, the banks, `gtsc_rst` or a host, and a policy. Each of them sometimes
//! sends bad input.

mod banks;
mod network;
mod phase;
mod rows;
mod sm;

use hwmodel::timestamp::timestamp_l1::TimestampL1;
use hwmodel::{Block, Model};
use ports::timestamp::timestamp_l1::{Config, In, Out};
use ports::timestamp::types::{Ask, Pick, Protocol, Timestamp};

use crate::blocks;
use crate::settings::StaticInput;
use crate::stimulus::{Driver, Random, Stimulus, stalled};
use banks::Banks;
use network::Network;
use phase::{Kind, Phase};
use rows::Seen;
use sm::Sm;

crate::family!(Timestamp, "timestamp");
crate::pair!(TimestampL1: Timestamp);

inventory::submit! {
    blocks::entry::<Inputs>("G-TSC, TC: an L1 with leases in logical time or in cycles")
}

/// The stimulus.
pub struct Inputs {
    sm: Sm,
    banks: Banks,
    network: Network,
    sm_id: u8,
    policy: bool,
    /// G-TSC: the generation that `gtsc_rst` announces.
    rep: u8,
    /// A second model, which reports its actions for coverage.
    l1: TimestampL1,
}

/// The policy's pick.
fn pick(r: &mut Random, p: &Phase, ask: Option<Ask>) -> Option<Pick> {
    // A pick without a query is ignored.
    let chance = if ask.is_some() { p.pick } else { p.any_way };
    if !r.chance(chance) {
        return None;
    }
    let any = r.below(16) as u8;
    let ways = ask.map_or(0, |ask| ask.ways);
    let offered = (0..16).map(|n| (any + n) % 16).find(|way| ways >> way & 1 == 1);
    let way = offered.filter(|_| !r.chance(p.any_way)).unwrap_or(any);
    Some(Pick { keep: r.chance(p.keep), way })
}

/// Rows of G-TSC alone: times of warps, stores that lock their lines, generations.
const OF_GTSC: [&str; 23] = [
    "replay_serves_old",
    "replay_defers_stale",
    "flush_wrong",
    "fill_stale",
    "fill_no_way",
    "renew_stale",
    "renew_after_store",
    "renew_absent",
    "renew",
    "ack_stale",
    "ack_still_locked",
    "ack_ends",
    "ack_drops",
    "ack_old",
    "pending_replays",
    "pending_renews",
    "pending_locked",
    "ld1_spin",
    "ld2_stale",
    "ld5",
    "st2_pending",
    "st4_locked",
    "st5_locked",
];

/// Whether an L1 with these parameters can reach a coverage row.
fn can_reach(config: &Config, row: &str) -> bool {
    let Config { protocol, warps, waiters, stq, .. } = *config;
    let is_gtsc = protocol == Protocol::Gtsc;
    match row {
        row if !is_gtsc && OF_GTSC.contains(&row) => false,
        "fill_late" => !is_gtsc,
        "ack_meets_lease" => protocol == Protocol::Tcw,
        "ld3" | "replay_waits_for_room" => waiters > 1,
        // A store waits for older loads of its own warp.
        "store_passes_miss" | "renew_after_store" => warps > 1,
        // TC: a flush sets st_after, as a store does.
        "fill_after_store" | "ld2_after_store" => !is_gtsc || warps > 1,
        "st4_locked" | "st5_locked" | "ack_still_locked" => stq > 1,
        _ => true,
    }
}

fn is_gtsc(c: &Config) -> bool {
    c.protocol == Protocol::Gtsc
}

impl Inputs {
    /// G-TSC: the generation; a new one only after the L1 has acknowledged the last.
    fn resets(&mut self, d: &mut Driver<Self>, out: &Out) -> u8 {
        let Driver { phase: p, random: r, .. } = d;
        if out.rep_ack != self.rep {
            return self.rep;
        }
        // The banks start the new generation when the L1 has it.
        if self.banks.rep != self.rep {
            self.banks.restart(self.rep);
        }
        if self.banks.overflows && r.chance(32) || r.chance(p.flush) && r.chance(64) {
            let step = if r.chance(p.astray) { 1 + r.below(3) } else { 1 };
            self.rep = (self.rep + step as u8) & 3;
        }
        self.rep
    }

    /// TC: a flush; sometimes while another is pending, or in the cycle of `flush_done_o`.
    fn flushes(d: &mut Driver<Self>, out: &Out) -> bool {
        let Driver { phase: p, random: r, .. } = d;
        r.chance(p.flush) || out.flush_done && r.chance(p.astray)
    }
}

impl Stimulus for Inputs {
    type Model = TimestampL1;
    type Phase = Phase;
    type Seen = Seen;

    const STATICS: &'static [StaticInput] = &[("sm_id", 31), ("policy", 1)];

    fn start(d: &mut Driver<Self>) -> Self {
        let drawn = (d.random.below(32), d.random.below(2));
        Self {
            sm: Sm::default(),
            banks: Banks::new(&d.config),
            network: Network::default(),
            sm_id: d.statics.get("sm_id").unwrap_or(drawn.0) as u8,
            policy: d.statics.get("policy").unwrap_or(drawn.1) != 0,
            rep: 0,
            l1: TimestampL1::new(&d.config).expect("legal parameters"),
        }
    }

    fn phase(&mut self, d: &mut Driver<Self>) -> Phase {
        match d.towards(192, Kind::towards) {
            Some(kind) => Phase::of(kind, &mut d.random, &d.config),
            None => Phase::any(&mut d.random, &d.config),
        }
    }

    fn long_phase(&mut self, d: &mut Driver<Self>) -> Option<Phase> {
        // G-TSC: a held request counts in `hold_cycles`. With a small `Spin`, hits soon leave the
        // lease and cannot fill `load_hit`.
        let in_turn = d.long_times.is_multiple_of(2) || d.config.spin < 64;
        let holds = is_gtsc(&d.config) && in_turn;
        Some(Phase::long(&mut d.random, &d.config, holds))
    }

    fn inputs(&mut self, d: &mut Driver<Self>, out: &Out) -> In {
        // Inputs that the protocol ignores are random.
        let (rep, flush) = match is_gtsc(&d.config) {
            true => (self.resets(d, out), d.random.chance(d.phase.astray)),
            false => (d.random.below(4) as u8, Self::flushes(d, out)),
        };
        let held = d.retry(d.last.core_req, d.before.core_req_ready, d.phase.again);
        let bus_rsp = stalled(d.last.bus_rsp, d.before.bus_rsp_ready);
        let Driver { phase: p, random: r, config: c, .. } = d;
        let next = || r.chance(p.request).then(|| self.sm.draw(r, p, c, out.warp_busy)).flatten();
        let core_req = held.or_else(next);
        let Self { banks, network, .. } = self;
        network.now += 1;
        let bus_rsp = bus_rsp.or_else(|| network.answer(r, p, banks));
        let pick = pick(r, p, out.ask);
        let (core_rsp_ready, bus_req_ready) = (r.chance(p.rsp_ready), r.chance(p.req_ready));
        if let Some(req) = out.bus_req.filter(|_| bus_req_ready) {
            let rsp = banks.serve(r, p, &req);
            network.send(r, p, req.line, rsp);
        }
        banks.now += 1;
        let Self { sm_id, policy, .. } = *self;
        let input = In {
            core_req,
            core_rsp_ready,
            bus_req_ready,
            bus_rsp,
            sm_id,
            rep,
            flush,
            policy,
            pick,
        };
        self.l1.tick(&input);
        d.seen.ports(&input, out, c.warps);
        d.seen.action(self.l1.did(), is_gtsc(c));
        input
    }

    fn can_reach(d: &Driver<Self>, row: &str) -> bool {
        can_reach(&d.config, row)
    }
}
