//! What surrounds an L2 bank of timestamp coherence, for the stimuli of both: SMs with their L1s,
//! memory, a policy, releases and acquires, back-pressure; and what the bank comes to.

mod memory;
mod phase;
mod requests;
mod resets;
mod rows;

use hwmodel::timestamp::gtsc_l2::Did;
use ports::timestamp::types::{
    Ask, BusReq, BusRsp, DramReq, DramRsp, Event, MAX_LINE, Pick, Protocol, Timestamp, sync,
};

use crate::stimulus::{LongTime, Random, Reached};
use memory::Memory;
use phase::Phase;
use requests::Sms;

pub(super) use resets::Resets;
use rows::Seen;
use rows::can_reach;

/// Cycles of a long time behind which no answer is taken.
const HITS: u64 = 1000;

/// Parameters of a bank, of either protocol.
#[derive(Clone, Debug)]
pub(super) struct Sizes {
    /// Those of one protocol have any legal value in a bank of the other.
    pub all: Timestamp,
    pub is_tc: bool,
    pub ts_w: u32,
}

impl Sizes {
    /// Writes wait.
    pub fn is_strong(&self) -> bool {
        self.is_tc && self.all.proto == Protocol::Tcs
    }

    /// They wait for nearly all of the time where reads and writes of a line follow each other.
    fn waits_for_leases(&self) -> bool {
        self.is_strong() && self.all.tc_lease > 20 * self.all.l2_div
    }

    fn max_ts(&self) -> u64 {
        (1 << self.ts_w) - 2
    }
}

/// What both banks show.
pub(super) struct Shown<'a> {
    pub bus_req_ready: bool,
    pub bus_rsp: Option<&'a BusRsp>,
    pub dram_req: Option<&'a DramReq>,
    pub dram_rsp_ready: bool,
    pub sync_ready: bool,
    pub sync_done: bool,
    pub ask: Option<Ask>,
    pub event: Option<Event>,
    pub err: Option<u8>,
}

/// Inputs that both banks have.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Driven {
    pub bus_req: Option<BusReq>,
    pub bus_rsp_ready: bool,
    pub dram_req_ready: bool,
    pub dram_rsp: Option<DramRsp>,
    pub sync: Option<u8>,
    pub policy: bool,
    pub pick: Option<Pick>,
}

/// What surrounds a bank.
#[derive(Clone, Debug)]
pub(super) struct Around {
    sizes: Sizes,
    random: Random,
    phase: Phase,
    long: LongTime,
    /// Long times so far.
    stretches: u64,
    sms: Sms,
    memory: Memory,
    /// In every second episode, the first among them.
    policy: bool,
    /// What is shown until it is taken.
    bus_req: Option<BusReq>,
    dram_rsp: Option<DramRsp>,
    /// The release or acquire that is under way.
    sync: Option<u8>,
    seen: Seen,
    /// Rows that are not reached yet.
    missing: Vec<&'static str>,
}

impl Around {
    pub fn new(sizes: Sizes, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let phase = Phase::any(&mut random, &sizes);
        Self {
            sms: Sms::new(sizes.all.n_sm),
            sizes,
            random,
            phase,
            long: LongTime::never(),
            stretches: seed,
            memory: Memory::default(),
            policy: false,
            bus_req: None,
            dram_rsp: None,
            sync: None,
            seen: Seen::default(),
            missing: Seen::default().rows().iter().map(|(row, _)| *row).collect(),
        }
    }

    /// The next phase.
    fn next_phase(&mut self) -> Phase {
        if !self.missing.is_empty() {
            let rows = self.seen.rows();
            let is_missing = |row: &&str| rows.iter().any(|&(name, n)| name == *row && n == 0);
            self.missing.retain(|row| is_missing(row) && can_reach(&self.sizes, row));
        }
        Phase::next(&mut self.random, &self.sizes, self.policy, &self.missing)
    }

    /// Whether no answer is taken in this long time: a slow bank has hits enough in none.
    fn holds(&self) -> bool {
        !self.sizes.is_tc && (self.stretches.is_multiple_of(2) || self.sizes.all.l2_div > 1)
    }

    /// Whether a bank with these parameters, and a policy or none, can come to a row.
    pub fn can_reach(&self, row: &str) -> bool {
        match row {
            "ask" => self.policy,
            row => can_reach(&self.sizes, row),
        }
    }

    pub fn restart(&mut self, cycles: u64) {
        self.long = LongTime::plan(&mut self.random, cycles);
        self.policy = !self.policy;
        self.phase = self.next_phase();
        self.sms = Sms::new(self.sizes.all.n_sm);
        self.memory.clear();
        (self.bus_req, self.dram_rsp, self.sync) = (None, None, None);
    }

    /// The inputs of a cycle. `rep` is the generation of the bank.
    pub fn inputs(&mut self, shown: &Shown, rep: u8) -> Driven {
        let long = self.long.cycle();
        if long == Some(0) {
            self.stretches += 1;
            let waits = self.sizes.waits_for_leases();
            self.phase = Phase::long(&mut self.random, &self.sizes, waits);
        } else if long == Some(HITS) && self.holds() {
            self.phase.rsp_ready = 0;
        } else if self.phase.left == 0 {
            let Phase { stride, base, .. } = self.phase;
            self.phase = self.next_phase();
            if self.phase.stays {
                (self.phase.stride, self.phase.base) = (stride, base);
            }
        }
        self.phase.left -= 1;
        let Self { phase: p, random: r, sizes, .. } = self;
        if self.bus_req.is_none() && r.chance(p.req) {
            self.bus_req = Some(self.sms.request(r, p, sizes, rep));
        }
        if self.dram_rsp.is_none() {
            self.dram_rsp = self.memory.answer(r, p, sizes);
        }
        let op = if p.releases { sync::RELEASE } else { r.below(2) as u8 };
        let sync = r.chance(p.sync).then_some(op);
        let pick = match shown.ask {
            Some(ask) if r.chance(p.pick) => Some(pick(r, p, sizes, ask.ways)),
            None if r.chance(p.vain) => Some(pick(r, p, sizes, 0)),
            _ => None,
        };
        let driven = Driven {
            bus_req: self.bus_req,
            bus_rsp_ready: r.chance(p.rsp_ready),
            dram_req_ready: r.chance(p.dram_ready),
            dram_rsp: self.dram_rsp,
            sync,
            policy: self.policy,
            pick,
        };
        self.follow(&driven, shown, rep);
        driven
    }

    /// A cycle with these inputs and outputs.
    fn follow(&mut self, driven: &Driven, shown: &Shown, rep: u8) {
        let Self { seen, sizes, .. } = self;
        if let Some(req) = driven.bus_req.filter(|_| shown.bus_req_ready) {
            seen.bus_req += 1;
            self.sms.sent(&req, seen, sizes);
            self.bus_req = None;
        } else if driven.bus_req.is_some() {
            seen.bus_req_held += 1;
        }
        if driven.dram_rsp.is_some() && shown.dram_rsp_ready {
            seen.dram_rsp += 1;
            self.dram_rsp = None;
        } else if driven.dram_rsp.is_some() {
            seen.dram_rsp_held += 1;
        }
        if let Some(rsp) = shown.bus_rsp {
            if driven.bus_rsp_ready {
                seen.bus_rsp += 1;
                self.sms.answered(rsp, rep, seen, sizes);
            } else {
                seen.bus_rsp_held += 1;
            }
        }
        if let Some(req) = shown.dram_req {
            if driven.dram_req_ready {
                seen.dram_req += 1;
                self.memory.asked(req, &mut self.random, &self.phase);
            } else {
                seen.dram_req_held += 1;
            }
        }
        if let Some(kind) = driven.sync {
            if shown.sync_ready {
                seen.sync += 1;
                seen.sync_kind[usize::from(kind)] += 1;
                seen.sync_while_asked += u64::from(shown.ask.is_some());
                seen.sync_at_done += u64::from(shown.sync_done);
                self.sync = Some(kind);
            } else {
                seen.sync_held += 1;
            }
        }
        seen.ask += u64::from(shown.ask.is_some() && driven.pick.is_some());
        seen.ask_held += u64::from(shown.ask.is_some() && driven.pick.is_none());
        match (shown.ask, driven.pick) {
            (Some(ask), Some(pick)) => {
                let offered = ask.ways >> pick.way & 1 == 1;
                seen.pick[usize::from(!offered)] += 1;
                seen.keep[usize::from(pick.keep)] += 1;
            }
            (None, Some(_)) => seen.vain_pick += 1,
            _ => {}
        }
        if let Some(event) = shown.event {
            seen.event += 1;
            seen.event_kind[usize::from(event.kind)] += 1;
        }
        if let Some(code) = shown.err {
            seen.err += 1;
            seen.err_code[usize::from(code - 1)] += 1;
        }
    }

    pub fn seen(&self) -> &dyn Reached {
        &self.seen
    }

    /// The most that a counter shows.
    pub fn counted(&mut self, most: u32) {
        self.seen.counter_beyond_16_bits += u64::from(most > u32::from(u16::MAX));
    }

    /// What the bank did in a cycle.
    pub fn did(&mut self, did: Did) {
        self.seen.did(did);
    }
}

/// The word of a policy to which these ways were offered.
fn pick(r: &mut Random, p: &Phase, sizes: &Sizes, ways: u16) -> Pick {
    let keep = r.chance(p.keep);
    let any = if r.chance(64) { r.below(16) } else { r.below(sizes.all.l2_ways) };
    if ways == 0 || r.chance(p.bad_pick) {
        return Pick { keep, way: any as u8 };
    }
    let mut way = any % 16;
    while ways >> way & 1 == 0 {
        way = (way + 1) % 16;
    }
    Pick { keep, way: way as u8 }
}

/// So many random bytes.
fn bytes(r: &mut Random, line: u32) -> ports::Bytes<MAX_LINE> {
    crate::stimulus::masked_bytes(r, line, u128::MAX)
}
