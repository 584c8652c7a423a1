//! What surrounds an L2 bank: SMs with their L1s, memory, a policy, releases and acquires, resets
//! of G-TSC, back-pressure; and what the bank comes to.

mod memory;
mod phase;
mod requests;
mod resets;
mod rows;

use hwmodel::timestamp::timestamp_l2::TimestampL2;
use hwmodel::{Block, Model};
use ports::timestamp::timestamp_l2::{Config, In, Out};
use ports::timestamp::types::{BusReq, DramRsp, MAX_LINE, Pick, Protocol, Timestamp, sync};

use crate::blocks;
use crate::stimulus::{LongTime, NewStimulus, Random, Reached, Statics, Stimulus};
use memory::Memory;
use phase::Phase;
use requests::Sms;
use resets::Resets;
use rows::{Seen, can_reach};

crate::pair!(TimestampL2: Timestamp);

inventory::submit! {
    blocks::entry::<Inputs>("G-TSC, TC: an L2 bank with leases in logical time or in cycles")
}

/// Cycles of a long time behind which no answer is taken.
const HITS: u64 = 1000;

fn is_gtsc(config: &Config) -> bool {
    config.protocol == Protocol::Gtsc
}

/// Writes wait.
fn is_strong(config: &Config) -> bool {
    config.protocol == Protocol::Tcs
}

/// They wait for nearly all of the time where reads and writes of a line follow each other.
fn waits_for_leases(config: &Config) -> bool {
    is_strong(config) && config.tc_lease > 20 * config.l2_div
}

/// The last timestamp.
fn max_ts(config: &Config) -> u64 {
    (1 << config.ts_bits()) - 2
}

/// The stimulus.
#[derive(Clone, Debug)]
pub struct Inputs {
    config: Config,
    random: Random,
    phase: Phase,
    long: LongTime,
    /// Long times so far.
    stretches: u64,
    sms: Sms,
    memory: Memory,
    resets: Resets,
    /// In every second episode, the first among them.
    policy: bool,
    /// What is shown until it is taken.
    bus_req: Option<BusReq>,
    dram_rsp: Option<DramRsp>,
    /// The bank again, which says what it does.
    bank: TimestampL2,
    seen: Seen,
    /// Rows that are not reached yet.
    missing: Vec<&'static str>,
}

impl Inputs {
    /// The next phase.
    fn next_phase(&mut self) -> Phase {
        if !self.missing.is_empty() {
            let rows = self.seen.rows();
            let is_missing = |row: &&str| rows.iter().any(|&(name, n)| name == *row && n == 0);
            self.missing.retain(|row| is_missing(row) && can_reach(&self.config, row));
        }
        Phase::next(&mut self.random, &self.config, self.policy, &self.missing)
    }

    /// Whether no answer is taken in this long time: a slow bank has hits enough in none.
    fn holds(&self) -> bool {
        is_gtsc(&self.config) && (self.stretches.is_multiple_of(2) || self.config.l2_div > 1)
    }

    /// The phase of a cycle.
    fn begin(&mut self) {
        let long = self.long.cycle();
        if long == Some(0) {
            self.stretches += 1;
            self.phase = Phase::long(&mut self.random, &self.config);
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
    }

    /// The inputs of a cycle.
    fn draw(&mut self, out: &Out) -> In {
        let rep = self.resets.rep();
        let Self { phase: p, random: r, config, .. } = self;
        if self.bus_req.is_none() && r.chance(p.req) {
            self.bus_req = Some(self.sms.request(r, p, config, rep));
        }
        if self.dram_rsp.is_none() {
            self.dram_rsp = self.memory.answer(r, p, config);
        }
        let op = if p.releases { sync::RELEASE } else { r.below(2) as u8 };
        let sync = r.chance(p.sync).then_some(op);
        let pick = match out.ask {
            Some(ask) if r.chance(p.pick) => Some(pick(r, p, config, ask.ways)),
            None if r.chance(p.vain) => Some(pick(r, p, config, 0)),
            _ => None,
        };
        let (bus_rsp_ready, dram_req_ready) = (r.chance(p.rsp_ready), r.chance(p.dram_ready));
        let (halt, rst) = match is_gtsc(config) {
            true => self.resets.inputs(r, p, out, &mut self.seen),
            // TC has none, whatever is drawn.
            false => (r.chance(p.wild), r.chance(p.wild)),
        };
        In {
            bus_req: self.bus_req,
            bus_rsp_ready,
            dram_req_ready,
            dram_rsp: self.dram_rsp,
            halt,
            rst,
            sync,
            policy: self.policy,
            pick,
        }
    }

    /// A cycle with these inputs and outputs, in which the bank had this generation.
    fn follow(&mut self, input: &In, out: &Out, rep: u8) {
        let Self { seen, config, .. } = self;
        if let Some(req) = input.bus_req.filter(|_| out.bus_req_ready) {
            seen.bus_req += 1;
            self.sms.sent(&req, seen, config);
            self.bus_req = None;
        } else if input.bus_req.is_some() {
            seen.bus_req_held += 1;
        }
        if input.dram_rsp.is_some() && out.dram_rsp_ready {
            seen.dram_rsp += 1;
            self.dram_rsp = None;
        } else if input.dram_rsp.is_some() {
            seen.dram_rsp_held += 1;
        }
        if let Some(rsp) = &out.bus_rsp {
            if input.bus_rsp_ready {
                seen.bus_rsp += 1;
                self.sms.answered(rsp, rep, seen, config);
            } else {
                seen.bus_rsp_held += 1;
            }
        }
        if let Some(req) = &out.dram_req {
            if input.dram_req_ready {
                seen.dram_req += 1;
                self.memory.asked(req, &mut self.random, &self.phase);
            } else {
                seen.dram_req_held += 1;
            }
        }
        if let Some(kind) = input.sync {
            if out.sync_ready {
                seen.sync += 1;
                seen.sync_kind[usize::from(kind)] += 1;
                seen.sync_while_asked += u64::from(out.ask.is_some());
                seen.sync_at_done += u64::from(out.sync_done);
            } else {
                seen.sync_held += 1;
            }
        }
        seen.ask += u64::from(out.ask.is_some() && input.pick.is_some());
        seen.ask_held += u64::from(out.ask.is_some() && input.pick.is_none());
        match (out.ask, input.pick) {
            (Some(ask), Some(pick)) => {
                let offered = ask.ways >> pick.way & 1 == 1;
                seen.pick[usize::from(!offered)] += 1;
                seen.keep[usize::from(pick.keep)] += 1;
            }
            (None, Some(_)) => seen.vain_pick += 1,
            _ => {}
        }
        if let Some(event) = out.event {
            seen.event += 1;
            seen.event_kind[usize::from(event.kind)] += 1;
        }
        if let Some(code) = out.err {
            seen.err += 1;
            seen.err_code[usize::from(code - 1)] += 1;
        }
        let cnt = &out.cnt;
        let most = cnt.busrd.max(cnt.fills_sent).max(cnt.hold_cycles).max(cnt.stall_lease);
        seen.counter_beyond_16_bits += u64::from(most > u32::from(u16::MAX));
    }
}

impl Stimulus for Inputs {
    type Model = TimestampL2;

    fn restart(&mut self, cycles: u64) {
        self.long = LongTime::plan(&mut self.random, cycles);
        self.policy = !self.policy;
        self.phase = self.next_phase();
        self.sms = Sms::new(self.config.n_sm);
        self.memory.clear();
        self.resets = Resets::default();
        (self.bus_req, self.dram_rsp) = (None, None);
        self.bank = bank(&self.config);
    }

    fn inputs(&mut self, out: &Out) -> In {
        self.begin();
        let rep = self.resets.rep();
        let input = self.draw(out);
        self.follow(&input, out, rep);
        self.bank.tick(&input);
        self.seen.action(self.bank.did());
        input
    }

    fn seen(&self) -> &dyn Reached {
        &self.seen
    }

    /// Whether a bank with these parameters, and a policy or none, can come to a row.
    fn can_reach(&self, row: &str) -> bool {
        match row {
            "ask" => self.policy,
            row => can_reach(&self.config, row),
        }
    }
}

impl NewStimulus for Inputs {
    fn unstarted(config: &Config, _statics: &Statics, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let phase = Phase::any(&mut random, config);
        Self {
            sms: Sms::new(config.n_sm),
            config: config.clone(),
            random,
            phase,
            long: LongTime::never(),
            stretches: seed,
            memory: Memory::default(),
            resets: Resets::default(),
            policy: false,
            bus_req: None,
            dram_rsp: None,
            bank: bank(config),
            seen: Seen::default(),
            missing: Seen::default().rows().iter().map(|(row, _)| *row).collect(),
        }
    }
}

fn bank(config: &Config) -> TimestampL2 {
    TimestampL2::new(config).expect("legal parameters")
}

/// The word of a policy to which these ways were offered.
fn pick(r: &mut Random, p: &Phase, config: &Config, ways: u16) -> Pick {
    let keep = r.chance(p.keep);
    let any = if r.chance(64) { r.below(16) } else { r.below(config.l2_ways) };
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
