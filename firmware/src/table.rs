//! The chiplet coherence table in the private memory (specification 4 and 5.8), and what is known
//! of it in fast memory.
//!
//! Every store goes to the private memory, so its image is the table whatever the layout.

use core::marker::PhantomData;

use crate::bitmap::Bitmap;
use crate::bus::Bus;
use crate::config::{Config, MAX_CHIPLETS, MAX_ENTRIES};
use crate::journal::Journal;
use crate::layout::Layout;
use crate::record::Record;
use crate::report::Report;
use crate::shadow::{self, Shadow};
use crate::vector::Vector;

/// The bit of the mode in the last word of an entry.
pub const MODE: u32 = 1 << 31;
const MIXED: u32 = 1 << 30;

/// First and last line of an entry, counted from address 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    pub first: u64,
    pub last: u64,
}

impl Extent {
    /// Of nothing that is looked at.
    pub const NONE: Self = Self { first: 0, last: 0 };
}

/// Most structures of a launch that changes nothing but states.
pub const MOST: usize = 16;

/// New states of a slot.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    pub slot: u8,
    pub write: bool,
    pub vector: Vector,
}

impl Change {
    /// None.
    pub const ZERO: Self = Self { slot: 0, write: false, vector: Vector(0) };
}

/// The table. What most launches need comes first: it is addressed with the fewest instructions.
#[derive(Debug)]
#[repr(C)]
pub struct Table<L> {
    pub config: Config,
    /// Of a launch that changes nothing but states: these, and the slots of its structures where
    /// there is no index.
    pub num_changes: usize,
    pub changes: [Change; MOST],
    pub found: [u8; MOST],
    /// Number of entries.
    pub len: usize,
    /// Slots that hold an entry.
    pub occupied: Bitmap,
    /// Slots that hold none, and are not written so yet.
    pub gone: Bitmap,
    /// Entries of which no two chiplets can have a line.
    pub apart: Bitmap,
    /// The slot that was found last; for each the one that was found next after it.
    pub last: u8,
    pub next: [u8; MAX_ENTRIES],
    /// Slots by extent.
    order: [u8; MAX_ENTRIES],
    pub journal: Journal,
    /// Of the decision that is not carried out yet.
    pub report: Report,
    /// Base of each slot, with an index.
    bases: [u32; MAX_ENTRIES],
    shadow: Shadow,
    /// Extent of each slot. Kept with an index; else made when it is needed.
    extents: [Extent; MAX_ENTRIES],
    layout: PhantomData<L>,
}

impl<L: Layout> Table<L> {
    /// Empty.
    pub const NEW: Self = Self {
        config: Config::ZERO,
        occupied: Bitmap::EMPTY,
        gone: Bitmap::EMPTY,
        apart: Bitmap::EMPTY,
        len: 0,
        extents: [Extent::NONE; MAX_ENTRIES],
        order: [0; MAX_ENTRIES],
        bases: [0; MAX_ENTRIES],
        shadow: Shadow::NEW,
        next: [0; MAX_ENTRIES],
        last: 0,
        changes: [Change::ZERO; MOST],
        num_changes: 0,
        found: [0; MOST],
        journal: Journal::NEW,
        report: Report::NEW,
        layout: PhantomData,
    };

    /// An entry's ranges and states in fast memory, if it is there. With 16 chiplets one word does
    /// not hold the states.
    #[inline(always)]
    pub fn shadowed(&self, slot: usize) -> Option<(&[u32], &u32)> {
        let chiplets = self.config.chiplets;
        let may_be = L::SHADOW && chiplets < MAX_CHIPLETS;
        if may_be { self.shadow.entry(slot, chiplets) } else { None }
    }

    #[inline]
    fn shadowed_mut(&mut self, slot: usize) -> Option<(&mut [u32], &mut u32)> {
        let chiplets = self.config.chiplets;
        let may_be = L::SHADOW && chiplets < MAX_CHIPLETS;
        if may_be { self.shadow.entry_mut(slot, chiplets) } else { None }
    }

    #[inline]
    fn private<B: Bus>(&self, bus: &mut B, slot: usize, word: usize) -> u32 {
        bus.private((slot * self.config.stride + word) as u32)
    }

    #[inline]
    fn set_private<B: Bus>(&self, bus: &mut B, slot: usize, word: usize, value: u32) {
        bus.set_private((slot * self.config.stride + word) as u32, value);
    }

    /// The word with the vector, and that with mode and mixed.
    #[inline]
    pub fn vector_words(&self) -> (usize, usize) {
        let at = 1 + 2 * self.config.chiplets;
        (at, at + usize::from(self.config.chiplets == MAX_CHIPLETS))
    }

    /// States, mixed and mode of an entry.
    #[inline]
    pub fn states<B: Bus>(&self, bus: &mut B, slot: usize) -> (Vector, bool, bool) {
        let (at, flags_at) = self.vector_words();
        let vector = match self.shadowed(slot) {
            Some((_, states)) => *states,
            None => self.private(bus, slot, at),
        };
        let flags = if at == flags_at { vector } else { self.private(bus, slot, flags_at) };
        self.decode_states([vector, flags])
    }

    /// States, mixed and mode in the word with the vector and that with the others.
    #[inline(always)]
    pub fn decode_states(&self, [vector, flags]: [u32; 2]) -> (Vector, bool, bool) {
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
        self.keep_states(bus, slot);
        let (at, flags_at) = self.vector_words();
        let flags = if mixed { MIXED } else { 0 } | if write { MODE } else { 0 };
        if at != flags_at {
            self.set_private(bus, slot, at, vector.0);
            return self.set_private(bus, slot, flags_at, flags);
        }
        let word = vector.0 | flags;
        if let Some((_, states)) = self.shadowed_mut(slot) {
            if *states == word {
                return;
            }
            *states = word;
        }
        self.set_private(bus, slot, at, word);
    }

    /// A chiplet's range.
    #[inline]
    pub fn range<B: Bus>(&self, bus: &mut B, slot: usize, chiplet: usize) -> (u32, u32) {
        let kept = self.shadowed(slot).and_then(|(ranges, _)| {
            let bytes = (ranges[2 * chiplet], ranges[2 * chiplet + 1]);
            shadow::lines(self.base(slot), bytes, self.config.line_shift)
        });
        if let Some(range) = kept {
            return range;
        }
        (self.private(bus, slot, 1 + 2 * chiplet), self.private(bus, slot, 2 + 2 * chiplet))
    }

    /// Writes a chiplet's range; `fits`: it can be kept in fast memory.
    pub fn set_range<B: Bus>(
        &mut self,
        bus: &mut B,
        slot: usize,
        chiplet: usize,
        range: (u32, u32),
        fits: bool,
    ) {
        let bytes = shadow::bytes(self.bases[slot], range, self.config.line_shift, fits);
        if let Some((ranges, _)) = self.shadowed_mut(slot) {
            ranges[2 * chiplet..2 * chiplet + 2].copy_from_slice(&[bytes.0, bytes.1]);
        }
        self.set_private(bus, slot, 1 + 2 * chiplet, range.0);
        self.set_private(bus, slot, 2 + 2 * chiplet, range.1);
    }

    /// A whole entry.
    #[inline(never)]
    pub fn load<B: Bus>(&self, bus: &mut B, slot: usize) -> Record {
        let mut record = Record { base: self.stored_base(bus, slot), ..Record::ZERO };
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
        self.keep_entry(bus, slot);
        let Config { chiplets, page_shift, line_shift, .. } = self.config;
        let extent = record.extent(chiplets, page_shift);
        let extent = extent.map(|(first, last)| Extent { first, last });
        let fits = extent.is_some_and(|extent| shadow::fits(record.base, extent.last, line_shift));
        let same_base = L::INDEX && self.occupied.contains(slot) && self.base(slot) == record.base;
        self.write(bus, slot, record, fits, same_base);
        self.set_states(bus, slot, record.vector, record.mixed, record.write);
        self.enter(slot, record.base, extent, self.config.are_apart(record));
    }

    /// Writes base and ranges. `fits`: they can be kept in fast memory; `same_base`: the base is
    /// there, and what is kept of ranges is theirs.
    #[inline(never)]
    pub fn write<B: Bus>(
        &mut self,
        bus: &mut B,
        slot: usize,
        record: &Record,
        fits: bool,
        same_base: bool,
    ) {
        let Config { chiplets, line_shift, .. } = self.config;
        if !same_base {
            self.set_private(bus, slot, 0, record.base);
        }
        let mut word = (slot * self.config.stride) as u32 + 1;
        let ranges = record.first.iter().zip(&record.last);
        if let Some((kept, _)) = self.shadowed_mut(slot) {
            for (kept, (&first, &last)) in kept.chunks_exact_mut(2).zip(ranges) {
                let bytes = shadow::bytes(record.base, (first, last), line_shift, fits);
                if !same_base || !fits || *kept != [bytes.0, bytes.1] {
                    kept.copy_from_slice(&[bytes.0, bytes.1]);
                    bus.set_private(word, first);
                    bus.set_private(word + 1, last);
                }
                word += 2;
            }
        } else {
            for (&first, &last) in ranges.take(chiplets) {
                bus.set_private(word, first);
                bus.set_private(word + 1, last);
                word += 2;
            }
        }
    }

    /// A slot holds an entry with this base and these lines.
    #[inline(never)]
    pub fn enter(&mut self, slot: usize, base: u32, extent: Option<Extent>, are_apart: bool) {
        if let Some(extent) = extent {
            self.extents[slot] = extent;
        }
        if L::INDEX {
            self.bases[slot] = base;
        }
        self.apart.set(slot, are_apart);
        if self.occupied.insert_new(slot) {
            let first = self.extents[slot].first;
            let is_last = self.order[..self.len]
                .last()
                .is_none_or(|&last| self.extents[usize::from(last)].first < first);
            let mut at = self.len;
            if !is_last {
                at = self.place(|extent| extent.first < first);
                self.order.copy_within(at..self.len, at + 1);
            }
            self.order[at] = slot as u8;
            self.len += 1;
        }
    }

    /// An entry reaches over these lines too.
    pub fn extend(&mut self, slot: usize, extent: &Extent) {
        let whole = &mut self.extents[slot];
        *whole = Extent { first: whole.first.min(extent.first), last: whole.last.max(extent.last) };
    }

    /// Frees a slot: all of it is zero.
    pub fn remove<B: Bus>(&mut self, bus: &mut B, slot: usize) {
        self.free(bus, slot);
        self.compact();
    }

    /// Frees a slot, which is still in the order of entries.
    #[inline(never)]
    pub fn free<B: Bus>(&mut self, bus: &mut B, slot: usize) {
        self.keep_entry(bus, slot);
        self.clear(bus, slot);
        self.occupied.remove(slot);
    }

    /// Writes zeros to a slot.
    pub fn clear<B: Bus>(&mut self, bus: &mut B, slot: usize) {
        for word in 0..self.config.stride {
            self.set_private(bus, slot, word, 0);
        }
        if let Some((_, states)) = self.shadowed_mut(slot) {
            *states = 0;
        }
    }

    /// Takes slots that are free out of the order of entries.
    #[inline(never)]
    pub fn compact(&mut self) {
        let mut len = 0;
        for at in 0..self.len {
            let slot = self.order[at & 255];
            if self.occupied.contains(slot.into()) {
                self.order[len & 255] = slot;
                len += 1;
            }
        }
        self.len = len;
    }

    /// Entries by address.
    pub fn slot_at(&self, at: usize) -> usize {
        self.order[at & 255].into()
    }

    /// Base of an entry.
    pub fn stored_base<B: Bus>(&self, bus: &mut B, slot: usize) -> u32 {
        if L::INDEX { self.base(slot) } else { self.private(bus, slot, 0) }
    }

    /// The same, with an index.
    pub fn base(&self, slot: usize) -> u32 {
        self.bases[slot]
    }

    /// Extent of an entry, after [`Table::refresh`].
    pub fn extent(&self, slot: usize) -> Extent {
        self.extents[slot]
    }

    /// Number of the lowest entries of which this is true; it must be of no entry above them.
    #[inline]
    pub fn place(&self, is_below: impl Fn(&Extent) -> bool) -> usize {
        self.order[..self.len].partition_point(|&slot| is_below(&self.extents[usize::from(slot)]))
    }

    /// Makes the extents current. Their order is: they are disjoint, and so is what becomes of an
    /// entry.
    #[inline(never)]
    pub fn refresh<B: Bus>(&mut self, bus: &mut B) {
        if L::INDEX {
            return;
        }
        for slot in self.occupied.iter() {
            let record = self.load(bus, slot);
            let extent = record.extent(self.config.chiplets, self.config.page_shift);
            let (first, last) = extent.unwrap_or_default();
            self.extents[slot] = Extent { first, last };
        }
    }
}
