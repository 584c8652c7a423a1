//! The L2: flat memory, and the order of all that happens to each word. Messages to and from it
//! take any time, and pass each other.

use std::collections::BTreeMap;

use super::l1::{Line, WORDS};

/// What happens at the L2, or arrives from it.
#[derive(Clone, Copy, Debug)]
pub enum Event {
    /// A load of a line.
    Read { cu: usize, id: u8, line: usize },
    /// Its response.
    Fill { cu: usize, id: u8, line: usize, data: Line },
    /// A store or an atomic.
    Write { cu: usize, slot: u8, store: Sent },
    /// Its acknowledgement.
    Ack { cu: usize, slot: u8 },
    /// Its result.
    Result { cu: usize, slot: u8 },
    /// The host writes a word.
    Host { word: usize },
    /// All L1s are invalidated.
    Flash,
}

/// A store on its way: whose it is, its word, and its number among the stores of the word.
#[derive(Clone, Copy, Debug)]
pub struct Sent {
    pub wave: usize,
    pub op: usize,
    pub word: usize,
    pub number: usize,
    pub atomic: bool,
}

/// A store: when it was acknowledged, and its place in the order.
#[derive(Clone, Copy, Debug, Default)]
pub struct Written {
    pub acked: Option<u64>,
    pub place: Option<u32>,
}

#[derive(Default)]
struct Word {
    /// Cycles since when it has been what.
    since: Vec<u64>,
    stores: Vec<Written>,
}

pub struct L2 {
    words: Vec<Word>,
    events: BTreeMap<(u64, u64, u32), Event>,
    sent: u32,
    /// Stores on their way.
    writes: u32,
    /// By line: the host has written to it, behind this cycle first, and no flash has followed.
    open: Vec<Option<u64>>,
}

impl L2 {
    pub fn new(lines: usize) -> Self {
        let word = |_| Word { since: vec![0], stores: Vec::new() };
        Self {
            words: (0..lines * WORDS).map(word).collect(),
            events: BTreeMap::new(),
            sent: 0,
            writes: 0,
            open: vec![None; lines],
        }
    }

    /// Sends a message; `tie` orders those of one cycle.
    pub fn send(&mut self, at: u64, tie: u64, event: Event) {
        self.sent += 1;
        self.writes += u32::from(matches!(event, Event::Write { .. }));
        self.events.insert((at, tie, self.sent), event);
    }

    /// The next message of this cycle.
    pub fn next(&mut self, now: u64) -> Option<Event> {
        let first = self.events.first_entry()?;
        let event = (first.key().0 <= now).then(|| first.remove());
        self.writes -= u32::from(matches!(event, Some(Event::Write { .. })));
        event
    }

    /// No store is on its way.
    pub fn is_quiet(&self) -> bool {
        self.writes == 0
    }

    /// The place in the order of what a word is now.
    pub fn place(&self, word: usize) -> u32 {
        self.words[word].since.len() as u32 - 1
    }

    pub fn line(&self, line: usize) -> Line {
        std::array::from_fn(|k| self.place(WORDS * line + k))
    }

    /// Writes a word; returns its place.
    pub fn write(&mut self, word: usize, now: u64) -> u32 {
        self.words[word].since.push(now);
        self.place(word)
    }

    pub fn open(&self, line: usize) -> Option<u64> {
        self.open[line]
    }

    pub fn host_writes(&mut self, word: usize, now: u64) {
        self.write(word, now);
        self.open[word / WORDS].get_or_insert(now.saturating_sub(1));
    }

    pub fn flash(&mut self) {
        self.open.fill(None);
    }

    /// A store of a word is issued by its wave; returns its number among those of the word.
    pub fn issued(&mut self, word: usize) -> usize {
        self.words[word].stores.push(Written::default());
        self.words[word].stores.len() - 1
    }

    pub fn written(&mut self, word: usize, store: usize) -> &mut Written {
        &mut self.words[word].stores[store]
    }

    /// The word was this at some time from `from` on.
    pub fn held_since(&self, word: usize, place: u32, from: u64) -> bool {
        let until = self.words[word].since.get(place as usize + 1);
        until.is_none_or(|&until| until > from)
    }

    /// No store that was acknowledged before `issued` comes behind `place`, or is yet to come.
    pub fn follows_acked(&self, word: usize, place: u32, issued: u64) -> bool {
        let mut acked = self.words[word].stores.iter();
        acked.all(|store| {
            store.acked.is_none_or(|at| at > issued) || store.place.is_some_and(|p| p <= place)
        })
    }
}
