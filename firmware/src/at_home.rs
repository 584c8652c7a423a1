//! Launches where a line has one copy (`home_aware`, specification 5.9): nothing is remote, so an
//! entry takes the kernel's ranges and states in, and after an acquire the table holds the
//! kernel's structures and nothing else. What does not fit is left to `launch`, which decides the
//! same.

use crate::bitmap::Bitmap;
use crate::bus::Bus;
use crate::labels::{Header, Records, Scheduled};
use crate::layout::Layout;
use crate::record::Record;
use crate::running::Running;
use crate::shadow;
use crate::table::{Extent, Table};
use crate::vector::{LOW, Vector};

/// What a launch makes of the table.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Nothing that is there stays.
    is_emptied: bool,
    /// Bit `2i` for each chiplet that touches, that writes anything.
    touched: u32,
    written: u32,
    /// Steps done.
    steps: u32,
}

impl Plan {
    /// None.
    pub const NONE: Self = Self { is_emptied: false, touched: 0, written: 0, steps: 0 };

    /// As [`Table::held`] will be, where it is this now.
    pub fn held(&self, [present, dirty]: [u32; 2]) -> [u32; 2] {
        if self.is_emptied {
            return [self.touched, self.written];
        }
        [present | self.touched, dirty | self.written]
    }
}

impl<L: Layout> Table<L> {
    /// Plans the launch of the packet in a slot, after which the table holds what it did before, or
    /// not. Its structures are in `records` then. None where the launch is not plain.
    #[inline(never)]
    pub fn plan<B: Bus>(
        &mut self,
        bus: &mut B,
        slot: usize,
        (header, scheduled): (&Header, &Scheduled),
        records: &mut Records,
        running: &Running,
        is_emptied: bool,
    ) -> Option<Plan> {
        if !L::INDEX || is_emptied && running.use_any() {
            return None;
        }
        let joins = records.read_plain(bus, slot, (header, scheduled), &self.config)?;
        let (matched, hulls) = self.match_plain(bus, records, is_emptied)?;
        let kept = if is_emptied { matched } else { self.len };
        let entries = kept + records.len - matched;
        if entries > self.config.table_entries {
            return None;
        }
        self.report.coarsenings += joins;
        self.report.hulls += hulls;
        self.report.entries = entries as u32;
        let (mut touched, mut written) = (0, 0);
        for at in 0..records.len {
            let record = records.ordered(at);
            let by = record.vector.0 & LOW;
            touched |= by;
            written |= if record.write { by } else { 0 };
        }
        Some(Plan { is_emptied, touched, written, steps: 0 })
    }

    /// Finds the one entry under each record. None where there are several, or one under several
    /// records, or one that is not what such launches leave. Gives the number of those found, and of
    /// ranges that will grow to a hull.
    #[inline(always)]
    fn match_plain<B: Bus>(
        &self,
        bus: &mut B,
        records: &mut Records,
        is_emptied: bool,
    ) -> Option<(usize, u32)> {
        let (mut matched, mut hulls) = (0, 0);
        // One past the last entry that is matched, by order.
        let mut end = 0;
        for at in 0..records.len {
            let asked = records.reach(at);
            let place = self.place(|entry| entry.last < asked.first);
            let overlaps =
                |place| place < self.len && self.extent(self.slot_at(place)).first <= asked.last;
            if !overlaps(place) {
                continue;
            }
            let slot = self.slot_at(place);
            let record = records.ordered_mut(at);
            if place < end || overlaps(place + 1) || self.base(slot) != record.base {
                return None;
            }
            if !is_emptied {
                let (vector, mixed, _) = self.states(bus, slot);
                if mixed || vector.stale_bits() != 0 {
                    return None;
                }
                hulls += self.join_ranges(bus, slot, record);
            }
            record.slot = Some(slot as u8);
            (matched, end) = (matched + 1, place + 1);
        }
        Some((matched, hulls))
    }

    /// Extends a record's ranges to those of its entry, and marks those of the entry that will grow,
    /// by bit `2i + 1` of its vector. Gives the number of those that will be a hull.
    fn join_ranges<B: Bus>(&self, bus: &mut B, slot: usize, record: &mut Record) -> u32 {
        let mut hulls = 0;
        for i in 0..self.config.chiplets {
            if record.vector.0 >> (2 * i) & 1 == 0 {
                continue;
            }
            let (first, last) = self.range(bus, slot, i);
            let (asked_first, asked_last) = (&mut record.first[i], &mut record.last[i]);
            if *asked_first < first || *asked_last > last {
                hulls += u32::from(first <= last);
                (*asked_first, *asked_last) = (first.min(*asked_first), last.max(*asked_last));
                record.vector.0 |= 2 << (2 * i);
            }
        }
        hulls
    }

    /// Does one step of what is planned. Gives the kernel's entries after the last one; until then
    /// the table is between what it was and what it will be.
    #[inline(never)]
    pub fn carry_on<B: Bus>(
        &mut self,
        bus: &mut B,
        records: &mut Records,
        plan: &mut Plan,
    ) -> Option<Bitmap> {
        let is_done = if plan.is_emptied {
            self.renew(bus, records, plan)
        } else {
            self.take_in(bus, records, plan)
        };
        plan.steps += 1;
        if !is_done {
            return None;
        }
        let mut entries = Bitmap::EMPTY;
        for at in 0..records.len {
            if let Some(slot) = records.ordered(at).slot {
                entries.insert(slot.into());
                self.follow(slot);
            }
        }
        Some(entries)
    }

    /// The records are all that the table holds from now on: entries behind them go, then they are
    /// written. True where that was the last step.
    #[inline(always)]
    fn renew<B: Bus>(&mut self, bus: &mut B, records: &mut Records, plan: &Plan) -> bool {
        let step = plan.steps as usize;
        if step < self.len {
            let slot = self.slot_at(step);
            if slot >= records.len {
                self.free(bus, slot);
            }
        } else if let slot = step - self.len
            && slot < records.len
        {
            let extent = records.reach(slot);
            let record = records.ordered_mut(slot);
            record.vector = Vector(0).accessed(record.vector.0, record.write);
            self.write(bus, slot, record, Some(extent));
            record.slot = Some(slot as u8);
        } else {
            self.number(records.len);
            return true;
        }
        false
    }

    /// Each record goes into its entry, then the others become one. True where that was the last
    /// step.
    #[inline(always)]
    fn take_in<B: Bus>(&mut self, bus: &mut B, records: &mut Records, plan: &Plan) -> bool {
        let step = plan.steps as usize;
        if step < records.len {
            let record = records.ordered(step);
            if let Some(slot) = record.slot {
                self.widen(bus, slot.into(), record, &records.reach(step));
            }
        } else if let at = step - records.len
            && at < records.len
        {
            let extent = records.reach(at);
            let record = records.ordered_mut(at);
            if record.slot.is_none() {
                let slot = self.occupied.lowest_free();
                record.vector = Vector(0).accessed(record.vector.0, record.write);
                self.insert(bus, slot, record, Some(extent));
                record.slot = Some(slot as u8);
            }
        } else {
            return true;
        }
        false
    }

    /// An entry takes a record of its base in.
    fn widen<B: Bus>(&mut self, bus: &mut B, slot: usize, record: &Record, extent: &Extent) {
        let touched = record.vector.0 & LOW;
        let grown = record.vector.0 >> 1 & LOW;
        self.extend(slot, extent);
        if grown != 0 {
            self.keep_entry(bus, slot);
            let last = self.extent(slot).last;
            let fits = shadow::fits(record.base, last, self.config.line_shift);
            for i in (0..self.config.chiplets).filter(|i| grown >> (2 * i) & 1 == 1) {
                self.set_range(bus, slot, i, (record.first[i], record.last[i]), fits);
            }
        }
        let vector = self.states(bus, slot).0.accessed(touched, record.write);
        self.set_states(bus, slot, vector, false, record.write);
    }
}
