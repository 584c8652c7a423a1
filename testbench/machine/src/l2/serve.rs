//! The requests that a bank serves in a cycle: one that has waited for its line, and a new one of
//! its own CUs, of other chiplets or of other GPUs.

use super::bank::Bank;
use super::hook::Outcome;
use super::writes::Pushed;
use crate::context::Context;
use crate::context::masks;
use crate::context::message::{Kind, Message};
use crate::engine::InletId;
use crate::engine::pool::Handle;

impl Bank {
    /// The operations of a cycle: for a request that has waited, and for a new one. Not blocked
    /// where one of them is not. A walk takes a cycle in which no request waits for a line that is
    /// here.
    pub(super) fn operate(&mut self, ctx: &mut Context) -> Outcome {
        let waiter = self.serve_waiters(ctx);
        if self.walk.is_some() {
            // A waiter whose home takes nothing now must not stop what that home waits for here,
            // nor one that waits for the policy the request that is to be placed before it.
            let may_pass = self.coherent || !self.plain && self.hooks.choose_ways();
            return match waiter {
                None => self.step_walk(ctx).unwrap_or_else(|| self.serve_next(ctx)),
                Some(Outcome::Blocked) if may_pass => self.serve_next(ctx),
                Some(outcome) => outcome,
            };
        }
        let request = self.serve_next(ctx);
        waiter.filter(|&outcome| outcome != Outcome::Blocked).unwrap_or(request)
    }

    /// Serves a request that has waited for a line that has come, the oldest line first. None
    /// without any.
    fn serve_waiters(&mut self, ctx: &mut Context) -> Option<Outcome> {
        if !self.coherent {
            return (!self.filled.is_empty()).then(|| self.serve_waiter(ctx, 0));
        }
        let mut last = None;
        for k in 0..self.filled.len() {
            let outcome = self.serve_waiter(ctx, k);
            if outcome != Outcome::Blocked {
                return Some(outcome);
            }
            last = Some(outcome);
        }
        last
    }

    /// Serves the oldest request that has waited for the line of `filled[k]`.
    fn serve_waiter(&mut self, ctx: &mut Context, k: usize) -> Outcome {
        let at = self.filled[k];
        let request = self.misses[at].waiters.first();
        // Once served the request is an answer on its way, or gone.
        let next = ctx.messages[request].next;
        ctx.messages[request].has_passed_a_link |= self.misses[at].has_passed_a_link;
        self.comes_from_afar = self.coherent && !self.is_home(ctx, self.misses[at].addr);
        let outcome = self.perform(ctx, request, Some(self.misses[at].way));
        let is_remote = std::mem::take(&mut self.comes_from_afar);
        if outcome != Outcome::Done {
            return outcome;
        }
        self.misses[at].waiters.advance(next);
        if self.misses[at].waiters.is_empty() {
            let miss = self.misses[at];
            self.misses.end(at);
            // Most often the first.
            match k {
                0 => self.filled.pop_front(),
                _ => self.filled.remove(k),
            };
            self.array.release(miss.way);
            self.remote_misses -= u32::from(is_remote);
            if miss.stale || self.array.valid(miss.way) == 0 {
                self.forget(miss.way);
            }
        }
        Outcome::Done
    }

    /// A new request: of the own CUs, and where there are some of other chiplets or GPUs in turns
    /// with them.
    fn serve_next(&mut self, ctx: &mut Context) -> Outcome {
        if self.plain {
            return self.serve_oldest(ctx);
        }
        if self.hooks.take_turn(ctx) {
            return Outcome::Done;
        }
        let Some(beside) = self.beside else { return self.serve_own(ctx) };
        let first = self.serve_side(ctx, self.peers_turn.then_some(beside));
        if first != Outcome::Blocked {
            self.peers_turn ^= true;
            return first;
        }
        // A stalled request does not stop the other side.
        self.serve_side(ctx, (!self.peers_turn).then_some(beside))
    }

    fn serve_side(&mut self, ctx: &mut Context, peers: Option<InletId>) -> Outcome {
        match peers {
            Some(inlet) => self.serve_peer(ctx, inlet),
            None => self.serve_own(ctx),
        }
    }

    /// Of a plain bank.
    #[inline(always)]
    fn serve_oldest(&mut self, ctx: &mut Context) -> Outcome {
        let Some(request) = ctx.peek(self.ports.requests) else { return Outcome::Blocked };
        let outcome = self.serve(ctx, request);
        if outcome == Outcome::Done {
            ctx.take(self.ports.requests);
        }
        outcome
    }

    fn serve_own(&mut self, ctx: &mut Context) -> Outcome {
        let Some(request) = self.hooks.pick(ctx) else { return Outcome::Blocked };
        let is_pushed = self.is_pushed(ctx, request);
        if is_pushed && !self.writes.may_push(ctx) {
            return Outcome::Blocked;
        }
        let Message { addr, mask, line, .. } = ctx.messages[request];
        let pushed = is_pushed.then(|| Pushed { addr, mask, line: ctx.lines[line] });
        self.writes.set_pushing(is_pushed);
        let outcome = self.serve(ctx, request);
        self.writes.set_pushing(false);
        if outcome == Outcome::Done {
            if let Some(store) = pushed {
                self.counters.pushes += 1;
                self.writes.push(ctx, store);
            }
            self.hooks.served(ctx);
            if self.hooks.choose_ways() {
                self.show_next(ctx);
            }
        }
        outcome
    }

    /// Whether copies of other GPUs get a request of a CU: when it is taken, even if it has to wait
    /// for its line here, so that a request for a line waits for no other GPU.
    #[inline]
    fn is_pushed(&self, ctx: &Context, request: Handle<Message>) -> bool {
        let Message { kind, addr, .. } = ctx.messages[request];
        kind == Kind::Write && self.writes.has_copies(ctx, addr)
    }

    /// The policy sees the request that is served next.
    #[cold]
    fn show_next(&mut self, ctx: &mut Context) {
        if let Some(next) = self.hooks.pick(ctx) {
            let way = self.array.find(self.hooks.bank.addresses.local(ctx.messages[next].addr));
            self.hooks.next(ctx, next, way);
        }
    }

    fn serve_peer(&mut self, ctx: &mut Context, inlet: InletId) -> Outcome {
        let Some(request) = ctx.peek(inlet) else { return Outcome::Blocked };
        let message = ctx.messages[request];
        if let Kind::Coherence(_) = message.kind {
            if !self.hooks.peer_request(ctx, &message) {
                return Outcome::Blocked;
            }
            ctx.take(inlet);
            ctx.messages.free(request);
            return Outcome::Done;
        }
        let outcome = self.serve(ctx, request);
        if outcome == Outcome::Done {
            ctx.take(inlet);
        }
        outcome
    }

    /// A request for a line that is on its way waits for it, so that all see the order in which
    /// they came.
    #[inline]
    fn serve(&mut self, ctx: &mut Context, request: Handle<Message>) -> Outcome {
        // Once served the request is an answer on its way, or gone.
        let Message { kind, mask, .. } = ctx.messages[request];
        let outcome = self.serve_or_park(ctx, request);
        if self.sector.is_some() && outcome == Outcome::Done {
            let sectors = masks::sectors(mask, ctx.layout.sector_log);
            let which = match kind {
                Kind::Read => 0,
                Kind::Write => 1,
                _ => 2,
            };
            self.counters.sectors[which] += u64::from(sectors);
        }
        outcome
    }

    #[inline]
    fn serve_or_park(&mut self, ctx: &mut Context, request: Handle<Message>) -> Outcome {
        let way = self.array.find(self.hooks.bank.addresses.local(ctx.messages[request].addr));
        match way.and_then(|way| self.array.miss(way)) {
            Some(at) if self.misses[at].stale => Outcome::Blocked,
            Some(at) => {
                let way = self.misses[at].way;
                if !self.plain && !self.hooks.may_wait(ctx, request, way) {
                    return Outcome::Blocked;
                }
                if self.sector.is_some() && !self.fetch_more(ctx, at, request) {
                    return Outcome::Blocked;
                }
                self.misses.park(ctx, at, request);
                self.counters.merges += u64::from(ctx.messages[request].kind == Kind::Read);
                Outcome::Done
            }
            None => self.perform(ctx, request, way),
        }
    }
}
