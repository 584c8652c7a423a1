//! The table of stores and atomics under way (specification 4, STQ).

use std::hash::{Hash, Hasher};

/// What an L1 keeps of each is its own affair.
#[derive(Clone, Debug)]
pub(crate) struct Stores<S> {
    stores: Box<[S]>,
    /// Bit e: entry e is under way.
    valid: u64,
}

/// Those that are under way.
impl<S: Copy + Default + Hash> Hash for Stores<S> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.valid.hash(hasher);
        self.all().filter(|(valid, _)| *valid).for_each(|(_, store)| store.hash(hasher));
    }
}

impl<S: Copy + Default> Stores<S> {
    pub fn new(stores: u32) -> Self {
        Self { stores: vec![S::default(); stores as usize].into(), valid: 0 }
    }

    /// The lowest free entry.
    pub fn free(&self) -> Option<usize> {
        let entry = self.valid.trailing_ones() as usize;
        (entry < self.stores.len()).then_some(entry)
    }

    /// A free entry is taken; returns what it is called on the bus.
    pub fn put(&mut self, entry: usize, store: S) -> u8 {
        self.stores[entry] = store;
        self.valid |= 1 << entry;
        0x80 | entry as u8
    }

    /// What an acknowledgement is for; its entry becomes free.
    pub fn take(&mut self, id: u8) -> Option<S> {
        let entry = usize::from(id & 0x3f);
        let found = id >> 6 == 0b10 && self.valid >> entry & 1 == 1;
        self.valid &= !(u64::from(found) << entry);
        found.then(|| self.stores[entry])
    }

    /// All entries, free ones too.
    pub fn all_mut(&mut self) -> impl Iterator<Item = &mut S> {
        self.stores.iter_mut()
    }

    /// Each entry, and whether it is under way.
    pub fn all(&self) -> impl Iterator<Item = (bool, &S)> {
        self.stores.iter().enumerate().map(|(entry, store)| (self.valid >> entry & 1 == 1, store))
    }
}
