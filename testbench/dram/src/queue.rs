//! Requests of one kind in order of age, with the banks that they wait for.

/// A queued request.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The request's.
    pub id: u64,
    /// Cycle in which it was queued.
    pub since: u64,
    /// Its bank, an index of the channel's.
    pub bank: usize,
    /// Its row.
    pub row: u32,
    /// Its column.
    pub column: u32,
}

/// A bounded queue. Masks have a bit for each bank.
#[derive(Clone, Debug)]
pub struct Queue {
    entries: Vec<Entry>,
    size: usize,
    /// Of each bank: entries, and those whose row is open.
    counts: Vec<[u32; 2]>,
    /// Banks with entries.
    pub waiting: u64,
    /// Banks with entries whose row is open.
    pub hits: u64,
}

impl Queue {
    /// An empty queue of so many entries, for so many banks.
    pub fn new(size: u32, banks: usize) -> Self {
        let size = size as usize;
        let (entries, counts) = (Vec::with_capacity(size), vec![[0; 2]; banks]);
        Self { entries, size, counts, waiting: 0, hits: 0 }
    }

    /// Entries in use.
    pub fn used(&self) -> u32 {
        self.entries.len() as u32
    }

    /// All entries are in use.
    pub fn is_full(&self) -> bool {
        self.entries.len() == self.size
    }

    /// The oldest entry.
    pub fn oldest(&self) -> Option<Entry> {
        self.entries.first().copied()
    }

    /// The oldest entry that waits for one of these banks.
    pub fn oldest_of(&self, banks: u64) -> Option<Entry> {
        self.entries.iter().find(|entry| banks >> entry.bank & 1 == 1).copied()
    }

    /// Adds an entry, which hits if its row is open.
    pub fn push(&mut self, entry: Entry, hit: bool) {
        let counts = &mut self.counts[entry.bank];
        counts[0] += 1;
        counts[1] += u32::from(hit);
        self.waiting |= 1 << entry.bank;
        self.hits |= u64::from(hit) << entry.bank;
        self.entries.push(entry);
    }

    /// Removes the oldest hit of one of these banks, given their open rows.
    pub fn take(&mut self, banks: u64, row: impl Fn(usize) -> u32) -> Option<Entry> {
        let hit = |entry: &Entry| banks >> entry.bank & 1 == 1 && row(entry.bank) == entry.row;
        let entry = self.entries.remove(self.entries.iter().position(hit)?);
        let counts = &mut self.counts[entry.bank];
        *counts = counts.map(|count| count - 1);
        self.waiting &= !(u64::from(counts[0] == 0) << entry.bank);
        self.hits &= !(u64::from(counts[1] == 0) << entry.bank);
        Some(entry)
    }

    /// A row was opened.
    pub fn opened(&mut self, bank: usize, row: u32) {
        let hits = self.entries.iter().filter(|entry| entry.bank == bank && entry.row == row);
        self.counts[bank][1] = hits.count() as u32;
        self.hits |= u64::from(self.counts[bank][1] > 0) << bank;
    }

    /// A bank's row was closed.
    pub fn closed(&mut self, bank: usize) {
        self.counts[bank][1] = 0;
        self.hits &= !(1 << bank);
    }
}
