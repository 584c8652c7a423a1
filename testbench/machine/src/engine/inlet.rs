//! Where messages wait to be taken, in the order in which they reach it.

use super::network::OutletId;
use super::passage::HERE;
use super::{ComponentId, Cycle};
use crate::context::message::Message;
use crate::engine::pool::Handle;

/// An inlet's number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct InletId(pub u32);

/// What an inlet is.
#[derive(Clone, Debug)]
pub struct InletSpec {
    /// Name, for reports.
    pub name: String,
    /// Who receives.
    pub consumer: ComponentId,
    /// Cycles from the last byte's reaching it to its being visible.
    pub latency: u32,
    /// Bytes that it takes in a cycle; messages do not share one. 0 for no limit.
    pub width: u32,
}

/// What is known of one: a line of the host's cache.
#[derive(Debug)]
#[repr(align(64))]
pub struct Inlet {
    /// First cycle in which it may take the oldest message.
    free: Cycle,
    /// First cycle after it has.
    free_after: Cycle,
    latency: u32,
    pub(super) width: u32,
    pub(super) consumer: ComponentId,
    /// Messages in the order in which they reach it: a ring, a power of 2 long.
    ring: Box<[Entry]>,
    first: u32,
    len: u32,
    /// Order of the youngest there has been: what has been taken came before whatever comes.
    last: u64,
    /// The shard that has the consumer, where that is another one.
    pub(super) shard: u8,
}

/// Bits of an outlet's number, below those of the cycle in an entry's order.
const OUTLET_BITS: u32 = 20;
/// Most outlets of a network.
pub const MOST_OUTLETS: usize = 1 << OUTLET_BITS;
/// Last cycle of a run. A message reaches its inlet later by less than as many cycles again.
pub const LAST_CYCLE: Cycle = 1 << (63 - OUTLET_BITS);

/// A message on its way to an inlet, or waiting there.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Entry {
    /// When it reaches the inlet, and below that its outlet. Outlets whose messages come in the
    /// same cycle take turns: bits of the cycle exchange their places.
    pub(super) order: u64,
    pub(super) message: Handle<Message>,
    /// Cycles that the inlet needs for it.
    pub(super) cycles: u32,
}

impl Entry {
    #[inline]
    pub(super) fn new(
        reached: Cycle,
        outlet: OutletId,
        message: Handle<Message>,
        cycles: u32,
    ) -> Self {
        let turn = u64::from(outlet.0) ^ reached & TURNS;
        Self { order: reached << OUTLET_BITS | turn, message, cycles }
    }

    #[inline]
    pub(super) fn reached(&self) -> Cycle {
        self.order >> OUTLET_BITS
    }

    #[inline]
    pub(super) fn outlet(&self) -> usize {
        ((self.order ^ self.reached() & TURNS) & ((1 << OUTLET_BITS) - 1)) as usize
    }
}

/// Bits of an outlet's number that exchange places.
const TURNS: u64 = 63;

impl Inlet {
    pub(super) fn new(spec: &InletSpec) -> Self {
        Self {
            free: 0,
            free_after: 0,
            latency: spec.latency,
            width: spec.width,
            consumer: spec.consumer,
            ring: vec![Entry::default(); 8].into(),
            first: 0,
            len: 0,
            last: 0,
            shard: HERE,
        }
    }

    #[inline]
    pub(super) fn at(&self, place: u32) -> &Entry {
        &self.ring[self.first.wrapping_add(place) as usize & (self.ring.len() - 1)]
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = &Entry> {
        (0..self.len).map(|place| self.at(place))
    }

    /// When the oldest message is visible; there must be one. A message sent now does not change
    /// that of one that is visible: what is sent in a cycle is not visible before the next one.
    #[inline(always)]
    pub(super) fn look(&mut self) -> Cycle {
        let first = self.at(0);
        let start = first.reached().max(self.free);
        let cycles = first.cycles;
        self.free_after = start + Cycle::from(cycles);
        start + Cycle::from(self.latency + cycles.saturating_sub(1))
    }

    /// Puts a message in its place, most often the last. True where that is the first.
    #[inline(always)]
    pub(super) fn insert(&mut self, entry: Entry) -> bool {
        if self.len as usize == self.ring.len() {
            self.grow();
        }
        self.len += 1;
        if entry.order < self.last {
            return self.insert_before(entry);
        }
        self.last = entry.order;
        let mask = self.ring.len() - 1;
        self.ring[self.first.wrapping_add(self.len - 1) as usize & mask] = entry;
        self.len == 1
    }

    /// Puts one in its place that does not come last.
    #[inline(never)]
    fn insert_before(&mut self, entry: Entry) -> bool {
        let mask = self.ring.len() - 1;
        let mut place = self.len - 1;
        let mut at = self.first.wrapping_add(place) as usize & mask;
        while place > 0 {
            let before = at.wrapping_sub(1) & mask;
            let other = self.ring[before];
            if other.order <= entry.order {
                break;
            }
            self.ring[at] = other;
            at = before;
            place -= 1;
        }
        self.ring[at] = entry;
        place == 0
    }

    #[cold]
    fn grow(&mut self) {
        let mut ring: Vec<_> = self.entries().copied().collect();
        ring.resize(2 * ring.len(), Entry::default());
        (self.ring, self.first) = (ring.into(), 0);
    }

    /// Takes the oldest message; there must be one. Gives it, and when the next one is visible.
    #[inline]
    pub(super) fn pop(&mut self) -> (Entry, Cycle) {
        let entry = *self.at(0);
        self.free = self.free_after;
        self.first = self.first.wrapping_add(1);
        self.len -= 1;
        (entry, if self.len > 0 { self.look() } else { Cycle::MAX })
    }
}
