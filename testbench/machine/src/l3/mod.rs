//! An L3 slice with its memory channel: the place that all chiplets share, and where lines are
//! ordered. Without an array (`l3.bytes = 0`) it is the memory's controller (`straight`).

mod channel;
mod dram;
pub mod memories;
mod parameters;
mod straight;

use std::collections::VecDeque;

use crate::cache::{Array, Misses, Shape, Way};
use crate::check::atomic;
use crate::context::Context;
use crate::context::masks;
use crate::context::message::{Kind, Line, Message, Unit};
use crate::engine::pool::Handle;
use crate::engine::{Cycle, InletId, OutletId};
use crate::l3::channel::Channel;
use crate::l3::memories::Memories;
pub use parameters::{ChannelSpec, DRAM, SECTION, check, line_cycles, models};

/// A slice's inlet and outlet.
#[derive(Clone, Copy, Debug)]
pub struct Ports {
    /// Reads, writes and atomics.
    pub requests: InletId,
    /// Answers.
    pub answers: OutletId,
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

/// Reads of a line: their bytes, and how many are under way.
#[derive(Clone, Copy, Debug, Default)]
struct Fetch {
    bytes: u128,
    reads: u32,
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
    memory: Channel,
    /// What each miss register reads from memory.
    fetches: Vec<Fetch>,
    /// Cycles of the channel that may be taken in advance: as many lines as there are miss
    /// registers wait for it, then a line with dirty bytes must stay.
    backlog: Cycle,
    /// Such a line has been found.
    waits: bool,
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
        memory: &ChannelSpec,
        ports: Ports,
    ) -> Self {
        Self {
            unit,
            gpu,
            ports,
            array: Array::new(shape),
            misses: Misses::new(misses),
            filled: VecDeque::with_capacity(misses as usize),
            memory: Channel::new(memory, misses),
            fetches: vec![Fetch::default(); misses as usize],
            waits: false,
            backlog: memory.cycles_of(misses),
            straight: (shape.sets == 0).then(|| straight::Straight::new(misses)),
            counters: Counters::default(),
        }
    }

    /// One cycle.
    pub fn tick(&mut self, ctx: &mut Context) {
        self.memory.advance(ctx.now);
        match self.straight.is_some() {
            true => self.tick_straight(ctx),
            false => self.tick_array(ctx),
        }
        if let Some(at) = self.memory.next(ctx.now) {
            ctx.wake_at(at);
        }
    }

    /// All lines go, in no time: dirty ones to memory. Nothing is under way.
    pub fn forget_all(&mut self, memory: &mut Memories) {
        for set in 0..self.array.sets() {
            while let Some(way) = self.array.dirty_way(set) {
                let line = self.array.data(way);
                let to = memory.of_mut(self.gpu).get_mut(self.array.addr(way), line.len());
                masks::copy(to, line, self.array.dirty(way));
                self.array.clean(way);
            }
            self.array.invalidate_set(set);
        }
    }

    /// One cycle: for a request that has waited for its line, and for a new one.
    fn tick_array(&mut self, ctx: &mut Context) {
        while let Some(miss) = self.memory.ready(ctx.now) {
            self.memory.take();
            self.fill(ctx, miss as usize);
        }
        let filled = self.filled.front().copied();
        let served = filled.is_some_and(|at| self.serve_waiter(ctx, at));
        let progress = self.serve_next(ctx) || served;
        if progress && (!self.filled.is_empty() || ctx.has(self.ports.requests)) {
            ctx.wake_at(ctx.now + 1);
        }
    }

    /// A read of a line has come; the last one fills it.
    fn fill(&mut self, ctx: &Context, at: usize) {
        let Fetch { bytes, reads } = &mut self.fetches[at];
        *reads -= 1;
        if *reads > 0 {
            return;
        }
        let miss = &mut self.misses[at];
        miss.filled = true;
        let line = ctx.layout.line as usize;
        let data = ctx.memory.of(self.gpu).get(miss.addr, line);
        let data = data.unwrap_or(&[0; crate::context::message::MAX_LINE][..line]);
        self.array.fill_bytes(miss.way, data, *bytes);
        self.filled.push_back(at);
    }

    /// What a request needs of a line with a miss register: granules with a byte that is neither
    /// valid nor under way.
    fn missing(&self, at: usize, mask: u128) -> u128 {
        let valid = self.array.valid(self.misses[at].way);
        self.memory.widen(mask & !valid) & !self.fetches[at].bytes
    }

    /// Reads granules of a line with a miss register.
    fn read(&mut self, ctx: &mut Context, at: usize, granules: u128) {
        let (miss, fetch) = (&mut self.misses[at], &mut self.fetches[at]);
        if std::mem::take(&mut miss.filled) {
            self.filled.retain(|&filled| filled != at);
        }
        fetch.bytes |= granules;
        fetch.reads += 1;
        self.counters.fetches += 1;
        if let Some(due) = self.memory.read(ctx.now, miss.addr, granules, at as u32) {
            ctx.wake_at(due);
        }
    }

    /// A request for a line with a miss register. False if the channel does not accept the bytes
    /// that it adds.
    fn park(&mut self, ctx: &mut Context, at: usize, request: Handle<Message>) -> bool {
        let Message { mask, kind, .. } = ctx.messages[request];
        let missing = if kind == Kind::Write { 0 } else { self.missing(at, mask) };
        if missing != 0 {
            if let Some(retry) = self.memory.busy(ctx.now, Cycle::MAX) {
                ctx.wake_at(retry);
                return false;
            }
            self.read(ctx, at, missing);
        }
        self.misses.park(ctx, at, request);
        true
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
            Some(at) => self.park(ctx, at, request),
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
            if let Some(first) = self.memory.busy(ctx.now, self.backlog) {
                self.counters.write_back_waits += u64::from(!self.waits);
                self.waits = true;
                ctx.wake_at(first);
                return None;
            }
            self.waits = false;
            let victim = self.array.addr(way);
            let to = ctx.memory.of_mut(self.gpu).get_mut(victim, ctx.layout.line as usize);
            masks::copy(to, self.array.data(way), dirty);
            self.memory.write(ctx.now, victim, self.memory.widen(dirty));
            self.counters.memory_writes += 1;
            self.array.clean(way);
        }
        self.array.place(way, addr);
        Some(way)
    }

    fn miss(&mut self, ctx: &mut Context, request: Handle<Message>, found: Option<Way>) -> bool {
        let Message { addr, mask, .. } = ctx.messages[request];
        if self.misses.is_full() {
            return false;
        }
        if let Some(retry) = self.memory.busy(ctx.now, Cycle::MAX) {
            ctx.wake_at(retry);
            return false;
        }
        let Some(way) = found.or_else(|| self.make_room(ctx, addr)) else { return false };
        let at = self.misses.start(addr, way);
        self.array.hold(way, at);
        self.fetches[at] = Fetch::default();
        self.misses.park(ctx, at, request);
        let missing = self.missing(at, mask);
        self.read(ctx, at, missing);
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

    /// Its memory channel.
    pub fn memory(&self) -> &Channel {
        &self.memory
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
