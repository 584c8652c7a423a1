//! Launches where a line has one copy (`home_aware`, specification 5.9): nothing is remote, so an
//! entry takes the kernel's ranges and states in, and after an acquire the table holds the
//! kernel's structures and nothing else. What does not fit is left to `launch`, which decides the
//! same.

use crate::aql::extension::MAX_STRUCTURES;
use crate::bitmap::Bitmap;
use crate::bus::Bus;
use crate::labels::{Header, Records, Scheduled};
use crate::layout::Layout;
use crate::record::Record;
use crate::shadow;
use crate::table::Table;
use crate::vector::{LOW, Vector};

/// What a launch makes of the table.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Nothing that is there stays.
    pub is_emptied: bool,
    /// What it writes is released before it is in the table.
    pub is_clean: bool,
    /// Where its records begin in the list, where those behind it could, and their number.
    from: u8,
    end: u8,
    len: u8,
    /// Records adopted, and written.
    adopted: u8,
    written: u8,
    /// Bit i for each record that has no entry yet, by address.
    new: u16,
    /// Bit `2i` for each chiplet that touches, that writes anything.
    touching: u32,
    writing: u32,
}

impl Plan {
    /// None.
    pub const NONE: Self = Self {
        is_emptied: false,
        is_clean: false,
        from: 0,
        end: 0,
        len: 0,
        adopted: 0,
        written: 0,
        new: 0,
        touching: 0,
        writing: 0,
    };

    /// Of a launch after which there are no entries.
    pub const EMPTY: Self = Self { is_emptied: true, ..Self::NONE };

    /// As [`Table::held`] will be, where it is this now.
    pub fn held(&self, [present, dirty]: [u32; 2]) -> [u32; 2] {
        if self.is_emptied {
            return [self.touching, self.writing];
        }
        [present | self.touching, dirty | self.writing]
    }

    /// Nothing of it is written.
    pub fn is_unwritten(&self) -> bool {
        self.written == 0
    }

    /// Where another one's records have room beside its own.
    pub fn room(&self, structures: usize) -> Option<usize> {
        let (from, end) = (self.from.into(), self.end.into());
        let behind = (end + structures <= MAX_STRUCTURES).then_some(end);
        if structures <= from { Some(0) } else { behind }
    }
}

impl<L: Layout> Table<L> {
    /// Plans the launch of the packet in a slot, after which the table holds what it did before, or
    /// not. Its structures are in `records` then, from this place on. None where the launch is not
    /// plain.
    #[inline(never)]
    pub fn plan<B: Bus>(
        &mut self,
        bus: &mut B,
        slot: usize,
        (header, scheduled): (&Header, &Scheduled),
        records: &mut Records,
        from: usize,
        is_emptied: bool,
    ) -> Option<Plan> {
        let (len, joins) =
            records.read_plain(bus, slot, (header, scheduled), &self.config, from)?;
        let mut plan = Plan {
            is_emptied,
            from: from as u8,
            end: (from + header.structures as usize) as u8,
            len: len as u8,
            ..Plan::NONE
        };
        let hulls = self.match_plain(bus, records, &mut plan)?;
        let kept = if is_emptied { 0 } else { self.len };
        let entries = kept + if is_emptied { len } else { plan.new.count_ones() as usize };
        if entries > self.config.table_entries {
            return None;
        }
        self.report.coarsenings += joins;
        self.report.hulls += hulls;
        self.report.entries = entries as u32;
        Some(plan)
    }

    /// Finds the one entry under each record. None where there are several, or one under several
    /// records, or one that is not what such launches leave. Gives the number of ranges that will
    /// grow to a hull.
    #[inline(always)]
    fn match_plain<B: Bus>(
        &self,
        bus: &mut B,
        records: &mut Records,
        plan: &mut Plan,
    ) -> Option<u32> {
        let mut hulls = 0;
        // One past the last entry that is matched, by order.
        let mut end = 0;
        for at in 0..usize::from(plan.len) {
            let asked = records.reach(plan.from.into(), at);
            let record = records.planned_mut(plan.from.into(), at);
            plan.touching |= record.vector.0;
            plan.writing |= if record.write { record.vector.0 } else { 0 };
            let place = self.place(|entry| entry.last < asked.first);
            let overlaps =
                |place| place < self.len && self.extent(self.slot_at(place)).first <= asked.last;
            if !overlaps(place) {
                plan.new |= 1 << at;
                continue;
            }
            let slot = self.slot_at(place);
            if place < end || overlaps(place + 1) || self.base(slot) != record.base {
                return None;
            }
            if !plan.is_emptied {
                let (vector, mixed, _) = self.states(bus, slot);
                if mixed || vector.stale_bits() != 0 {
                    return None;
                }
                hulls += self.join_ranges(bus, slot, record);
            }
            record.slot = Some(slot as u8);
            end = place + 1;
        }
        Some(hulls)
    }

    /// Extends a record's ranges to those of its entry, and marks those of the entry that will
    /// grow, by bit `2i + 1` of its vector. Gives the number of those that will be a hull.
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

    /// From now on the table has the entry of the next record of this plan, where it is and how far
    /// it reaches; its words follow. What of another plan is not written is left out where this one
    /// empties the table, and must not be where it does not. None where all are adopted.
    #[inline(never)]
    pub fn adopt(&mut self, records: &mut Records, plan: &mut Plan) -> Option<usize> {
        let at = plan.adopted;
        if at == 0 && plan.is_emptied {
            self.gone.include(&self.occupied);
            self.occupied = Bitmap::EMPTY;
            self.len = 0;
        }
        if at == plan.len {
            return None;
        }
        plan.adopted += 1;
        let extent = records.reach(plan.from.into(), at.into());
        let record = records.planned_mut(plan.from.into(), at.into());
        let slot = match record.slot {
            Some(slot) if !plan.is_emptied => {
                self.extend(slot.into(), &extent);
                slot.into()
            }
            _ => {
                let slot = if plan.is_emptied { at.into() } else { self.occupied.lowest_free() };
                self.enter(slot, record.base, Some(extent), true);
                self.gone.remove(slot);
                record.slot = Some(slot as u8);
                slot
            }
        };
        self.follow(slot as u8);
        Some(slot)
    }

    /// Writes an entry of what is planned and adopted, or frees one. False where all is written.
    #[inline(never)]
    pub fn carry_on<B: Bus>(&mut self, bus: &mut B, records: &Records, plan: &mut Plan) -> bool {
        if let Some(slot) = self.gone.lowest() {
            self.gone.remove(slot);
            self.clear(bus, slot);
            return true;
        }
        let at = plan.written;
        if at == plan.len {
            return false;
        }
        plan.written += 1;
        let record = records.planned(plan.from.into(), at.into());
        let Some(slot) = record.slot.map(usize::from) else { return true };
        let touched = record.vector.0 & LOW;
        let extent = self.extent(slot);
        let writes = record.write && !plan.is_clean;
        let fits = shadow::fits(record.base, extent.last, self.config.line_shift);
        if plan.is_emptied || plan.new >> at & 1 == 1 {
            self.write(bus, slot, record, fits, false);
            let vector = Vector(0).accessed(touched, writes);
            self.set_states(bus, slot, vector, false, record.write);
            return true;
        }
        let grown = record.vector.0 >> 1 & LOW;
        for i in (0..self.config.chiplets).filter(|i| grown >> (2 * i) & 1 == 1) {
            self.set_range(bus, slot, i, (record.first[i], record.last[i]), fits);
        }
        let vector = self.states(bus, slot).0.accessed(touched, record.write);
        self.set_states(bus, slot, vector, false, record.write);
        true
    }
}
