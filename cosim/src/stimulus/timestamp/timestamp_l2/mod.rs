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
use ports::timestamp::types::{MAX_LINE, Pick, Protocol, Timestamp, sync};

use crate::blocks;
use crate::stimulus::{Driver, Random, Stimulus, count, stalled};
use memory::Memory;
use phase::{Kind, Phase, wants_policy};
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
pub struct Inputs {
    sms: Sms,
    memory: Memory,
    resets: Resets,
    /// In every second episode, the first among them.
    policy: bool,
    /// The bank again, which says what it does.
    bank: TimestampL2,
}

impl Inputs {
    /// The inputs of a cycle.
    fn draw(&mut self, d: &mut Driver<Self>, out: &Out) -> In {
        let rep = self.resets.rep();
        let bus_req = d.offer(d.last.bus_req, d.before.bus_req_ready, d.phase.req, |d| {
            self.sms.request(&mut d.random, &d.phase, &d.config, rep)
        });
        let Driver { config, phase: p, random: r, seen, .. } = d;
        let dram_rsp = stalled(d.last.dram_rsp, d.before.dram_rsp_ready)
            .or_else(|| self.memory.answer(r, p, config));
        let op = if p.releases { sync::RELEASE } else { r.below(2) as u8 };
        let sync = r.chance(p.sync).then_some(op);
        let pick = match out.ask {
            Some(ask) if r.chance(p.pick) => Some(pick(r, p, config, ask.ways)),
            None if r.chance(p.vain) => Some(pick(r, p, config, 0)),
            _ => None,
        };
        let (bus_rsp_ready, dram_req_ready) = (r.chance(p.rsp_ready), r.chance(p.dram_ready));
        let (halt, rst) = match is_gtsc(config) {
            true => self.resets.inputs(r, p, out, seen),
            // TC has none, whatever is drawn.
            false => (r.chance(p.wild), r.chance(p.wild)),
        };
        In {
            bus_req,
            bus_rsp_ready,
            dram_req_ready,
            dram_rsp,
            halt,
            rst,
            sync,
            policy: self.policy,
            pick,
        }
    }

    /// A cycle with these inputs and outputs, in which the bank had this generation.
    fn follow(&mut self, d: &mut Driver<Self>, input: &In, out: &Out, rep: u8) {
        let Driver { config, phase: p, random: r, seen, .. } = d;
        let req =
            count(input.bus_req, out.bus_req_ready, &mut seen.bus_req, &mut seen.bus_req_held);
        if let Some(req) = req {
            self.sms.sent(&req, seen, config);
        }
        count(input.dram_rsp, out.dram_rsp_ready, &mut seen.dram_rsp, &mut seen.dram_rsp_held);
        let rsp =
            count(out.bus_rsp, input.bus_rsp_ready, &mut seen.bus_rsp, &mut seen.bus_rsp_held);
        if let Some(rsp) = rsp {
            self.sms.answered(&rsp, rep, seen, config);
        }
        let req =
            count(out.dram_req, input.dram_req_ready, &mut seen.dram_req, &mut seen.dram_req_held);
        if let Some(req) = req {
            self.memory.asked(&req, r, p);
        }
        if let Some(kind) = count(input.sync, out.sync_ready, &mut seen.sync, &mut seen.sync_held) {
            seen.sync_kind[usize::from(kind)] += 1;
            seen.sync_while_asked += u64::from(out.ask.is_some());
            seen.sync_at_done += u64::from(out.sync_done);
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
        let counters = &out.counters;
        let most = counters
            .busrd
            .max(counters.fills_sent)
            .max(counters.hold_cycles)
            .max(counters.stall_lease);
        seen.counter_beyond_16_bits += u64::from(most > u32::from(u16::MAX));
    }
}

impl Stimulus for Inputs {
    type Model = TimestampL2;

    type Phase = Phase;
    type Seen = Seen;

    fn start(d: &mut Driver<Self>) -> Self {
        Self {
            sms: Sms::new(d.config.n_sm),
            memory: Memory::default(),
            resets: Resets::default(),
            policy: d.episode.is_multiple_of(2),
            bank: TimestampL2::new(&d.config).expect("legal parameters"),
        }
    }

    fn phase(&mut self, d: &mut Driver<Self>) -> Phase {
        let config = d.config.clone();
        let kind = d.towards(144, |row| {
            let fits = wants_policy(row).is_none_or(|wanted| wanted == self.policy);
            fits.then(|| Kind::towards(row, &config)).flatten()
        });
        let mut phase = match kind {
            Some(kind) => Phase::of(kind, &mut d.random, &config),
            None => Phase::any(&mut d.random, &config),
        };
        if phase.stays {
            (phase.stride, phase.base) = (d.phase.stride, d.phase.base);
        }
        phase
    }

    fn long_phase(&mut self, d: &mut Driver<Self>) -> Option<Phase> {
        Some(Phase::long(&mut d.random, &d.config))
    }

    fn inputs(&mut self, d: &mut Driver<Self>, out: &Out) -> In {
        // No answer is taken for the most of a long time: a slow bank has hits enough in none.
        let holds = d.long_times.is_multiple_of(2) || d.config.l2_div > 1;
        if d.long == Some(HITS) && is_gtsc(&d.config) && holds {
            d.phase.rsp_ready = 0;
        }
        let rep = self.resets.rep();
        let input = self.draw(d, out);
        self.follow(d, &input, out, rep);
        self.bank.tick(&input);
        d.seen.action(self.bank.did());
        input
    }

    fn can_reach(d: &Driver<Self>, row: &str) -> bool {
        can_reach(&d.config, row)
    }
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
