//! What leaves the network of one shard of a machine for that of another.

use super::Cycle;
use super::inlet::{Entry, InletId};
use crate::context::message::Message;
use crate::engine::pool::Handle;

/// No other shard: the number that what a network has itself stands under.
pub const HERE: u8 = u8::MAX;

/// A message on its way to an inlet that another shard has.
#[derive(Clone, Copy, Debug)]
pub struct Passage {
    /// Who has the inlet.
    pub shard: u8,
    /// The inlet.
    pub inlet: InletId,
    pub(super) entry: Entry,
}

impl Passage {
    /// The message, in the pool of its sender.
    pub fn message(&self) -> Handle<Message> {
        self.entry.message
    }

    /// It is not visible before this cycle.
    pub fn reached(&self) -> Cycle {
        self.entry.reached()
    }
}
