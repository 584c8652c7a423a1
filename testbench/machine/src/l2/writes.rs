//! A bank's writes on their way below, and the answers that wait for them.

use crate::context::Context;
use crate::engine::OutletId;
use crate::message::{Kind, Line, Message, Unit};
use crate::pool::Handle;

/// Tag of a write that no answer waits for.
const NOBODY: u32 = u32::MAX;

/// Write-backs and write-throughs that the L3 has not acknowledged.
#[derive(Debug)]
pub struct Writes {
    unit: Unit,
    below: OutletId,
    unacknowledged: u32,
    /// Answers to other GPUs that may leave once the L3 has what they tell of: their release waits
    /// for the answers, and memory must show it then. The tag of a write is a place here.
    owed: Vec<Handle<Message>>,
}

impl Writes {
    /// None of the bank `unit`, which sends to `below`.
    pub fn new(unit: Unit, below: OutletId) -> Self {
        Self { unit, below, unacknowledged: 0, owed: Vec::new() }
    }

    /// True when the L3 has acknowledged all.
    pub fn are_done(&self) -> bool {
        self.unacknowledged == 0
    }

    /// Sends bytes of a line below, which must be free. `answer`, if any, waits for the
    /// acknowledgement.
    #[inline]
    pub fn send(
        &mut self,
        ctx: &mut Context,
        addr: u64,
        mask: u128,
        line: Handle<Line>,
        answer: Handle<Message>,
    ) {
        let tag = if answer.is_some() { self.owe(answer) } else { NOBODY };
        let to = ctx.places.slice(&ctx.layout, addr);
        let (kind, born, from) = (Kind::Write, ctx.now as u32, self.unit);
        let write = Message { mask, addr, born, line, tag, to, from, kind, ..Message::default() };
        let write = ctx.messages.put(write);
        ctx.send(self.below, write);
        self.unacknowledged += 1;
    }

    fn owe(&mut self, answer: Handle<Message>) -> u32 {
        let free = self.owed.iter().position(|answer| !answer.is_some());
        let place = free.unwrap_or_else(|| {
            self.owed.push(Handle::NONE);
            self.owed.len() - 1
        });
        self.owed[place] = answer;
        place as u32
    }

    /// The acknowledgement of a write has come. The answer that may leave now, if one waited for
    /// it.
    #[inline]
    pub fn acknowledged(&mut self, tag: u32) -> Option<Handle<Message>> {
        self.unacknowledged -= 1;
        (tag != NOBODY).then(|| std::mem::take(&mut self.owed[tag as usize]))
    }
}
