//! A bank's writes on their way below and to copies of other GPUs, and the answers that wait for
//! them.

use super::Ports;
use crate::context::Context;
use crate::engine::OutletId;
use crate::message::{Kind, Line, Message, Unit};
use crate::pool::Handle;

/// Tag of a write that no answer waits for.
const NOBODY: u32 = u32::MAX;

/// What a store gives to copies of a line.
#[derive(Clone, Copy, Debug)]
pub struct Pushed {
    pub addr: u64,
    pub mask: u128,
    pub line: Line,
}

/// Write-backs and write-throughs that the L3 has not acknowledged, and pushed stores that the
/// gate has not.
#[derive(Debug)]
pub struct Writes {
    unit: Unit,
    gpu: u16,
    below: OutletId,
    pushes: Option<OutletId>,
    unacknowledged: u32,
    /// Answers to other GPUs that may leave once the L3 has what they tell of: their release waits
    /// for the answers, and memory must show it then. The tag of a write is a place here.
    owed: Vec<Handle<Message>>,
}

impl Writes {
    /// None of a bank, of a GPU, with these outlets.
    pub fn new((unit, gpu): (Unit, u16), ports: Ports) -> Self {
        let Ports { below, pushes, .. } = ports;
        Self { unit, gpu, below, pushes, unacknowledged: 0, owed: Vec::new() }
    }

    /// True when all are acknowledged.
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
        let to = ctx.places.slice(&ctx.layout, self.gpu, addr);
        let (kind, born, from) = (Kind::Write, ctx.now as u32, self.unit);
        let write = Message { mask, addr, born, line, tag, to, from, kind, ..Message::default() };
        let write = ctx.messages.put(write);
        ctx.send(self.below, write);
        self.unacknowledged += 1;
    }

    /// Whether a store of the own GPU goes to copies of other GPUs, too.
    #[inline]
    pub fn has_copies(&self, ctx: &Context, addr: u64) -> bool {
        self.pushes.is_some() && ctx.places.others(self.gpu, addr) != 0
    }

    /// Whether a store may be pushed now. Else the bank is visited when that may have changed.
    #[inline]
    pub fn may_push(&self, ctx: &mut Context) -> bool {
        self.pushes.is_none_or(|pushes| ctx.may_send(pushes))
    }

    /// Pushes stored bytes of a line to the copies of other GPUs; the way must be free. The gate
    /// answers when they are in the egress path, where the system's release waits for them.
    pub fn push(&mut self, ctx: &mut Context, store: Pushed) {
        let Pushed { addr, mask, line } = store;
        let line = ctx.lines.put(line);
        let pushes = self.pushes.expect("pages have copies");
        let (kind, born, tag) = (Kind::Write, ctx.now as u32, NOBODY);
        let (to, from) = (ctx.layout.gate(self.gpu), self.unit);
        let push = Message { mask, addr, born, line, tag, to, from, kind, ..Message::default() };
        let push = ctx.messages.put(push);
        ctx.send(pushes, push);
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
