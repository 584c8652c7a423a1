//! Operations on memory, and what of a thread orders them.

use super::Promise;
use crate::meeting::Meetings;
use crate::test::{Change, Scope, Step, Test};

/// What an event does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Read,
    /// Writes this.
    Write(u32),
    /// Changes what is there.
    Change(Change),
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

    /// Whether it writes, or may: a compare-and-swap does by what it finds.
    pub fn may_write(&self) -> bool {
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

impl Events {
    pub fn of(test: &Test, promise: Promise) -> Self {
        let (mut all, mut places) = (Vec::new(), Vec::new());
        for (thread, of) in test.threads.iter().enumerate() {
            for (step, what) in of.steps.iter().enumerate() {
                let (kind, location, register) = match *what {
                    Step::Load { register, location } => (Kind::Read, location, Some(register)),
                    Step::Store { location, value } => (Kind::Write(value), location, None),
                    Step::Atomic { change, register, location } => {
                        (Kind::Change(change), location, register)
                    }
                    Step::Fence(_) | Step::Barrier(_) => continue,
                };
                all.push(Event { thread, kind, location, register });
                places.push(step);
            }
        }
        let meetings = Meetings::of(test);
        let mut ordered = Vec::new();
        for before in 0..all.len() {
            for behind in 0..all.len() {
                let place = |at: usize| (all[at].thread, places[at]);
                let threads = order(test, promise, &meetings, [place(before), place(behind)]);
                if before != behind && threads != 0 {
                    ordered.push(Ordered { before, behind, threads });
                }
            }
        }
        Self { all, ordered }
    }
}

/// The threads for which one event is over when the other begins, a bit each. An event is a thread
/// and a step of it.
fn order(
    test: &Test,
    promise: Promise,
    meetings: &Meetings,
    [before, behind]: [(usize, usize); 2],
) -> u32 {
    let ((one, a), (other, b)) = (before, behind);
    let of = &test.threads[one];
    if promise == Promise::Sc && one == other && a < b {
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
    if one == other && a < b {
        let scopes = of.steps[a..b].iter().filter_map(|step| match step {
            Step::Fence(scope) => Some(*scope),
            _ => None,
        });
        threads = scopes.max().map_or(0, within);
    }
    if meetings.separate(before, behind) {
        threads |= within(Scope::Cta);
    }
    threads
}
