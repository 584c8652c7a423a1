//! What a decision ahead has overwritten of the table (specification 5.10), for it to be taken
//! back: a list of entries in the private memory.

use crate::bitmap::Bitmap;
use crate::bus::Bus;
use crate::layout::Layout;
use crate::map::PRIVATE_BYTES;
use crate::record::Record;
use crate::table::Table;

/// Word of the private memory where it begins: behind the largest table.
const FIRST: u32 = 0xc000 / 4;
/// Words.
const WORDS: u32 = PRIVATE_BYTES / 4 - FIRST;

/// What was overwritten of a slot: nothing, as it was free; the words of its states; all of it.
const FREE: u32 = 0;
const STATES: u32 = 1;
const WHOLE: u32 = 2;

/// The list. Each item is a word with the slot and what follows.
#[derive(Debug)]
pub struct Journal {
    /// Something is decided ahead.
    is_open: bool,
    /// Something had no room.
    is_full: bool,
    /// Words in use.
    len: u32,
    /// Slots whose states, and of which all, are in the list.
    states: Bitmap,
    whole: Bitmap,
}

impl Journal {
    /// Empty.
    pub const NEW: Self = Self {
        is_open: false,
        is_full: false,
        len: 0,
        states: Bitmap::EMPTY,
        whole: Bitmap::EMPTY,
    };
}

impl<L: Layout> Table<L> {
    /// From now on what is overwritten is kept.
    pub fn open_journal(&mut self) {
        self.journal = Journal { is_open: true, ..Journal::NEW };
    }

    /// Keeps no more. False where not all could be kept.
    pub fn close_journal(&mut self) -> bool {
        self.journal.is_open = false;
        !self.journal.is_full
    }

    /// Before the states of a slot are overwritten.
    #[inline(always)]
    pub fn keep_states<B: Bus>(&mut self, bus: &mut B, slot: usize) {
        if self.journal.is_open {
            self.keep(bus, slot, STATES);
        }
    }

    /// Before anything of a slot is.
    #[inline(always)]
    pub fn keep_entry<B: Bus>(&mut self, bus: &mut B, slot: usize) {
        if self.journal.is_open {
            self.keep(bus, slot, WHOLE);
        }
    }

    #[inline(never)]
    fn keep<B: Bus>(&mut self, bus: &mut B, slot: usize, what: u32) {
        let is_new = !self.journal.whole.contains(slot)
            && (what == WHOLE || !self.journal.states.contains(slot));
        if !is_new {
            return;
        }
        let what = if self.occupied.contains(slot) { what } else { FREE };
        let (at, words) = self.kept_words(what);
        if self.journal.len + 1 + words > WORDS {
            self.journal.is_full = true;
            return;
        }
        let kept = if what == STATES { &mut self.journal.states } else { &mut self.journal.whole };
        kept.insert(slot);
        let item = FIRST + self.journal.len;
        bus.set_private(item, slot as u32 | what << 8);
        let entry = (slot * self.config.stride) as u32;
        for word in 0..words {
            let value = bus.private(entry + at + word);
            bus.set_private(item + 1 + word, value);
        }
        self.journal.len += 1 + words;
    }

    /// First word and number of words of an entry that an item holds.
    fn kept_words(&self, what: u32) -> (u32, u32) {
        let stride = self.config.stride as u32;
        match what {
            FREE => (0, 0),
            STATES => (self.vector_words().0 as u32, stride - self.vector_words().0 as u32),
            _ => (0, stride),
        }
    }

    /// Makes the table what it was when the journal was opened.
    #[inline(never)]
    pub fn take_back<B: Bus>(&mut self, bus: &mut B) {
        self.journal.is_open = false;
        // The places of entries come first: what was there before may overlap what is there now.
        // States come last: those that were overwritten before the rest are the older ones.
        for pass in [FREE, WHOLE, STATES] {
            let mut item = FIRST;
            while item < FIRST + self.journal.len {
                let word = bus.private(item);
                let (slot, what) = ((word & 0xff) as usize, word >> 8);
                match pass {
                    FREE if what != STATES && self.occupied.contains(slot) => self.free(bus, slot),
                    WHOLE if what == WHOLE => self.put_back(bus, slot, item + 1),
                    STATES if what == STATES => {
                        let (_, words) = self.kept_words(STATES);
                        let words = [item + 1, item + words].map(|word| bus.private(word));
                        let (vector, mixed, write) = self.decode_states(words);
                        self.set_states(bus, slot, vector, mixed, write);
                    }
                    _ => {}
                }
                item += 1 + self.kept_words(what).1;
            }
            if pass == FREE {
                self.compact();
            }
        }
    }

    /// Writes an entry of which all words were kept from here on.
    fn put_back<B: Bus>(&mut self, bus: &mut B, slot: usize, from: u32) {
        let mut record = Record { base: bus.private(from), ..Record::ZERO };
        for i in 0..self.config.chiplets {
            let at = from + 1 + 2 * i as u32;
            (record.first[i], record.last[i]) = (bus.private(at), bus.private(at + 1));
        }
        let (vector, flags) = self.vector_words();
        let words = [vector, flags].map(|word| bus.private(from + word as u32));
        (record.vector, record.mixed, record.write) = self.decode_states(words);
        self.store(bus, slot, &record);
    }
}
