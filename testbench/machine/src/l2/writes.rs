//! A bank's writes: what it does with a request to write; writes on their way below and to copies
//! of other GPUs, and the answers that wait for them.

use std::collections::VecDeque;

use super::Ports;
use super::bank::Bank;
use super::hook::Outcome;
use super::ways::Unallocated;
use crate::cache::Way;
use crate::config::policy::Policy;
use crate::context::Context;
use crate::context::layout::Site;
use crate::context::message::{Kind, Line, Message, Unit};
use crate::engine::OutletId;
use crate::engine::pool::Handle;

/// Tag of a write below that no answer waits for, and of a push.
const UNANSWERED: u32 = u32::MAX;
const PUSH: u32 = u32::MAX - 1;

/// What a store gives to copies of a line.
#[derive(Clone, Copy, Debug)]
pub struct Pushed {
    pub addr: u64,
    pub mask: u128,
    pub line: Line,
}

/// An answer to another chiplet or GPU. The release of the source waits for this answer alone. So
/// it leaves when the L3 has acknowledged the write and the gate has acknowledged the push of the
/// same store.
#[derive(Clone, Copy, Debug, Default)]
struct Held {
    answer: Handle<Message>,
    /// The L3 has not acknowledged the write.
    below: bool,
    /// How many pushes of the bank the gate must have acknowledged.
    pushes: u64,
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
    /// Pushes so far, and how many of them the gate has acknowledged, which it does in their order.
    pushed: u64,
    pushes_acknowledged: u64,
    /// The store that is served now is pushed when it has been served.
    is_pushing: bool,
    /// The tag of a write is an index here.
    held: Vec<Held>,
}

impl Writes {
    /// None of a bank, of a GPU, with these outlets.
    pub fn new((unit, gpu): (Unit, u16), ports: Ports) -> Self {
        let Ports { below, pushes, .. } = ports;
        Self {
            unit,
            gpu,
            below,
            pushes,
            unacknowledged: 0,
            pushed: 0,
            pushes_acknowledged: 0,
            is_pushing: false,
            held: Vec::new(),
        }
    }

    /// True when all are acknowledged.
    pub fn are_done(&self) -> bool {
        self.unacknowledged == 0
    }

    /// Sends bytes of a line below, which must be free. `answer`, if any, is held until the write
    /// is performed.
    #[inline]
    pub fn send(
        &mut self,
        ctx: &mut Context,
        addr: u64,
        mask: u128,
        line: Handle<Line>,
        answer: Handle<Message>,
    ) {
        let tag = if answer.is_some() { self.hold(answer) } else { UNANSWERED };
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
        let (kind, born, tag) = (Kind::Write, ctx.now as u32, PUSH);
        let (to, from) = (ctx.layout.gate(self.gpu), self.unit);
        let push = Message { mask, addr, born, line, tag, to, from, kind, ..Message::default() };
        let push = ctx.messages.put(push);
        ctx.send(pushes, push);
        self.unacknowledged += 1;
        self.pushed += 1;
    }

    /// Notes whether the store that is served next is pushed when it has been served.
    pub fn set_pushing(&mut self, is_pushing: bool) {
        self.is_pushing = is_pushing;
    }

    fn hold(&mut self, answer: Handle<Message>) -> u32 {
        let free = self.held.iter().position(|held| !held.answer.is_some());
        let index = free.unwrap_or_else(|| {
            self.held.push(Held::default());
            self.held.len() - 1
        });
        let pushes = self.pushed + u64::from(self.is_pushing);
        self.held[index] = Held { answer, below: true, pushes };
        index as u32
    }

    /// The acknowledgement of a write or a push has come. Answers that may leave now go to the
    /// outbox.
    #[inline]
    pub fn acknowledged(&mut self, tag: u32, outbox: &mut VecDeque<Handle<Message>>) {
        self.unacknowledged -= 1;
        match tag {
            UNANSWERED => {}
            PUSH => {
                self.pushes_acknowledged += 1;
                (0..self.held.len()).for_each(|index| self.let_go(index, outbox));
            }
            index => {
                self.held[index as usize].below = false;
                self.let_go(index as usize, outbox);
            }
        }
    }

    fn let_go(&mut self, index: usize, outbox: &mut VecDeque<Handle<Message>>) {
        let Held { answer, below, pushes } = self.held[index];
        if answer.is_some() && !below && pushes <= self.pushes_acknowledged {
            outbox.push_back(answer);
            self.held[index] = Held::default();
        }
    }
}

impl Bank {
    /// What a write or atomic changes here is dirty; or also written through, for readers
    /// after this chiplet's release: other chiplets, and where those have L2s of their own other
    /// GPUs; or where the design writes all through.
    pub(super) fn write(
        &mut self,
        ctx: &mut Context,
        request: Handle<Message>,
        found: Option<Way>,
    ) -> Outcome {
        let Message { addr, mask, line, from, .. } = ctx.messages[request];
        let through = self.is_through(ctx, from);
        if !self.may_finish(ctx, from, through, found.is_none()) || self.must_wait(ctx) {
            return Outcome::Blocked;
        }
        let way = match found.map_or_else(|| self.allocate(ctx, request, addr, through), Ok) {
            Ok(way) => way,
            Err(Unallocated::Stalled(outcome)) => return outcome,
            Err(Unallocated::Bypass) => return self.write_below(ctx, request, line),
        };
        self.array.write(way, &ctx.lines[line].0, mask, !through);
        self.stored(ctx, mask);
        self.counters.writes += 1;
        if through {
            // The payload goes on.
            self.write_through(ctx, request, line, Kind::Ack, Handle::NONE);
        } else {
            ctx.lines.free(line);
            self.answer(ctx, request, Kind::Ack, Handle::NONE);
        }
        Outcome::Done
    }

    /// A write whose line shall not be here goes below, as one that is written through.
    #[cold]
    fn write_below(
        &mut self,
        ctx: &mut Context,
        request: Handle<Message>,
        line: Handle<Line>,
    ) -> Outcome {
        if !ctx.may_send(self.ports.below) {
            return Outcome::Blocked;
        }
        self.hooks.pass(ctx, request);
        self.counters.writes += 1;
        self.write_through(ctx, request, line, Kind::Ack, Handle::NONE);
        Outcome::Done
    }

    pub(super) fn is_through(&self, ctx: &Context, from: Unit) -> bool {
        match self.policy {
            Policy::Private => false,
            Policy::HomeForward => !self.is_own(ctx, from),
            Policy::Coherent => self.through || is_gate(ctx, from),
        }
    }

    /// Whether a change here may be done and answered now, and sent below where that is needed:
    /// what is written through, or a victim.
    pub(super) fn may_finish(
        &self,
        ctx: &mut Context,
        from: Unit,
        through: bool,
        victim: bool,
    ) -> bool {
        if through && !self.is_own(ctx, from) {
            // Its answer leaves later.
            return ctx.may_send(self.ports.below);
        }
        let below = through || (!self.coherent && victim);
        self.may_answer(ctx) && (!below || ctx.may_send(self.ports.below))
    }

    /// Sends what a request has changed below, and its answer. A CU of this chiplet is answered at
    /// once, as the release of its chiplet waits here for the L3. The release of any other source
    /// does not reach this bank: its answer leaves when the L3 has acknowledged the write. The
    /// outlets that this needs must be free.
    pub(super) fn write_through(
        &mut self,
        ctx: &mut Context,
        request: Handle<Message>,
        new: Handle<Line>,
        kind: Kind,
        line: Handle<Line>,
    ) {
        let Message { addr, mask, from, .. } = ctx.messages[request];
        if self.is_own(ctx, from) {
            self.writes.send(ctx, addr, mask, new, Handle::NONE);
            return self.answer(ctx, request, kind, line);
        }
        self.writes.send(ctx, addr, mask, new, request);
        self.make_answer(ctx, request, kind, line);
    }

    /// A write to another chiplet's line: the copy here is updated, the home does it and answers
    /// the CU (directory specification, section 6, rule 5).
    pub(super) fn write_there(
        &mut self,
        ctx: &mut Context,
        request: Handle<Message>,
        found: Option<Way>,
    ) -> Outcome {
        let Message { mask, line, .. } = ctx.messages[request];
        let (_, peers) = self.ports.peers.expect("another chiplet has the line");
        if !ctx.may_send(peers) {
            return Outcome::Blocked;
        }
        if let Some(way) = found.filter(|&way| self.array.valid(way) != 0) {
            self.array.write(way, &ctx.lines[line].0, mask, false);
        }
        self.counters.writes_through += 1;
        self.pass_on(ctx, request, peers)
    }
}

/// True for another GPU's gate.
fn is_gate(ctx: &Context, from: Unit) -> bool {
    matches!(ctx.layout.site(from), Site::Gate(_))
}
