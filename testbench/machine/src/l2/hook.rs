//! What may stand in an L2 bank beside its pipeline: hooks of the L1 design, of the L2 design, and
//! of a policy which says what the bank keeps (`sharing.l2`). The pipeline calls them where it
//! takes, performs, evicts and answers.
//!
//! A hook that holds a block whose outputs are registered cannot answer at once. It says not yet
//! (`pick` gives nothing, `may_perform`, `may_wait` and `may_evict` give false, `choose` gives
//! [`Choice::NotYet`]), and has the bank visited when that may have changed:
//! [`BankHook::quiet_cycles`], or [`Context::wake_at`].

use std::collections::VecDeque;
use std::fmt::Debug;

use super::addresses::Addresses;
use crate::cache::{Choice, Way, Ways};
use crate::context::Context;
use crate::context::message::{Kind, Message, Unit};
use crate::engine::pool::Handle;
use crate::engine::{Cycle, InletId, OutletId};
use crate::statistics::CounterValues;

/// A bank as its hooks see it.
#[derive(Debug)]
pub struct BankView {
    /// The bank.
    pub unit: Unit,
    /// Its number among the chiplet's banks.
    pub number: u16,
    /// Its own numbering of its lines.
    pub addresses: Addresses,
    /// Requests of CUs.
    pub requests: InletId,
    /// Answers, and messages to hooks of other banks.
    pub answers: OutletId,
    /// Cycles that those leave early which do not go to a CU of this GPU.
    pub early: u32,
    /// Requests to other chiplets' banks, where banks talk to each other.
    pub peers: Option<OutletId>,
    /// To the GPU's unit, where the L1 design has one.
    pub unit_channel: Option<OutletId>,
    /// What waits for the way of answers, oldest first.
    pub outbox: VecDeque<Handle<Message>>,
}

impl BankView {
    /// Sends what does not go to a CU of this GPU, or comes from another chiplet: all of it in
    /// order, and before its time.
    pub fn send_away(&self, ctx: &mut Context, message: Handle<Message>) {
        ctx.send_after(self.answers, message, -(self.early as i32));
    }
}

/// What a hook may use.
#[derive(Debug)]
pub struct BankPort<'a> {
    /// Time, pools, maps.
    pub ctx: &'a mut Context,
    /// The bank.
    pub bank: &'a mut BankView,
}

impl BankPort<'_> {
    /// Sends a message to the GPU's unit, which the design must have. False when it cannot be sent
    /// now; the bank is then visited when that may have changed.
    pub fn send_to_unit(&mut self, message: Message) -> bool {
        let unit = self.bank.unit_channel.expect("the design has a unit");
        let free = self.ctx.may_send(unit);
        if free {
            let message = self.ctx.messages.put(message);
            self.ctx.send(unit, message);
        }
        free
    }

    /// Sends a message to the hook of another bank, behind all answers; a full way lets it wait. To
    /// one of another GPU where the design crosses, or a directory keeps L2s coherent.
    pub fn send_to_bank(&mut self, message: Message) {
        if let Kind::Design(_) = message.kind {
            // What is said while a request is served leaves later.
            self.ctx.wake_at(self.ctx.now + 1);
        }
        let message = self.ctx.messages.put(Message { from: self.bank.unit, ..message });
        self.bank.outbox.push_back(message);
    }

    /// Whether [`BankPort::send_to_bank`] would send at once.
    pub fn may_send_to_bank(&mut self) -> bool {
        self.bank.outbox.is_empty() && self.ctx.may_send(self.bank.answers)
    }
}

/// What becomes of an operation of a bank in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Done; a request: served or parked.
    Done,
    /// Something was done for it: try again in the next cycle.
    Again,
    /// Nothing can be done before the bank is woken.
    Blocked,
}

/// A hook in one bank.
pub trait BankHook: Debug {
    /// One cycle of the bank, before it serves.
    fn tick(&mut self, _port: &mut BankPort) {}

    /// Cycles for which the bank need not be visited for the hook's sake.
    fn quiet_cycles(&self) -> Cycle {
        Cycle::MAX
    }

    /// A message of the GPU's unit.
    fn message(&mut self, _port: &mut BankPort, _message: Handle<Message>) {
        unreachable!("the design has no unit")
    }

    /// Whether the hook chooses which request of the CUs is served: `pick` and `served`. At most
    /// one hook of a bank does. Asked once.
    fn orders(&self) -> bool {
        false
    }

    /// The request that the bank serves next: the oldest, or one that the hook has taken before.
    /// Asked again until it is served. None when no request may be served now: the bank is visited
    /// when another comes, and when the hook has it visited.
    fn pick(&mut self, port: &mut BankPort) -> Option<Handle<Message>> {
        port.ctx.peek(port.bank.requests)
    }

    /// The request just picked is served, or waits for its line in the bank.
    fn served(&mut self, port: &mut BankPort) {
        port.ctx.take(port.bank.requests);
    }

    /// Whether a request may be performed now, with its line in `way` if it is here. Asked before
    /// each attempt, of those too that have waited for their line.
    fn may_perform(
        &mut self,
        _port: &mut BankPort,
        _request: Handle<Message>,
        _way: Option<Way>,
    ) -> bool {
        true
    }

    /// Whether a request may be put to those that wait for the line that a way is to hold.
    fn may_wait(&mut self, _port: &mut BankPort, _request: Handle<Message>, _way: Way) -> bool {
        true
    }

    /// Of the policy: the request that is served next, with its line in `way` if that is here or on
    /// its way, unless one that has waited for its line comes before it. A block with registered
    /// outputs that begins with it now serves one in a cycle.
    fn next(&mut self, _port: &mut BankPort, _request: Handle<Message>, _way: Option<Way>) {}

    /// Of the policy: which of its ways the line of a request takes that has missed. Asked again
    /// until the line is placed: a dirty line is written back first, and `may_evict` of another
    /// hook may spare one. [`Choice::Nowhere`], if the other hooks allow it (`may_pass`), has the
    /// request served below, or at the home of its line, which answers it. A request that may not
    /// pass takes a free way where there is one: another chiplet may wait for it.
    fn choose(
        &mut self,
        _port: &mut BankPort,
        _request: Handle<Message>,
        _ways: Ways,
        _may_pass: bool,
    ) -> Choice {
        unreachable!("a policy chooses")
    }

    /// Whether a request that has missed may pass the bank, which then does not see its answer. Not
    /// where the hook must see all that is performed.
    fn may_pass(&mut self, _port: &mut BankPort, _request: &Message) -> bool {
        false
    }

    /// Whether the line in a way may go for another one.
    fn may_evict(&mut self, _port: &mut BankPort, _way: Way) -> bool {
        true
    }

    /// A line comes into a way, with no byte yet.
    fn place(&mut self, _way: Way, _addr: u64) {}

    /// The bytes of the line in a way have come.
    fn fill(&mut self, _port: &mut BankPort, _way: Way) {}

    /// The line in a way has gone.
    fn evict(&mut self, _way: Way) {}

    /// The request `asked` for the line in a way is performed: this is its answer, which bears the
    /// request's `addr`, `mask`, `tag` and `sideband`, and may be made something else that the L1
    /// understands. All answers pass here in the order in which the bank performs. They leave in
    /// that order, but for those of a write-through of another chiplet or GPU: these leave when the
    /// L3 has acknowledged it. `line`: its bytes now.
    fn answer(
        &mut self,
        _port: &mut BankPort,
        _way: Way,
        _asked: &Message,
        _answer: Handle<Message>,
        _line: &[u8],
    ) {
    }

    /// A request leaves the bank without an `answer` here: an atomic or what missed is performed
    /// below or at the home of its line, which answers with the request's `sideband`; or a write is
    /// passed on, and this is its answer's `sideband`.
    fn pass(&mut self, _port: &mut BankPort, _request: Handle<Message>) {}

    /// A message of a hook of another bank, behind all answers that were sent before it.
    fn peer_message(&mut self, _port: &mut BankPort, _message: &Message) {
        unreachable!("no hook of another bank says anything")
    }

    /// A request of a hook of another bank, behind all requests that were sent before it. False
    /// when it cannot be taken now.
    fn peer_request(&mut self, _port: &mut BankPort, _request: &Message) -> bool {
        unreachable!("no hook of another bank asks anything")
    }

    /// Something of the hook's own that takes the place of a request in this cycle. False where
    /// there is nothing, or nothing can be done now.
    fn take_turn(&mut self, _port: &mut BankPort) -> bool {
        false
    }

    /// A release begins.
    fn begin_release(&mut self) {}

    /// Everything dirty is below: what else the release needs, one operation in a cycle. None when
    /// there is nothing to do in this one.
    fn release(&mut self, _port: &mut BankPort) -> Option<Outcome> {
        None
    }

    /// Whether the release is over for the hook.
    fn is_released(&self) -> bool {
        true
    }

    /// Counters by name, among those of the L1s or L2s, as its design is one.
    fn counters(&self, _all: &mut CounterValues) {}
}
