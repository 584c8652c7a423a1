//! Software-managed release consistency: a write-through L1 without allocation on stores, whose
//! lines are all dropped when a kernel begins (system semantics, design `src`). Without a policy
//! it allocates a line on the miss. With an allocation and replacement policy it allocates on the
//! fill (`on_fill.rs`), and private lines are written back.

mod on_fill;

use super::{Callbacks, Design, IssuePolicy, L1, Port};
use crate::config::registry::registered;
use on_fill::{OfShared, OnFill};

use crate::build::make::{BuildError, Make};
use crate::cache::{Array, Misses, Shape, Way};
use crate::config::memory_model::{Fences, MemoryModel};
use crate::config::{L1Section, System};
use crate::context::masks;
use crate::context::message::{Kind, Message};
use crate::engine::Cycle;
use crate::engine::pool::Handle;
use crate::statistics::CounterValues;

inventory::submit! { registered(DESIGN) }

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
    /// Bytes of a sector; none: whole lines are filled.
    pub sector: Option<usize>,
    /// Cycles from one sector of a load that misses to the next.
    pub sector_cycles: u32,
    /// Loads do not hit.
    pub bypass: bool,
}

impl Spec {
    /// Of each L1 of a system.
    pub fn of(system: &System) -> Self {
        let (l1, line) = (&system.l1, system.machine.line);
        let hashed = system.machine.is_hashed();
        let (sets, ways) = (l1.bytes / l1.ways / line, l1.ways);
        let shape = Shape { sets, ways, line, stride: 1, hashed };
        let sector = system.sector(l1.sector);
        let L1Section { misses, hit_latency, sector_cycles, bypass, .. } = *l1;
        Self { shape, misses, hit_latency, sector, sector_cycles, bypass }
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
    /// Sectors of loads, and those of them that are here.
    sectors: u64,
    sector_hits: u64,
}

/// The design.
#[derive(Debug)]
pub struct SoftwareL1 {
    array: Array,
    misses: Misses,
    hit_latency: u32,
    /// Bytes of a sector; none: whole lines are filled.
    sector: Option<usize>,
    sector_cycles: u32,
    bypass: bool,
    on_fill: Option<OnFill>,
    counters: Counters,
}

/// When a line takes its way.
trait Allocation {
    const ON_FILL: bool;
}

/// On the miss.
struct OnMiss;

impl Allocation for OnMiss {
    const ON_FILL: bool = false;
}

impl Allocation for OnFill {
    const ON_FILL: bool = true;
}

impl SoftwareL1 {
    /// Empty.
    pub fn new(make: &mut Make) -> Result<Self, BuildError> {
        let spec = Spec::of(make.system);
        let on_fill = make.l1_policy()?.map(|policy| OnFill::new(policy, spec.shape));
        Ok(Self {
            array: Array::new(spec.shape),
            misses: Misses::new(spec.misses),
            hit_latency: spec.hit_latency,
            // A policy keeps whole lines.
            sector: spec.sector.filter(|_| on_fill.is_none()),
            sector_cycles: spec.sector_cycles,
            bypass: spec.bypass && on_fill.is_none(),
            on_fill,
            counters: Counters::default(),
        })
    }

    /// The miss register of a line, which is in the way `found` if it has one.
    #[inline]
    fn miss<A: Allocation>(&self, addr: u64, found: Option<Way>) -> Option<usize> {
        match &self.on_fill {
            Some(on_fill) if A::ON_FILL => on_fill.find(&self.misses, addr),
            _ => found.and_then(|way| self.array.miss(way)),
        }
    }

    fn load<A: Allocation>(&mut self, port: &mut Port, request: Handle<Message>) -> bool {
        let Message { addr, mask, from, .. } = port.ctx.messages[request];
        if !port.ctx.is_cacheable(from, addr) {
            let sent = port.send(request);
            self.counters.uncached += u64::from(sent);
            return sent;
        }
        let mut found = self.array.find(addr);
        if let Some(at) = self.miss::<A>(addr, found) {
            // After a store of its own the fetched line is old: the load goes behind the store.
            if self.misses[at].stale {
                let sent = port.send(request);
                self.counters.loads += u64::from(sent);
                return sent;
            }
            if self.sector.is_some() {
                return self.load_sectors(port, at, request);
            }
            self.counters.loads += 1;
            match A::ON_FILL && self.misses[at].filled {
                false => {
                    self.counters.merges += 1;
                    self.misses.park(port.ctx, at, request);
                }
                true => self.answer_filled(port, at, request),
            }
            return true;
        }
        if self.bypass {
            found.into_iter().for_each(|way| self.array.invalidate_clean(way));
            found = None;
        }
        if let Some(way) = found.filter(|&way| mask & !self.array.valid(way) == 0) {
            self.counters.loads += 1;
            self.counters.hits += 1;
            self.count_sectors(mask, mask);
            self.array.touch(way);
            if A::ON_FILL {
                self.hit(port, way);
            }
            port.finish(request, Some(self.array.data(way)), self.hit_latency.into());
            return true;
        }
        if self.misses.is_full() {
            return false;
        }
        let way = match A::ON_FILL {
            // It takes its way later.
            true => Some(Way::MAX),
            false => found.or_else(|| self.array.victim(addr)),
        };
        let Some(way) = way else { return false };
        let at = self.misses.start(addr, way);
        let valid = found.map_or(0, |way| self.array.valid(way));
        if !self.fetch(port, at, request, valid) {
            self.misses.end(at);
            return false;
        }
        self.count_sectors(mask, mask & valid);
        match &mut self.on_fill {
            Some(on_fill) if A::ON_FILL => on_fill.fetched.push(at),
            _ => {
                // A line that is here keeps its sectors.
                if found.is_none() {
                    self.array.place(way, addr);
                }
                self.array.hold(way, at);
            }
        }
        self.misses.park(port.ctx, at, request);
        self.counters.loads += 1;
        true
    }

    /// Requests what a load needs of a line beside its `valid` bytes: its sectors, or the line.
    fn fetch(&mut self, port: &mut Port, at: usize, request: Handle<Message>, valid: u128) -> bool {
        let Message { mask, addr, from, born, .. } = port.ctx.messages[request];
        let line = port.ctx.layout.line as usize;
        let mask = match self.sector {
            None => masks::span(0, line),
            Some(sector) => masks::widen(mask & !valid, sector),
        };
        let tag = at as u32 | FETCH;
        let fetch =
            port.ctx.messages.put(Message { mask, addr, born, tag, from, ..Message::default() });
        let sent = port.send(fetch);
        match sent {
            true => self.misses.request(at, mask),
            false => port.ctx.messages.free(fetch),
        }
        sent
    }

    /// A load of a line of which sectors are under way: it hits, waits for these, or requests
    /// others.
    fn load_sectors(&mut self, port: &mut Port, at: usize, request: Handle<Message>) -> bool {
        let mask = port.ctx.messages[request].mask;
        let (way, requested) = (self.misses[at].way, self.misses[at].requested);
        let valid = self.array.valid(way);
        if mask & !valid & !requested != 0 && !self.fetch(port, at, request, valid | requested) {
            return false;
        }
        self.counters.loads += 1;
        self.count_sectors(mask, mask & (valid | requested));
        if mask & !valid == 0 {
            self.counters.hits += 1;
            port.finish(request, Some(self.array.data(way)), self.hit_latency.into());
        } else {
            self.counters.merges += u64::from(mask & !valid & !requested == 0);
            self.misses.park(port.ctx, at, request);
        }
        true
    }

    /// Counts the sectors of a load, and those of them that are here.
    #[inline]
    fn count_sectors(&mut self, mask: u128, hits: u128) {
        if let Some(sector) = self.sector {
            let log = sector.ilog2();
            self.counters.sectors += u64::from(masks::sectors(mask, log));
            self.counters.sector_hits += u64::from(masks::sectors(hits, log));
        }
    }

    /// Sends a store or atomic below. What is held of the line must not be returned as it was.
    fn change<A: Allocation>(&mut self, port: &mut Port, request: Handle<Message>) -> bool {
        let Message { addr, mask, kind, line, .. } = port.ctx.messages[request];
        if A::ON_FILL && kind == Kind::Write && self.keep_private(port, request) {
            return true;
        }
        if !port.send(request) {
            return false;
        }
        // Its effect is visible from the next cycle on.
        let data = &port.ctx.lines[line];
        let found = self.array.find(addr);
        if let Some(at) = self.miss::<A>(addr, found) {
            self.misses[at].stale = true;
        } else if let Some(way) = found {
            match kind {
                Kind::Write => self.array.write(way, &data.0, mask & self.array.valid(way), false),
                _ => self.array.invalidate_clean(way),
            }
            if A::ON_FILL {
                self.notify(port, |policy, ctx| match kind {
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

    /// Additional latency of a load miss for its sectors after the first.
    #[inline]
    fn transfer(&self, mask: u128) -> Cycle {
        let further = |sector: usize| masks::sectors(mask, sector.ilog2()) - 1;
        Cycle::from(self.sector.map_or(0, further) * self.sector_cycles)
    }

    fn fill(&mut self, port: &mut Port, at: usize, message: Handle<Message>) {
        if self.on_fill.is_some() {
            return self.arrive(port, at, message);
        }
        let Message { line, mask, .. } = port.ctx.messages[message];
        let way = self.misses[at].way;
        self.array.fill_bytes(way, &port.ctx.lines[line].0, mask);
        let is_over = self.misses.answer(at);
        let mut request = std::mem::take(&mut self.misses[at].waiters).first();
        while request.is_some() {
            let Message { mask, next, .. } = port.ctx.messages[request];
            match is_over || mask & !self.array.valid(way) == 0 {
                true => port.finish(request, Some(self.array.data(way)), self.transfer(mask)),
                false => self.misses[at].waiters.push(port.ctx, request),
            }
            request = next;
        }
        port.ctx.drop_message(message);
        if is_over {
            let is_stale = self.misses[at].stale;
            self.misses.end(at);
            self.array.release(way);
            if is_stale {
                self.array.invalidate_clean(way);
            }
        }
    }
}

impl L1 for SoftwareL1 {
    fn request(&mut self, port: &mut Port, request: Handle<Message>) -> bool {
        match (port.ctx.messages[request].kind, self.on_fill.is_some()) {
            (Kind::Read, false) => self.load::<OnMiss>(port, request),
            (Kind::Read, true) => self.load::<OnFill>(port, request),
            (_, false) => self.change::<OnMiss>(port, request),
            (_, true) => self.change::<OnFill>(port, request),
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
        if let Some(on_fill) = &mut self.on_fill {
            let is_clean = (0..self.array.sets()).all(|set| self.array.dirty_way(set).is_none());
            on_fill.flushes = !is_clean;
            if !is_clean {
                port.ctx.wake_at(port.ctx.now + 1);
                return false;
            }
        }
        self.drop_all(port);
        true
    }

    fn callbacks(&self) -> Callbacks {
        Callbacks { tick: self.on_fill.is_some(), ..Callbacks::default() }
    }

    fn issue_policy(&self) -> IssuePolicy {
        IssuePolicy { concurrent_kernels: true, ..IssuePolicy::default() }
    }

    fn tick(&mut self, port: &mut Port) {
        self.notify(port, |policy, ctx| policy.tick(ctx));
        if self.on_fill.as_ref().is_some_and(|on_fill| on_fill.flushes) {
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
        if self.sector.is_some() {
            all.extend([("load_sectors", c.sectors), ("sector_hits", c.sector_hits)]);
        }
        if let Some(on_fill) = &self.on_fill {
            let OfShared { hits, misses, merges } = on_fill.of_shared;
            all.push(("write_backs", on_fill.write_backs));
            all.push(("sharing_shared_hits", hits));
            all.push(("sharing_shared_misses", misses));
            all.push(("sharing_shared_merges", merges));
            on_fill.policy.counters(all);
        }
    }
}
