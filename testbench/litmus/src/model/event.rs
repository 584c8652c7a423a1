//! Operations on memory, and what of a thread orders them.

use traces::trace::AtomicOp;

use super::Promise;
use crate::test::{Scope, Step, Test};

/// What an event does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Read,
    /// Writes this.
    Write(u32),
    /// Changes what is there with this operand.
    Change(AtomicOp, u32),
}

/// An operation on memory.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    pub thread: usize,
    pub kind: Kind,
    pub location: usize,
    pub register: Option<u32>,
}

impl Event {
    pub fn reads(&self) -> bool {
        !matches!(self.kind, Kind::Write(_))
    }

    pub fn writes(&self) -> bool {
        self.kind != Kind::Read
    }

    pub fn is_atomic(&self) -> bool {
        matches!(self.kind, Kind::Change(..))
    }
}

/// Event `before` is over when `behind` begins, for these threads, a bit each.
#[derive(Clone, Copy, Debug)]
pub struct Ordered {
    pub before: usize,
    pub behind: usize,
    pub threads: u32,
}

/// A test's events.
#[derive(Debug)]
pub struct Events {
    /// Of the threads, one after another, each in its order.
    pub all: Vec<Event>,
    pub ordered: Vec<Ordered>,
}

/// Where in its thread an event stands.
struct Place {
    step: usize,
    /// Barriers before it.
    barriers: usize,
}

impl Events {
    pub fn of(test: &Test, promise: Promise) -> Self {
        let (mut all, mut places) = (Vec::new(), Vec::new());
        for (thread, of) in test.threads.iter().enumerate() {
            let mut barriers = 0;
            for (step, what) in of.steps.iter().enumerate() {
                let (kind, location, register) = match *what {
                    Step::Load { register, location } => (Kind::Read, location, Some(register)),
                    Step::Store { location, value } => (Kind::Write(value), location, None),
                    Step::Atomic { op, register, location, value } => {
                        (Kind::Change(op, value), location, register)
                    }
                    Step::Barrier => {
                        barriers += 1;
                        continue;
                    }
                    Step::Fence(_) => continue,
                };
                all.push(Event { thread, kind, location, register });
                places.push(Place { step, barriers });
            }
        }
        let mut ordered = Vec::new();
        for before in 0..all.len() {
            for behind in 0..all.len() {
                let between =
                    [(all[before].thread, &places[before]), (all[behind].thread, &places[behind])];
                let threads = order(test, promise, between);
                if before != behind && threads != 0 {
                    ordered.push(Ordered { before, behind, threads });
                }
            }
        }
        Self { all, ordered }
    }
}

/// The threads for which one event is over when the other begins, a bit each.
fn order(test: &Test, promise: Promise, [(one, a), (other, b)]: [(usize, &Place); 2]) -> u32 {
    let of = &test.threads[one];
    if promise == Promise::Sc && one == other && a.step < b.step {
        return u32::MAX;
    }
    let within = |scope: Scope| {
        let is_there = |thread: &usize| {
            let to = &test.threads[*thread];
            of.reaches(scope, to) && promise.reaches(of, to)
        };
        (0..test.threads.len()).filter(is_there).fold(0, |bits, thread| bits | 1 << thread)
    };
    let mut threads = 0;
    if one == other && a.step < b.step {
        let scopes = of.steps[a.step..b.step].iter().filter_map(|step| match step {
            Step::Fence(scope) => Some(*scope),
            _ => None,
        });
        threads = scopes.max().map_or(0, within);
    }
    if a.barriers < b.barriers && of.reaches(Scope::Cta, &test.threads[other]) {
        threads |= within(Scope::Cta);
    }
    threads
}
