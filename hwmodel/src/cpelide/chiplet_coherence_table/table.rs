//! The table: entries in slots, and its memory image (sections 4 and 5.8).

use super::coarsen::Extent;
use super::entry::{Entry, Record, TooLong};
use super::lines::Lines;
use super::masks::Masks;
use super::parameters::PAGE;
use super::reasons::Pair;
use super::running::Running;
use super::transition::{self, Mode, State};
use super::weakness::{Rules, Weakness};

/// An entry in its place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Row {
    /// The slot. `None` within a launch that has made the entry and not yet placed it.
    pub slot: Option<usize>,
    /// The entry.
    pub entry: Entry,
    /// Tags of the running kernels that touch it: the entry bitmaps of section 5.5, seen from the
    /// entry.
    pub users: Vec<u8>,
}

impl Row {
    /// The chiplets i whose pair (entry, i) is in use by a running kernel (section 5.5): all that
    /// its user was scheduled on.
    pub fn chiplets_in_use(&self, running: &Running) -> u16 {
        self.users.iter().fold(0, |mask, &tag| mask | running.chiplets_of(tag))
    }

    /// The same, by chiplet.
    pub fn in_use(&self, running: &Running) -> Vec<bool> {
        let chiplets = self.chiplets_in_use(running);
        (0..self.entry.states.len()).map(|i| chiplets >> i & 1 == 1).collect()
    }
}

impl Extent for Row {
    fn extent(&self) -> Lines {
        self.entry.extent()
    }

    /// The lower slot stays (section 5.8); the users of both use it (section 5.5).
    fn join(&self, other: &Self, rules: &Rules) -> Result<Self, TooLong> {
        let slots = || self.slot.into_iter().chain(other.slot);
        let mut users = self.users.clone();
        users.extend(other.users.iter().filter(|tag| !self.users.contains(tag)));
        if !rules.keep(Weakness::JoinForgetsUsers) {
            users.clone_from(if slots().min() == self.slot { &self.users } else { &other.users });
        }
        let mut entry = self.entry.join(&other.entry, &rules.parameters)?;
        entry.mixed &= rules.keep(Weakness::NeverMixed);
        Ok(Self { slot: slots().min(), entry, users })
    }
}

impl Extent for Record {
    fn extent(&self) -> Lines {
        self.extent()
    }

    fn join(&self, other: &Self, rules: &Rules) -> Result<Self, TooLong> {
        self.join(other, &rules.parameters)
    }
}

/// The table: its rows in address order. Extents are disjoint; no entry is absent.
#[derive(Clone, Debug, Default, Hash)]
pub struct Table {
    /// The rows.
    pub rows: Vec<Row>,
}

/// The states of entries that an L2 may hold something of.
pub const PRESENT: [State; 3] = [State::Valid, State::Dirty, State::Stale];

/// First and last line of an NP range in the memory image (section 5.8).
const EMPTY: [u32; 2] = [0x0fff_ffff, 0];
const MIXED: u32 = 1 << 30;
const READ_WRITE: u32 = 1 << 31;

impl Table {
    /// A kernel has ended.
    pub fn forget_user(&mut self, tag: u8) {
        for row in &mut self.rows {
            row.users.retain(|&user| user != tag);
        }
    }

    /// Each entry at each chiplet where it is in one of these states.
    pub fn pairs(&self, states: &[State], running: &Running) -> Vec<(u8, Pair)> {
        let of_row = |row: &Row| {
            let (lines, used) = (row.extent(), row.chiplets_in_use(running));
            let held = (0..).zip(row.entry.states.clone());
            held.map(move |(i, state)| (i, Pair { lines, state, in_use: used >> i & 1 == 1 }))
        };
        let all = self.rows.iter().flat_map(of_row);
        all.filter(|(_, pair)| states.contains(&pair.state)).collect()
    }

    /// What operations on L2s mean for all entries (specification, section 5.3). They are on whole
    /// L2s, so they change every entry, but for pairs in use: their
    /// kernel can fill or dirty the L2 again (section 5.5). Entries that are then absent are
    /// removed.
    pub fn take(&mut self, masks: Masks, running: &Running, rules: &Rules) {
        for row in &mut self.rows {
            for (i, in_use) in row.in_use(running).into_iter().enumerate() {
                let state = &mut row.entry.states[i];
                if masks.release >> i & 1 == 1
                    && !(in_use && rules.keep(Weakness::ReleaseTakesPairsInUse))
                {
                    let wrong =
                        *state == State::Dirty && !rules.keep(Weakness::NotPresentAfterRelease);
                    *state = transition::released(*state, row.entry.mixed);
                    if wrong {
                        *state = State::NotPresent;
                    }
                }
                if masks.acquire >> i & 1 == 1
                    && !(in_use && rules.keep(Weakness::AcquireTakesPairsInUse))
                {
                    *state = transition::acquired(*state);
                }
                if *state == State::NotPresent {
                    row.entry.ranges[i] = None;
                }
            }
            row.entry.settle_mixed();
        }
        self.remove_absent();
    }

    /// Removes absent entries; their slots are free.
    pub fn remove_absent(&mut self) {
        self.rows.retain(|row| !row.entry.is_absent());
    }

    /// New entries take the lowest free slots, in address order.
    pub fn assign_slots(&mut self, rules: &Rules) {
        for at in 0..self.rows.len() {
            if self.rows[at].slot.is_none() {
                let free = |slot: &usize| self.rows.iter().all(|row| row.slot != Some(*slot));
                let slot = (0..rules.parameters.table_entries).find(free);
                self.rows[at].slot = Some(slot.expect("coarsening made room"));
            }
        }
    }

    /// The entries by slot.
    pub fn entries(&self, rules: &Rules) -> Vec<Option<&Entry>> {
        let mut slots = vec![None; rules.parameters.table_entries];
        for row in &self.rows {
            slots[row.slot.expect("rows have slots between launches")] = Some(&row.entry);
        }
        slots
    }

    /// The table as it stands in the command processor's private memory.
    pub fn image(&self, rules: &Rules) -> Vec<u8> {
        let stride = stride(rules.parameters.chiplets) / 4;
        let mut words = Vec::new();
        for slot in self.entries(rules) {
            let end = words.len() + stride;
            if let Some(entry) = slot {
                write_entry(&mut words, entry, rules.parameters.line);
            }
            words.resize(end, 0);
        }
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }
}

/// Bytes of an entry in the memory image.
pub fn stride(chiplets: usize) -> usize {
    8 + 8 * chiplets + if chiplets == 16 { 4 } else { 0 }
}

fn write_entry(words: &mut Vec<u32>, entry: &Entry, line: u64) {
    let base = entry.base * (PAGE / line);
    words.push(entry.base as u32);
    for range in &entry.ranges {
        let offsets = |r: &Lines| [(r.first - base) as u32, (r.last - base) as u32];
        words.extend(range.as_ref().map_or(EMPTY, offsets));
    }
    let states = entry.states.iter().enumerate();
    let vector = states.fold(0, |vector, (i, &state)| vector | (state as u32) << (2 * i));
    let mixed = if entry.mixed { MIXED } else { 0 };
    let mode = if entry.mode == Mode::ReadWrite { READ_WRITE } else { 0 };
    if entry.states.len() == 16 {
        words.extend([vector, mixed | mode]);
    } else {
        words.push(vector | mixed | mode);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpelide::chiplet_coherence_table::parameters::Parameters;

    fn image(chiplets: usize, states: &[(usize, State)], mode: Mode, mixed: bool) -> Vec<u32> {
        let parameters = Parameters { chiplets, table_entries: 8, ..Parameters::DEFAULT };
        let mut entry = Entry {
            base: 0x1_2345,
            ranges: vec![None; chiplets],
            states: vec![State::NotPresent; chiplets],
            mode,
            mixed,
        };
        for &(i, state) in states {
            let first = 0x1_2345 * 64 + 16 * i as u64;
            entry.ranges[i] = Some(Lines { first, last: first + 15 });
            entry.states[i] = state;
        }
        let row = Row { slot: Some(1), entry, users: Vec::new() };
        let image = Table { rows: vec![row] }.image(&Rules { parameters, weakness: None });
        image.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
    }

    /// 40 bytes for each entry; the words of section 4.
    #[test]
    fn image_of_four_chiplets() {
        let states = [(1, State::Dirty), (3, State::Stale)];
        let words = image(4, &states, Mode::ReadWrite, true);
        assert_eq!(words.len(), 8 * 10);
        let np = [0x0fff_ffff, 0];
        let expected = [0x1_2345, np[0], np[1], 16, 31, np[0], np[1], 48, 63, 0xc000_00c8];
        assert_eq!(words[10..20], expected);
        assert!(words[..10].iter().chain(&words[20..]).all(|&word| word == 0), "free slots are 0");
    }

    #[test]
    fn vector_of_fifteen_chiplets_shares_its_word() {
        let words = image(15, &[(0, State::Valid), (14, State::Stale)], Mode::ReadWrite, false);
        assert_eq!(words.len(), 8 * 32);
        assert_eq!(words[63], 0xb000_0001);
    }

    #[test]
    fn vector_of_sixteen_chiplets_has_its_own() {
        let words = image(16, &[(0, State::Dirty), (15, State::Stale)], Mode::Read, true);
        assert_eq!(words.len(), 8 * 35);
        assert_eq!((words[35 + 132 / 4], words[35 + 136 / 4]), (0xc000_0002, 0x4000_0000));
    }
}
