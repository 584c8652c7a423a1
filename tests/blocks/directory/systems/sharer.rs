//! The L2 of a GPU as far as it caches lines of other homes: two banks, write-through, no
//! acknowledgements.

use std::collections::VecDeque;

use crate::directory::systems::messages::Message;
use crate::directory::systems::words::{Data, FULL, WORDS, Word, Write, words};

/// Banks of an L2; even lines are in one, odd ones in the other.
pub const BANKS: usize = 2;

/// A read that its home has not answered yet.
#[derive(Debug, Default)]
struct Pending {
    /// What has been written here meanwhile (rule 4).
    merged: [Option<Write>; WORDS],
    waiters: Vec<(usize, Word)>,
}

/// What a read finds.
pub enum Lookup {
    Hit(Write),
    /// The line is already on its way.
    Waits,
    /// The home must be asked.
    Miss,
}

/// What a write finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    Hit,
    Merged,
    /// Without a read, since it wrote all bytes (rule 5).
    Allocated,
    Passed,
}

/// What a message does to a GPU.
pub enum Applied {
    /// The readers that waited for the line.
    Filled(Vec<(usize, Word, Write)>),
    /// Whether there was a copy.
    Invalidated(bool),
    Replied,
    /// A marker goes back to its home.
    Marker {
        home: usize,
        thread: usize,
    },
    /// Other banks have yet to see the marker.
    Part,
}

pub struct Sharer {
    copies: Vec<Option<Data>>,
    pending: Vec<Option<Pending>>,
    /// By home: its messages on their way.
    pub channels: Vec<VecDeque<Message>>,
    pub banks: [VecDeque<Message>; BANKS],
    /// Markers that some bank has yet to see: home, thread, banks.
    markers: Vec<(usize, usize, usize)>,
}

impl Sharer {
    pub fn new(lines: usize, homes: usize) -> Self {
        Self {
            copies: vec![None; lines],
            pending: (0..lines).map(|_| None).collect(),
            channels: vec![VecDeque::new(); homes],
            banks: Default::default(),
            markers: Vec::new(),
        }
    }

    pub fn copy(&self, line: usize) -> Option<&Data> {
        self.copies[line].as_ref()
    }

    /// Nothing is on its way.
    pub fn is_quiet(&self) -> bool {
        let mut queues = self.channels.iter().chain(&self.banks);
        queues.all(VecDeque::is_empty) && self.pending.iter().all(Option::is_none)
    }

    pub fn read(&mut self, thread: usize, word: Word) -> Lookup {
        let line = word.line();
        if let Some(copy) = &self.copies[line] {
            return Lookup::Hit(copy[word.at()]);
        }
        let waits = self.pending[line].is_some();
        self.pending[line].get_or_insert_default().waiters.push((thread, word));
        if waits { Lookup::Waits } else { Lookup::Miss }
    }

    /// The write also goes to the home. `merges` is false in a system that breaks rule 4.
    pub fn write(&mut self, line: usize, mask: u8, write: Write, merges: bool) -> Stored {
        if let Some(copy) = &mut self.copies[line] {
            words(line, mask).for_each(|word| copy[word.at()] = write);
            Stored::Hit
        } else if let Some(pending) = &mut self.pending[line] {
            if merges {
                words(line, mask).for_each(|word| pending.merged[word.at()] = Some(write));
            }
            Stored::Merged
        } else if mask == FULL {
            self.copies[line] = Some([write; WORDS]);
            Stored::Allocated
        } else {
            Stored::Passed
        }
    }

    /// Drops a clean copy silently. Returns whether there was one.
    pub fn drop_copy(&mut self, line: usize) -> bool {
        self.copies[line].take().is_some()
    }

    /// A message comes out of the channel of its home.
    pub fn arrive(&mut self, message: Message) {
        match (message.line(), message) {
            (Some(line), _) => self.banks[line % BANKS].push_back(message),
            (None, Message::Marker { home, thread }) => {
                self.banks.iter_mut().for_each(|bank| bank.push_back(message));
                self.markers.push((home, thread, BANKS));
            }
            _ => unreachable!("only a marker has no line"),
        }
    }

    /// A bank applies a message.
    pub fn apply(&mut self, message: &Message) -> Applied {
        match *message {
            Message::Fill { line, data } => Applied::Filled(self.fill(line, data)),
            Message::Inv { line } => Applied::Invalidated(self.drop_copy(line)),
            Message::Reply { .. } => Applied::Replied,
            Message::Marker { home, thread } => {
                let mut markers = self.markers.iter_mut();
                let at = markers.position(|marker| (marker.0, marker.1) == (home, thread));
                let at = at.expect("the marker was noted when it arrived");
                self.markers[at].2 -= 1;
                if self.markers[at].2 > 0 {
                    return Applied::Part;
                }
                self.markers.swap_remove(at);
                Applied::Marker { home, thread }
            }
        }
    }

    fn fill(&mut self, line: usize, mut data: Data) -> Vec<(usize, Word, Write)> {
        let pending = self.pending[line].take().expect("a fill was asked for");
        for (word, merged) in data.iter_mut().zip(pending.merged) {
            *word = merged.unwrap_or(*word);
        }
        self.copies[line] = Some(data);
        pending.waiters.iter().map(|&(thread, word)| (thread, word, data[word.at()])).collect()
    }
}
