//! An access validation unit by itself: the rules of specification 5.3, its part of 5.5, and
//! section 12. Figures come from the specification's text.

mod answers;
mod errors;
mod lookups;
mod queries;
mod reset;

use duet_tests::{Body, with_both_bodies};
use hwmodel::Block;
use hwmodel::access_validation_unit::AccessValidationUnit;
use ports::access_validation_unit::{Config, Counters, In, Out, err};
use ports::common::race_types::{Done, Fill, Lookup, Query, Rsp, rsp_kind};

use super::hash::chunks;
use super::named;

type Make = duet_tests::Make<AccessValidationUnit>;

/// Runs `check` with what makes models and with what makes RTL bodies.
fn on_both(check: impl Fn(Make)) {
    with_both_bodies::<AccessValidationUnit>(check);
}

/// The small parameters of specification 2.
fn config() -> Config {
    (&named("small")).into()
}

/// The beats of an answer with a signature of these keys; `epoch` is the one that begins.
fn sync(kind: u8, id: u8, epoch: u8, m: u32, keys: &[u32]) -> Vec<Rsp> {
    let head = Rsp { hdr: true, kind, id, epoch, sync: true, ..Rsp::default() };
    let of = |(chunk, data)| Rsp { hdr: false, chunk, data, ..head };
    let mut beats = vec![head];
    beats.extend(chunks(m, keys).into_iter().map(of));
    if let Some(last) = beats.last_mut() {
        last.last = true;
    }
    beats
}

fn norace(id: u8, epoch: u8) -> Rsp {
    Rsp { hdr: true, last: true, kind: rsp_kind::NORACE, id, epoch, ..Rsp::default() }
}

/// A lookup of the line in this place.
fn lookup(line: u8, addr: u32) -> Lookup {
    Lookup { line, tag_hit: true, size: 2, addr }
}

/// A unit, its inputs, and the outputs of all cycles.
struct Bench {
    body: Body<AccessValidationUnit>,
    m: u32,
    epochs: u8,
    /// Inputs of the next cycle, but for `slq_busy` cleared after it.
    next: In,
    out: Vec<Out>,
}

impl Bench {
    fn new(body: Make, config: &Config) -> Self {
        let (m, epochs) = (config.m, 1 << config.epoch_w);
        Self { body: body(config), m, epochs, next: In::default(), out: Vec::new() }
    }

    /// One cycle; returns its outputs.
    fn cycle(&mut self) -> Out {
        let shown = self.body.outputs();
        let out = self.body.tick(&self.next);
        assert_eq!(shown, out, "tick must return the outputs of the cycle that it ends");
        assert!(!self.body.failed(), "an assertion of the RTL fails in cycle {}", self.now());
        self.next = In { slq_busy: self.next.slq_busy, ..In::default() };
        self.out.push(out);
        out
    }

    fn now(&self) -> usize {
        self.out.len()
    }

    fn run(&mut self, cycles: usize) {
        (0..cycles).for_each(|_| _ = self.cycle());
    }

    fn shown(&self) -> Out {
        self.body.outputs()
    }

    fn epoch(&self) -> u8 {
        self.shown().epoch
    }

    /// A beat, as soon as it is taken; returns its cycle.
    fn beat(&mut self, rsp: Rsp) -> usize {
        while !self.shown().rsp_ready {
            self.cycle();
        }
        self.next.rsp = Some(rsp);
        self.cycle();
        self.now() - 1
    }

    /// The next epoch begins, with these keys in the signature; returns the first cycle of it.
    fn sync(&mut self, keys: &[u32]) -> usize {
        let next = (self.epoch() + 1) % self.epochs;
        for beat in sync(rsp_kind::RACE, 1, next, self.m, keys) {
            self.beat(beat);
        }
        assert_eq!(self.epoch(), next);
        self.now()
    }

    /// Installs a line with the current epoch.
    fn fill(&mut self, line: u8) {
        self.next.fill = Some(Fill { line, epoch: self.epoch() });
        self.cycle();
    }

    /// The result of a lookup in the next cycle.
    fn look(&mut self, lk: Lookup) -> u8 {
        self.next.lk = Some(lk);
        assert!(self.cycle().lk_ready);
        self.shown().rs.expect("a result in the next cycle")
    }

    fn looks(&mut self, line: u8, addr: u32, times: usize) -> Vec<u8> {
        (0..times).map(|_| self.look(lookup(line, addr))).collect()
    }

    fn cnt(&self) -> Counters {
        self.shown().cnt
    }
}
