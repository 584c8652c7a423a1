//! One link: messages in order, each with the cycle from which on it may be delivered.

use ports::common::command_types::Message;

/// Places of the ring, more than any link holds: 255 + 1.
const RING: usize = 256;

/// Messages in flight, oldest first.
#[derive(Clone, Debug)]
pub(super) struct Link {
    ring: Box<[(u64, Message); RING]>,
    depth: usize,
    head: usize,
    len: usize,
}

impl Link {
    /// An empty link for `depth` (at most 256) messages.
    pub fn new(depth: usize) -> Self {
        Self { ring: Box::new([(0, Message::default()); RING]), depth, head: 0, len: 0 }
    }

    pub fn is_full(&self) -> bool {
        self.len == self.depth
    }

    /// Messages held.
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The oldest message, if there is one and cycle `now` is its due cycle or a later one.
    #[inline]
    pub fn due(&self, now: u64) -> Option<Message> {
        let (due, message) = self.ring[self.head % RING];
        (self.len > 0 && due <= now).then_some(message)
    }

    /// Adds a message; only when it is not full.
    pub fn push(&mut self, due: u64, message: Message) {
        debug_assert!(!self.is_full());
        self.ring[(self.head + self.len) % RING] = (due, message);
        self.len += 1;
    }

    /// Removes the oldest message; only when there is one.
    pub fn pop(&mut self) {
        debug_assert!(self.len > 0);
        self.head += 1;
        self.len -= 1;
    }
}
