//! A policy beside a bank (`sharing.l2`): it says which way a line takes that is to come, and sees
//! each access before its answer leaves.

use std::collections::VecDeque;

use ports::timestamp::types::{Ask, Event, Pick, Timestamp, event};

use crate::cache::{Choice, Way, Ways};
use crate::context::Context;
use crate::context::message::{Kind, Message, Unit};
use crate::engine::Cycle;
use crate::engine::pool::Handle;
use crate::l2::{BankHook, BankPort, BankView};
use crate::statistics::CounterValues;

/// The policy, and what it has not seen.
#[derive(Debug)]
pub struct Keeps {
    hook: Box<dyn BankHook>,
    view: BankView,
    sets: u64,
    ways: u32,
    /// Bytes of a line.
    line: u64,
    /// Of each way: it holds a line that the policy knows of.
    held: Vec<bool>,
    /// Ways and lines of answers that have not left, oldest first: the block performs requests in
    /// the order of its answers.
    used: VecDeque<(Way, u64)>,
    /// The access of the oldest answer, and the request whose line is to be placed, as the policy
    /// sees them.
    access: Option<Handle<Message>>,
    request: Option<Handle<Message>>,
    /// All lines were evicted, of which the policy is notified after all accesses.
    all_gone: bool,
}

impl Keeps {
    pub fn new(hook: Box<dyn BankHook>, view: BankView, blocks: &Timestamp) -> Self {
        Self {
            hook,
            view,
            sets: blocks.l2_sets.into(),
            ways: blocks.l2_ways,
            line: blocks.line.into(),
            held: vec![false; (blocks.l2_sets * blocks.l2_ways) as usize],
            used: VecDeque::new(),
            access: None,
            request: None,
            all_gone: false,
        }
    }

    fn with<T>(
        &mut self,
        ctx: &mut Context,
        what: impl FnOnce(&mut dyn BankHook, &mut BankPort) -> T,
    ) -> T {
        what(&mut *self.hook, &mut BankPort { ctx, bank: &mut self.view })
    }

    /// A request as the policy sees it: of a unit, for a line.
    fn request_of(
        &self,
        ctx: &mut Context,
        from: Unit,
        line: u64,
        is_read: bool,
    ) -> Handle<Message> {
        let addr = self.view.addresses.global(line * self.line);
        let kind = if is_read { Kind::Read } else { Kind::Write };
        ctx.messages.put(Message { kind, from, addr, ..Message::default() })
    }

    /// The first way of a line's set.
    fn first(&self, line: u64) -> Way {
        (line % self.sets) as Way * self.ways
    }

    /// A cycle begins in which the block shows this.
    pub fn tick(&mut self, ctx: &mut Context, event: Option<&Event>) {
        self.with(ctx, |hook, port| hook.tick(port));
        if let Some(Event { kind, way, line }) = event {
            let way = self.first(*line) + Way::from(*way);
            match *kind {
                event::USED => self.used.push_back((way, *line)),
                event::CAME => {
                    self.held[way as usize] = true;
                    self.with(ctx, |hook, port| hook.fill(port, way));
                }
                // It goes for another one, as the policy has said.
                event::GONE => {}
                _ => self.all_gone = true,
            }
        }
        if self.all_gone && self.used.is_empty() {
            self.all_gone = false;
            for way in 0..self.held.len() {
                self.evict(way as Way);
            }
        }
    }

    fn evict(&mut self, way: Way) {
        if std::mem::take(&mut self.held[way as usize]) {
            self.hook.evict(way);
        }
    }

    /// What the policy says of a request of a unit that has missed.
    pub fn pick(&mut self, ctx: &mut Context, ask: &Ask, from: Unit) -> Option<Pick> {
        if !self.used.is_empty() || self.all_gone {
            return None;
        }
        // Each line is fetched, whatever asks for it.
        let request = match self.request {
            Some(request) => request,
            None => self.request_of(ctx, from, ask.line, true),
        };
        self.request = Some(request);
        let ways = Ways { first: self.first(ask.line), free: ask.ways.into() };
        // The block has a way for each line that it fetches.
        let choice = self.with(ctx, |hook, port| hook.choose(port, request, ways, false));
        let Choice::Way(way) = choice else { return None };
        self.evict(way);
        self.hook.place(way, ctx.messages[request].addr);
        ctx.drop_message(request);
        self.request = None;
        Some(Pick { keep: true, way: (way - ways.first) as u8 })
    }

    /// Whether the policy has seen the access of the oldest answer, which goes to a unit.
    pub fn knows(&mut self, ctx: &mut Context, to: Unit, is_read: bool) -> bool {
        let (way, line) = *self.used.front().expect("what is answered was performed");
        let access = match self.access {
            Some(access) => access,
            None => self.request_of(ctx, to, line, is_read),
        };
        self.access = Some(access);
        self.with(ctx, |hook, port| {
            hook.next(port, access, Some(way));
            hook.may_perform(port, access, Some(way))
        })
    }

    /// The oldest answer leaves. The policy selects the hint that the L1 gets of its line.
    pub fn answer(&mut self, ctx: &mut Context, answer: Handle<Message>) {
        let (way, _) = self.used.pop_front().expect("what is answered was performed");
        let access = self.access.take().expect("the policy knows it");
        let asked = ctx.messages[access];
        // To the policy a request becomes its answer.
        self.with(ctx, |hook, port| hook.answer(port, way, &asked, access, &[]));
        ctx.messages[answer].hint = ctx.messages[access].hint;
        ctx.drop_message(access);
    }

    /// Cycles for which the bank need not be visited for the policy's sake.
    pub fn quiet_cycles(&self) -> Cycle {
        match self.used.is_empty() && !self.all_gone {
            true => self.hook.quiet_cycles(),
            false => 0,
        }
    }

    /// Of the policy.
    pub fn counters(&self, all: &mut CounterValues) {
        self.hook.counters(all);
    }
}
