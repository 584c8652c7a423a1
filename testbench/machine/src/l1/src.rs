//! Software-managed release consistency: a write-through L1 without allocation on stores, whose
//! lines are all dropped when a kernel begins (system semantics, design `src`). Under a policy of
//! what it keeps a line takes its way when it has come, and private lines are written back.

use std::collections::VecDeque;

use super::{Design, Hooks, L1, L1Policy, Port};
use crate::build::make::{BuildError, Make};
use crate::cache::{Array, Choice, Miss, Misses, Shape, Way};
use crate::config::System;
use crate::config::memory_model::{Fences, MemoryModel};
use crate::context::Context;
use crate::context::masks;
use crate::context::message::{Kind, Message, Unit};
use crate::engine::pool::Handle;
use crate::statistics::CounterValues;

inventory::submit! { DESIGN }

/// The design.
pub const DESIGN: Design = Design {
    name: "src",
    about: "software-managed, write-through; invalidated at the start of each kernel",
    promises: MemoryModel::Rc,
    // An L1 keeps what it holds until the next kernel begins.
    fences: Fences::Group,
    orders_l2: false,
    sections: &[],
    clock: None,
    crosses: false,
    asks_policy: true,
    check: |_| Ok(()),
    core: |make| Ok(Box::new(SoftwareL1::new(make)?)),
    unit: None,
    bank: None,
    l2: None,
};

/// Size and speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spec {
    /// Sets, ways, line.
    pub shape: Shape,
    /// Miss registers.
    pub misses: u32,
    /// Cycles of a hit.
    pub hit_latency: u32,
}

impl Spec {
    /// Of each L1 of a system.
    pub fn of(system: &System) -> Self {
        let (l1, line) = (&system.l1, system.machine.line);
        let shape = Shape { sets: l1.bytes / l1.ways / line, ways: l1.ways, line, stride: 1 };
        Self { shape, misses: l1.misses, hit_latency: l1.hit_latency }
    }
}

/// Tags of the L1's own fetches and write-backs, apart from the CU's transactions.
const FETCH: u32 = 1 << 31;
const WRITE_BACK: u32 = 1 << 30;

#[derive(Clone, Copy, Debug, Default)]
struct Counters {
    loads: u64,
    hits: u64,
    /// Loads that wait for a line under way.
    merges: u64,
    stores: u64,
    atomics: u64,
    uncached: u64,
    invalidated: u64,
}

/// The design.
#[derive(Debug)]
pub struct SoftwareL1 {
    array: Array,
    misses: Misses,
    hit_latency: u32,
    placing: Option<Placing>,
    counters: Counters,
}

/// A policy, and the lines that it has not placed.
#[derive(Debug)]
struct Placing {
    policy: Box<dyn L1Policy>,
    /// Miss registers in use.
    fetched: Vec<usize>,
    /// Of these, oldest first, with what brought their lines: those that have come. Whoever waited
    /// has been answered.
    come: VecDeque<(usize, Handle<Message>)>,
    /// The policy has been asked about the oldest.
    has_asked: bool,
    /// Where that goes, once what is dirty there has left.
    chosen: Option<Way>,
    /// The CU.
    unit: Unit,
    /// A kernel is to begin: what is dirty leaves, then all is dropped.
    flushes: bool,
    write_backs: u64,
    /// Of each way: its line was shared when it came.
    shared: Vec<bool>,
    of_shared: OfShared,
}

/// Loads of lines that were shared when they came.
#[derive(Clone, Copy, Debug, Default)]
struct OfShared {
    hits: u64,
    /// The first of those that waited, and the others.
    misses: u64,
    merges: u64,
}

impl Placing {
    #[cold]
    fn find(&self, misses: &Misses, addr: u64) -> Option<usize> {
        self.fetched.iter().copied().find(|&at| misses[at].addr == addr)
    }
}

impl SoftwareL1 {
    /// Empty.
    pub fn new(make: &mut Make) -> Result<Self, BuildError> {
        let spec = Spec::of(make.system);
        let placing = make.l1_policy()?.map(|policy| Placing {
            policy,
            fetched: Vec::new(),
            come: VecDeque::new(),
            has_asked: false,
            chosen: None,
            unit: Unit::default(),
            flushes: false,
            write_backs: 0,
            shared: vec![false; (spec.shape.sets * spec.shape.ways) as usize],
            of_shared: OfShared::default(),
        });
        Ok(Self {
            array: Array::new(spec.shape),
            misses: Misses::new(spec.misses),
            hit_latency: spec.hit_latency,
            placing,
            counters: Counters::default(),
        })
    }

    /// The miss register of a line, which is in the way `found` if it has one.
    #[inline]
    fn miss<const PLACES: bool>(&self, addr: u64, found: Option<Way>) -> Option<usize> {
        match &self.placing {
            Some(placing) if PLACES => placing.find(&self.misses, addr),
            _ => found.and_then(|way| self.array.miss(way)),
        }
    }

    /// `PLACES`: there is a policy.
    fn load<const PLACES: bool>(&mut self, port: &mut Port, request: Handle<Message>) -> bool {
        let Message { addr, mask, from, born, .. } = port.ctx.messages[request];
        if !port.ctx.is_cacheable(from, addr) {
            let sent = port.send(request);
            self.counters.uncached += u64::from(sent);
            return sent;
        }
        let found = self.array.find(addr);
        if let Some(at) = self.miss::<PLACES>(addr, found) {
            // After a store of its own the fetched line is old: the load goes behind the store.
            if self.misses[at].stale {
                let sent = port.send(request);
                self.counters.loads += u64::from(sent);
                return sent;
            }
            self.counters.loads += 1;
            match PLACES && self.misses[at].filled {
                false => {
                    self.counters.merges += 1;
                    self.misses.park(port.ctx, at, request);
                }
                true => self.give(port, at, request),
            }
            return true;
        }
        if let Some(way) = found.filter(|&way| mask & !self.array.valid(way) == 0) {
            self.counters.loads += 1;
            self.counters.hits += 1;
            self.array.touch(way);
            if PLACES {
                self.hit(port, way);
            }
            port.finish(request, Some(self.array.data(way)), self.hit_latency.into());
            return true;
        }
        if self.misses.is_full() {
            return false;
        }
        let way = match PLACES {
            // It takes its way later.
            true => Some(Way::MAX),
            false => found.or_else(|| self.array.victim(addr)),
        };
        let Some(way) = way else { return false };
        let at = self.misses.start(addr, way);
        let mask = masks::span(0, port.ctx.layout.line as usize);
        let fetch =
            Message { mask, addr, born, tag: at as u32 | FETCH, from, ..Message::default() };
        let fetch = port.ctx.messages.put(fetch);
        if !port.send(fetch) {
            port.ctx.messages.free(fetch);
            self.misses.end(at);
            return false;
        }
        match &mut self.placing {
            Some(placing) if PLACES => placing.fetched.push(at),
            _ => {
                self.array.place(way, addr);
                self.array.hold(way, at);
            }
        }
        self.misses.park(port.ctx, at, request);
        self.counters.loads += 1;
        true
    }

    /// Sends a store or atomic below. What is held of the line must not be returned as it was.
    fn change<const PLACES: bool>(&mut self, port: &mut Port, request: Handle<Message>) -> bool {
        let Message { addr, mask, kind, line, .. } = port.ctx.messages[request];
        if PLACES && kind == Kind::Write && self.keep_private(port, request) {
            return true;
        }
        if !port.send(request) {
            return false;
        }
        // It has left, and nobody sees it before the next cycle.
        let data = &port.ctx.lines[line];
        let found = self.array.find(addr);
        if let Some(at) = self.miss::<PLACES>(addr, found) {
            self.misses[at].stale = true;
        } else if let Some(way) = found {
            match kind {
                Kind::Write => self.array.write(way, &data.0, mask & self.array.valid(way), false),
                _ => self.array.invalidate_clean(way),
            }
            if PLACES {
                self.tell(port, |policy, ctx| match kind {
                    Kind::Write => policy.touch(ctx, way),
                    _ => policy.drop_line(ctx, way),
                });
            }
        }
        match kind {
            Kind::Write => self.counters.stores += 1,
            _ => self.counters.atomics += 1,
        }
        true
    }

    fn fill(&mut self, port: &mut Port, at: usize, message: Handle<Message>) {
        if self.placing.is_some() {
            return self.come(port, at, message);
        }
        let miss = self.misses[at];
        let line = port.ctx.messages[message].line;
        self.array.fill(miss.way, &port.ctx.lines[line].0);
        let mut request = miss.waiters.first();
        while request.is_some() {
            let next = port.ctx.messages[request].next;
            port.finish(request, Some(self.array.data(miss.way)), 0);
            request = next;
        }
        port.ctx.drop_message(message);
        self.misses.end(at);
        self.array.release(miss.way);
        if miss.stale {
            self.array.invalidate_clean(miss.way);
        }
    }

    /// The policy hears of a load that hits.
    #[cold]
    fn hit(&mut self, port: &mut Port, way: Way) {
        let placing = self.placing.as_mut().expect("there is a policy");
        placing.policy.touch(port.ctx, way);
        placing.of_shared.hits += u64::from(placing.shared[way as usize]);
    }

    /// A line has come that the policy must place.
    #[cold]
    fn come(&mut self, port: &mut Port, at: usize, answer: Handle<Message>) {
        let Message { line, hint, .. } = port.ctx.messages[answer];
        let data = port.ctx.lines[line];
        let miss = &mut self.misses[at];
        miss.filled = true;
        let mut request = std::mem::take(&mut miss.waiters).first();
        let mut waited = 0;
        while request.is_some() {
            let next = port.ctx.messages[request].next;
            port.finish(request, Some(&data.0), 0);
            request = next;
            waited += 1;
        }
        let placing = self.placing.as_mut().expect("there is a policy");
        if hint != 0 && waited > 0 {
            placing.of_shared.misses += 1;
            placing.of_shared.merges += waited - 1;
        }
        placing.come.push_back((at, answer));
        self.place(port);
    }

    /// Answers a load of a line that waits for its way.
    #[cold]
    fn give(&mut self, port: &mut Port, at: usize, request: Handle<Message>) {
        let placing = self.placing.as_ref().expect("there is a policy");
        let come = placing.come.iter().find(|(other, _)| *other == at);
        let (_, answer) = come.expect("it has come");
        let data = port.ctx.lines[port.ctx.messages[*answer].line];
        port.finish(request, Some(&data.0), self.hit_latency.into());
    }

    /// A private line that is here is changed here, and written back when it goes (thesis, section
    /// 1.2.4). False for any other.
    #[cold]
    fn keep_private(&mut self, port: &mut Port, request: Handle<Message>) -> bool {
        let Message { addr, mask, line, from, .. } = port.ctx.messages[request];
        let Some(placing) = self.placing.as_mut().filter(|placing| !placing.flushes) else {
            return false;
        };
        let Some(way) = self.array.find(addr).filter(|_| port.ctx.is_private(addr)) else {
            return false;
        };
        if placing.find(&self.misses, addr).is_some() || placing.chosen == Some(way) {
            return false;
        }
        placing.unit = from;
        self.array.write(way, &port.ctx.lines[line].0, mask, true);
        placing.policy.touch(port.ctx, way);
        self.counters.stores += 1;
        port.finish(request, None, self.hit_latency.into());
        true
    }

    /// What is dirty of a way leaves. False when it cannot now; the CU is then visited when it may.
    #[cold]
    fn write_back(&mut self, port: &mut Port, way: Way) -> bool {
        let mask = self.array.dirty(way);
        let placing = self.placing.as_mut().expect("there is a policy");
        if mask == 0 {
            return true;
        }
        let line = port.ctx.payload(self.array.data(way));
        let (kind, addr, from) = (Kind::Write, self.array.addr(way), placing.unit);
        let tag = WRITE_BACK;
        let born = port.ctx.now as u32;
        let rest = Message::default();
        let message = Message { kind, mask, addr, line, born, tag, from, ..rest };
        let message = port.ctx.messages.put(message);
        let sent = port.send(message);
        match sent {
            true => {
                placing.write_backs += 1;
                self.array.clean(way);
            }
            false => port.ctx.drop_message(message),
        }
        sent
    }

    /// A kernel is to begin: a dirty line leaves in each cycle; then all are dropped.
    #[cold]
    fn flush(&mut self, port: &mut Port) {
        let dirty = (0..self.array.sets()).find_map(|set| self.array.dirty_way(set));
        match dirty {
            Some(way) => {
                if self.write_back(port, way) {
                    port.ctx.wake_at(port.ctx.now + 1);
                }
            }
            None => {
                self.drop_all(port);
                port.acquired();
            }
        }
    }

    fn drop_all(&mut self, port: &mut Port) {
        self.counters.invalidated += u64::from(self.array.invalidate_all_clean());
        self.misses.make_all_stale();
        self.tell(port, |policy, ctx| policy.drop_all(ctx));
        if let Some(placing) = &mut self.placing {
            placing.flushes = false;
            // Its way is no longer taken.
            if placing.chosen.take().is_some() {
                placing.has_asked = false;
            }
        }
    }

    /// Tells the policy something.
    #[inline]
    fn tell(&mut self, port: &mut Port, what: impl Fn(&mut dyn L1Policy, &mut Context)) {
        if let Some(placing) = &mut self.placing {
            what(&mut *placing.policy, port.ctx);
        }
    }

    /// Lines that have come, oldest first, take the ways that the policy gives them. It is not
    /// asked about one that has become old; one that becomes so later goes at once.
    #[cold]
    fn place(&mut self, port: &mut Port) {
        while let Some(placing) = &mut self.placing
            && let Some(&(at, answer)) = placing.come.front()
        {
            let Miss { addr, stale, .. } = self.misses[at];
            let (ways, message) = (self.array.ways(addr), port.ctx.messages[answer]);
            let choice = match (placing.chosen, stale && !placing.has_asked) {
                (Some(way), _) => Choice::Way(way),
                (None, true) => Choice::Nowhere,
                (None, false) => placing.policy.choose(port.ctx, &message, ways),
            };
            placing.has_asked = choice == Choice::NotYet;
            if placing.has_asked {
                return;
            }
            if let Choice::Way(way) = choice
                && !self.write_back(port, way)
            {
                let placing = self.placing.as_mut().expect("there is a policy");
                (placing.chosen, placing.has_asked) = (Some(way), true);
                return;
            }
            let placing = self.placing.as_mut().expect("there is a policy");
            placing.chosen = None;
            if let Choice::Way(way) = choice {
                assert!(ways.free >> (way - ways.first) & 1 == 1, "a way of the line's set");
                placing.shared[way as usize] = message.hint != 0;
                self.array.place(way, addr);
                self.array.fill(way, &port.ctx.lines[message.line].0);
                self.array.touch(way);
                if stale {
                    self.array.invalidate_clean(way);
                    placing.policy.drop_line(port.ctx, way);
                }
            }
            port.ctx.drop_message(answer);
            placing.come.pop_front();
            placing.fetched.retain(|&other| other != at);
            self.misses.end(at);
        }
    }
}

impl L1 for SoftwareL1 {
    fn request(&mut self, port: &mut Port, request: Handle<Message>) -> bool {
        match (port.ctx.messages[request].kind, self.placing.is_some()) {
            (Kind::Read, false) => self.load::<false>(port, request),
            (Kind::Read, true) => self.load::<true>(port, request),
            (_, false) => self.change::<false>(port, request),
            (_, true) => self.change::<true>(port, request),
        }
    }

    fn answer(&mut self, port: &mut Port, message: Handle<Message>) {
        match port.ctx.messages[message].tag {
            tag if tag & FETCH != 0 => self.fill(port, (tag & !FETCH) as usize, message),
            WRITE_BACK => port.ctx.drop_message(message),
            _ => port.finish_with(message),
        }
    }

    fn acquire(&mut self, port: &mut Port, _past: bool) -> bool {
        if let Some(placing) = &mut self.placing {
            let is_clean = (0..self.array.sets()).all(|set| self.array.dirty_way(set).is_none());
            placing.flushes = !is_clean;
            if !is_clean {
                port.ctx.wake_at(port.ctx.now + 1);
                return false;
            }
        }
        self.drop_all(port);
        true
    }

    fn hooks(&self) -> Hooks {
        Hooks { tick: self.placing.is_some(), overlap: true, ..Hooks::default() }
    }

    fn tick(&mut self, port: &mut Port) {
        self.tell(port, |policy, ctx| policy.tick(ctx));
        if self.placing.as_ref().is_some_and(|placing| placing.flushes) {
            self.flush(port);
        }
        self.place(port);
    }

    fn mshrs(&self) -> (u32, u32) {
        (self.misses.used(), self.misses.number())
    }

    fn counters(&self, all: &mut CounterValues) {
        let c = &self.counters;
        all.extend([
            ("loads", c.loads),
            ("hits", c.hits),
            ("merges", c.merges),
            ("stores", c.stores),
            ("atomics", c.atomics),
            ("uncached_loads", c.uncached),
            ("invalidated_lines", c.invalidated),
        ]);
        if let Some(placing) = &self.placing {
            let OfShared { hits, misses, merges } = placing.of_shared;
            all.push(("write_backs", placing.write_backs));
            all.push(("sharing_shared_hits", hits));
            all.push(("sharing_shared_misses", misses));
            all.push(("sharing_shared_merges", merges));
            placing.policy.counters(all);
        }
    }
}
