//! The structures of an extension block in order, read in one go. What is not as most programs
//! write it is left to `labels` and `coarsen`, which say what is wrong with it.

use crate::aql::extension::{RANGE, STRUCTURE};
use crate::bus::Bus;
use crate::config::Config;
use crate::labels::{Header, Records, Scheduled, range_at, structure_at};
use crate::map::{SLOT_BYTES, SLOTS};
use crate::record::{EMPTY_FIRST, MAX_LINES, Record, first_line};
use crate::table::Extent;

impl Records {
    fn index(&self, from: usize, at: usize) -> usize {
        usize::from(self.order[(from + at) & 15]) & 15
    }

    /// The record at a place in the order of addresses, of those that begin here in the list.
    pub fn planned(&self, from: usize, at: usize) -> &Record {
        &self.list[self.index(from, at)]
    }

    /// The same, to be changed.
    pub fn planned_mut(&mut self, from: usize, at: usize) -> &mut Record {
        &mut self.list[self.index(from, at)]
    }

    /// Its lines, counted from address 0.
    pub fn reach(&self, from: usize, at: usize) -> Extent {
        self.extents[self.index(from, at)]
    }

    /// Reads structures, each on pages of its own below a border of 4 GiB, joins those that
    /// overlap, and the nearest ones where there are more than a launch may have. Each gets bit
    /// `2i` of its vector for the chiplets that touch it. They begin at this place in the list.
    /// Gives their number, and that of the latter joins.
    #[inline(always)]
    pub fn read_plain<B: Bus>(
        &mut self,
        bus: &mut B,
        slot: usize,
        (header, scheduled): (&Header, &Scheduled),
        config: &Config,
        from: usize,
    ) -> Option<(usize, u32)> {
        let Config { page_shift, line_shift, chiplets, .. } = *config;
        let slot = SLOTS + slot as u32 * SLOT_BYTES;
        let ranges = slot + range_at(header, 0);
        let mut at = slot + structure_at(0);
        let mut len = 0;
        for index in from..from + header.structures as usize {
            let [base, base_high, length, length_high] = bus.load4(at);
            let word = bus.load(at + 16);
            at += STRUCTURE;
            let (num_ranges, first_range) = (word >> 8 & 0xff, word >> 16);
            if base & 0xfff | base_high >> 12 | length_high != 0
                || length == 0
                || length - 1 > !base
                || first_range + num_ranges > header.ranges
            {
                return None;
            }
            let record = &mut self.list[index & 15];
            let mut range = ranges + RANGE * first_range;
            let mut hull = (EMPTY_FIRST, 0);
            // Lines of a range, if it is within the structure.
            let lines = |[start, start_high, end, end_high]: [u32; 4], expected_high: u32| {
                let (start, end) = (start.wrapping_sub(base), end.wrapping_sub(base));
                let is_within = start_high == expected_high
                    && end_high == base_high
                    && start <= end
                    && end < length;
                is_within.then_some((start >> line_shift, end >> line_shift))
            };
            if num_ranges == scheduled.regular {
                // Each chiplet has one, in their order.
                record.base = base >> 12 | base_high << 20;
                (record.write, record.slot, record.mixed) = (word & 0xff != 0, None, false);
                record.vector.0 = scheduled.low;
                let mut start_high = base_high;
                let kept = record.first.iter_mut().zip(&mut record.last).take(chiplets);
                for (kept_first, kept_last) in kept {
                    let (first, last) = lines(bus.load4(range), start_high)?;
                    hull = (hull.0.min(first), hull.1.max(last));
                    (*kept_first, *kept_last) = (first, last);
                    range += RANGE;
                    start_high = start_high.wrapping_add(1 << 24);
                }
            } else {
                record.reset(base >> 12 | base_high << 20, word & 0xff != 0, chiplets);
                if num_ranges == 0 {
                    hull = (0, (length - 1) >> line_shift);
                    record.vector.0 = scheduled.low;
                    for &chiplet in scheduled.list.iter().take(scheduled.count as usize) {
                        record.add(chiplet.into(), hull.0, hull.1);
                    }
                }
                for _ in 0..num_ranges {
                    let asked = bus.load4(range);
                    let chiplet = asked[1] >> 24;
                    if chiplet >= scheduled.count {
                        return None;
                    }
                    let (first, last) = lines(asked, base_high | chiplet << 24)?;
                    let number = usize::from(scheduled.list[chiplet as usize & 15]) & 15;
                    hull = (hull.0.min(first), hull.1.max(last));
                    record.vector.0 |= 1 << (2 * number);
                    record.add(number, first, last);
                    range += RANGE;
                }
            }
            let base = first_line(record.base, page_shift);
            let extent = Extent { first: base + u64::from(hull.0), last: base + u64::from(hull.1) };
            self.extents[index & 15] = extent;
            self.put(index, from, len);
            len += 1;
        }
        self.separate_plain(config, from, &mut len)?;
        let joins = self.coarsen_plain(config, from, &mut len)?;
        Some((len, joins))
    }

    /// Puts a record into the order of so many, behind those that begin with the same line.
    #[inline(always)]
    fn put(&mut self, index: usize, from: usize, len: usize) {
        let first = self.extents[index & 15].first;
        let mut at = len;
        while at > 0 && self.reach(from, at - 1).first > first {
            self.order[(from + at) & 15] = self.order[(from + at - 1) & 15];
            at -= 1;
        }
        self.order[(from + at) & 15] = index as u8;
    }

    /// Joins what overlaps.
    fn separate_plain(&mut self, config: &Config, from: usize, len: &mut usize) -> Option<()> {
        let mut at = 1;
        while at < *len {
            if self.reach(from, at - 1).last >= self.reach(from, at).first {
                self.join_plain(config, from, len, at - 1)?;
            } else {
                at += 1;
            }
        }
        Some(())
    }

    /// Joins neighbours, the nearest first, until there are as few as a launch may have.
    fn coarsen_plain(&mut self, config: &Config, from: usize, len: &mut usize) -> Option<u32> {
        let mut joins = 0;
        while *len > config.max_structs {
            let mut nearest = (u64::MAX, 0);
            for at in 1..*len {
                let gap = self.reach(from, at).first - self.reach(from, at - 1).last;
                if gap < nearest.0 {
                    nearest = (gap, at - 1);
                }
            }
            self.join_plain(config, from, len, nearest.1)?;
            joins += 1;
        }
        Some(joins)
    }

    /// Joins a record and the one behind it.
    #[inline(never)]
    fn join_plain(
        &mut self,
        config: &Config,
        from: usize,
        len: &mut usize,
        at: usize,
    ) -> Option<()> {
        let (kept, gone) = (self.index(from, at), self.index(from, at + 1));
        let [record, other] = self.list.get_disjoint_mut([kept, gone]).ok()?;
        let lines = u64::from(other.base.checked_sub(record.base)?) << config.page_shift;
        let last = self.extents[kept].last.max(self.extents[gone].last);
        if last - first_line(record.base, config.page_shift) >= MAX_LINES {
            return None;
        }
        for i in (0..config.chiplets).filter(|&i| other.has(i)) {
            record.add(i, other.first[i] + lines as u32, other.last[i] + lines as u32);
        }
        record.write |= other.write;
        record.vector.0 |= other.vector.0;
        self.extents[kept].last = last;
        self.order.copy_within(from + at + 2..from + *len, from + at + 1);
        *len -= 1;
        Some(())
    }
}
