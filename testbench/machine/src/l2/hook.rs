//! What an L1 design may install in each L2 bank, and its place in the bank: L2 designs call it
//! where they take, hold, forget and answer.

use std::fmt::Debug;

use crate::cache::Way;
use crate::context::Context;
use crate::engine::{Handle, InletId, OutletId};
use crate::message::{Kind, Message};

/// What a hook may use.
#[derive(Debug)]
pub struct BankPort<'a> {
    /// Time, pools, maps.
    pub ctx: &'a mut Context,
    /// Requests that come to the bank.
    pub requests: InletId,
    /// To the GPU's unit, where the design has one.
    pub unit: Option<OutletId>,
}

impl BankPort<'_> {
    /// Sends a message to the GPU's unit, which the design must have. False when it cannot be sent
    /// now; the bank is then visited when that may have changed.
    pub fn send_to_unit(&mut self, message: Message) -> bool {
        let unit = self.unit.expect("the design has a unit");
        let free = self.ctx.may_send(unit);
        if free {
            let message = self.ctx.messages.put(message);
            self.ctx.send(unit, message);
        }
        free
    }
}

/// A design's hook in one bank.
pub trait BankHook: Debug {
    /// A message of the GPU's unit.
    fn message(&mut self, _port: &mut BankPort, _message: Handle<Message>) {
        unreachable!("the design has no unit")
    }

    /// The request that the bank serves next: the oldest, or one that the hook has taken before.
    /// Asked again until it is served. None when no request may be served now: the bank is visited
    /// when another comes, and when the hook has it visited.
    fn pick(&mut self, port: &mut BankPort) -> Option<Handle<Message>> {
        port.ctx.peek(port.requests)
    }

    /// The request just picked is served, or waits for its line in the bank.
    fn served(&mut self, port: &mut BankPort) {
        port.ctx.take(port.requests);
    }

    /// A line comes into a way, with no byte yet.
    fn place(&mut self, _way: Way, _addr: u64) {}

    /// The line in a way has gone.
    fn evict(&mut self, _way: Way) {}

    /// A request, of kind `asked`, for the line in a way is done: this is its answer, which bears
    /// the request's `addr`, `mask`, `tag` and `meta`, and may be made something else that the L1
    /// understands. All answers pass here in the order in which the bank serves.
    fn answer(&mut self, _port: &mut BankPort, _way: Way, _asked: Kind, _answer: Handle<Message>) {}

    /// An atomic is done below, which will answer with the request's `meta`.
    fn pass(&mut self, _port: &mut BankPort, _request: Handle<Message>) {}

    /// Counters by name, among those of the L1s.
    fn counters(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }
}

/// Where a bank has its hook, if the L1 design has one: without, requests are served in their
/// order.
#[derive(Debug)]
pub struct Seat {
    hook: Option<Box<dyn BankHook>>,
    requests: InletId,
    to_unit: Option<OutletId>,
    from_unit: Option<InletId>,
}

impl Seat {
    /// A place for a hook.
    pub fn new(
        hook: Option<Box<dyn BankHook>>,
        requests: InletId,
        unit: Option<(OutletId, InletId)>,
    ) -> Self {
        let (to_unit, from_unit) = (unit.map(|(to, _)| to), unit.map(|(_, from)| from));
        Self { hook, requests, to_unit, from_unit }
    }

    /// True where there is one.
    #[inline]
    pub fn is_taken(&self) -> bool {
        self.hook.is_some()
    }

    /// What a hook is called with; there must be one.
    #[cold]
    fn parts<'a>(&'a mut self, ctx: &'a mut Context) -> (&'a mut dyn BankHook, BankPort<'a>) {
        let hook = self.hook.as_mut().expect("there is one");
        (&mut **hook, BankPort { ctx, requests: self.requests, unit: self.to_unit })
    }

    /// Shows the hook what the unit says.
    #[inline]
    pub fn hear(&mut self, ctx: &mut Context) {
        let Some(inlet) = self.from_unit else { return };
        while let Some(message) = ctx.peek(inlet) {
            ctx.take(inlet);
            let (hook, mut port) = self.parts(ctx);
            hook.message(&mut port, message);
        }
    }

    /// See [`BankHook::pick`].
    #[inline]
    pub fn pick(&mut self, ctx: &mut Context) -> Option<Handle<Message>> {
        if !self.is_taken() {
            return ctx.peek(self.requests);
        }
        let (hook, mut port) = self.parts(ctx);
        hook.pick(&mut port)
    }

    /// See [`BankHook::served`].
    #[inline]
    pub fn served(&mut self, ctx: &mut Context) {
        if !self.is_taken() {
            ctx.take(self.requests);
            return;
        }
        let (hook, mut port) = self.parts(ctx);
        hook.served(&mut port);
    }

    /// See [`BankHook::place`].
    #[inline]
    pub fn place(&mut self, way: Way, addr: u64) {
        if let Some(hook) = &mut self.hook {
            hook.place(way, addr);
        }
    }

    /// See [`BankHook::evict`].
    #[inline]
    pub fn evict(&mut self, way: Way) {
        if let Some(hook) = &mut self.hook {
            hook.evict(way);
        }
    }

    /// See [`BankHook::answer`].
    #[inline]
    pub fn answer(&mut self, ctx: &mut Context, way: Way, asked: Kind, answer: Handle<Message>) {
        if self.is_taken() {
            let (hook, mut port) = self.parts(ctx);
            hook.answer(&mut port, way, asked, answer);
        }
    }

    /// See [`BankHook::pass`].
    #[inline]
    pub fn pass(&mut self, ctx: &mut Context, request: Handle<Message>) {
        if self.is_taken() {
            let (hook, mut port) = self.parts(ctx);
            hook.pass(&mut port, request);
        }
    }

    /// The hook's counters.
    pub fn counters(&self) -> Vec<(&'static str, u64)> {
        self.hook.as_ref().map_or(Vec::new(), |hook| hook.counters())
    }
}
