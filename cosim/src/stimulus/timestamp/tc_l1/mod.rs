//! Requests, answers and flushes for an L1 of TC: its SM, the banks and a host, which sometimes
//! break the rules.

use hwmodel::timestamp::tc_l1::{Row, TcL1};
use hwmodel::{Block, Model};
use ports::timestamp::tc_l1::{Config, In, Out};
use ports::timestamp::types::{BusReq, BusRsp, Protocol, TC_TS_W, bus_op, rsp_op};

use crate::blocks;
use crate::settings::StaticInput;
use crate::stimulus::timestamp::timestamp_l1::{
    Network, Phase, Sizes, Sm, Tables, count_ports, pick,
};
use crate::stimulus::{LongTime, NewStimulus, Random, Reached, Statics, Stimulus, masked_bytes};

crate::pair!(TcL1: ports::timestamp::types::Timestamp);

inventory::submit! { blocks::entry::<Inputs>("TC: an L1 with leases in cycles") }

/// Leases that the banks keep: lines share them.
const LEASES: usize = 64;

/// The stimulus.
#[derive(Clone, Debug)]
pub struct Inputs {
    config: Config,
    sizes: Sizes,
    statics: Statics,
    random: Random,
    phase: Phase,
    long: LongTime,
    sm: Sm,
    network: Network,
    /// When leases of the banks end.
    leases: [u32; LEASES],
    /// `now_q` of all blocks.
    now: u32,
    sm_id: u8,
    policy: bool,
    /// The L1 again, which says what it does.
    l1: TcL1,
    seen: Tables,
}

/// An answer with the end of a lease.
fn until(exp: u32, rsp: BusRsp) -> BusRsp {
    BusRsp { wts: exp >> TC_TS_W, rts: exp & ((1 << TC_TS_W) - 1), ..rsp }
}

/// What a bank answers; `exp` is its lease.
fn serve(
    r: &mut Random,
    p: &Phase,
    (req, line, now): (&BusReq, u32, u32),
    exp: &mut u32,
) -> BusRsp {
    let rsp = BusRsp { sm: req.sm, id: req.id, ..BusRsp::default() };
    let data = |r: &mut Random| masked_bytes(r, line, u128::MAX);
    match req.op {
        bus_op::RD => {
            *exp = (now + p.lease).max(*exp);
            let short = if r.chance(p.short) { r.below(p.lease + 1) } else { 0 };
            // No bank lends a line for so long: bits of the end that no run comes to.
            let long = if r.chance(p.lie / 8) { 1 << r.below(31) } else { 0 };
            until(*exp - short + long, BusRsp { op: rsp_op::FILL, data: data(r), ..rsp })
        }
        op if (op == bus_op::WR) != r.chance(p.lie / 8) => {
            until(*exp, BusRsp { op: rsp_op::WR_ACK, ..rsp })
        }
        _ => until(*exp, BusRsp { op: rsp_op::ATOM_ACK, data: data(r), ..rsp }),
    }
}

/// An answer that nobody waits for, or somebody does by chance.
fn nobodys(r: &mut Random, line: u32, now: u32) -> BusRsp {
    let word = r.word();
    let near = r.below(8) as u8 | if r.chance(128) { 0x80 } else { 0 };
    let rsp = BusRsp {
        op: word as u8 & 3,
        ok: word & 16 != 0,
        rep: (word >> 2) as u8 & 3,
        sm: (word >> 8) as u8 & 31,
        id: r.pick(&[(word >> 16) as u8, near]),
        data: masked_bytes(r, line, u128::MAX),
        ..BusRsp::default()
    };
    until(now + r.below(8), rsp)
}

/// Whether an L1 with these parameters can come to a row.
fn can_reach(config: &Config, row: &str) -> bool {
    let Config { warps, waiters, proto, .. } = *config;
    match row {
        "ld3" | "walk_waits_for_room" => waiters > 1,
        // A store waits for older loads of its own warp.
        "store_passes_miss" => warps > 1,
        "ack_meets_lease" => proto == Protocol::Tcw,
        _ => true,
    }
}

impl Inputs {
    /// Begins the next phase.
    fn next_phase(&mut self) {
        let Self { seen, config, random, sizes, .. } = self;
        let missing = seen.missing(|row| can_reach(config, row));
        self.phase = Phase::next(random, *sizes, missing);
    }
}

impl Stimulus for Inputs {
    type Model = TcL1;

    fn restart(&mut self, cycles: u64) {
        self.long = LongTime::plan(&mut self.random, cycles);
        self.next_phase();
        let drawn = (self.random.below(32), self.random.below(2));
        self.sm_id = self.statics.get("sm_id").unwrap_or(drawn.0) as u8;
        self.policy = self.statics.get("policy").unwrap_or(drawn.1) != 0;
        self.sm.restart();
        self.network.restart();
        (self.leases, self.now) = ([0; LEASES], 0);
        self.l1.reset(&self.config).expect("legal parameters");
    }

    fn inputs(&mut self, out: &Out) -> In {
        let Config { warps, line, .. } = self.config;
        if self.long.cycle() == Some(0) {
            // Cycles in which a request is held are not counted.
            self.phase = Phase::long(&mut self.random, self.sizes, false);
        } else if self.phase.left == 0 {
            self.next_phase();
        }
        self.phase.left -= 1;
        let Self { phase: p, random: r, network, now, .. } = self;
        let core_req = self.sm.request(r, p, out.warp_busy, out.core_req_ready);
        let bus_rsp = network.answer(r, p, out.bus_rsp_ready, |r| nobodys(r, line, *now));
        let pick = pick(r, p, out.ask);
        // Some while one waits, and in the cycle in which one is done.
        let flush = r.chance(p.flush) || out.flush_done && r.chance(p.astray);
        let (core_rsp_ready, bus_req_ready) = (r.chance(p.rsp_ready), r.chance(p.req_ready));
        if let Some(req) = out.bus_req.filter(|_| bus_req_ready) {
            let lease = &mut self.leases[req.line as usize % LEASES];
            let rsp = serve(r, p, (&req, line, *now), lease);
            network.send(r, p, req.line, rsp);
        }
        let Self { sm_id, policy, .. } = *self;
        let input =
            In { core_req, core_rsp_ready, bus_req_ready, bus_rsp, sm_id, flush, policy, pick };
        self.l1.tick(&input);
        self.now += 1;
        self.seen.count(self.l1.rows());
        count_ports!(&mut self.seen.ports, &input, out, warps, out.cnt.load_hit);
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
            sm: Sm::new(warps, config.line, config.line_w),
            network: Network::default(),
            leases: [0; LEASES],
            now: 0,
            sm_id: 0,
            policy: false,
            l1: TcL1::new(config).expect("legal parameters"),
            seen: Tables::new(Row::NAMES),
        }
    }
}
