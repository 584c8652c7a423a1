//! Software-managed release consistency: a write-through L1 without allocation on stores, whose
//! lines are all dropped when a kernel begins (system semantics, design `src`).

use super::{Design, L1, Port};
use crate::cache::{Array, Misses, Shape};
use crate::config::System;
use crate::masks;
use crate::memory_model::MemoryModel;
use crate::message::{Kind, Message};
use crate::pool::Handle;

inventory::submit! { DESIGN }

/// The design.
pub const DESIGN: Design = Design {
    name: "src",
    about: "software-managed, write-through; invalidated when a kernel begins",
    promises: MemoryModel::Rc,
    sections: &[],
    check: |_| Ok(()),
    core: |make| Ok(Box::new(SoftwareL1::new(&Spec::of(make.system)))),
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

/// Tags of the L1's own fetches, apart from the CU's transactions.
const FETCH: u32 = 1 << 31;

#[derive(Clone, Copy, Debug, Default)]
struct Counters {
    loads: u64,
    hits: u64,
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
    counters: Counters,
}

impl SoftwareL1 {
    /// Empty.
    pub fn new(spec: &Spec) -> Self {
        Self {
            array: Array::new(spec.shape),
            misses: Misses::new(spec.misses),
            hit_latency: spec.hit_latency,
            counters: Counters::default(),
        }
    }

    fn load(&mut self, port: &mut Port, request: Handle<Message>) -> bool {
        let Message { addr, mask, from, born, .. } = port.ctx.messages[request];
        if !port.ctx.is_cacheable(from, addr) {
            let sent = port.send(request);
            self.counters.uncached += u64::from(sent);
            return sent;
        }
        let found = self.array.find(addr);
        if let Some(at) = found.and_then(|way| self.array.miss(way)) {
            // After a store of its own the fetched line is old: the load goes behind the store.
            if self.misses[at].stale {
                return port.send(request);
            }
            self.counters.loads += 1;
            self.misses.park(port.ctx, at, request);
            return true;
        }
        if let Some(way) = found.filter(|&way| mask & !self.array.valid(way) == 0) {
            self.counters.loads += 1;
            self.counters.hits += 1;
            self.array.touch(way);
            port.finish(request, Some(self.array.data(way)), self.hit_latency.into());
            return true;
        }
        if self.misses.is_full() {
            return false;
        }
        let Some(way) = found.or_else(|| self.array.victim(addr)) else {
            return false;
        };
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
        self.array.place(way, addr);
        self.array.hold(way, at);
        self.misses.park(port.ctx, at, request);
        self.counters.loads += 1;
        true
    }

    /// Sends a store or atomic below. What is held of the line must not be returned as it was.
    fn change(&mut self, port: &mut Port, request: Handle<Message>) -> bool {
        let Message { addr, mask, kind, line, .. } = port.ctx.messages[request];
        // The payload leaves with the message.
        let data = port.ctx.lines[line];
        if !port.send(request) {
            return false;
        }
        let found = self.array.find(addr);
        if let Some(at) = found.and_then(|way| self.array.miss(way)) {
            self.misses[at].stale = true;
        } else if let Some(way) = found {
            match kind {
                Kind::Write => self.array.write(way, &data.0, mask & self.array.valid(way), false),
                _ => self.array.invalidate_clean(way),
            }
        }
        match kind {
            Kind::Write => self.counters.stores += 1,
            _ => self.counters.atomics += 1,
        }
        true
    }

    fn fill(&mut self, port: &mut Port, at: usize, message: Handle<Message>) {
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
}

impl L1 for SoftwareL1 {
    fn request(&mut self, port: &mut Port, request: Handle<Message>) -> bool {
        match port.ctx.messages[request].kind {
            Kind::Read => self.load(port, request),
            _ => self.change(port, request),
        }
    }

    fn answer(&mut self, port: &mut Port, message: Handle<Message>) {
        match port.ctx.messages[message].tag {
            tag if tag & FETCH != 0 => self.fill(port, (tag & !FETCH) as usize, message),
            _ => port.finish_with(message),
        }
    }

    fn acquire(&mut self, _port: &mut Port, _past: bool) -> bool {
        self.counters.invalidated += u64::from(self.array.invalidate_all_clean());
        self.misses.make_all_stale();
        true
    }

    fn counters(&self) -> Vec<(&'static str, u64)> {
        let c = &self.counters;
        vec![
            ("loads", c.loads),
            ("hits", c.hits),
            ("stores", c.stores),
            ("atomics", c.atomics),
            ("uncached_loads", c.uncached),
            ("invalidated_lines", c.invalidated),
        ]
    }
}
