//! Steps 4 to 7 of the launch algorithm, and releases that others see (specification 5.1, 5.6,
//! 5.8).

use crate::bitmap::Bitmap;
use crate::bus::Bus;
use crate::decide::{self, Masks};
use crate::labels::Records;
use crate::layout::Layout;
use crate::record::{MAX_LINES, Record, TooLong};
use crate::running::Running;
use crate::table::Table;
use crate::vector::{Vector, spread, squeeze, state};

/// A place in the order of entries and of records that have none yet.
#[derive(Clone, Copy)]
enum Place {
    Entry(usize),
    Record(usize),
}

impl<L: Layout> Table<L> {
    /// Decides a launch, and writes the table. `masks` holds what must be done anyway, and gets the
    /// rest. Gives the kernel's entries.
    pub fn launch<B: Bus>(
        &mut self,
        bus: &mut B,
        records: &mut Records,
        running: &mut Running,
        masks: &mut Masks,
    ) -> Result<Bitmap, TooLong> {
        let config = self.config;
        records.separate(&config)?;
        let joins = records.coarsen(config.max_structs, &config)?;
        self.refresh(bus);
        self.match_records(bus, records, running)?;
        self.report.coarsenings += joins;
        let mut resolved = 0;
        for record in &records.list[..records.len] {
            if let Some(slot) = record.slot {
                let mut entry = self.load(bus, slot.into());
                let base = entry.base.min(record.base);
                entry.rebase(base, config.chiplets, config.page_shift)?;
                let rebased = record.on_base(base, &config)?;
                let kernel = rebased.as_ref().unwrap_or(record);
                let users = running.users(slot.into());
                resolved += u32::from(decide::before(&mut entry, kernel, users, &config, masks));
            }
        }
        self.report.mixed += resolved;
        self.imply(bus, masks);
        self.update(bus, records, running, *masks)?;
        self.allocate(bus, records, running)?;
        let mut entries = Bitmap::EMPTY;
        for record in &records.list[..records.len] {
            if let Some(slot) = record.slot {
                entries.insert(slot.into());
                self.follow(slot);
            }
        }
        Ok(entries)
    }

    /// What is acquired and may be dirty is released.
    pub fn imply<B: Bus>(&mut self, bus: &mut B, masks: &mut Masks) {
        if masks.acquire & !masks.release != 0 {
            let [_, dirty] = self.held(bus).map(squeeze);
            let implied = masks.acquire & dirty & !masks.release;
            masks.release |= implied;
            self.report.implied += implied.count_ones();
        }
    }

    /// Makes the relation of records and entries one to one: records over one entry become one,
    /// then the entries under each record.
    fn match_records<B: Bus>(
        &mut self,
        bus: &mut B,
        records: &mut Records,
        running: &mut Running,
    ) -> Result<(), TooLong> {
        let config = self.config;
        if self.len == 0 {
            return Ok(());
        }
        // First and one past the last entry under each record, by order.
        let mut under = [(0u16, 0u16); 16];
        let mut at = 0;
        while at < records.len {
            under[at] = self.entries_under(records.extent(at, &config));
            let shared = at > 0 && under[at].0 < under[at - 1].1;
            if shared {
                records.join_next(at - 1, &config)?;
                at -= 1;
            } else {
                at += 1;
            }
        }
        let with_entries = |(_, under): &(&Record, &(u16, u16))| under.0 != under.1;
        for (record, &(from, to)) in
            records.list[..records.len].iter().zip(&under).filter(with_entries)
        {
            self.check_hull(bus, record, from.into(), to.into())?;
        }
        // From the last on, as a join moves what is behind it in the order.
        for (record, &(from, to)) in records.list[..records.len].iter_mut().zip(&under).rev() {
            let places = usize::from(from)..usize::from(to);
            let Some(kept) = places.clone().map(|at| self.slot_at(at)).min() else { continue };
            record.slot = Some(kept as u8);
            for at in places.rev() {
                let other = self.slot_at(at);
                if other != kept {
                    self.join_entries(bus, kept, other, running)?;
                }
            }
        }
        Ok(())
    }

    /// Entries that overlap an extent, by order.
    fn entries_under(&self, (first, last): (u64, u64)) -> (u16, u16) {
        let from = self.place(|extent| extent.last < first);
        let overlaps = |at: &usize| self.extent(self.slot_at(*at)).first <= last;
        let to = from + (from..self.len).take_while(overlaps).count();
        (from as u16, to as u16)
    }

    /// The entries of these places and a record can be joined.
    fn check_hull<B: Bus>(
        &self,
        bus: &mut B,
        record: &Record,
        from: usize,
        to: usize,
    ) -> Result<(), TooLong> {
        let shift = self.config.page_shift;
        let mut base = record.base;
        let mut last = record.extent(self.config.chiplets, shift).map_or(0, |(_, last)| last);
        for slot in (from..to).map(|at| self.slot_at(at)) {
            base = base.min(self.stored_base(bus, slot));
            last = last.max(self.extent(slot).last);
        }
        if last - (u64::from(base) << shift) < MAX_LINES { Ok(()) } else { Err(TooLong) }
    }

    /// The entry in the lower slot takes the other in.
    fn join_entries<B: Bus>(
        &mut self,
        bus: &mut B,
        a: usize,
        b: usize,
        running: &mut Running,
    ) -> Result<usize, TooLong> {
        let (kept, freed) = (a.min(b), a.max(b));
        let mut entry = self.load(bus, kept);
        let other = self.load(bus, freed);
        entry.join(&other, self.config.chiplets, self.config.page_shift)?;
        self.remove(bus, freed);
        self.store(bus, kept, &entry);
        running.moved(freed, kept);
        Ok(kept)
    }

    /// Whole-cache effects on all entries, then the kernel's events on its own. A record whose
    /// entry goes has none.
    fn update<B: Bus>(
        &mut self,
        bus: &mut B,
        records: &mut Records,
        running: &Running,
        masks: Masks,
    ) -> Result<(), TooLong> {
        let config = self.config;
        let chiplets = config.chiplets;
        let mut own = Bitmap::EMPTY;
        for record in &records.list[..records.len] {
            if let Some(slot) = record.slot {
                own.insert(slot.into());
            }
        }
        self.whole_cache(bus, running, masks, &own);
        for record in &mut records.list[..records.len] {
            let Some(slot) = record.slot else { continue };
            let mut entry = self.load(bus, slot.into());
            let base = entry.base.min(record.base);
            entry.rebase(base, chiplets, config.page_shift)?;
            let rebased = record.on_base(base, &config)?;
            let kernel = rebased.as_ref().unwrap_or(record);
            let users = running.users(slot.into());
            // What users hold dirty; only then a copy is worth its time.
            let are_at_odds = spread(users) & entry.vector.dirty_bits() != 0 && !config.home_aware;
            let dirty_users = are_at_odds.then(|| {
                let mut old = entry;
                let clean = |i: &usize| entry.vector.get(*i) != state::D;
                (0..chiplets).filter(clean).for_each(|i| old.clear(i));
                old
            });
            // They hold all that this adds.
            let mut again = masks;
            decide::before(&mut entry, kernel, users, &config, &mut again);
            decide::whole_cache(&mut entry, users, masks, chiplets);
            if entry.vector.0 == 0 {
                self.remove(bus, slot.into());
                record.slot = None;
                continue;
            }
            let hulls =
                decide::local(&mut entry, kernel, users, dirty_users.as_ref(), masks, &config);
            self.report.hulls += hulls;
            self.store(bus, slot.into(), &entry);
        }
        Ok(())
    }

    /// Effects of operations on whole caches on all entries but `own`.
    pub fn whole_cache<B: Bus>(
        &mut self,
        bus: &mut B,
        running: &Running,
        masks: Masks,
        own: &Bitmap,
    ) {
        if masks == Masks::default() {
            return;
        }
        let (release, acquire) = (spread(masks.release), spread(masks.acquire));
        let mut freed = false;
        for at in 0..self.len {
            let slot = self.slot_at(at);
            if own.contains(slot) {
                continue;
            }
            let (vector, mixed, write) = self.states(bus, slot);
            let users = running.users(slot);
            let used = if users == 0 { 0 } else { spread(users) };
            let after = vector.after(release & !used, acquire & !used, mixed);
            if after == vector {
                continue;
            }
            if after.0 == 0 {
                self.free(bus, slot);
                freed = true;
            } else if after.present_bits() == vector.present_bits() {
                self.set_states(bus, slot, after, mixed && after.dirty_bits() != 0, write);
            } else {
                let mut entry = self.load(bus, slot);
                decide::whole_cache(&mut entry, users, masks, self.config.chiplets);
                self.store(bus, slot, &entry);
            }
        }
        if freed {
            self.compact();
        }
    }

    /// Gives each record without entry one; joins neighbours where there are too many.
    fn allocate<B: Bus>(
        &mut self,
        bus: &mut B,
        records: &mut Records,
        running: &mut Running,
    ) -> Result<(), TooLong> {
        let chiplets = self.config.chiplets;
        for record in &mut records.list[..records.len] {
            if record.slot.is_none() {
                let touching = (0..chiplets).filter(|&i| record.has(i)).fold(0, |m, i| m | 1 << i);
                record.vector =
                    Vector(if record.write { state::D } else { state::V } * spread(touching));
                record.mixed = record.write && !self.config.are_apart(record);
            }
        }
        let new = |records: &Records| {
            records.list[..records.len].iter().filter(|r| r.slot.is_none()).count()
        };
        while self.len + new(records) > self.config.table_entries {
            let (a, b) = self.nearest(records);
            self.join_places(bus, records, running, a, b)?;
            self.report.coarsenings += 1;
        }
        for record in &mut records.list[..records.len] {
            if record.slot.is_none() {
                let slot = self.occupied.lowest_free();
                self.store(bus, slot, record);
                record.slot = Some(slot as u8);
            }
        }
        self.report.entries = self.len as u32;
        Ok(())
    }

    /// The neighbours with the smallest gap, the lowest of them.
    fn nearest(&self, records: &Records) -> (Place, Place) {
        let (mut entry, mut record) = (0, 0);
        let mut last: Option<(Place, u64)> = None;
        let mut best = (u64::MAX, (Place::Entry(0), Place::Entry(0)));
        loop {
            while record < records.len && records.list[record].slot.is_some() {
                record += 1;
            }
            let of_entry = (entry < self.len).then(|| self.extent(self.slot_at(entry)));
            let of_record = (record < records.len).then(|| records.extent(record, &self.config));
            let (place, first, end) = match (of_entry, of_record) {
                (None, None) => return best.1,
                (Some(e), r) if r.is_none_or(|r| e.first < r.0) => {
                    entry += 1;
                    (Place::Entry(self.slot_at(entry - 1)), e.first, e.last)
                }
                (_, r) => {
                    let (first, end) = r.unwrap_or_default();
                    record += 1;
                    (Place::Record(record - 1), first, end)
                }
            };
            if let Some((before, end)) = last
                && first - end < best.0
            {
                best = (first - end, (before, place));
            }
            last = Some((place, end));
        }
    }

    fn join_places<B: Bus>(
        &mut self,
        bus: &mut B,
        records: &mut Records,
        running: &mut Running,
        a: Place,
        b: Place,
    ) -> Result<(), TooLong> {
        let (chiplets, shift) = (self.config.chiplets, self.config.page_shift);
        match (a, b) {
            (Place::Entry(a), Place::Entry(b)) => {
                let kept = self.join_entries(bus, a, b, running)?;
                for record in &mut records.list[..records.len] {
                    if record.slot.is_some_and(|slot| [a, b].contains(&slot.into())) {
                        record.slot = Some(kept as u8);
                    }
                }
            }
            (Place::Entry(slot), Place::Record(at)) | (Place::Record(at), Place::Entry(slot)) => {
                let mut entry = self.load(bus, slot);
                entry.join(&records.list[at], chiplets, shift)?;
                self.store(bus, slot, &entry);
                records.list[at].slot = Some(slot as u8);
            }
            (Place::Record(a), Place::Record(b)) => {
                let other = records.list[b];
                records.list[a].join(&other, chiplets, shift)?;
                records.remove(b);
            }
        }
        Ok(())
    }

    /// Bit `2i` for each chiplet with any line, with dirty lines of any entry.
    #[inline(never)]
    pub fn held<B: Bus>(&self, bus: &mut B) -> [u32; 2] {
        let (mut present, mut dirty) = (0, 0);
        for at in 0..self.len {
            let vector = self.states(bus, self.slot_at(at)).0;
            present |= vector.present_bits();
            dirty |= vector.dirty_bits();
        }
        [present, dirty]
    }

    /// Removes what no running kernel uses.
    pub fn forget<B: Bus>(&mut self, bus: &mut B, running: &Running) {
        self.whole_cache(bus, running, self.config.everything(), &Bitmap::EMPTY);
    }
}
