//! A bank of a write-back L2 with byte masks that software keeps coherent: releases write dirty
//! lines back, acquires drop clean ones (CPElide, MICRO'24, section II-C; system semantics:
//! policies `private` and `home-forward`).

mod walk;

use std::collections::VecDeque;

use walk::Walk;

use super::writes::Writes;
use super::{Design, L2, Policy, Ports, Seat, Spec};
use crate::atomic;
use crate::cache::{Array, Misses, Way};
use crate::context::Context;
use crate::engine::{Cycle, Handle};
use crate::layout::Site;
use crate::masks;
use crate::memory_model::MemoryModel;
use crate::message::{Kind, Line, Message, Unit};
use cosim::command_processor::SyncMode;

pub const DESIGN: Design = Design {
    about: "released after and invalidated before each kernel",
    promises: MemoryModel::Rc,
    directory: None,
    bank: |spec| Box::new(Bank::new(spec)),
    sync: SyncMode::Baseline,
};

/// The same, released and acquired only where the chiplet coherence table says so (CPElide, MICRO
/// 2024).
pub const CPELIDE: Design = Design {
    about: "released and invalidated where the command processor's chiplet coherence table says so",
    sync: SyncMode::Cpelide,
    ..DESIGN
};

/// The same, and nobody releases or acquires it.
pub const UNCONTROLLED: Design = Design {
    about: "nothing is done at a kernel's boundaries: for negative tests",
    promises: MemoryModel::None,
    sync: SyncMode::None,
    ..DESIGN
};

/// Counters.
#[derive(Clone, Copy, Debug, Default)]
struct Counters {
    reads: u64,
    fetches: u64,
    writes: u64,
    atomics: u64,
    write_backs: u64,
    released: u64,
    invalidated: u64,
}

/// One bank.
#[derive(Debug)]
pub struct Bank {
    unit: Unit,
    chiplet: u16,
    policy: Policy,
    ports: Ports,
    array: Array,
    misses: Misses,
    /// Registers whose line has come and whose requests are being served, oldest first.
    filled: VecDeque<usize>,
    walk: Option<Walk>,
    writes: Writes,
    /// Answers to other GPUs that have waited for writes and may leave.
    paid: VecDeque<Handle<Message>>,
    ways: u32,
    seat: Seat,
    counters: Counters,
}

/// What became of a request.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// Served or parked.
    Done,
    /// Something was done for it: try again in the next cycle.
    Again,
    /// Nothing can be done before somebody wakes the bank.
    Blocked,
}

impl Bank {
    /// Empty.
    pub fn new(spec: Spec) -> Self {
        Self {
            unit: spec.unit,
            chiplet: spec.chiplet,
            policy: spec.policy,
            ports: spec.ports,
            array: Array::new(spec.shape),
            misses: Misses::new(spec.misses),
            filled: VecDeque::with_capacity(spec.misses as usize),
            walk: None,
            writes: Writes::new(spec.unit, spec.ports.below),
            paid: VecDeque::new(),
            ways: spec.shape.ways,
            seat: Seat::new(spec.hook, spec.ports.requests, spec.ports.unit),
            counters: Counters::default(),
        }
    }
}

impl L2 for Bank {
    /// One cycle: what has come from below is taken, and one operation is done.
    fn tick(&mut self, ctx: &mut Context) {
        self.seat.hear(ctx);
        while let Some(message) = ctx.peek(self.ports.fills) {
            ctx.take(self.ports.fills);
            self.take_fill(ctx, message);
        }
        if !self.paid.is_empty() {
            self.pay(ctx);
        }
        if self.walk.is_none()
            && let Some(command) = ctx.peek(self.ports.commands)
        {
            ctx.take(self.ports.commands);
            self.start_walk(ctx, command);
        }
        let outcome = match self.filled.front() {
            Some(&at) => self.serve_waiter(ctx, at),
            None if self.walk.is_some() => self.walk(ctx),
            None => self.serve_next(ctx),
        };
        if self.walk.is_some() {
            self.finish_walk(ctx);
        }
        // A blocked bank is woken by the outlet or the fill that it waits for.
        if outcome != Outcome::Blocked && self.has_more(ctx) {
            ctx.wake_at(ctx.now + 1);
        }
    }

    fn counters(&self) -> Vec<(&'static str, u64)> {
        let c = &self.counters;
        vec![
            ("reads", c.reads),
            ("fetches", c.fetches),
            ("writes", c.writes),
            ("atomics", c.atomics),
            ("write_backs", c.write_backs),
            ("released", c.released),
            ("invalidated", c.invalidated),
        ]
    }

    fn seat(&self) -> &Seat {
        &self.seat
    }
}

impl Bank {
    fn has_more(&self, ctx: &Context) -> bool {
        !self.filled.is_empty()
            || self.walk.is_some()
            || ctx.peek(self.ports.requests).is_some()
            // A hook may have taken more than it has given.
            || self.seat.is_taken()
            || ctx.peek(self.ports.commands).is_some()
    }

    /// Sends an answer that may leave now.
    fn pay(&mut self, ctx: &mut Context) {
        if ctx.may_send(self.ports.answers)
            && let Some(answer) = self.paid.pop_front()
        {
            ctx.send(self.ports.answers, answer);
            if !self.paid.is_empty() {
                ctx.wake_at(ctx.now + 1);
            }
        }
    }

    fn take_fill(&mut self, ctx: &mut Context, message: Handle<Message>) {
        let Message { kind, tag, line, .. } = ctx.messages[message];
        if kind == Kind::Data {
            let at = tag as usize;
            self.array.fill(self.misses[at].way, &ctx.lines[line].0);
            self.misses[at].filled = true;
            self.filled.push_back(at);
        } else {
            self.paid.extend(self.writes.acknowledged(tag));
        }
        ctx.drop_message(message);
    }

    /// Serves the oldest request that has waited for a line that has come.
    fn serve_waiter(&mut self, ctx: &mut Context, at: usize) -> Outcome {
        let request = self.misses[at].waiters.first();
        // Once served the request is an answer on its way, or gone.
        let next = ctx.messages[request].next;
        let outcome = self.perform(ctx, request, Some(self.misses[at].way));
        if outcome != Outcome::Done {
            return outcome;
        }
        self.misses[at].waiters.advance(next);
        if self.misses[at].waiters.is_empty() {
            let miss = self.misses[at];
            self.misses.end(at);
            self.filled.pop_front();
            self.array.release(miss.way);
            if miss.stale || self.array.valid(miss.way) == 0 {
                self.forget(miss.way);
            }
        }
        Outcome::Done
    }

    /// A new request. One for a line that is on its way waits for it, so that all see the order in
    /// which they came.
    fn serve_next(&mut self, ctx: &mut Context) -> Outcome {
        let Some(request) = self.seat.pick(ctx) else { return Outcome::Blocked };
        let way = self.array.find(ctx.messages[request].addr);
        let outcome = match way.and_then(|way| self.array.miss(way)) {
            Some(at) if self.misses[at].stale => Outcome::Blocked,
            Some(at) => {
                self.misses.park(ctx, at, request);
                Outcome::Done
            }
            None => self.perform(ctx, request, way),
        };
        if outcome == Outcome::Done {
            self.seat.served(ctx);
        }
        outcome
    }

    /// Serves a request whose line is in `way`, if it is here at all.
    fn perform(
        &mut self,
        ctx: &mut Context,
        request: Handle<Message>,
        way: Option<Way>,
    ) -> Outcome {
        match ctx.messages[request].kind {
            Kind::Read => self.read(ctx, request, way),
            Kind::Write => self.write(ctx, request, way),
            Kind::Atomic(_) if self.policy == Policy::Private => {
                self.atomic_below(ctx, request, way)
            }
            Kind::Atomic(_) => self.atomic_here(ctx, request, way),
            kind => unreachable!("{kind:?} is no request"),
        }
    }

    fn read(&mut self, ctx: &mut Context, request: Handle<Message>, found: Option<Way>) -> Outcome {
        let mask = ctx.messages[request].mask;
        match found {
            Some(way) if mask & !self.array.valid(way) == 0 => {
                if !ctx.may_send(self.ports.answers) {
                    return Outcome::Blocked;
                }
                self.array.touch(way);
                self.counters.reads += 1;
                let line = ctx.payload(self.array.data(way));
                self.answer(ctx, request, Kind::Data, line);
                Outcome::Done
            }
            found => self.miss(ctx, request, found),
        }
    }

    /// Fetches the request's line; the request waits.
    fn miss(&mut self, ctx: &mut Context, request: Handle<Message>, found: Option<Way>) -> Outcome {
        let Message { addr, born, .. } = ctx.messages[request];
        if let Some(at) = found.and_then(|way| self.array.miss(way)) {
            // The request has waited for the line, and an atomic before it took the line away
            // again.
            if !ctx.may_send(self.ports.below) {
                return Outcome::Blocked;
            }
            self.fetch(ctx, at, addr, born);
            self.misses[at].filled = false;
            self.filled.pop_front();
            return Outcome::Again;
        }
        if self.misses.is_full() || !ctx.may_send(self.ports.below) {
            return Outcome::Blocked;
        }
        let way = match found.map_or_else(|| self.make_room(ctx, addr), Ok) {
            Ok(way) => way,
            Err(outcome) => return outcome,
        };
        let at = self.misses.start(addr, way);
        self.misses[at].stale = self.walk.is_some_and(|walk| walk.sync.acquire);
        self.array.hold(way, at);
        self.misses.park(ctx, at, request);
        self.fetch(ctx, at, addr, born);
        self.counters.fetches += 1;
        Outcome::Done
    }

    /// Asks the L3 for a whole line. The way below must be free.
    fn fetch(&mut self, ctx: &mut Context, at: usize, addr: u64, born: Cycle) {
        let to = ctx.places.slice(&ctx.layout, addr);
        let mask = masks::span(0, ctx.layout.line as usize);
        let fetch =
            Message { mask, addr, born, tag: at as u32, to, from: self.unit, ..Message::default() };
        let fetch = ctx.messages.put(fetch);
        ctx.send(self.ports.below, fetch);
    }

    /// A way with the line placed in it, nothing valid; or what to do when a victim had to be
    /// written back first, or all ways are held. The way below must be free.
    #[inline(always)]
    fn make_room(&mut self, ctx: &mut Context, addr: u64) -> Result<Way, Outcome> {
        let way = self.array.victim(addr).ok_or(Outcome::Blocked)?;
        if self.array.dirty(way) != 0 {
            self.write_back(ctx, way);
            self.counters.write_backs += 1;
            return Err(Outcome::Again);
        }
        if self.seat.is_taken() {
            self.show_change(way, addr);
        }
        self.array.place(way, addr);
        Ok(way)
    }

    /// Shows the hook that another line, or the first, comes into a way.
    #[cold]
    fn show_change(&mut self, way: Way, addr: u64) {
        if self.holds(way) {
            self.seat.evict(way);
        }
        self.seat.place(way, addr);
    }

    /// Whether a way holds a line.
    fn holds(&self, way: Way) -> bool {
        self.array.find(self.array.addr(way)) == Some(way)
    }

    /// Drops the clean bytes of a way that holds a line.
    fn forget(&mut self, way: Way) {
        self.array.invalidate_clean(way);
        if self.seat.is_taken() && !self.holds(way) {
            self.seat.evict(way);
        }
    }

    /// Sends the dirty bytes of a way below, which must be free.
    fn write_back(&mut self, ctx: &mut Context, way: Way) {
        let addr = self.array.addr(way);
        let mask = self.array.dirty(way);
        let line = ctx.payload(self.array.data(way));
        self.writes.send(ctx, addr, mask, line, Handle::NONE);
        self.array.clean(way);
    }

    fn write(
        &mut self,
        ctx: &mut Context,
        request: Handle<Message>,
        found: Option<Way>,
    ) -> Outcome {
        let Message { addr, mask, line, from, .. } = ctx.messages[request];
        let through = self.policy == Policy::HomeForward && !self.is_own(ctx, from);
        if !ctx.may_send(self.ports.answers) {
            return Outcome::Blocked;
        }
        if (found.is_none() || through) && !ctx.may_send(self.ports.below) {
            return Outcome::Blocked;
        }
        let way = match found.map_or_else(|| self.make_room(ctx, addr), Ok) {
            Ok(way) => way,
            Err(outcome) => return outcome,
        };
        self.array.write(way, &ctx.lines[line].0, mask, !through);
        self.counters.writes += 1;
        if through {
            // The payload goes on.
            self.write_through(ctx, request, line, Kind::Ack, Handle::NONE);
        } else {
            ctx.lines.free(line);
            self.answer(ctx, request, Kind::Ack, Handle::NONE);
        }
        Outcome::Done
    }

    /// Sends what a request has changed below, and its answer: to a CU at once, as the release of
    /// its GPU waits for the L3 here; to another GPU when the L3 has answered. Both ways must be
    /// free.
    fn write_through(
        &mut self,
        ctx: &mut Context,
        request: Handle<Message>,
        new: Handle<Line>,
        kind: Kind,
        line: Handle<Line>,
    ) {
        let Message { addr, mask, from, .. } = ctx.messages[request];
        if !matches!(ctx.layout.site(from), Site::Gate(_)) {
            self.writes.send(ctx, addr, mask, new, Handle::NONE);
            return self.answer(ctx, request, kind, line);
        }
        self.writes.send(ctx, addr, mask, new, request);
        self.make_answer(ctx, request, kind, line);
    }

    /// True for a CU of this chiplet.
    fn is_own(&self, ctx: &Context, from: Unit) -> bool {
        matches!(ctx.layout.site(from), Site::Core(chiplet, _) if chiplet == self.chiplet)
    }

    /// The L3 performs it and answers: what is held here of the line goes there first.
    fn atomic_below(
        &mut self,
        ctx: &mut Context,
        request: Handle<Message>,
        found: Option<Way>,
    ) -> Outcome {
        if !ctx.may_send(self.ports.below) {
            return Outcome::Blocked;
        }
        let addr = ctx.messages[request].addr;
        if let Some(way) = found {
            if self.array.dirty(way) != 0 {
                self.write_back(ctx, way);
                return Outcome::Again;
            }
            self.forget(way);
        }
        self.seat.pass(ctx, request);
        self.counters.atomics += 1;
        ctx.messages[request].to = ctx.places.slice(&ctx.layout, addr);
        ctx.send(self.ports.below, request);
        Outcome::Done
    }

    /// Performed here. For other chiplets the result is also written through, like their stores:
    /// another GPU's atomic may come after this chiplet's release.
    fn atomic_here(
        &mut self,
        ctx: &mut Context,
        request: Handle<Message>,
        found: Option<Way>,
    ) -> Outcome {
        let Message { mask, line, kind, size, from, .. } = ctx.messages[request];
        let through = !self.is_own(ctx, from);
        let Kind::Atomic(op) = kind else { unreachable!("an atomic") };
        match found {
            Some(way) if mask & !self.array.valid(way) == 0 => {
                if !ctx.may_send(self.ports.answers) || (through && !ctx.may_send(self.ports.below))
                {
                    return Outcome::Blocked;
                }
                let old = ctx.payload(self.array.data(way));
                atomic::apply(op, size.into(), mask, self.array.data_mut(way), &ctx.lines[line].0);
                self.array.mark(way, mask, !through);
                self.array.touch(way);
                self.counters.atomics += 1;
                ctx.lines.free(line);
                if through {
                    let new = ctx.payload(self.array.data(way));
                    self.write_through(ctx, request, new, Kind::Data, old);
                } else {
                    self.answer(ctx, request, Kind::Data, old);
                }
                Outcome::Done
            }
            found => self.miss(ctx, request, found),
        }
    }

    /// Turns a request into its answer and sends it; the way must be free.
    #[inline(always)]
    fn answer(
        &mut self,
        ctx: &mut Context,
        request: Handle<Message>,
        kind: Kind,
        line: Handle<Line>,
    ) {
        self.make_answer(ctx, request, kind, line);
        ctx.send(self.ports.answers, request);
    }

    #[inline(always)]
    fn make_answer(
        &mut self,
        ctx: &mut Context,
        request: Handle<Message>,
        kind: Kind,
        line: Handle<Line>,
    ) {
        let message = &mut ctx.messages[request];
        let asked = message.kind;
        (message.kind, message.line) = (kind, line);
        (message.to, message.from) = (message.from, self.unit);
        if self.seat.is_taken() {
            self.show_answer(ctx, request, asked);
        }
    }

    #[cold]
    fn show_answer(&mut self, ctx: &mut Context, answer: Handle<Message>, asked: Kind) {
        let way = self.array.find(ctx.messages[answer].addr).expect("what is answered is here");
        self.seat.answer(ctx, way, asked, answer);
    }
}
