//! Answers, lookups, fills and queries for an access validation unit: a race detection unit, an L1
//! and a speculative load queue, which sometimes break the rules.

mod answers;
mod lines;
mod phase;
mod rows;

use hwmodel::Block;
use hwmodel::race::access_validation_unit::AccessValidationUnit;
use ports::race::access_validation_unit::{Config, In, Out, Queries};
use ports::race::types::{Fill, Lookup, Query};

use crate::blocks;
use crate::stimulus::{LongTime, NewStimulus, Random, Reached, Statics, Stimulus};
use answers::Answers;
use lines::Lines;
use phase::Phase;
use rows::{Before, Seen};

crate::pair!(AccessValidationUnit: ports::race::types::RaceDetection);

inventory::submit! {
    blocks::entry::<Inputs>("race detection: decides whether a CU may use a line that its L1 holds")
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
    answers: Answers,
    lookup: Option<Lookup>,
    /// Cycles of queries, of the speculative load queue's level, that are left.
    queries: u32,
    busy: u32,
    /// The epoch has changed in the cycle before.
    synced: bool,
    before: Before,
    lines: Lines,
    seen: Seen,
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
    fn lookup(&mut self) -> Option<Lookup> {
        let (c, p, r) = (&self.config, &self.phase, &mut self.random);
        if !r.chance(p.lookup) {
            return None;
        }
        let Query { size, addr } = access(r, p);
        Some(Lookup { line: line(r, p, c), tag_hit: r.chance(p.tag), size, addr })
    }

    /// A line for a fill or the answer to a check.
    fn line(&mut self) -> u8 {
        let looked = self.lookup.filter(|_| self.random.chance(self.phase.same));
        looked.map_or_else(|| line(&mut self.random, &self.phase, &self.config), |l| l.line)
    }

    fn fill(&mut self, out: &Out, next: Option<u8>) -> Option<Fill> {
        let mask = (1 << self.config.epoch_w) - 1;
        let wraps = next.and_then(|epoch| self.lines.of_epoch(epoch));
        let line = match wraps {
            Some(line) if self.random.chance(self.phase.edge) => line,
            _ if !self.random.chance(self.phase.fill) => return None,
            _ => self.line(),
        };
        let (p, r) = (&self.phase, &mut self.random);
        // Never the next epoch.
        let any = r.chance(p.fault).then(|| r.below(mask));
        let age = any.unwrap_or_else(|| u32::from(r.chance(p.old)));
        Some(Fill { line, epoch: (u32::from(out.epoch).wrapping_sub(age) & mask) as u8 })
    }

    /// The queries of a validation, of as many loads as there may be; else at any time at which
    /// the signature stays. Whether the speculative load queue says that it validates.
    fn queries(&mut self, moves: bool) -> (u8, Queries, bool) {
        let (p, r) = (&self.phase, &mut self.random);
        if self.synced {
            let cycles = r.below(p.validated + 1);
            (self.queries, self.busy) = (cycles, if cycles > 0 { cycles + 1 } else { 0 });
        }
        let asks = self.queries > 0 || r.chance(p.asks);
        let busy = self.busy > 0 || r.chance(p.busy);
        self.queries = self.queries.saturating_sub(1);
        self.busy = self.busy.saturating_sub(1);
        let (mut valid, mut q) = (0, Queries::default());
        for (v, q) in q.iter_mut().enumerate().take(self.config.v_lanes as usize) {
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

    fn restart(&mut self, cycles: u64) {
        self.long = LongTime::plan(&mut self.random, cycles);
        self.phase = Phase::any(&mut self.random, &self.config);
        (self.lookup, self.queries, self.busy, self.synced) = (None, 0, 0, false);
        self.before = Before::default();
        self.answers.clear();
        self.lines.clear();
    }

    fn inputs(&mut self, out: &<AccessValidationUnit as Block>::Out) -> In {
        if self.long.cycle() == Some(0) {
            self.stretches += 1;
            let cold = self.stretches.is_multiple_of(2);
            self.phase = Phase::long(&mut self.random, &self.config, cold);
        } else if self.phase.left == 0 {
            self.phase = Phase::any(&mut self.random, &self.config);
        }
        self.phase.left -= 1;
        let beat = self.answers.beat(&mut self.random, &self.phase, out);
        let moves = beat.is_some() && out.rsp_ready;
        let ends = self.answers.ends().filter(|_| moves);
        let next = ends.filter(|answer| answer.sync).map(|answer| answer.epoch);
        if self.lookup.is_none() || !self.random.chance(self.phase.again) {
            self.lookup = self.lookup();
        }
        let fill = self.fill(out, next);
        let clears = self.random.chance(self.phase.clear);
        let hc_clr = clears.then(|| self.line());
        let (q_valid, q, slq_busy) = self.queries(moves);
        let rsp = beat.map(|beat| beat.rsp);
        let input = In { rsp, lk: self.lookup, fill, hc_clr, q_valid, q, slq_busy };
        let Self { config, seen, answers, before, .. } = self;
        rows::count(config, seen, answers, beat, (&input, out), before);
        self.lines.follow(&input, out, next, &mut self.seen);
        if moves {
            self.answers.taken();
        }
        if out.lk_ready {
            self.lookup = None;
        }
        self.synced = out.done.is_some_and(|done| done.sync);
        self.before = Before { busy: slq_busy, q_valid, taken: moves, epoch: out.epoch };
        input
    }

    fn seen(&self) -> &dyn Reached {
        &self.seen
    }

    fn can_reach(&self, row: &str) -> bool {
        rows::can_reach(&self.config, row)
    }
}

impl NewStimulus for Inputs {
    fn unstarted(config: &Config, _statics: &Statics, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let phase = Phase::any(&mut random, config);
        Self {
            config: config.clone(),
            random,
            phase,
            long: LongTime::never(),
            stretches: seed,
            answers: Answers::new(config),
            lookup: None,
            queries: 0,
            busy: 0,
            synced: false,
            before: Before::default(),
            lines: Lines::new(config),
            seen: Seen::default(),
        }
    }
}
