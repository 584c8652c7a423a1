//! The queue of messages in front of the state machine.

use crate::common::command_types::{LOCAL_QUEUE, Message};

/// Messages in the order of their arrival.
#[derive(Clone, Debug, Default)]
pub(super) struct Queue {
    ring: [Message; LOCAL_QUEUE],
    head: usize,
    len: usize,
}

impl Queue {
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub fn has_room(&self) -> bool {
        self.len < LOCAL_QUEUE
    }

    /// The oldest message.
    #[inline]
    pub fn head(&self) -> Option<&Message> {
        (self.len > 0).then(|| &self.ring[self.head % LOCAL_QUEUE])
    }

    /// Adds a message; only when there is room.
    pub fn push(&mut self, message: Message) {
        debug_assert!(self.has_room());
        self.ring[(self.head + self.len) % LOCAL_QUEUE] = message;
        self.len += 1;
    }

    /// Removes the oldest message; only when there is one.
    pub fn pop(&mut self) {
        debug_assert!(self.len > 0);
        self.head += 1;
        self.len -= 1;
    }
}
