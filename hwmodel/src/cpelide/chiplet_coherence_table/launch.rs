//! Steps 3 to 7 of a labelled launch (specification, sections 5.1, 5.8 and 5.9).

use super::coarsen::{self, Extent};
use super::counters::Counters;
use super::entry::{Entry, Record, TooLong};
use super::events;
use super::masks::Masks;
use super::reasons::{Cause, Needs};
use super::running::Running;
use super::table::{Row, Table};
use super::transition::State;
use super::weakness::{Rules, Weakness};

/// A labelled launch. It works on copies: one that turns out to be too long is conservative and
/// must not have changed anything.
pub struct Launch<'a> {
    pub rules: &'a Rules,
    /// The other kernels that run.
    pub running: &'a Running,
    /// Tag of this one.
    pub tag: u8,
    /// The table; in the end as the launch leaves it.
    pub table: Table,
    /// EVERY counts as D on all chiplets in step 6.
    pub every_is_dirty: bool,
    /// What is sent, and why: at first for EVERY or the acquire scope, in the end all.
    pub needs: Needs,
    /// At first those before it, in the end with it.
    pub counters: Counters,
}

/// A record, and the slot of the one entry that it overlaps, if there is one.
struct Touch {
    record: Record,
    slot: Option<usize>,
}

impl Launch<'_> {
    /// Runs the steps. Errors: an entry would be too long.
    pub fn run(&mut self, mut records: Vec<Record>) -> Result<(), TooLong> {
        let Self { rules, running, .. } = *self;
        coarsen::overlapping(&mut records, rules)?;
        let most = rules.parameters.max_structs;
        self.counters.coarsenings += coarsen::nearest(&mut records, most, rules)?;
        let touches = self.one_to_one(records)?;

        let dirty = self.table.pairs(&[State::Dirty], running);
        for touch in &touches {
            self.decide(touch);
        }
        if rules.keep(Weakness::NoImpliedRelease) {
            let implied = self.needs.masks.acquire & !self.needs.masks.release;
            let dirty = dirty.into_iter().filter(|(i, _)| implied >> i & 1 == 1);
            self.needs.add_pairs(Cause::Implied, dirty, (true, false));
            if self.every_is_dirty {
                self.needs.add_all(Cause::Every, Masks { release: implied, acquire: 0 });
            }
            self.counters.implied += (implied & self.needs.masks.release).count_ones();
        }

        self.table.take(self.needs.masks, running, rules);
        for touch in &touches {
            self.update(touch)?;
        }
        let most = rules.parameters.table_entries;
        coarsen::overlapping(&mut self.table.rows, rules)?;
        self.counters.coarsenings += coarsen::nearest(&mut self.table.rows, most, rules)?;
        self.table.assign_slots(rules);
        self.counters.occupancy = self.counters.occupancy.max(self.table.rows.len() as u32);
        Ok(())
    }

    /// Step 4: joins until no record overlaps two entries and no entry two records.
    fn one_to_one(&mut self, mut records: Vec<Record>) -> Result<Vec<Touch>, TooLong> {
        let rows = &mut self.table.rows;
        loop {
            let before = (rows.len(), records.len());
            for record in &records {
                coarsen::within(rows, record.extent(), self.rules)?;
            }
            for row in rows.iter() {
                coarsen::within(&mut records, row.extent(), self.rules)?;
            }
            if before == (rows.len(), records.len()) {
                break;
            }
        }
        let touch = |record: Record| {
            let row = rows.iter().find(|row| row.extent().overlaps(&record.extent()));
            Touch { slot: row.and_then(|row| row.slot), record }
        };
        Ok(records.into_iter().map(touch).collect())
    }

    /// Where the row stands that a record overlaps, as long as it is in the table.
    fn position(&self, touch: &Touch) -> Option<usize> {
        let slot = touch.slot?;
        self.table.rows.iter().position(|row| row.slot == Some(slot))
    }

    /// Step 5 for one record, and the first part of step 7: resolution of the mixed bit and remote
    /// events, on the stored states and ranges; and which operations they and the local events to
    /// come need.
    fn decide(&mut self, touch: &Touch) {
        let Touch { record, .. } = touch;
        let Some(at) = self.position(touch) else {
            let entry = Entry::absent(record);
            let in_use = vec![false; entry.states.len()];
            return events::local_needs(&entry, record, &in_use, &mut self.needs);
        };
        let row = &mut self.table.rows[at];
        let (in_use, needs) = (row.in_use(self.running), &mut self.needs);
        if row.entry.mixed {
            self.counters.resolutions += 1;
            events::resolve_mixed(&mut row.entry, record, &in_use, self.rules, needs);
        }
        events::remote(&mut row.entry, record, &in_use, self.rules, needs);
        events::local_needs(&row.entry, record, &in_use, needs);
    }

    /// The last part of step 7 for one record; a new entry where none is left. Errors: it would be
    /// too long.
    fn update(&mut self, touch: &Touch) -> Result<(), TooLong> {
        let new = || Row { slot: None, entry: Entry::absent(&touch.record), users: Vec::new() };
        let mut row = self.position(touch).map_or_else(new, |at| self.table.rows.remove(at));
        let in_use = row.in_use(self.running);
        self.counters.growths += events::local(&mut row.entry, &touch.record, &in_use, self.rules);
        row.entry.check_reach(&self.rules.parameters)?;
        row.users.push(self.tag);
        self.table.rows.push(row);
        Ok(())
    }
}
