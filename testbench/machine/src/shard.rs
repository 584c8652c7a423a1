//! A run on several threads: each has the whole machine and visits a share of its components, its
//! shard. What these say to components of other shards is handed over when the cycle is over, by
//! value, as pools are each thread's own; nobody could have seen it before the next cycle. So a
//! result does not depend on the number of threads.

use traces::trace::AtomicOp;

use super::context::Context;
use super::engine::{ComponentId, Cycle, HERE, OutletId, Passage};
use super::message::{Line, MAX_LINE, Message};

/// A share of a machine's components.
#[derive(Debug)]
pub struct Shard {
    number: u8,
    /// Who has each component.
    owners: Vec<u8>,
    /// Who has each chiplet.
    chiplets: Vec<u8>,
    /// What each of the others gets when the cycle is over.
    pub out: Vec<Parcel>,
}

/// What a shard hands another one at the end of a cycle.
#[derive(Debug, Default)]
pub struct Parcel {
    pub report: Report,
    arrivals: Vec<Arrival>,
    /// Outlets of whose messages one was taken.
    taken: Vec<OutletId>,
    changes: Vec<Change>,
}

/// What a shard tells all others at the end of a cycle.
#[derive(Clone, Copy, Debug, Default)]
pub struct Report {
    /// When.
    pub now: Cycle,
    /// Nothing of what it knows happens before; none where it knows of nothing.
    pub next: Option<Cycle>,
    /// Cycles since the last one in which it has visited anybody.
    pub steps: u64,
    /// Completion signals written so far.
    pub completions: u32,
    /// What was written past the L1s in the cycle.
    pub written_past: u64,
    /// Whether others get anything beside this.
    pub hands_over: bool,
    /// Messages and payloads that it has, or hands over.
    pub in_use: (usize, usize),
    /// Work-groups started, and values checked, as of some time ago.
    pub done: (u64, u64),
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
    /// Number `number` of `shards`. `pieces`: of each component the piece that must not be cut, in
    /// all so many. `chiplets`: a component of each.
    pub fn new(
        (number, shards): (u8, u8),
        (pieces, all): (&[u16], u16),
        chiplets: impl Iterator<Item = usize>,
    ) -> Self {
        let owner = |piece: &u16| (u32::from(*piece) * u32::from(shards) / u32::from(all)) as u8;
        let owners: Vec<_> = pieces.iter().map(owner).collect();
        let chiplets = chiplets.map(|component| owners[component]).collect();
        let out = (0..shards).map(|_| Parcel::default()).collect();
        Self { number, owners, chiplets, out }
    }

    /// Whether it visits a component.
    pub fn has(&self, component: ComponentId) -> bool {
        self.owners[component.0 as usize] == self.number
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

    /// Hands a message over to the shard of its receiver.
    #[cold]
    #[inline(never)]
    pub(super) fn hand_over(&mut self, passage: Passage) {
        let message = self.messages[passage.message()];
        let line = message.line.is_some().then(|| self.lines[message.line]);
        self.drop_message(passage.message());
        let shard = self.shard.as_mut().expect("there are others");
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

    /// Completes what this shard hands over, and gives what it tells of itself.
    pub fn end_cycle(&mut self) -> Report {
        let shard = self.shard.as_mut().expect("there are others");
        let (mut messages, mut lines) = (self.messages.in_use(), self.lines.in_use());
        let mut next = self.wheel.next();
        let mut hands_over = shard.out.iter().any(|parcel| !parcel.changes.is_empty());
        let mut at_latest = |at| {
            hands_over = true;
            next = Some(next.map_or(at, |next: Cycle| next.min(at)));
        };
        for (owner, outlet) in self.network.take_taken() {
            shard.out[usize::from(owner)].taken.push(outlet);
            at_latest(self.now + 1);
        }
        for arrival in shard.out.iter().flat_map(|parcel| &parcel.arrivals) {
            at_latest(arrival.passage.reached());
            messages += 1;
            lines += usize::from(arrival.line.is_some());
        }
        let completions = self.completions.iter().sum();
        let has_failed = self.stop.is_some();
        let (now, in_use) = (self.now, (messages, lines));
        Report { now, next, completions, hands_over, in_use, has_failed, ..Report::default() }
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
        for outlet in parcel.taken.drain(..) {
            self.network.make_room(&mut self.wheel, outlet, self.now);
        }
        for Change { addr, mask, op, bytes } in parcel.changes.drain(..) {
            self.change_memory((addr, mask), op, &bytes);
        }
        self.written_past += parcel.report.written_past;
    }
}
