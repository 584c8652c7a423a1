//! The hooks of a bank together, as its pipeline calls them.

use super::hook::{BankHook, BankPort, BankView, Outcome};
use crate::cache::{Choice, Way, Ways};
use crate::context::Context;
use crate::context::message::{Kind, Message};
use crate::engine::pool::Handle;
use crate::engine::{Cycle, InletId};
use crate::statistics::CounterValues;

/// The hooks of a bank. Without any requests are served in their order.
#[derive(Debug)]
pub struct BankHooks {
    /// The L1 design's, the L2 design's, and the policy.
    l1: Option<Box<dyn BankHook>>,
    l2: Option<Box<dyn BankHook>>,
    policy: Option<Box<dyn BankHook>>,
    any: bool,
    orders: bool,
    from_unit: Option<InletId>,
    /// The bank.
    pub bank: BankView,
}

impl BankHooks {
    /// Those of the L1 design and of the L2 design, and the policy.
    pub fn new(
        l1: Option<Box<dyn BankHook>>,
        l2: Option<Box<dyn BankHook>>,
        policy: Option<Box<dyn BankHook>>,
        from_unit: Option<InletId>,
        bank: BankView,
    ) -> Self {
        let orders = l1.as_ref().is_some_and(|hook| hook.orders());
        let any = l1.is_some() || l2.is_some() || policy.is_some();
        Self { l1, l2, policy, any, orders, from_unit, bank }
    }

    fn iter(&self) -> impl Iterator<Item = &dyn BankHook> {
        [&self.l1, &self.l2, &self.policy].into_iter().flatten().map(|hook| &**hook)
    }

    fn iter_mut(&mut self) -> impl Iterator<Item = &mut Box<dyn BankHook>> {
        [&mut self.l1, &mut self.l2, &mut self.policy].into_iter().flatten()
    }

    /// True where there is one.
    #[inline]
    pub fn are_there(&self) -> bool {
        self.any
    }

    /// True where a hook may have taken more requests than it has given.
    pub fn keep_requests(&self) -> bool {
        self.orders
    }

    /// Each hook with what it may use.
    fn each<'a>(
        &'a mut self,
        ctx: &'a mut Context,
        mut f: impl FnMut(&mut dyn BankHook, &mut BankPort),
    ) {
        let mut port = BankPort { ctx, bank: &mut self.bank };
        for hook in [&mut self.l1, &mut self.l2, &mut self.policy].into_iter().flatten() {
            f(&mut **hook, &mut port);
        }
    }

    /// True when all hooks say so; all are asked.
    #[cold]
    fn all(
        &mut self,
        ctx: &mut Context,
        mut f: impl FnMut(&mut dyn BankHook, &mut BankPort) -> bool,
    ) -> bool {
        let mut all = true;
        self.each(ctx, |hook, port| all &= f(hook, port));
        all
    }

    fn l1<'a>(&'a mut self, ctx: &'a mut Context) -> (&'a mut dyn BankHook, BankPort<'a>) {
        let hook = self.l1.as_mut().expect("the L1 design has a hook");
        (&mut **hook, BankPort { ctx, bank: &mut self.bank })
    }

    fn l2<'a>(&'a mut self, ctx: &'a mut Context) -> (&'a mut dyn BankHook, BankPort<'a>) {
        let hook = self.l2.as_mut().expect("the L2 design has a hook");
        (&mut **hook, BankPort { ctx, bank: &mut self.bank })
    }

    /// Shows the L1 design's hook what the unit says.
    #[inline]
    pub fn hear(&mut self, ctx: &mut Context) {
        let Some(inlet) = self.from_unit else { return };
        while let Some(message) = ctx.peek(inlet) {
            ctx.take(inlet);
            let (hook, mut port) = self.l1(ctx);
            hook.message(&mut port, message);
        }
    }

    /// See [`BankHook::tick`].
    #[inline]
    pub fn tick(&mut self, ctx: &mut Context) {
        if self.any {
            self.tick_all(ctx);
        }
    }

    #[cold]
    fn tick_all(&mut self, ctx: &mut Context) {
        self.each(ctx, |hook, port| hook.tick(port));
    }

    /// See [`BankHook::quiet_cycles`].
    #[cold]
    pub fn quiet_cycles(&self) -> Cycle {
        self.iter().map(|hook| hook.quiet_cycles()).min().unwrap_or(Cycle::MAX)
    }

    /// See [`BankHook::pick`].
    #[inline(always)]
    pub fn pick(&mut self, ctx: &mut Context) -> Option<Handle<Message>> {
        if !self.orders {
            return ctx.peek(self.bank.requests);
        }
        self.pick_ordered(ctx)
    }

    #[cold]
    fn pick_ordered(&mut self, ctx: &mut Context) -> Option<Handle<Message>> {
        let (hook, mut port) = self.l1(ctx);
        hook.pick(&mut port)
    }

    /// See [`BankHook::served`].
    #[inline]
    pub fn served(&mut self, ctx: &mut Context) {
        if !self.orders {
            ctx.take(self.bank.requests);
            return;
        }
        let (hook, mut port) = self.l1(ctx);
        hook.served(&mut port);
    }

    /// See [`BankHook::may_perform`].
    #[inline]
    pub fn may_perform(
        &mut self,
        ctx: &mut Context,
        request: Handle<Message>,
        way: Option<Way>,
    ) -> bool {
        !self.any || self.may_all_perform(ctx, request, way)
    }

    #[cold]
    fn may_all_perform(
        &mut self,
        ctx: &mut Context,
        request: Handle<Message>,
        way: Option<Way>,
    ) -> bool {
        self.all(ctx, |hook, port| hook.may_perform(port, request, way))
    }

    /// See [`BankHook::may_wait`].
    #[cold]
    pub fn may_wait(&mut self, ctx: &mut Context, request: Handle<Message>, way: Way) -> bool {
        self.all(ctx, |hook, port| hook.may_wait(port, request, way))
    }

    /// True where a policy places lines.
    #[inline]
    pub fn choose_ways(&self) -> bool {
        self.policy.is_some()
    }

    /// See [`BankHook::choose`].
    #[cold]
    pub fn choose(&mut self, ctx: &mut Context, request: Handle<Message>, ways: Ways) -> Choice {
        let mut port = BankPort { ctx, bank: &mut self.bank };
        let message = port.ctx.messages[request];
        let mut others = [&mut self.l1, &mut self.l2].into_iter().flatten();
        let may_pass = others.all(|hook| hook.may_pass(&mut port, &message));
        let policy = self.policy.as_mut().expect("there is a policy");
        let choice = policy.choose(&mut port, request, ways, may_pass);
        let is_allowed = match choice {
            Choice::NotYet => true,
            Choice::Way(way) => ways.free >> (way - ways.first) & 1 == 1,
            Choice::Nowhere => may_pass,
        };
        assert!(is_allowed, "{choice:?} of {ways:?}, may pass: {may_pass}");
        choice
    }

    /// See [`BankHook::next`].
    #[cold]
    pub fn next(&mut self, ctx: &mut Context, request: Handle<Message>, way: Option<Way>) {
        if let Some(policy) = &mut self.policy {
            policy.next(&mut BankPort { ctx, bank: &mut self.bank }, request, way);
        }
    }

    /// See [`BankHook::fill`].
    #[cold]
    pub fn fill(&mut self, ctx: &mut Context, way: Way) {
        self.each(ctx, |hook, port| hook.fill(port, way));
    }

    /// See [`BankHook::may_evict`].
    #[inline]
    pub fn may_evict(&mut self, ctx: &mut Context, way: Way) -> bool {
        self.all(ctx, |hook, port| hook.may_evict(port, way))
    }

    /// See [`BankHook::place`].
    pub fn place(&mut self, way: Way, addr: u64) {
        self.iter_mut().for_each(|hook| hook.place(way, addr));
    }

    /// See [`BankHook::evict`].
    pub fn evict(&mut self, way: Way) {
        self.iter_mut().for_each(|hook| hook.evict(way));
    }

    /// See [`BankHook::answer`].
    pub fn answer(
        &mut self,
        ctx: &mut Context,
        way: Way,
        asked: &Message,
        answer: Handle<Message>,
        line: &[u8],
    ) {
        self.each(ctx, |hook, port| hook.answer(port, way, asked, answer, line));
    }

    /// See [`BankHook::pass`].
    #[cold]
    pub fn pass(&mut self, ctx: &mut Context, request: Handle<Message>) {
        self.each(ctx, |hook, port| hook.pass(port, request));
    }

    /// See [`BankHook::peer_message`].
    pub fn peer_message(&mut self, ctx: &mut Context, message: &Message) {
        let (hook, mut port) = match message.kind {
            Kind::Design(_) => self.l1(ctx),
            _ => self.l2(ctx),
        };
        hook.peer_message(&mut port, message);
    }

    /// See [`BankHook::peer_request`].
    pub fn peer_request(&mut self, ctx: &mut Context, request: &Message) -> bool {
        let (hook, mut port) = self.l2(ctx);
        hook.peer_request(&mut port, request)
    }

    /// See [`BankHook::take_turn`].
    #[inline]
    pub fn take_turn(&mut self, ctx: &mut Context) -> bool {
        self.any && self.take_turns(ctx)
    }

    #[cold]
    fn take_turns(&mut self, ctx: &mut Context) -> bool {
        let mut taken = false;
        self.each(ctx, |hook, port| taken = taken || hook.take_turn(port));
        taken
    }

    /// See [`BankHook::begin_release`].
    pub fn begin_release(&mut self) {
        self.iter_mut().for_each(|hook| hook.begin_release());
    }

    /// See [`BankHook::release`].
    pub fn release(&mut self, ctx: &mut Context) -> Option<Outcome> {
        let mut outcome = None;
        self.each(ctx, |hook, port| outcome = outcome.or_else(|| hook.release(port)));
        outcome
    }

    /// See [`BankHook::is_released`].
    pub fn are_released(&self) -> bool {
        self.iter().all(|hook| hook.is_released())
    }

    /// Counters of the L1 design's hook.
    pub fn l1_counters(&self, all: &mut CounterValues) {
        self.l1.iter().for_each(|hook| hook.counters(all));
    }

    /// Counters of the L2 design's hook and of the policy.
    pub fn l2_counters(&self, all: &mut CounterValues) {
        [&self.l2, &self.policy].into_iter().flatten().for_each(|hook| hook.counters(all));
    }
}
