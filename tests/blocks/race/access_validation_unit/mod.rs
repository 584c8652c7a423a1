//! An access validation unit by itself: the rules of specification 5.3, its part of 5.5, and
//! section 12. Figures come from the specification's text.

mod answers;
mod errors;
mod lookups;
mod queries;
mod reset;

use duet_tests::with_both_bodies;
use hwmodel::race::access_validation_unit::AccessValidationUnit;
use ports::race::access_validation_unit::{Config, Counters, In, Out, err};
use ports::race::types::{Done, Fill, Lookup, Query, Rsp, rsp_kind};

use super::hash::chunks;
use super::named;
use crate::bench::{self, Around};

type Make = duet_tests::Make<AccessValidationUnit>;

/// Runs `check` with what makes models and with what makes RTL bodies.
fn on_both(check: impl Fn(Make)) {
    with_both_bodies::<AccessValidationUnit>(check);
}

/// The small parameters of specification 2.
fn config() -> Config {
    (&named("small")).into()
}

/// Signatures of four chunks. A granule is half a kilobyte.
fn four_chunks() -> Config {
    (&named("small-half-page")).into()
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

/// What the bench needs of its configuration.
struct Sizes {
    m: u32,
    epochs: u8,
}

impl Around<AccessValidationUnit> for Sizes {
    fn after(&mut self, _: usize, next: &mut In, _: &Out, _: &Out) {
        *next = In { slq_busy: next.slq_busy, ..In::default() };
    }
}

/// Inputs but for `slq_busy` are cleared after their cycle.
type Bench = bench::Bench<AccessValidationUnit, Sizes>;

impl Bench {
    fn new(body: Make, config: &Config) -> Self {
        let sizes = Sizes { m: config.m, epochs: 1 << config.epoch_w };
        Self::around(body(config), In::default(), sizes)
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

    fn counters(&self) -> Counters {
        self.shown().counters
    }
}
