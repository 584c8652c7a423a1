//! Tests of the controller. A checker sees the commands of each.

mod checks;
mod latency;
mod published;
mod random;
mod rates;

use crate::*;

/// A controller with its checker.
struct Bench {
    controller: Controller,
    checker: Checker,
    now: u64,
    access_bytes: u64,
    /// Identifier and cycle of each completion.
    done: Vec<(u64, u64)>,
    trace: Vec<Issued>,
}

/// One row after another of one bank.
const IN_BANK: &str = "bank:group:rank:pseudo:row:column";
/// Deep queues, no refresh.
const PLAIN: Policy = Policy { refresh: Refresh::Off, ..Policy::GPU };
/// Consecutive bursts go to other pseudo-channels and bank groups.
const STREAM: &str = "row:bank:rank:column:group:pseudo";
/// Consecutive bursts go to other banks, those of the same bank to other rows.
const ROTATE: &str = "column:row:bank:group:rank:pseudo";

fn read(id: u64, address: u64) -> Request {
    Request { id, address, is_write: false }
}

fn write(id: u64, address: u64) -> Request {
    Request { id, address, is_write: true }
}

impl Bench {
    fn new(p: Parameters, policy: Policy, mapping: &str) -> Self {
        let mapping = Mapping::parse(mapping, &p.organization, 1).unwrap();
        let mut controller = Controller::new(p, policy, mapping).unwrap();
        controller.record();
        let checker = Checker::new(&p, policy.refresh);
        let access_bytes = p.organization.access_bytes.into();
        Self { controller, checker, now: 0, access_bytes, done: Vec::new(), trace: Vec::new() }
    }

    /// One cycle. False if its commands violate a constraint.
    fn advance(&mut self) -> Result<(), Violation> {
        self.controller.advance(self.now + 1);
        for command in self.controller.commands() {
            self.trace.push(command);
            self.checker.see(command)?;
        }
        while let Some(Completion { id, cycle, .. }) = self.controller.completion() {
            self.done.push((id, cycle));
        }
        Ok(())
    }

    /// Queues requests as soon as entries are free, until all complete.
    fn judge(&mut self, requests: impl IntoIterator<Item = Request>) -> Result<(), Violation> {
        let mut requests = requests.into_iter().peekable();
        loop {
            while let Some(request) = requests.peek()
                && self.controller.enqueue(self.now, *request).is_ok()
            {
                requests.next();
            }
            self.advance()?;
            match self.controller.next_event() {
                Some(at) => self.now = at.max(self.now + 1),
                None if requests.peek().is_none() => return Ok(()),
                None => self.now += 1,
            }
        }
    }

    fn saturate(&mut self, requests: impl IntoIterator<Item = Request>) {
        if let Err(violation) = self.judge(requests) {
            panic!("{violation}");
        }
    }

    /// Consecutive bursts, one request each.
    fn stream(&mut self, bursts: u64, kind: fn(u64, u64) -> Request) {
        let bytes = self.access_bytes;
        self.saturate((0..bursts).map(|at| kind(at, at * bytes)));
    }

    /// Cycle in which a request completes that is alone from `now` on.
    fn alone(&mut self, now: u64, request: Request) -> u64 {
        self.now = now;
        self.saturate([request]);
        self.done.last().unwrap().1
    }

    /// Mean cycles a request, from the middle of the run to its end.
    fn cycles_each(&self) -> f64 {
        let (from, to) = (self.done.len() / 2, self.done.len() - 1);
        (self.done[to].1 - self.done[from].1) as f64 / (to - from) as f64
    }
}

/// Random numbers of a seed.
fn noise(seed: u64) -> impl Iterator<Item = u64> {
    let mut state = seed;
    std::iter::repeat_with(move || {
        // SplitMix64 (Steele et al., OOPSLA 2014).
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    })
}
