//! A load or store, word by word, where it does not lie in one memory alone.

use ports::cpelide::types::map;

use super::core::Access;
use super::mailbox::Mailbox;
use super::memory::Memory;

/// What a word access is to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// A memory, in which it is done at once; cycles to the answer.
    Memory(u32),
    /// Offset in the slots.
    Slots(u32),
    /// Offset in the mailbox.
    Mailbox(u32),
    /// Nothing that can be accessed so: the core halts.
    Halt,
}

/// The word access under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Transfer {
    access: Access,
    /// 0, or 1 in the second word.
    word: u32,
    /// The words loaded so far.
    loaded: u64,
}

impl Transfer {
    /// The first word of a load or store.
    pub fn new(access: Access) -> Self {
        Self { access, word: 0, loaded: 0 }
    }

    /// Address of the word.
    fn word_addr(&self) -> u32 {
        (self.access.addr & !3).wrapping_add(4 * self.word)
    }

    /// The bytes of this word that belong to the access: the first's address, and how many.
    fn part(&self) -> (u32, u32) {
        let Access { addr, bytes, .. } = self.access;
        let first = bytes.min(4 - (addr & 3));
        if self.word == 0 { (addr, first) } else { (self.word_addr(), bytes - first) }
    }

    /// What is stored into this word, from its lowest byte of [`Transfer::part`] on.
    pub fn stored(&self) -> Option<u32> {
        let value = u64::from(self.access.store?);
        let done = if self.word == 0 { 0 } else { 4 - (self.access.addr & 3) };
        Some((value >> (8 * done)) as u32)
    }

    /// Does the access, if it is to a memory.
    pub fn target(&mut self, memory: &mut Memory) -> Target {
        let (addr, count) = self.part();
        let cycles = match self.stored() {
            Some(value) => memory.store(addr, count, value),
            None => memory.load(self.word_addr(), 4).map(|(value, cycles)| {
                self.answer(value);
                cycles
            }),
        };
        if let Some(cycles) = cycles {
            return Target::Memory(cycles);
        }
        let within = |(first, bytes): (u32, u32)| {
            let offset = self.word_addr().wrapping_sub(first);
            (offset < bytes).then_some(offset)
        };
        let store = self.access.store.is_some();
        match (within(map::SLOTS), within(map::MAILBOX)) {
            (Some(offset), _) if !store => Target::Slots(offset),
            (_, Some(offset)) if Mailbox::allows(offset, store) && (!store || count == 4) => {
                Target::Mailbox(offset)
            }
            _ => Target::Halt,
        }
    }

    /// The word is loaded.
    pub fn answer(&mut self, value: u32) {
        self.loaded |= u64::from(value) << (32 * self.word);
    }

    /// The next word, if there is one.
    pub fn next(self) -> Option<Self> {
        let crosses = (self.access.addr & 3) + self.access.bytes > 4;
        (self.word == 0 && crosses).then_some(Self { word: 1, ..self })
    }

    /// What the load has loaded, in the low bytes.
    pub fn value(&self) -> u32 {
        (self.loaded >> (8 * (self.access.addr & 3))) as u32
    }
}
