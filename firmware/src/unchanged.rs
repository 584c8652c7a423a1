//! Launches that need no operation and no new range: each chiplet's new range lies within the one that the table has, and nobody
//! else's dirty or written lines are touched. This is what most launches of an iterative program are, so it is decided while the
//! labels are read. Whatever does not fit is left to `launch`, which decides the same.

use crate::bitmap::Bitmap;
use crate::bus::Bus;
use crate::labels::{Header, Numbers, range_at, structure_at};
use crate::layout::Layout;
use crate::table::Table;
use crate::vector::{Vector, spread};

/// Most structures of such a launch.
pub const MOST: usize = 16;

/// New states of a slot.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    slot: u8,
    write: bool,
    vector: Vector,
}

impl Change {
    /// None.
    pub const ZERO: Self = Self { slot: 0, write: false, vector: Vector(0) };
}

/// A structure in its packet slot: `base` below 2^44 on a page, `length` at most what is left of its 4 GiB.
#[derive(Clone, Copy)]
struct Structure {
    base: u32,
    base_high: u32,
    length: u32,
    /// Offset of its first range, and their number.
    ranges_at: u32,
    ranges: u32,
}

impl<L: Layout> Table<L> {
    /// True where the launch is such a one. The table then has its new states, and `entries`, empty before, the kernel's.
    #[inline(never)]
    pub fn launch_unchanged<B: Bus>(
        &mut self,
        bus: &mut B,
        slot: usize,
        header: &Header,
        numbers: &Numbers,
        entries: &mut Bitmap,
    ) -> bool {
        self.try_unchanged(bus, slot, header, numbers, entries).is_some()
    }

    #[inline(always)]
    fn try_unchanged<B: Bus>(
        &mut self,
        bus: &mut B,
        slot: usize,
        header: &Header,
        numbers: &Numbers,
        entries: &mut Bitmap,
    ) -> Option<()> {
        if header.structures as usize > self.config.max_structs {
            return None;
        }
        if !L::INDEX {
            self.scan(bus, slot, header);
        }
        let mut num_changes = 0;
        for index in 0..header.structures {
            let at = structure_at(index);
            let [base, base_high, length, length_high] = bus.packet4(slot, at);
            let word = bus.packet(slot, at + 16);
            let (write, ranges, first_range) = (word & 0xff != 0, word >> 8 & 0xff, word >> 16);
            let odd = base & 0xfff | base_high >> 12 | length_high;
            if odd != 0
                || length == 0
                || base.checked_add(length - 1).is_none()
                || first_range + ranges > header.ranges
            {
                return None;
            }
            let page = base >> 12 | base_high << 20;
            let entry = if L::INDEX {
                self.find(bus, page)?
            } else {
                usize::from(self.found[index as usize & 15]).checked_sub(1)?
            };
            if entries.contains(entry) {
                return None;
            }
            entries.insert(entry);
            let ranges_at = range_at(header, first_range);
            let structure = Structure { base, base_high, length, ranges_at, ranges };
            let touched = if ranges == 0 {
                self.all_within(bus, &structure, entry, &numbers.list[..header.scheduled as usize])?
            } else {
                let in_order = numbers.in_order && ranges <= header.scheduled;
                let first = in_order.then(|| self.within_in_order(bus, slot, &structure, entry));
                match first.flatten() {
                    Some(touched) => touched,
                    None => self.within(bus, slot, &structure, entry, header, &numbers.list)?,
                }
            };
            let (vector, mixed, mode) = self.states(bus, entry);
            let low = spread(touched);
            let clean_or_dirty = (vector.0 ^ vector.0 >> 1) & low == low;
            // Dirty lines, and lines that are written, are nobody else's.
            let apart = !write && vector.dirty_bits() == 0 || self.disjoint.contains(entry);
            if mixed || !clean_or_dirty || !apart {
                return None;
            }
            let new = if write { vector.0 & !(3 * low) | (2 * low) } else { vector.0 };
            if new != vector.0 || write != mode {
                self.changes[num_changes & 15] =
                    Change { slot: entry as u8, write, vector: Vector(new) };
                num_changes += 1;
            }
        }
        for at in 0..num_changes.min(MOST) {
            let Change { slot, write, vector } = self.changes[at];
            self.set_states(bus, slot.into(), vector, false, write);
        }
        Some(())
    }

    /// Each chiplet may touch all of the structure. Gives the chiplets, where that is nothing new to the entry.
    #[inline(never)]
    fn all_within<B: Bus>(
        &self,
        bus: &mut B,
        structure: &Structure,
        entry: usize,
        numbers: &[u8],
    ) -> Option<u16> {
        let last = (structure.length - 1) >> self.config.line_shift();
        let mut touched = 0;
        for &chiplet in numbers {
            let stored = self.range(bus, entry, chiplet.into());
            if stored.0 != 0 || last > stored.1 {
                return None;
            }
            touched |= 1 << chiplet;
        }
        Some(touched)
    }

    /// One range for each of the first chiplets, in their order, as most programs write them.
    #[inline(always)]
    fn within_in_order<B: Bus>(
        &self,
        bus: &mut B,
        slot: usize,
        structure: &Structure,
        entry: usize,
    ) -> Option<u16> {
        let Structure { base, base_high, length, ranges_at, ranges } = *structure;
        let shift = self.config.line_shift();
        let (mut at, mut chiplet) = (ranges_at, base_high);
        let mut is_within = |bus: &mut B, stored: (u32, u32)| {
            let [start, start_high, end, end_high] = bus.packet4(slot, at);
            let (first, last) = (start.wrapping_sub(base), end.wrapping_sub(base));
            let fits = start_high == chiplet
                && end_high == base_high
                && first <= last
                && last < length
                && first >> shift >= stored.0
                && last >> shift <= stored.1;
            at += 16;
            chiplet += 1 << 24;
            fits
        };
        match self.shadowed(entry) {
            Some(words) => {
                for stored in words[1..].chunks_exact(2).take(ranges as usize) {
                    if !is_within(bus, (stored[0], stored[1])) {
                        return None;
                    }
                }
            }
            None => {
                for i in 0..ranges as usize {
                    let stored = self.range(bus, entry, i);
                    if !is_within(bus, stored) {
                        return None;
                    }
                }
            }
        }
        Some(((1u32 << ranges) - 1) as u16)
    }

    /// Any ranges of any of the chiplets.
    #[inline(never)]
    fn within<B: Bus>(
        &self,
        bus: &mut B,
        slot: usize,
        structure: &Structure,
        entry: usize,
        header: &Header,
        numbers: &[u8; 16],
    ) -> Option<u16> {
        let Structure { base, base_high, length, ranges_at, ranges } = *structure;
        let shift = self.config.line_shift();
        let mut touched = 0;
        for at in (0..ranges).map(|range| ranges_at + 16 * range) {
            let [start, start_high, end, end_high] = bus.packet4(slot, at);
            let chiplet = start_high >> 24;
            let (first, last) = (start.wrapping_sub(base), end.wrapping_sub(base));
            if chiplet >= header.scheduled
                || start_high & 0x00ff_ffff != base_high
                || end_high != base_high
                || first > last
                || last >= length
            {
                return None;
            }
            let number = numbers[chiplet as usize & 15];
            let stored = self.range(bus, entry, number.into());
            if first >> shift < stored.0 || last >> shift > stored.1 {
                return None;
            }
            touched |= 1 << number;
        }
        Some(touched)
    }

    /// An entry with this base. Structures of a kernel, and those of the next one, often lie one behind the other.
    #[inline]
    fn find<B: Bus>(&mut self, bus: &mut B, page: u32) -> Option<usize> {
        let at = self.first_from_page(page);
        self.hint = at + 1;
        let entry = self.slot_at(at & 255);
        (at < self.len && self.word(bus, entry, 0) == page).then_some(entry)
    }

    /// For each structure one more than the slot of an entry with its base, in one pass over the table.
    #[inline(never)]
    fn scan<B: Bus>(&mut self, bus: &mut B, slot: usize, header: &Header) {
        let mut pages = [0; MOST];
        let pages = &mut pages[..header.structures as usize];
        for (index, page) in (0..).zip(pages.iter_mut()) {
            let at = structure_at(index);
            *page = bus.packet(slot, at) >> 12 | bus.packet(slot, at + 4) << 20;
            self.found[index as usize & 15] = 0;
        }
        // A free slot is zero, and so is nothing else but an entry of page 0, which is left to be found missing.
        let stride = self.config.stride() as u32;
        for entry in 0..self.config.table_entries {
            let base = bus.private(entry as u32 * stride);
            if base == 0 {
                continue;
            }
            for (page, found) in pages.iter().zip(self.found.iter_mut()) {
                if *page == base {
                    *found = entry as u8 + 1;
                }
            }
        }
    }
}
