//! Launches that need no operation and no new range: each chiplet's new range lies within the one
//! that the table has, and no other chiplet's dirty or written lines are touched. This is what most
//! launches of an iterative program are, so it is decided while the labels are read. Whatever does
//! not fit is left to `launch`, which decides the same.

use crate::aql::extension::{RANGE, STRUCTURE};
use crate::bitmap::Bitmap;
use crate::bus::Bus;
use crate::labels::{Header, Scheduled, range_at, structure_at};
use crate::layout::Layout;
use crate::map::{SLOT_BYTES, SLOTS};
use crate::packet::{Kind, Packet};
use crate::table::{Change, MODE, MOST, Table};
use crate::vector::Vector;

/// A range in the packet.
struct Asked {
    start: u32,
    start_high: u32,
    end: u32,
    end_high: u32,
}

impl Asked {
    #[inline(always)]
    fn read<B: Bus>(bus: &mut B, at: u32) -> Self {
        let [start, start_high, end, end_high] = bus.load4(at);
        Self { start, start_high, end, end_high }
    }

    /// It is well formed, and within these lines, counted from the base.
    #[inline(always)]
    fn is_within(&self, base: u32, length: u32, (first, last): (u32, u32), shift: u32) -> bool {
        let (start, end) = (self.start.wrapping_sub(base), self.end.wrapping_sub(base));
        start <= end && end < length && start >> shift >= first && end >> shift <= last
    }
}

impl<L: Layout> Table<L> {
    /// Where the packet in a slot is such a launch: whether it ends with a system release. The
    /// table then has its new states, and `entries`, empty before, the kernel's.
    #[inline(never)]
    pub fn launch_unchanged<B: Bus>(
        &mut self,
        bus: &mut B,
        slot: usize,
        scheduled: &mut Scheduled,
        entries: &mut Bitmap,
    ) -> Option<bool> {
        let packet = Packet::read(bus, slot, &self.config).ok()?;
        if packet.kind != Kind::Dispatch || packet.acquires {
            return None;
        }
        let header = Header::read(bus, slot, &packet).ok().filter(|header| header.usable)?;
        scheduled.set(packet.chiplets, header.scheduled, &self.config).ok()?;
        if header.structures as usize > self.config.max_structs {
            return None;
        }
        if !L::INDEX {
            self.scan(bus, slot, &header);
        }
        self.num_changes = 0;
        let slot = SLOTS + slot as u32 * SLOT_BYTES;
        let ranges = slot + range_at(&header, 0);
        let mut at = slot + structure_at(0);
        let mut last = self.last;
        for index in 0..header.structures as usize {
            let structure = bus.load4(at);
            let [base, base_high, length, length_high] = structure;
            let entry = self.entry_at(base >> 12 | base_high << 20, index, &mut last)?;
            let word = bus.load(at + 16);
            let (write, num_ranges, first_range) = (word & 0xff != 0, word >> 8 & 0xff, word >> 16);
            if base & 0xfff | base_high >> 12 | length_high != 0
                || length == 0
                || length - 1 > !base
                || first_range + num_ranges > header.ranges
                || !entries.insert_new(entry)
            {
                return None;
            }
            let ranges = ranges + RANGE * first_range;
            let repeats = num_ranges == scheduled.regular
                && self.repeats(bus, entry, structure, ranges, write, scheduled.low)
                && (!write || self.apart.contains(entry));
            if !repeats {
                self.irregular(bus, at, ranges, scheduled, entry)?;
            }
            at += STRUCTURE;
        }
        self.last = last;
        if self.num_changes != 0 {
            self.exchange(bus);
        }
        Some(packet.releases)
    }

    /// Writes the states that are new, and keeps those that were there: the second time all is as
    /// it was before.
    #[inline(never)]
    pub fn exchange<B: Bus>(&mut self, bus: &mut B) {
        for at in 0..self.num_changes {
            let Change { slot, write, vector } = self.changes[at & 15];
            let (vector_now, _, write_now) = self.states(bus, slot.into());
            self.changes[at & 15] = Change { slot, write: write_now, vector: vector_now };
            self.set_states(bus, slot.into(), vector, false, write);
        }
    }

    /// True where each chiplet has one range, in their order, as most programs write them, within
    /// the stored one, and the entry is in the state in which such a kernel leaves it that alone
    /// has touched it.
    #[inline(always)]
    fn repeats<B: Bus>(
        &self,
        bus: &mut B,
        entry: usize,
        structure: [u32; 4],
        ranges: u32,
        write: bool,
        low: u32,
    ) -> bool {
        let expected = if write { MODE | low << 1 } else { low };
        self.repeats_in(bus, entry, structure, ranges, expected)
    }

    /// The same of an entry in these states.
    #[inline(always)]
    fn repeats_in<B: Bus>(
        &self,
        bus: &mut B,
        entry: usize,
        [base, base_high, length, _]: [u32; 4],
        ranges: u32,
        expected: u32,
    ) -> bool {
        let (mut at, mut start_high) = (ranges, base_high);
        if let Some((stored, states)) = self.shadowed(entry) {
            let end = base + (length - 1);
            if *states != expected {
                return false;
            }
            for stored in stored.chunks_exact(2) {
                let asked = Asked::read(bus, at);
                if asked.start_high != start_high
                    || asked.end_high != base_high
                    || asked.start > asked.end
                    || asked.end > end
                    || asked.start < stored[0]
                    || asked.end > stored[1]
                {
                    return false;
                }
                at += RANGE;
                start_high = start_high.wrapping_add(1 << 24);
            }
        } else {
            let (vector, mixed, mode) = self.states(bus, entry);
            if mixed || mode != (expected & MODE != 0) || vector.0 != expected & !MODE {
                return false;
            }
            for chiplet in 0..self.config.chiplets {
                let stored = self.range(bus, entry, chiplet);
                let asked = Asked::read(bus, at);
                if asked.start_high != start_high
                    || asked.end_high != base_high
                    || !asked.is_within(base, length, stored, self.config.line_shift)
                {
                    return false;
                }
                at += RANGE;
                start_high = start_high.wrapping_add(1 << 24);
            }
        }
        true
    }

    /// Any other structure, which is at this address.
    #[inline(never)]
    fn irregular<B: Bus>(
        &mut self,
        bus: &mut B,
        at: u32,
        ranges: u32,
        scheduled: &Scheduled,
        entry: usize,
    ) -> Option<()> {
        let word = bus.load(at + 16);
        let write = word & 0xff != 0;
        let (vector, mixed, mode) = self.states(bus, entry);
        // Where lines have one copy it is the ranges alone that matter.
        let repeats = self.config.home_aware && word >> 8 & 0xff == scheduled.regular && {
            let structure = bus.load4(at);
            let expected = vector.0 | if mode { MODE } else { 0 };
            self.repeats_in(bus, entry, structure, ranges, expected)
        };
        let low =
            if repeats { scheduled.low } else { self.within(bus, at, ranges, scheduled, entry)? };
        // Dirty lines, and lines that are written, are no other chiplet's.
        let apart = !write && vector.dirty_bits() == 0 || self.apart.contains(entry);
        if mixed || (vector.0 ^ vector.0 >> 1) & low != low || !apart {
            return None;
        }
        let new = if write { vector.0 & !(3 * low) | (2 * low) } else { vector.0 };
        if new != vector.0 || write != mode {
            let change = Change { slot: entry as u8, write, vector: Vector(new) };
            self.changes[self.num_changes & 15] = change;
            self.num_changes += 1;
        }
        Some(())
    }

    /// Any ranges of any of the chiplets, or none, where each of them may touch all of the
    /// structure, which is at this address. Gives bit `2i` for each chiplet that does, where that
    /// is nothing new to the entry.
    #[inline(always)]
    fn within<B: Bus>(
        &self,
        bus: &mut B,
        at: u32,
        ranges: u32,
        scheduled: &Scheduled,
        entry: usize,
    ) -> Option<u32> {
        let [base, base_high, length, _] = bus.load4(at);
        let num_ranges = bus.load(at + 16) >> 8 & 0xff;
        let shift = self.config.line_shift;
        let mut touched = 0;
        if num_ranges == 0 {
            for &chiplet in &scheduled.list[..scheduled.count as usize] {
                let stored = self.range(bus, entry, chiplet.into());
                if stored.0 != 0 || (length - 1) >> shift > stored.1 {
                    return None;
                }
                touched |= 1 << (2 * chiplet);
            }
        }
        for at in (0..num_ranges).map(|range| ranges + RANGE * range) {
            let asked = Asked::read(bus, at);
            let chiplet = asked.start_high >> 24;
            if chiplet >= scheduled.count
                || asked.start_high & 0x00ff_ffff != base_high
                || asked.end_high != base_high
            {
                return None;
            }
            let number = scheduled.list[chiplet as usize & 15];
            let stored = self.range(bus, entry, number.into());
            if !asked.is_within(base, length, stored, shift) {
                return None;
            }
            touched |= 1 << (2 * number);
        }
        Some(touched)
    }

    /// An entry with the base of a structure. What followed the entry before it the last time is
    /// likely to do so again.
    #[inline(always)]
    fn entry_at(&mut self, page: u32, index: usize, last: &mut u8) -> Option<usize> {
        if !L::INDEX {
            return usize::from(self.found[index & 15]).checked_sub(1);
        }
        let mut entry = usize::from(self.next[usize::from(*last)]);
        // A free slot may have any base: no state of it fits.
        if self.base(entry) != page {
            entry = self.search(page)?;
            self.next[usize::from(*last)] = entry as u8;
        }
        *last = entry as u8;
        Some(entry)
    }

    /// This slot was found after the last one.
    pub fn follow(&mut self, slot: u8) {
        self.next[usize::from(self.last)] = slot;
        self.last = slot;
    }

    /// An entry with this base, if it starts there.
    #[inline(never)]
    fn search(&self, page: u32) -> Option<usize> {
        let first = u64::from(page) << self.config.page_shift;
        let at = self.place(|extent| extent.first < first);
        let entry = self.slot_at(at);
        (at < self.len && self.base(entry) == page).then_some(entry)
    }

    /// For each structure one more than the slot of an entry with its base, in one pass over the
    /// table.
    #[inline(never)]
    fn scan<B: Bus>(&mut self, bus: &mut B, slot: usize, header: &Header) {
        let mut pages = [0; MOST];
        let pages = &mut pages[..header.structures as usize];
        for (index, page) in (0..).zip(pages.iter_mut()) {
            let at = structure_at(index);
            *page = bus.packet(slot, at) >> 12 | bus.packet(slot, at + 4) << 20;
            self.found[index as usize & 15] = 0;
        }
        // A free slot is zero, and so is nothing else but an entry of page 0, which is left to be
        // found missing.
        let stride = self.config.stride as u32;
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
