//! An L3 slice with its memory channel: the place that all chiplets share, and where lines are
//! ordered. Without an array (`l3.bytes = 0`) it is the memory's controller (`straight`).

pub mod memories;
mod straight;

use std::collections::VecDeque;

use crate::cache::{Array, Misses, Shape, Way};
use crate::check::atomic;
use crate::context::Context;
use crate::context::masks;
use crate::context::message::{Kind, Line, Message, Unit};
use crate::engine::pool::Handle;
use crate::engine::{Cycle, InletId, OutletId, Port, Rate};
use crate::l3::memories::Memories;

/// A slice's inlet and outlet.
#[derive(Clone, Copy, Debug)]
pub struct Ports {
    /// Reads, writes and atomics.
    pub requests: InletId,
    /// Answers.
    pub answers: OutletId,
}

/// A memory channel.
#[derive(Clone, Copy, Debug)]
pub struct MemorySpec {
    /// Bandwidth.
    pub rate: Rate,
    /// Cycles from the last byte's transfer to the data.
    pub latency: u32,
}

/// Counters.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counters {
    pub reads: u64,
    pub fetches: u64,
    pub writes: u64,
    pub atomics: u64,
    pub memory_writes: u64,
    pub write_back_waits: u64,
}

/// One slice. Write-back, byte masks, no fetch on a write.
#[derive(Debug)]
pub struct Slice {
    unit: Unit,
    gpu: u16,
    ports: Ports,
    array: Array,
    misses: Misses,
    filled: VecDeque<usize>,
    memory: Port,
    latency: u32,
    /// Cycles of the channel that may be taken in advance: as many lines as there are miss
    /// registers wait for it, then a line with dirty bytes must stay.
    backlog: Cycle,
    /// Such a line has been found.
    waits: bool,
    /// Memory reads under way: when, and which register. In order of time.
    reads: VecDeque<(Cycle, usize)>,
    /// What a slice without an array uses instead.
    straight: Option<straight::Straight>,
    pub counters: Counters,
}

impl Slice {
    /// Empty, of a GPU.
    pub fn new(
        (unit, gpu): (Unit, u16),
        shape: Shape,
        misses: u32,
        memory: MemorySpec,
        ports: Ports,
    ) -> Self {
        Self {
            unit,
            gpu,
            ports,
            array: Array::new(shape),
            misses: Misses::new(misses),
            filled: VecDeque::with_capacity(misses as usize),
            memory: Port::new(memory.rate),
            latency: memory.latency,
            waits: false,
            backlog: memory.rate.cycles_of(u64::from(misses) * u64::from(shape.line)),
            reads: VecDeque::with_capacity(misses as usize),
            straight: (shape.sets == 0).then(|| straight::Straight::new(misses)),
            counters: Counters::default(),
        }
    }

    /// One cycle: for a request that has waited for its line, and for a new one.
    pub fn tick(&mut self, ctx: &mut Context) {
        if self.straight.is_some() {
            self.tick_straight(ctx);
            return;
        }
        while let Some(&(at, miss)) = self.reads.front()
            && at <= ctx.now
        {
            self.reads.pop_front();
            self.fill(ctx, miss);
        }
        let filled = self.filled.front().copied();
        let served = filled.is_some_and(|at| self.serve_waiter(ctx, at));
        let progress = self.serve_next(ctx) || served;
        if progress && (!self.filled.is_empty() || ctx.has(self.ports.requests)) {
            ctx.wake_at(ctx.now + 1);
        }
    }

    fn fill(&mut self, ctx: &Context, at: usize) {
        let miss = &mut self.misses[at];
        miss.filled = true;
        let line = ctx.layout.line as usize;
        match ctx.memory.of(self.gpu).get(miss.addr, line) {
            Some(data) => self.array.fill(miss.way, data),
            None => self.array.fill(miss.way, &[0; crate::context::message::MAX_LINE][..line]),
        }
        self.filled.push_back(at);
    }

    fn serve_waiter(&mut self, ctx: &mut Context, at: usize) -> bool {
        let request = self.misses[at].waiters.first();
        let next = ctx.messages[request].next;
        if !self.perform(ctx, request, Some(self.misses[at].way)) {
            return false;
        }
        self.misses[at].waiters.advance(next);
        if self.misses[at].waiters.is_empty() {
            self.array.release(self.misses[at].way);
            self.misses.end(at);
            self.filled.pop_front();
        }
        true
    }

    fn serve_next(&mut self, ctx: &mut Context) -> bool {
        let Some(request) = ctx.peek(self.ports.requests) else { return false };
        let way = self.array.find(ctx.messages[request].addr);
        let served = match way.and_then(|way| self.array.miss(way)) {
            Some(at) => {
                self.misses.park(ctx, at, request);
                true
            }
            None => self.perform(ctx, request, way),
        };
        if served {
            ctx.take(self.ports.requests);
        }
        served
    }

    /// False when nothing can be done before the slice is woken.
    #[inline(never)]
    fn perform(&mut self, ctx: &mut Context, request: Handle<Message>, found: Option<Way>) -> bool {
        let Message { addr, mask, kind, line, size, .. } = ctx.messages[request];
        match kind {
            Kind::Write => {
                let Some(way) = self.way_to_answer(ctx, addr, found) else { return false };
                self.array.write(way, &ctx.lines[line].0, mask, true);
                self.counters.writes += 1;
                ctx.lines.free(line);
                self.answer(ctx, request, Kind::Ack, Handle::NONE);
            }
            Kind::Read | Kind::Atomic(_) => {
                let hit = found.filter(|&way| mask & !self.array.valid(way) == 0);
                let Some(way) = hit else { return self.miss(ctx, request, found) };
                if !ctx.may_send(self.ports.answers) {
                    return false;
                }
                self.array.touch(way);
                let old = ctx.payload(self.array.data(way));
                if let Kind::Atomic(op) = kind {
                    let operands = &ctx.lines[line].0;
                    atomic::apply(op, size.into(), mask, self.array.data_mut(way), operands);
                    self.array.mark(way, mask, true);
                    self.counters.atomics += 1;
                    ctx.lines.free(line);
                } else {
                    self.counters.reads += 1;
                }
                self.answer(ctx, request, Kind::Data, old);
            }
            kind => unreachable!("{kind:?} is no request"),
        }
        true
    }

    /// A way for a write, when its answer can be sent.
    fn way_to_answer(&mut self, ctx: &mut Context, addr: u64, found: Option<Way>) -> Option<Way> {
        if !ctx.may_send(self.ports.answers) {
            return None;
        }
        found.or_else(|| self.make_room(ctx, addr))
    }

    /// Places a line, nothing valid. The victim goes to memory at once: the channel's time is
    /// taken, the bytes are there. None when all ways are held: a fill will wake the slice; or when
    /// too much waits for the channel.
    fn make_room(&mut self, ctx: &mut Context, addr: u64) -> Option<Way> {
        let way = self.array.victim(addr)?;
        let dirty = self.array.dirty(way);
        if dirty != 0 {
            let first = self.memory.free_at().saturating_sub(self.backlog);
            if first > ctx.now {
                self.counters.write_back_waits += u64::from(!self.waits);
                self.waits = true;
                ctx.wake_at(first);
                return None;
            }
            self.waits = false;
            let victim = self.array.addr(way);
            let to = ctx.memory.of_mut(self.gpu).get_mut(victim, ctx.layout.line as usize);
            masks::copy(to, self.array.data(way), dirty);
            self.memory.transfer(ctx.now, ctx.layout.line.into());
            self.counters.memory_writes += 1;
            self.array.clean(way);
        }
        self.array.place(way, addr);
        Some(way)
    }

    fn miss(&mut self, ctx: &mut Context, request: Handle<Message>, found: Option<Way>) -> bool {
        let addr = ctx.messages[request].addr;
        if self.misses.is_full() {
            return false;
        }
        let Some(way) = found.or_else(|| self.make_room(ctx, addr)) else { return false };
        let at = self.misses.start(addr, way);
        self.array.hold(way, at);
        self.misses.park(ctx, at, request);
        let sent = self.memory.transfer(ctx.now, ctx.layout.line.into());
        let due = sent + Cycle::from(self.latency);
        self.counters.fetches += 1;
        self.reads.push_back((due, at));
        ctx.wake_at(due);
        true
    }

    fn answer(
        &mut self,
        ctx: &mut Context,
        request: Handle<Message>,
        kind: Kind,
        line: Handle<Line>,
    ) {
        let message = &mut ctx.messages[request];
        (message.kind, message.line) = (kind, line);
        (message.to, message.from) = (message.from, self.unit);
        ctx.send(self.ports.answers, request);
    }

    /// Its unit.
    pub fn unit(&self) -> Unit {
        self.unit
    }

    /// MSHRs in use, and all; without an array, reads of the memory channel.
    pub fn mshrs(&self) -> (u32, u32) {
        let own = (self.misses.used(), self.misses.number());
        self.straight.as_ref().map_or(own, |straight| straight.reads())
    }

    /// Reads of the memory channel that are not complete.
    pub fn memory_reads(&self, now: Cycle) -> u32 {
        let own = self.reads.len() as u32;
        self.straight.as_ref().map_or(own, |straight| straight.pending(now))
    }

    #[inline]
    fn find(&self, addr: u64) -> Option<Way> {
        if self.straight.is_some() { None } else { self.array.find(addr) }
    }

    /// The bytes of a line as an observer outside sees them: those held here, else memory's.
    pub fn look(&self, memory: &Memories, addr: u64, to: &mut [u8]) {
        let held = self.find(addr).map(|way| (self.array.data(way), self.array.valid(way)));
        if held.is_none_or(|(_, valid)| valid != masks::span(0, to.len())) {
            match memory.of(self.gpu).get(addr, to.len()) {
                Some(bytes) => to.copy_from_slice(bytes),
                None => to.fill(0),
            }
        }
        if let Some((data, valid)) = held {
            masks::copy(to, data, valid);
        }
    }

    /// The host writes bytes of a line: memory takes them, and what is held here.
    pub fn host_write(&mut self, memory: &mut Memories, addr: u64, data: &[u8], mask: u128) {
        masks::copy(memory.of_mut(self.gpu).get_mut(addr, data.len()), data, mask);
        if let Some(way) = self.find(addr) {
            let valid = mask & self.array.valid(way);
            masks::copy(self.array.data_mut(way), data, valid);
            self.array.mark(way, valid, false);
        }
    }
}
