//! A unit that several CUs share on the way to the L2: it combines their reads of the same sectors
//! of a line. One of several pending reads goes to the L2, and the others get copies of its
//! answer. A store or an atomic to a line ends the combining with reads before it, so that a CU
//! sees its own.
//!
//! It may also limit the rate of each CU's stores. Those of a CU to the same sectors that wait
//! meanwhile become one.

mod stores;

use std::collections::VecDeque;

pub use stores::Spec as StoreSpec;
use stores::{Store, Stores};

use crate::cache::Waiters;
use crate::context::Context;
use crate::context::message::{Kind, Message, Unit};
use crate::engine::pool::Handle;
use crate::engine::{Cycle, InletId, OutletId};

/// A CU's end.
#[derive(Clone, Copy, Debug)]
pub struct CorePort {
    /// Its requests.
    pub requests: InletId,
    /// Answers to it.
    pub answers: OutletId,
}

/// Inlets and outlets.
#[derive(Clone, Debug)]
pub struct Ports {
    /// The first CU; the others follow it.
    pub first: Unit,
    /// Cycles after a read within which others are combined with it.
    pub window: Cycle,
    /// How each CU's stores leave; none: as its other requests.
    pub stores: Option<StoreSpec>,
    /// Of each CU.
    pub cores: Vec<CorePort>,
    /// Requests to the network.
    pub below: OutletId,
    /// Answers from it.
    pub answers: InletId,
}

/// A read that has gone to the L2.
#[derive(Clone, Copy, Debug)]
struct Pending {
    addr: u64,
    mask: u128,
    /// Who reads, and its tag.
    from: Unit,
    tag: u32,
    /// Cycle in which it was sent.
    sent: Cycle,
    /// Reads of the same sectors may wait for it.
    is_open: bool,
    waiters: Waiters,
    /// The next one of the same hash.
    next: u32,
}

/// A store that others have joined, sent to the L2.
#[derive(Clone, Copy, Debug, Default)]
struct Joint {
    /// The CU's tag of the store.
    tag: u32,
    joined: Waiters,
}

/// In the tag of such a store, beside its number. CUs and L1s do not use this bit.
const JOINT: u32 = 1 << 29;

/// No entry.
const NONE: u32 = u32::MAX;
const HASHES: usize = 256;

/// The unit.
#[derive(Debug)]
pub struct Combiner {
    ports: Ports,
    /// Answers to each CU that are to be sent.
    outgoing: Vec<VecDeque<Handle<Message>>>,
    pending: Vec<Pending>,
    free: Vec<u32>,
    of_hash: [u32; HASHES],
    /// Of each CU the stores that wait; empty where stores leave as other requests.
    stores: Vec<Stores>,
    joint: Vec<Joint>,
    free_joint: Vec<u32>,
    /// The CU whose turn it is.
    turn: usize,
    /// Reads that have waited for the answer of another one.
    pub combined: u64,
    /// Stores that have joined another one.
    pub combined_stores: u64,
}

fn hash(addr: u64) -> usize {
    (addr.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as usize % HASHES
}

impl Combiner {
    /// Nothing under way.
    pub fn new(ports: Ports) -> Self {
        Self {
            outgoing: ports.cores.iter().map(|_| VecDeque::new()).collect(),
            stores: match ports.stores {
                Some(spec) => ports.cores.iter().map(|_| Stores::new(spec)).collect(),
                None => Vec::new(),
            },
            ports,
            pending: Vec::new(),
            free: Vec::new(),
            of_hash: [NONE; HASHES],
            joint: Vec::new(),
            free_joint: Vec::new(),
            turn: 0,
            combined: 0,
            combined_stores: 0,
        }
    }

    /// Whether stores wait, and so may join others.
    pub fn combines_stores(&self) -> bool {
        !self.stores.is_empty()
    }

    /// One cycle: all answers that have come go on; of each CU a request is combined, or goes on.
    pub fn tick(&mut self, ctx: &mut Context) {
        while let Some(answer) = ctx.receive(self.ports.answers) {
            self.distribute(ctx, answer);
        }
        for core in 0..self.outgoing.len() {
            let outlet = self.ports.cores[core].answers;
            while !self.outgoing[core].is_empty() && ctx.may_send(outlet) {
                let answer = self.outgoing[core].pop_front().expect("it has one");
                ctx.forward(outlet, answer, 0);
            }
        }
        let mut has_taken = false;
        let (cores, first) = (self.ports.cores.len(), self.turn);
        let has_stores = !self.stores.is_empty();
        for core in (first..cores).chain(0..first) {
            if has_stores {
                self.send_stores(ctx, core);
            }
            let inlet = self.ports.cores[core].requests;
            let Some(request) = ctx.peek(inlet) else { continue };
            let may_go = match has_stores {
                true => self.accept(ctx, core, request),
                false => self.accept_at_once(ctx, request),
            };
            if may_go {
                ctx.take(inlet);
                has_taken = true;
            }
        }
        if has_taken {
            self.turn = (first + 1) % cores;
            if self.ports.cores.iter().any(|port| ctx.has(port.requests)) {
                ctx.wake_at(ctx.now + 1);
            }
        }
    }

    /// Whether a request is combined with another one, or goes on.
    fn accept_at_once(&mut self, ctx: &mut Context, request: Handle<Message>) -> bool {
        self.combine(ctx, request) || {
            let may_send = ctx.may_send(self.ports.below);
            if may_send {
                self.pass(ctx, request);
            }
            may_send
        }
    }

    /// The same where a CU's stores have a rate: a store may also wait, and what follows a store to
    /// its line does not overtake it.
    fn accept(&mut self, ctx: &mut Context, core: usize, request: Handle<Message>) -> bool {
        let Message { kind, addr, .. } = ctx.messages[request];
        let stores = &mut self.stores[core];
        if kind != Kind::Write {
            return !stores.holds(addr) && self.accept_at_once(ctx, request);
        }
        if stores.join(ctx, request) {
            self.combined_stores += 1;
            return true;
        }
        let waits = stores.wait(ctx, request);
        if waits {
            self.send_stores(ctx, core);
        }
        waits
    }

    /// Sends the stores of a CU whose time has come.
    fn send_stores(&mut self, ctx: &mut Context, core: usize) {
        while let Some(Store { request, joined, .. }) =
            self.stores[core].leave(ctx, self.ports.below)
        {
            if !joined.is_empty() {
                let message = &mut ctx.messages[request];
                let joint = Joint { tag: message.tag, joined };
                let at = self.free_joint.pop().unwrap_or_else(|| {
                    self.joint.push(joint);
                    self.joint.len() as u32 - 1
                });
                self.joint[at as usize] = joint;
                message.tag = at | JOINT;
            }
            self.pass(ctx, request);
        }
    }

    /// Whether a read waits from now on for the answer of another one.
    fn combine(&mut self, ctx: &mut Context, request: Handle<Message>) -> bool {
        let Message { kind, addr, mask, .. } = ctx.messages[request];
        if kind != Kind::Read {
            return false;
        }
        let fits =
            |p: &Pending| p.is_open && mask & !p.mask == 0 && ctx.now - p.sent <= self.ports.window;
        let Some(at) = self.find(addr, fits) else { return false };
        self.pending[at].waiters.push(ctx, request);
        self.combined += 1;
        true
    }

    /// Sends a request below.
    fn pass(&mut self, ctx: &mut Context, request: Handle<Message>) {
        let Message { kind, addr, mask, from, tag, .. } = ctx.messages[request];
        if kind == Kind::Read {
            let next = self.of_hash[hash(addr)];
            let (is_open, waiters) = (true, Waiters::default());
            let sent = ctx.now;
            let entry = Pending { addr, mask, from, tag, sent, is_open, waiters, next };
            let at = self.free.pop().unwrap_or_else(|| {
                self.pending.push(entry);
                self.pending.len() as u32 - 1
            });
            self.pending[at as usize] = entry;
            self.of_hash[hash(addr)] = at;
        } else {
            while let Some(at) = self.find(addr, |p| p.is_open) {
                self.pending[at].is_open = false;
            }
        }
        ctx.forward(self.ports.below, request, 0);
    }

    /// Gives an answer to its CU, and copies to those whose reads have waited.
    fn distribute(&mut self, ctx: &mut Context, answer: Handle<Message>) {
        let Message { kind, addr, mask, to, tag, line, from, has_passed_a_link, .. } =
            ctx.messages[answer];
        if kind == Kind::Ack && tag & JOINT != 0 {
            self.acknowledge(ctx, answer);
        }
        // Reads of other sectors of the line have the same tag.
        let own = |p: &Pending| p.from == to && p.tag == tag && p.mask == mask;
        if kind == Kind::Data
            && let Some(at) = self.find(addr, own)
        {
            let mut waiter = self.pending[at].waiters.first();
            self.remove(at);
            while waiter.is_some() {
                let bytes = ctx.lines[line];
                let copy = ctx.lines.put(bytes);
                let message = &mut ctx.messages[waiter];
                let (next, unit) = (message.next, message.from);
                (message.kind, message.line) = (Kind::Data, copy);
                (message.to, message.from) = (unit, from);
                message.has_passed_a_link = has_passed_a_link;
                self.queue(unit, waiter);
                waiter = next;
            }
        }
        self.queue(to, answer);
    }

    /// Gives an acknowledgement its store's tag, and one of their own to the stores that have
    /// joined that.
    fn acknowledge(&mut self, ctx: &mut Context, answer: Handle<Message>) {
        let Message { to, from, tag, has_passed_a_link, .. } = ctx.messages[answer];
        let at = tag & !JOINT;
        let Joint { tag, joined } = std::mem::take(&mut self.joint[at as usize]);
        self.free_joint.push(at);
        ctx.messages[answer].tag = tag;
        let mut store = joined.first();
        while store.is_some() {
            let message = &mut ctx.messages[store];
            let next = message.next;
            (message.kind, message.to, message.from) = (Kind::Ack, to, from);
            message.has_passed_a_link = has_passed_a_link;
            self.queue(to, store);
            store = next;
        }
    }

    fn queue(&mut self, to: Unit, answer: Handle<Message>) {
        self.outgoing[usize::from(to.0 - self.ports.first.0)].push_back(answer);
    }

    /// An entry of a line that fits.
    fn find(&self, addr: u64, fits: impl Fn(&Pending) -> bool) -> Option<usize> {
        let mut at = self.of_hash[hash(addr)];
        while at != NONE {
            let entry = &self.pending[at as usize];
            if entry.addr == addr && fits(entry) {
                return Some(at as usize);
            }
            at = entry.next;
        }
        None
    }

    fn remove(&mut self, at: usize) {
        let Pending { addr, next, .. } = self.pending[at];
        let mut before = self.of_hash[hash(addr)];
        if before == at as u32 {
            self.of_hash[hash(addr)] = next;
        } else {
            while self.pending[before as usize].next != at as u32 {
                before = self.pending[before as usize].next;
            }
            self.pending[before as usize].next = next;
        }
        self.free.push(at as u32);
    }
}
