//! Answers, lookups, fills and queries for an access validation unit: a race detection unit, an L1
//! and a speculative load queue, which sometimes break the rules.

mod answers;
mod lines;
mod phase;
mod rows;

use hwmodel::race::access_validation_unit::AccessValidationUnit;
use ports::race::access_validation_unit::{Config, In, Out, Queries};
use ports::race::types::{Fill, Lookup, Query};

use crate::blocks;
use crate::stimulus::{Driver, Random, Stimulus};
use answers::Answers;
use lines::Lines;
use phase::Phase;
use rows::Seen;

crate::pair!(AccessValidationUnit: ports::race::types::RaceDetection);

inventory::submit! {
    blocks::entry::<Inputs>("race detection: decides whether a CU may use a line that its L1 holds")
}

/// The stimulus.
pub struct Inputs {
    answers: Answers,
    lookup: Option<Lookup>,
    /// Cycles of queries, of the speculative load queue's level, that are left.
    queries: u32,
    busy: u32,
    lines: Lines,
}

/// An access of any size, or of the phase's.
fn access(r: &mut Random, p: &Phase) -> Query {
    let size = p.size.unwrap_or_else(|| r.below(8) as u8);
    let word = r.word();
    let addr = if r.chance(p.any) { word as u32 } else { p.addrs[r.below(p.used) as usize] };
    Query { size, addr: addr ^ (word >> 32) as u32 & 0x7f }
}

/// A line that is in use, or one that the L1 does not have.
fn line(r: &mut Random, p: &Phase, c: &Config) -> u8 {
    if c.lines < 256 && r.chance(p.fault) {
        let (any, last) = (c.lines + r.below(256 - c.lines), 255);
        return r.pick(&[c.lines, any, last]) as u8;
    }
    ((p.first + r.below(p.lines)) % c.lines) as u8
}

impl Inputs {
    fn lookup(d: &mut Driver<Self>) -> Option<Lookup> {
        let Driver { config: c, phase: p, random: r, .. } = d;
        if !r.chance(p.lookup) {
            return None;
        }
        let Query { size, addr } = access(r, p);
        Some(Lookup { line: line(r, p, c), tag_hit: r.chance(p.tag), size, addr })
    }

    /// A line for a fill or the answer to a check.
    fn line(&self, d: &mut Driver<Self>) -> u8 {
        let Driver { config: c, phase: p, random: r, .. } = d;
        let looked = self.lookup.filter(|_| r.chance(p.same));
        looked.map_or_else(|| line(r, p, c), |l| l.line)
    }

    fn fill(&self, d: &mut Driver<Self>, out: &Out, next: Option<u8>) -> Option<Fill> {
        let mask = (1 << d.config.epoch_w) - 1;
        let wraps = next.and_then(|epoch| self.lines.of_epoch(epoch));
        let line = match wraps {
            Some(line) if d.random.chance(d.phase.edge) => line,
            _ if !d.random.chance(d.phase.fill) => return None,
            _ => self.line(d),
        };
        let Driver { phase: p, random: r, .. } = d;
        // Never the next epoch.
        let any = r.chance(p.fault).then(|| r.below(mask));
        let age = any.unwrap_or_else(|| u32::from(r.chance(p.old)));
        Some(Fill { line, epoch: (u32::from(out.epoch).wrapping_sub(age) & mask) as u8 })
    }

    /// The queries of a validation, of as many loads as there may be; else at any time at which
    /// the signature stays. Whether the speculative load queue says that it validates.
    fn queries(&mut self, d: &mut Driver<Self>, moves: bool) -> (u8, Queries, bool) {
        let lanes = d.config.v_lanes as usize;
        let Driver { phase: p, random: r, .. } = d;
        if d.before.done.is_some_and(|done| done.sync) {
            let cycles = r.below(p.validated + 1);
            (self.queries, self.busy) = (cycles, if cycles > 0 { cycles + 1 } else { 0 });
        }
        let asks = self.queries > 0 || r.chance(p.asks);
        let busy = self.busy > 0 || r.chance(p.busy);
        self.queries = self.queries.saturating_sub(1);
        self.busy = self.busy.saturating_sub(1);
        let (mut valid, mut q) = (0, Queries::default());
        for (v, q) in q.iter_mut().enumerate().take(lanes) {
            if asks && !moves && r.chance(p.lane) {
                valid |= 1 << v;
                *q = access(r, p);
            }
        }
        (valid, q, busy)
    }
}

impl Stimulus for Inputs {
    type Model = AccessValidationUnit;

    type Phase = Phase;
    type Seen = Seen;

    fn start(d: &mut Driver<Self>) -> Self {
        let (answers, lines) = (Answers::new(&d.config), Lines::new(&d.config));
        Self { answers, lookup: None, queries: 0, busy: 0, lines }
    }

    fn phase(&mut self, d: &mut Driver<Self>) -> Phase {
        Phase::any(&mut d.random, &d.config)
    }

    fn long_phase(&mut self, d: &mut Driver<Self>) -> Option<Phase> {
        let cold = d.long_times.is_multiple_of(2);
        Some(Phase::long(&mut d.random, &d.config, cold))
    }

    fn inputs(&mut self, d: &mut Driver<Self>, out: &Out) -> In {
        let beat = self.answers.beat(&mut d.random, &d.phase, out);
        let moves = beat.is_some() && out.rsp_ready;
        let ends = self.answers.ends().filter(|_| moves);
        let next = ends.filter(|answer| answer.sync).map(|answer| answer.epoch);
        let held = d.retry(d.last.lk, d.before.lk_ready, d.phase.again);
        self.lookup = held.or_else(|| Self::lookup(d));
        let fill = self.fill(d, out, next);
        let clears = d.random.chance(d.phase.clear);
        let hc_clr = clears.then(|| self.line(d));
        let (q_valid, q, slq_busy) = self.queries(d, moves);
        let rsp = beat.map(|beat| beat.rsp);
        let input = In { rsp, lk: self.lookup, fill, hc_clr, q_valid, q, slq_busy };
        rows::count(d, &self.answers, beat, &input, out);
        self.lines.follow(&input, out, next, &mut d.seen);
        if moves {
            self.answers.taken();
        }
        input
    }

    fn can_reach(d: &Driver<Self>, row: &str) -> bool {
        rows::can_reach(&d.config, row)
    }
}
