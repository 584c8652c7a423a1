//! Requests, answers and resets for an L1 of G-TSC: its SM, the banks and `gtsc_rst`, which
//! sometimes break the rules.

mod banks;

use hwmodel::timestamp::gtsc_l1::{GtscL1, Row};
use hwmodel::{Block, Model};
use ports::timestamp::gtsc_l1::{Config, In, Out};

use crate::blocks;
use crate::settings::StaticInput;
use crate::stimulus::timestamp::timestamp_l1::{
    Network, Phase, Sizes, Sm, Tables, count_ports, pick,
};
use crate::stimulus::{LongTime, NewStimulus, Random, Reached, Statics, Stimulus};
use banks::Banks;

crate::family!(ports::timestamp::types::Timestamp, "timestamp");
crate::pair!(GtscL1: ports::timestamp::types::Timestamp);

inventory::submit! { blocks::entry::<Inputs>("G-TSC: an L1 with leases in logical time") }

/// The stimulus.
#[derive(Clone, Debug)]
pub struct Inputs {
    config: Config,
    sizes: Sizes,
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
    /// What `gtsc_rst` tells.
    rep: u8,
    /// The L1 again, which says what it does.
    l1: GtscL1,
    seen: Tables,
}

impl Inputs {
    /// Begins the next phase.
    fn next_phase(&mut self) {
        let Self { seen, config, random, sizes, .. } = self;
        let missing = seen.missing(|row| can_reach(config, row));
        self.phase = Phase::next(random, *sizes, missing);
    }

    /// A new generation, when the L1 has the last one.
    fn resets(&mut self, out: &Out) {
        let (p, r) = (&self.phase, &mut self.random);
        if out.rep_ack != self.rep {
            return;
        }
        // Banks of the new generation begin when the L1 has it.
        if self.banks.rep != self.rep {
            self.banks.restart(self.rep);
        }
        if self.banks.overflows && r.chance(32) || r.chance(p.flush) && r.chance(64) {
            let step = if r.chance(p.astray) { 1 + r.below(3) } else { 1 };
            self.rep = (self.rep + step as u8) & 3;
        }
    }
}

/// Whether an L1 with these parameters can come to a row.
fn can_reach(config: &Config, row: &str) -> bool {
    let Config { warps, waiters, stq, .. } = *config;
    match row {
        "ld3" | "walk_waits_for_room" => waiters > 1,
        // A store waits for older loads of its own warp.
        "store_passes_miss" | "fill_after_store" | "renew_after_store" | "ld2_after_store" => {
            warps > 1
        }
        "st4_locked" | "st5_locked" | "ack_still_locked" => stq > 1,
        _ => true,
    }
}

impl Stimulus for Inputs {
    type Model = GtscL1;

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
        let Config { warps, .. } = self.config;
        if self.long.cycle() == Some(0) {
            self.stretches += 1;
            // A warp that hits soon comes to the end of its lease where few hits are a spin.
            let waits = self.stretches.is_multiple_of(2) || self.config.spin < 64;
            self.phase = Phase::long(&mut self.random, self.sizes, waits);
        } else if self.phase.left == 0 {
            self.next_phase();
        }
        self.phase.left -= 1;
        self.resets(out);
        let Self { phase: p, random: r, banks, network, .. } = self;
        let core_req = self.sm.request(r, p, out.warp_busy, out.core_req_ready);
        let bus_rsp = network.answer(r, p, out.bus_rsp_ready, |r| banks.nobodys(r));
        let pick = pick(r, p, out.ask);
        let (core_rsp_ready, bus_req_ready) = (r.chance(p.rsp_ready), r.chance(p.req_ready));
        if let Some(req) = out.bus_req.filter(|_| bus_req_ready) {
            let rsp = banks.serve(r, p, &req);
            network.send(r, p, req.line, rsp);
        }
        let Self { sm_id, policy, rep, .. } = *self;
        let input =
            In { core_req, core_rsp_ready, bus_req_ready, bus_rsp, sm_id, rep, policy, pick };
        self.l1.tick(&input);
        self.seen.count(self.l1.rows());
        let most = out.cnt.load_hit.max(out.cnt.hold_cycles);
        count_ports!(&mut self.seen.ports, &input, out, warps, most);
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
        let Config { warps, l1_sets: sets, l1_ways: ways, .. } = *config;
        let sizes = Sizes { warps, sets, ways };
        let phase = Phase::any(&mut random, sizes);
        Self {
            config: config.clone(),
            sizes,
            statics: statics.clone(),
            random,
            phase,
            long: LongTime::never(),
            stretches: seed,
            sm: Sm::new(warps, config.line, config.line_w),
            banks: Banks::new(config.line, config.ts_w),
            network: Network::default(),
            sm_id: 0,
            policy: false,
            rep: 0,
            l1: GtscL1::new(config).expect("legal parameters"),
            seen: Tables::new(Row::NAMES),
        }
    }
}
