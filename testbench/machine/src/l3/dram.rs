//! DRAM channels of a slice, in their own clock.

use std::collections::VecDeque;

#[cfg(any(test, debug_assertions))]
use dram::Checker;
use dram::{Completion, Controller, Request};

use super::parameters::DramSpec;
use crate::engine::Cycle;
use crate::statistics::CounterValues;

/// A line's read.
#[derive(Clone, Copy, Debug)]
struct Read {
    tag: u32,
    /// Bursts without a completion.
    left: u32,
    /// Cycle of the command clock after the last byte so far.
    end: u64,
}

/// DRAM channels. A burst's identifier is the number of its line's read.
#[derive(Debug)]
pub struct Dram {
    spec: DramSpec,
    line: u32,
    channels: Vec<Controller>,
    /// Bursts that are not queued, each with its channel. In order: the first waits for an entry.
    waiting: VecDeque<(u32, Request)>,
    reads: Vec<Read>,
    free: Vec<u32>,
    /// Reads whose bursts are complete: after the last byte, with the tag.
    sent: VecDeque<(Cycle, u32)>,
    #[cfg(any(test, debug_assertions))]
    checkers: Vec<Checker>,
}

impl Dram {
    /// Idle, for lines of so many bytes.
    pub fn new(spec: &DramSpec, line: u32) -> Self {
        let DramSpec { parameters, policy, mapping, .. } = spec;
        let mut channel = Controller::new(*parameters, *policy, mapping.clone())
            .expect("the system's check accepts the parameters");
        if cfg!(any(test, debug_assertions)) {
            channel.record();
        }
        Self {
            line,
            channels: vec![channel; spec.channels as usize],
            waiting: VecDeque::new(),
            reads: Vec::new(),
            free: Vec::new(),
            sent: VecDeque::new(),
            #[cfg(any(test, debug_assertions))]
            checkers: vec![Checker::new(parameters, policy.refresh); spec.channels as usize],
            spec: spec.clone(),
        }
    }

    /// Simulates all cycles of the command clock before `now`.
    pub fn advance(&mut self, now: Cycle) {
        let (on, of) = self.spec.clock;
        let end = scale_up(now, on, of);
        for channel in &mut self.channels {
            channel.advance(end);
            while let Some(Completion { id, is_write, cycle }) = channel.completion() {
                if is_write {
                    continue;
                }
                let read = &mut self.reads[id as usize];
                read.left -= 1;
                read.end = read.end.max(cycle);
                if read.left == 0 {
                    self.sent.push_back((scale_up(read.end, of, on), read.tag));
                    self.free.push(id as u32);
                }
            }
        }
        #[cfg(any(test, debug_assertions))]
        for (channel, checker) in self.channels.iter_mut().zip(&mut self.checkers) {
            for command in channel.commands() {
                checker.see(command).unwrap_or_else(|violation| panic!("{violation}"));
            }
        }
        self.enqueue(end);
    }

    /// Reads, with a tag, or writes whole bursts of a line.
    pub fn access(&mut self, now: Cycle, addr: u64, bytes: u128, tag: Option<u32>) {
        let burst = self.spec.parameters.organization.access_bytes;
        let id = tag.map_or(0, |tag| {
            let read = Read { tag, left: bytes.count_ones() / burst, end: 0 };
            let id = self.free.pop().unwrap_or(self.reads.len() as u32);
            match self.reads.get_mut(id as usize) {
                Some(free) => *free = read,
                None => self.reads.push(read),
            }
            id
        });
        let first = self.spec.local(addr, self.line);
        for offset in (0..self.line).step_by(burst as usize) {
            if bytes >> offset & 1 == 1 {
                let address = first + u64::from(offset);
                let channel = self.spec.mapping.place(address).channel;
                let request = Request { id: id.into(), address, is_write: tag.is_none() };
                self.waiting.push_back((channel, request));
            }
        }
        let (on, of) = self.spec.clock;
        self.enqueue(scale_up(now, on, of));
    }

    /// Queues waiting bursts, from a cycle of the command clock on.
    fn enqueue(&mut self, from: u64) {
        while let Some((channel, request)) = self.waiting.front()
            && self.channels[*channel as usize].enqueue(from, *request).is_ok()
        {
            self.waiting.pop_front();
        }
    }

    /// The next read whose bursts are complete: the cycle after its last byte, and its tag.
    pub fn sent(&mut self) -> Option<(Cycle, u32)> {
        self.sent.pop_front()
    }

    /// When to retry, while bursts wait for an entry.
    pub fn busy(&self) -> Option<Cycle> {
        if self.waiting.is_empty() { None } else { self.next() }
    }

    /// The cycle in which the effect of the next command is visible. None without requests.
    pub fn next(&self) -> Option<Cycle> {
        let (on, of) = self.spec.clock;
        let next = self.channels.iter().filter_map(Controller::next_event).min();
        next.map(|at| scale_down(at, of, on) + 1)
    }

    /// Reads with a burst that is not complete.
    pub fn reads(&self) -> u32 {
        (self.reads.len() - self.free.len()) as u32
    }

    /// The channels' counters.
    pub fn counters(&self, now: Cycle, all: &mut CounterValues) {
        let (on, of) = self.spec.clock;
        let refreshed = scale_down(now, on, of);
        let mut sum = dram::Counters::default();
        let mut refreshes = 0;
        for channel in &self.channels {
            let one = channel.counters();
            sum.reads += one.reads;
            sum.writes += one.writes;
            sum.row_hits += one.row_hits;
            sum.row_misses += one.row_misses;
            sum.row_conflicts += one.row_conflicts;
            refreshes += channel.refreshes(refreshed);
        }
        all.extend([
            ("reads", sum.reads),
            ("writes", sum.writes),
            ("row_hits", sum.row_hits),
            ("row_misses", sum.row_misses),
            ("row_conflicts", sum.row_conflicts),
            ("refreshes", refreshes),
        ]);
    }
}

/// `cycles * by / of`, rounded up.
fn scale_up(cycles: u64, by: u64, of: u64) -> u64 {
    (u128::from(cycles) * u128::from(by)).div_ceil(of.into()) as u64
}

/// `cycles * by / of`, rounded down.
fn scale_down(cycles: u64, by: u64, of: u64) -> u64 {
    (u128::from(cycles) * u128::from(by) / u128::from(of)) as u64
}
