//! One link: messages in order, each with the cycle from which on it may be delivered.

use ports::cpelide::types::Message;

use crate::common::fifo::Fifo;

/// Places of the ring, more than any link holds: 255 + 1.
const RING: usize = 256;

/// Messages in flight, oldest first.
#[derive(Clone, Debug)]
pub(super) struct Link {
    queue: Box<Fifo<(u64, Message), RING>>,
    depth: usize,
}

impl Link {
    /// An empty link for `depth` (at most 256) messages.
    pub fn new(depth: usize) -> Self {
        Self { queue: Box::default(), depth }
    }

    pub fn is_full(&self) -> bool {
        self.queue.len() == self.depth
    }

    /// Messages held.
    pub fn len(&self) -> usize {
        self.queue.len()
    }

    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// The oldest message, if there is one and cycle `now` is its due cycle or a later one.
    #[inline]
    pub fn due(&self, now: u64) -> Option<Message> {
        self.queue.front().filter(|(due, _)| *due <= now).map(|(_, message)| message)
    }

    /// When the oldest message is due; there must be one.
    pub fn next(&self) -> u64 {
        self.queue.front().expect("it is not empty").0
    }

    /// Adds a message; only when it is not full.
    pub fn push(&mut self, due: u64, message: Message) {
        debug_assert!(!self.is_full());
        self.queue.push((due, message));
    }

    /// Removes the oldest message; only when there is one.
    pub fn pop(&mut self) {
        self.queue.pop();
    }
}
