//! A run on several threads: each has the whole machine and visits a share of its components, its
//! shard. What these say to components of other shards is handed over at the next meeting, by
//! value, as pools are each thread's own; no component could have seen it before. So a result does
//! not depend on the number of threads.

mod progress;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use traces::trace::AtomicOp;

use crate::context::Context;
use crate::context::message::{Line, MAX_LINE, Message};
use crate::engine::{ComponentId, Cycle, HERE, OutletId, Passage};

pub use progress::{Progress, lock};

/// A share of a machine's components.
#[derive(Debug)]
pub struct Shard {
    number: u8,
    /// Who has each component.
    owners: Vec<u8>,
    /// Who has each chiplet.
    chiplets: Vec<u8>,
    /// What each of the others gets at the next meeting.
    pub out: Vec<Parcel>,
    progress: Arc<Progress>,
    /// Messages that other shards have taken in cycles that this one has not visited yet.
    credits: BinaryHeap<Reverse<(Cycle, OutletId)>>,
    /// Whether it has handed over a message since the last meeting, or taken one of another shard;
    /// and the first cycle in which another shard may see that.
    hands: Option<Cycle>,
    /// No other shard visits a component before this cycle.
    pub alone_until: Cycle,
}

/// What a shard hands another one at a meeting.
#[derive(Debug, Default)]
pub struct Parcel {
    pub report: Report,
    arrivals: Vec<Arrival>,
    changes: Vec<Change>,
}

/// What a shard reports to all others at a meeting.
#[derive(Clone, Copy, Debug, Default)]
pub struct Report {
    /// The last cycle that it has visited.
    pub now: Cycle,
    /// Nothing of what it knows happens before; none where it knows of nothing.
    pub next: Option<Cycle>,
    /// What it hands over takes effect then at the earliest.
    pub hands: Option<Cycle>,
    /// Cycles since the last meeting in which it has visited a component.
    pub steps: u64,
    /// Visits of components since then.
    pub visits: u64,
    /// Completion signals written so far.
    pub completions: u32,
    /// What was written past the L1s since the last meeting.
    pub written_past: u64,
    /// Messages and payloads that it has, or hands over.
    pub in_use: (usize, usize),
    /// Work-groups started, and values checked, as of some time ago.
    pub done: (u64, u64),
    /// Its command processors do nothing that other GPUs see at once before the latency of their
    /// crossbar has passed.
    pub is_apart: bool,
    /// Its watchdog sees nothing move.
    pub is_silent: bool,
    /// It has found what ends the run.
    pub has_failed: bool,
}

/// A message for an inlet of another shard.
#[derive(Debug)]
struct Arrival {
    passage: Passage,
    message: Message,
    line: Option<Line>,
}

/// What a CU has stored in a line, or operands with which it has changed it, for the oracle of the
/// shard that has the line's home.
#[derive(Debug)]
struct Change {
    addr: u64,
    mask: u128,
    op: Option<(AtomicOp, u8)>,
    bytes: [u8; MAX_LINE],
}

impl Shard {
    /// Number `number`. `owners`: the shard of each component; `chiplets`: a component of each.
    pub fn new(
        number: u8,
        owners: Vec<u8>,
        chiplets: impl Iterator<Item = usize>,
        progress: Arc<Progress>,
    ) -> Self {
        let chiplets = chiplets.map(|component| owners[component]).collect();
        let out = (0..progress.shards()).map(|_| Parcel::default()).collect();
        let (credits, hands, alone_until) = (BinaryHeap::new(), None, 0);
        Self { number, owners, chiplets, out, progress, credits, hands, alone_until }
    }

    /// Whether it visits a component.
    pub fn has(&self, component: ComponentId) -> bool {
        self.owners[component.0 as usize] == self.number
    }

    /// Whether it has handed over anything since the last meeting.
    pub fn hands_over(&self) -> bool {
        self.hands.is_some()
    }

    fn hand_at(&mut self, at: Cycle) {
        self.hands = Some(self.hands.map_or(at, |first| first.min(at)));
    }

    /// As a network calls the owner.
    pub fn owner(&self, component: ComponentId) -> u8 {
        let owner = self.owners[component.0 as usize];
        if owner == self.number { HERE } else { owner }
    }
}

impl Context {
    /// Whether this thread visits a component.
    pub fn has_component(&self, id: ComponentId) -> bool {
        self.shard.as_ref().is_none_or(|shard| shard.has(id))
    }

    /// Sends a message to the shard of its receiver.
    #[cold]
    #[inline(never)]
    pub(crate) fn send_to_shard(&mut self, passage: Passage) {
        let message = self.messages[passage.message()];
        let line = message.line.is_some().then(|| self.lines[message.line]);
        self.drop_message(passage.message());
        let shard = self.shard.as_mut().expect("there are others");
        shard.hand_at(passage.reached());
        shard.out[usize::from(passage.shard)].arrivals.push(Arrival { passage, message, line });
    }

    /// A CU issues a store, or an atomic with its size: the oracle's memory changes, which is where
    /// the line's home is.
    #[inline]
    pub fn change_memory(
        &mut self,
        (addr, mask): (u64, u128),
        op: Option<(AtomicOp, u8)>,
        bytes: &[u8; MAX_LINE],
    ) {
        if let Some(shard) = &mut self.shard {
            let home = shard.chiplets[usize::from(self.places.home(addr))];
            if home != shard.number {
                let change = Change { addr, mask, op, bytes: *bytes };
                return shard.out[usize::from(home)].changes.push(change);
            }
        }
        let line = self.layout.line as usize;
        match op {
            None => self.check.store(addr, mask, bytes, line),
            Some(op) => self.check.change((addr, mask), op, bytes, line),
        }
    }

    /// The next cycle in which a component of this shard may be active.
    pub fn next_visit(&self) -> Option<Cycle> {
        let next = self.wheel.next();
        if !self.network.awaits() {
            return next;
        }
        let credits = &self.shard.as_ref().expect("there are others").credits;
        let credit = credits.peek().map(|Reverse((at, _))| at + 1);
        [next, credit].into_iter().flatten().min()
    }

    /// A cycle begins: all before it are done.
    pub fn begin_cycle(&mut self, now: Cycle) {
        let shard = self.shard.as_mut().expect("there are others");
        shard.progress.reach(shard.number, now);
        self.use_credits(now);
    }

    /// A cycle ends: what was taken of other shards is known to them.
    pub fn end_cycle(&mut self) {
        let shard = self.shard.as_mut().expect("there are others");
        let taken = self.network.take_taken();
        if !taken.is_empty() {
            shard.progress.credit(shard.number, self.now, taken);
            shard.hand_at(self.now + 1);
        }
        if shard.hands_over() {
            shard.alone_until = 0;
        }
    }

    /// All cycles before `end` are done, and those that this shard has visited alone.
    pub fn end_window(&mut self, end: Cycle) {
        let shard = self.shard.as_mut().expect("there are others");
        shard.progress.reach(shard.number, end);
    }

    /// Waits until it is known what other shards have taken before cycle `now`, which this one
    /// visits.
    #[cold]
    #[inline(never)]
    pub fn await_credits(&mut self, now: Cycle) {
        let shard = self.shard.as_mut().expect("there are others");
        let mut looks = 0;
        while now > shard.alone_until
            && shard.progress.others(shard.number) < now
            && !shard.progress.is_closed()
        {
            Progress::pause(&mut looks);
        }
        self.collect_credits();
        self.use_credits(now);
    }

    /// Waits until it is known which cycle this shard visits next: a producer may wait for a free
    /// entry that another shard makes. Until then nothing is done in a cycle that comes no later
    /// than what the others have done, which they wait for in turn.
    #[cold]
    #[inline(never)]
    pub fn await_next_visit(&mut self) {
        let mut looks = 0;
        loop {
            let shard = self.shard.as_mut().expect("there are others");
            let (number, alone_until) = (shard.number, shard.alone_until);
            let others = shard.progress.others(number);
            self.collect_credits();
            let next = self.next_visit().unwrap_or(Cycle::MAX);
            let progress = &self.shard.as_ref().expect("there are others").progress;
            progress.reach(number, next.min(others.saturating_add(1)));
            if next <= others.max(alone_until) || progress.is_closed() {
                return;
            }
            Progress::pause(&mut looks);
        }
    }

    fn collect_credits(&mut self) {
        let shard = self.shard.as_mut().expect("there are others");
        let Shard { progress, credits, number, .. } = &mut **shard;
        progress.credits(*number, |at, outlet| credits.push(Reverse((at, outlet))));
    }

    fn use_credits(&mut self, now: Cycle) {
        let shard = self.shard.as_mut().expect("there are others");
        while let Some(&Reverse((at, outlet))) = shard.credits.peek()
            && at < now
        {
            shard.credits.pop();
            self.network.credit(&mut self.wheel, outlet, (at, now));
        }
    }

    /// After the last cycle: what was taken in it is known, too.
    pub fn end_run(&mut self) {
        self.use_credits(self.now + 1);
    }

    /// What this shard reports at a meeting.
    pub fn report(&mut self) -> Report {
        let next = self.next_visit();
        let shard = self.shard.as_mut().expect("there are others");
        let (mut messages, mut lines) = (self.messages.in_use(), self.lines.in_use());
        for arrival in shard.out.iter().flat_map(|parcel| &parcel.arrivals) {
            messages += 1;
            lines += usize::from(arrival.line.is_some());
        }
        let completions = self.completions.iter().sum();
        let (has_failed, hands) = (self.stop.is_some(), shard.hands.take());
        let (now, in_use) = (self.now, (messages, lines));
        Report { now, next, hands, completions, in_use, has_failed, ..Report::default() }
    }

    /// Takes what another shard has handed over.
    pub fn accept(&mut self, parcel: &mut Parcel) {
        // It may have gone on alone.
        self.now = self.now.max(parcel.report.now);
        for Arrival { passage, mut message, line } in parcel.arrivals.drain(..) {
            if let Some(line) = line {
                message.line = self.lines.put(line);
            }
            let message = self.messages.put(message);
            self.network.arrive(&mut self.wheel, &passage, message);
        }
        for Change { addr, mask, op, bytes } in parcel.changes.drain(..) {
            self.change_memory((addr, mask), op, &bytes);
        }
        self.written_past += parcel.report.written_past;
    }

    /// All parcels of a meeting are accepted.
    pub fn end_meeting(&mut self) {
        self.collect_credits();
    }
}
