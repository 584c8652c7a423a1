//! Launches that need no operation and no new range: each chiplet's new range lies within the one that the table has, and nobody
//! else's dirty or written lines are touched. This is what most launches of an iterative program are, so it is decided while the
//! labels are read. Whatever does not fit is left to `launch`, which decides the same.

use crate::bitmap::Bitmap;
use crate::bus::Bus;
use crate::labels::{Header, MAX_RECORDS, range_at, structure_at};
use crate::layout::Layout;
use crate::table::Table;
use crate::vector::{Vector, spread};

const MOST: usize = 16;

/// New states of a slot.
#[derive(Clone, Copy, Default)]
struct Change {
    slot: u8,
    vector: Vector,
    write: bool,
}

impl<L: Layout> Table<L> {
    /// The kernel's entries, where the launch is such a one. The table then has its new states.
    pub fn launch_unchanged<B: Bus>(
        &mut self,
        bus: &mut B,
        slot: usize,
        header: &Header,
        numbers: &[u8; 16],
    ) -> Option<Bitmap> {
        if header.structures as usize > self.config.max_structs {
            return None;
        }
        let mut found = [0; MAX_RECORDS];
        if !L::INDEX {
            self.scan(bus, slot, header, &mut found);
        }
        let mut entries = Bitmap::EMPTY;
        let mut changes = [Change::default(); MOST];
        let mut num_changes = 0;
        for index in 0..header.structures {
            let at = structure_at(index);
            let (base, base_high) = (bus.packet(slot, at), bus.packet(slot, at + 4));
            let (length, length_high) = (bus.packet(slot, at + 8), bus.packet(slot, at + 12));
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
                usize::from(found[index as usize]).checked_sub(1)?
            };
            if entries.contains(entry) {
                return None;
            }
            entries.insert(entry);
            let shift = self.config.line_shift();
            let mut touched = 0;
            if ranges == 0 {
                let last = (length - 1) >> shift;
                for &chiplet in &numbers[..header.scheduled as usize] {
                    let stored = self.range(bus, entry, chiplet.into());
                    if stored.0 != 0 || last > stored.1 {
                        return None;
                    }
                    touched |= 1 << chiplet;
                }
            } else {
                let mut at = range_at(header, first_range);
                for _ in 0..ranges {
                    let (start, start_high) = (bus.packet(slot, at), bus.packet(slot, at + 4));
                    let (end, end_high) = (bus.packet(slot, at + 8), bus.packet(slot, at + 12));
                    let chiplet = start_high >> 24;
                    if chiplet >= header.scheduled
                        || start_high & 0x00ff_ffff != base_high
                        || end_high != base_high
                    {
                        return None;
                    }
                    let (first, last) = (start.wrapping_sub(base), end.wrapping_sub(base));
                    if first > last || last >= length {
                        return None;
                    }
                    let number = numbers[chiplet as usize & 15];
                    let stored = self.range(bus, entry, number.into());
                    if first >> shift < stored.0 || last >> shift > stored.1 {
                        return None;
                    }
                    touched |= 1 << number;
                    at += 16;
                }
            }
            let (vector, mixed, mode) = self.states(bus, entry);
            let low = spread(touched);
            let clean_or_dirty = (vector.0 ^ vector.0 >> 1) & low == low;
            // Dirty lines, and lines that are written, are nobody else's.
            let apart = !write && vector.dirty_bits() == 0 || self.disjoint.contains(entry);
            if mixed || !clean_or_dirty || !apart {
                return None;
            }
            let new = if write { vector.0 & !(3 * low) | 2 * low } else { vector.0 };
            if new != vector.0 || write != mode {
                changes[num_changes & 15] =
                    Change { slot: entry as u8, vector: Vector(new), write };
                num_changes += 1;
            }
        }
        for change in &changes[..num_changes.min(MOST)] {
            self.set_states(bus, change.slot.into(), change.vector, false, change.write);
        }
        Some(entries)
    }

    /// An entry with this base.
    #[inline]
    fn find<B: Bus>(&self, bus: &mut B, page: u32) -> Option<usize> {
        let at = self.first_from_page(page);
        let entry = self.slot_at(at & 255);
        (at < self.len && self.word(bus, entry, 0) == page).then_some(entry)
    }

    /// For each structure one more than the slot of an entry with its base, in one pass over the table.
    fn scan<B: Bus>(
        &self,
        bus: &mut B,
        slot: usize,
        header: &Header,
        found: &mut [u8; MAX_RECORDS],
    ) {
        let mut pages = [0; MOST];
        let pages = &mut pages[..header.structures as usize];
        for (index, page) in (0..).zip(pages.iter_mut()) {
            let at = structure_at(index);
            *page = bus.packet(slot, at) >> 12 | bus.packet(slot, at + 4) << 20;
        }
        // A free slot is zero, and so is nothing else but an entry of page 0, which is left to be found missing.
        for entry in 0..self.config.table_entries {
            let base = self.word(bus, entry, 0);
            if base == 0 {
                continue;
            }
            for (page, found) in pages.iter().zip(found.iter_mut()) {
                if *page == base {
                    *found = entry as u8 + 1;
                }
            }
        }
    }
}
