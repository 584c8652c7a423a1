//! Requests, answers, resets and flushes for an L1: its SM, the banks, `gtsc_rst` or a host, and a
//! policy, which sometimes break the rules.

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
use crate::stimulus::{LongTime, NewStimulus, Random, Reached, Statics, Stimulus};
use banks::Banks;
use network::Network;
use phase::Phase;
use rows::Seen;
use sm::Sm;

crate::family!(Timestamp, "timestamp");
crate::pair!(TimestampL1: Timestamp);

inventory::submit! {
    blocks::entry::<Inputs>("G-TSC, TC: an L1 with leases in logical time or in cycles")
}

/// The stimulus.
#[derive(Clone, Debug)]
pub struct Inputs {
    config: Config,
    statics: Statics,
    random: Random,
    phase: Phase,
    long: LongTime,
    /// Long times so far.
    stretches: u64,
    sm: Sm,
    banks: Banks,
    network: Network,
    sm_id: u8,
    policy: bool,
    /// G-TSC: the generation that `gtsc_rst` sends.
    rep: u8,
    /// The L1 again, which says what it does.
    l1: TimestampL1,
    seen: Seen,
    /// Rows that are not reached yet.
    missing: Vec<&'static str>,
}

/// What the policy says.
fn pick(r: &mut Random, p: &Phase, ask: Option<Ask>) -> Option<Pick> {
    // Where it is not asked it means nothing.
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

/// Whether an L1 with these parameters can come to a row.
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
        // A flush of TC is as a store to all lines.
        "fill_after_store" | "ld2_after_store" => !is_gtsc || warps > 1,
        "st4_locked" | "st5_locked" | "ack_still_locked" => stq > 1,
        _ => true,
    }
}

impl Inputs {
    fn is_gtsc(&self) -> bool {
        self.config.protocol == Protocol::Gtsc
    }

    /// Begins the next phase.
    fn next_phase(&mut self) {
        if !self.missing.is_empty() {
            let rows = self.seen.rows();
            let is_missing = |row: &&str| rows.iter().any(|&(name, n)| name == *row && n == 0);
            self.missing.retain(|row| is_missing(row) && can_reach(&self.config, row));
        }
        self.phase = Phase::next(&mut self.random, &self.config, &self.missing);
    }

    /// G-TSC: the generation, a new one when the L1 has the last.
    fn resets(&mut self, out: &Out) -> u8 {
        let (p, r) = (&self.phase, &mut self.random);
        if out.rep_ack != self.rep {
            return self.rep;
        }
        // Banks of the new generation begin when the L1 has it.
        if self.banks.rep != self.rep {
            self.banks.restart(self.rep);
        }
        if self.banks.overflows && r.chance(32) || r.chance(p.flush) && r.chance(64) {
            let step = if r.chance(p.astray) { 1 + r.below(3) } else { 1 };
            self.rep = (self.rep + step as u8) & 3;
        }
        self.rep
    }

    /// TC: a flush; some while one waits, and in the cycle in which one is done.
    fn flushes(&mut self, out: &Out) -> bool {
        let (p, r) = (&self.phase, &mut self.random);
        r.chance(p.flush) || out.flush_done && r.chance(p.astray)
    }

    /// Whether a request is held in the next long time: cycles of that are counted by G-TSC.
    fn holds(&self) -> bool {
        // A warp that hits soon comes to the end of its lease where few hits are a spin.
        self.is_gtsc() && (self.stretches.is_multiple_of(2) || self.config.spin < 64)
    }
}

impl Stimulus for Inputs {
    type Model = TimestampL1;

    fn restart(&mut self, cycles: u64) {
        self.long = LongTime::plan(&mut self.random, cycles);
        self.next_phase();
        let drawn = (self.random.below(32), self.random.below(2));
        self.sm_id = self.statics.get("sm_id").unwrap_or(drawn.0) as u8;
        self.policy = self.statics.get("policy").unwrap_or(drawn.1) != 0;
        self.sm.restart();
        self.banks.restart(0);
        self.network.restart();
        self.rep = 0;
        self.l1.reset(&self.config).expect("legal parameters");
    }

    fn inputs(&mut self, out: &Out) -> In {
        if self.long.cycle() == Some(0) {
            self.stretches += 1;
            let holds = self.holds();
            self.phase = Phase::long(&mut self.random, &self.config, holds);
        } else if self.phase.left == 0 {
            self.next_phase();
        }
        self.phase.left -= 1;
        // What a protocol does not have is drawn.
        let (rep, flush) = match self.is_gtsc() {
            true => (self.resets(out), self.random.chance(self.phase.astray)),
            false => (self.random.below(4) as u8, self.flushes(out)),
        };
        let Self { phase: p, random: r, banks, network, .. } = self;
        let core_req = self.sm.request(r, p, out.warp_busy, out.core_req_ready);
        let bus_rsp = network.answer(r, p, out.bus_rsp_ready, |r| banks.unrequested(r));
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
        self.seen.ports(&input, out, self.config.warps);
        self.seen.action(self.l1.did(), self.is_gtsc());
        input
    }

    fn seen(&self) -> &dyn Reached {
        &self.seen
    }

    fn can_reach(&self, row: &str) -> bool {
        can_reach(&self.config, row)
    }
}

impl NewStimulus for Inputs {
    const STATICS: &'static [StaticInput] = &[("sm_id", 31), ("policy", 1)];

    fn unstarted(config: &Config, statics: &Statics, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let phase = Phase::any(&mut random, config);
        Self {
            config: config.clone(),
            statics: statics.clone(),
            random,
            phase,
            long: LongTime::never(),
            stretches: seed,
            sm: Sm::new(config.warps, config.line, config.line_w),
            banks: Banks::new(config),
            network: Network::default(),
            sm_id: 0,
            policy: false,
            rep: 0,
            l1: TimestampL1::new(config).expect("legal parameters"),
            seen: Seen::default(),
            missing: Seen::default().rows().iter().map(|(row, _)| *row).collect(),
        }
    }
}
