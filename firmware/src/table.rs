//! The chiplet coherence table in the private memory (specification 4 and 5.8), and what is known of it in fast memory.
//!
//! Every store goes to the private memory, so its image is the table whatever the layout.

use core::marker::PhantomData;

use crate::bitmap::Bitmap;
use crate::bus::Bus;
use crate::config::{Config, MAX_CHIPLETS, MAX_ENTRIES};
use crate::layout::Layout;
use crate::record::Record;
use crate::unchanged::{Change, MOST};
use crate::vector::Vector;

const MODE: u32 = 1 << 31;
const MIXED: u32 = 1 << 30;
/// Words of entries in fast memory.
const SHADOW_WORDS: usize = 832;

/// First and last line of an entry, counted from address 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    pub first: u64,
    pub last: u64,
}

/// The table.
#[derive(Debug)]
pub struct Table<L> {
    pub config: Config,
    /// Slots that hold an entry.
    pub occupied: Bitmap,
    /// Entries in which no two chiplets' ranges overlap.
    pub disjoint: Bitmap,
    /// Number of entries.
    pub len: usize,
    /// Extent of each slot. Kept with an index; else made when it is needed.
    extents: [Extent; MAX_ENTRIES],
    /// Slots by extent.
    order: [u8; MAX_ENTRIES],
    /// First page of the extents, in that order.
    pages: [u32; MAX_ENTRIES],
    shadow: [u32; SHADOW_WORDS],
    /// Place in the order where the next entry is looked for first.
    pub hint: usize,
    /// Of a launch that changes nothing but states: these, and the slots of its structures where there is no index.
    pub changes: [Change; MOST],
    pub found: [u8; MOST],
    layout: PhantomData<L>,
}

impl<L: Layout> Table<L> {
    /// Empty.
    pub const NEW: Self = Self {
        config: Config::ZERO,
        occupied: Bitmap::EMPTY,
        disjoint: Bitmap::EMPTY,
        len: 0,
        extents: [Extent { first: 0, last: 0 }; MAX_ENTRIES],
        order: [0; MAX_ENTRIES],
        pages: [0; MAX_ENTRIES],
        shadow: [0; SHADOW_WORDS],
        hint: 0,
        changes: [Change::ZERO; MOST],
        found: [0; MOST],
        layout: PhantomData,
    };

    /// A word of an entry.
    #[inline]
    pub fn word<B: Bus>(&self, bus: &mut B, slot: usize, word: usize) -> u32 {
        let at = slot * self.config.stride() + word;
        if L::SHADOW && at < SHADOW_WORDS { self.shadow[at] } else { bus.private(at as u32) }
    }

    /// An entry's words, where it lies in fast memory.
    #[inline]
    pub fn shadowed(&self, slot: usize) -> Option<&[u32]> {
        let stride = self.config.stride();
        let at = slot * stride;
        if L::SHADOW { self.shadow.get(at..at + stride) } else { None }
    }

    #[inline]
    fn set_word<B: Bus>(&mut self, bus: &mut B, slot: usize, word: usize, value: u32) {
        let at = slot * self.config.stride() + word;
        if L::SHADOW && at < SHADOW_WORDS {
            if self.shadow[at] == value {
                return;
            }
            self.shadow[at] = value;
        }
        bus.set_private(at as u32, value);
    }

    /// The word with the vector, and that with mode and mixed.
    #[inline]
    fn vector_words(&self) -> (usize, usize) {
        let at = 1 + 2 * self.config.chiplets;
        (at, at + usize::from(self.config.chiplets == MAX_CHIPLETS))
    }

    /// States, mixed and mode of an entry.
    #[inline]
    pub fn states<B: Bus>(&self, bus: &mut B, slot: usize) -> (Vector, bool, bool) {
        let (vector, flags) = self.vector_words();
        let vector = self.word(bus, slot, vector);
        let flags =
            if self.config.chiplets == MAX_CHIPLETS { self.word(bus, slot, flags) } else { vector };
        let bits = u32::MAX >> (32 - 2 * self.config.chiplets);
        (Vector(vector & bits), flags & MIXED != 0, flags & MODE != 0)
    }

    /// Writes states, mixed and mode.
    #[inline(never)]
    pub fn set_states<B: Bus>(
        &mut self,
        bus: &mut B,
        slot: usize,
        vector: Vector,
        mixed: bool,
        write: bool,
    ) {
        let (at, flags_at) = self.vector_words();
        let flags = if mixed { MIXED } else { 0 } | if write { MODE } else { 0 };
        if at == flags_at {
            self.set_word(bus, slot, at, vector.0 | flags);
        } else {
            self.set_word(bus, slot, at, vector.0);
            self.set_word(bus, slot, flags_at, flags);
        }
    }

    /// A chiplet's range.
    #[inline]
    pub fn range<B: Bus>(&self, bus: &mut B, slot: usize, chiplet: usize) -> (u32, u32) {
        (self.word(bus, slot, 1 + 2 * chiplet), self.word(bus, slot, 2 + 2 * chiplet))
    }

    /// A whole entry.
    #[inline(never)]
    pub fn load<B: Bus>(&self, bus: &mut B, slot: usize) -> Record {
        let mut record = Record { base: self.word(bus, slot, 0), ..Record::EMPTY };
        for i in 0..self.config.chiplets {
            (record.first[i], record.last[i]) = self.range(bus, slot, i);
        }
        (record.vector, record.mixed, record.write) = self.states(bus, slot);
        record.slot = Some(slot as u8);
        record
    }

    /// Writes a whole entry to a slot, which may have been free.
    #[inline(never)]
    pub fn store<B: Bus>(&mut self, bus: &mut B, slot: usize, record: &Record) {
        let Config { chiplets, page_shift, .. } = self.config;
        self.set_word(bus, slot, 0, record.base);
        for i in 0..chiplets {
            self.set_word(bus, slot, 1 + 2 * i, record.first[i]);
            self.set_word(bus, slot, 2 + 2 * i, record.last[i]);
        }
        self.set_states(bus, slot, record.vector, record.mixed, record.write);
        if let Some((first, last)) = record.extent(chiplets, page_shift) {
            self.extents[slot] = Extent { first, last };
        }
        self.disjoint.set(slot, record.is_disjoint(chiplets));
        if !self.occupied.contains(slot) {
            self.occupied.insert(slot);
            self.order[self.len] = slot as u8;
            self.len += 1;
        }
    }

    /// Frees a slot: all of it is zero.
    #[inline(never)]
    pub fn remove<B: Bus>(&mut self, bus: &mut B, slot: usize) {
        for word in 0..self.config.stride() {
            self.set_word(bus, slot, word, 0);
        }
        self.occupied.remove(slot);
        if let Some(at) = self.order[..self.len].iter().position(|&s| usize::from(s) == slot) {
            self.order.copy_within(at + 1..self.len, at);
            self.len -= 1;
        }
    }

    /// Entries by address.
    pub fn slot_at(&self, at: usize) -> usize {
        self.order[at].into()
    }

    /// Extent of an entry, after [`Table::refresh`].
    pub fn extent(&self, slot: usize) -> Extent {
        self.extents[slot]
    }

    /// Makes the extents and their order current.
    #[inline(never)]
    pub fn refresh<B: Bus>(&mut self, bus: &mut B) {
        if !L::INDEX {
            for slot in self.occupied.iter() {
                let record = self.load(bus, slot);
                let extent = record.extent(self.config.chiplets, self.config.page_shift);
                let (first, last) = extent.unwrap_or_default();
                self.extents[slot] = Extent { first, last };
            }
        }
        self.sort();
    }

    /// Sorts by extent. Little has moved, so that inserting is quick.
    #[inline(never)]
    pub fn sort(&mut self) {
        for i in 1..self.len {
            let slot = self.order[i];
            let first = self.extents[usize::from(slot)].first;
            let mut at = i;
            while at > 0 && self.extents[usize::from(self.order[at - 1])].first > first {
                self.order[at] = self.order[at - 1];
                at -= 1;
            }
            self.order[at] = slot;
        }
        if L::INDEX {
            for at in 0..self.len {
                let first = self.extents[usize::from(self.order[at])].first;
                self.pages[at] = (first >> self.config.page_shift) as u32;
            }
        }
    }

    /// Place in the order of an entry that starts in this page, else of the first behind it.
    #[inline]
    pub fn first_from_page(&self, page: u32) -> usize {
        if self.hint < self.len && self.pages[self.hint & 255] == page {
            return self.hint;
        }
        let (mut low, mut high) = (0, self.len);
        while low < high {
            let middle = (low + high) / 2;
            if self.pages[middle & 255] < page { low = middle + 1 } else { high = middle }
        }
        low
    }
}
