//! The table of stores and atomics in flight (specification 4, STQ).

use std::hash::{Hash, Hasher};

use crate::state::State;

/// An entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Store {
    pub warp: u8,
    pub id: u8,
    pub line: u64,
    /// G-TSC: the store has locked its line.
    pub lock: bool,
    /// G-TSC: a flush came after the store.
    pub stale: bool,
}

/// The table.
#[derive(Clone, Debug)]
pub(super) struct Stores {
    stores: Box<[Store]>,
    /// Bit e: entry e is in use.
    valid: u64,
}

/// Entries in use.
impl Hash for Stores {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.valid.hash(hasher);
        self.all().filter(|(valid, _)| *valid).for_each(|(_, store)| store.hash(hasher));
    }
}

impl Stores {
    pub fn new(stores: u32) -> Self {
        Self { stores: vec![Store::default(); stores as usize].into(), valid: 0 }
    }

    /// The lowest free entry.
    pub fn free(&self) -> Option<usize> {
        let entry = self.valid.trailing_ones() as usize;
        (entry < self.stores.len()).then_some(entry)
    }

    /// Allocates a free entry; returns its `id` on the bus.
    pub fn allocate(&mut self, entry: usize, store: Store) -> u8 {
        self.stores[entry] = store;
        self.valid |= 1 << entry;
        0x80 | entry as u8
    }

    /// The store of an acknowledgement's `id`.
    pub fn get(&self, id: u8) -> Option<Store> {
        let entry = usize::from(id & 0x3f);
        let found = id >> 6 == 0b10 && self.valid >> entry & 1 == 1;
        found.then(|| self.stores[entry])
    }

    /// Frees the entry of an `id`.
    pub fn release(&mut self, id: u8) {
        self.valid &= !(1 << (id & 0x3f));
    }

    /// A flush makes all entries stale.
    pub fn mark_flush(&mut self) {
        self.stores.iter_mut().for_each(|store| store.stale = true);
    }

    /// Each entry, and whether it is in use.
    fn all(&self) -> impl Iterator<Item = (bool, &Store)> {
        self.stores.iter().enumerate().map(|(entry, store)| (self.valid >> entry & 1 == 1, store))
    }

    /// The registers.
    pub fn show_state(&self, state: &mut State, is_gtsc: bool, line_w: u32) {
        state.flags("valid", self.all().map(|(valid, _)| valid));
        for (entry, (valid, store)) in self.all().enumerate() {
            let Store { warp, id, line, lock, stale } = *store;
            state.bits_while(valid, &format!("warp[{entry}]"), 6, warp);
            state.bits_while(valid, &format!("id[{entry}]"), 8, id);
            if is_gtsc {
                state.bits_while(valid, &format!("line[{entry}]"), line_w, line);
                // A flush clears the RTL's `lock_q`, which has no stale flag.
                state.bits_while(valid, &format!("holds[{entry}]"), 1, u8::from(lock && !stale));
            }
        }
    }
}
