//! Requests of a bank: of CUs, and of other chiplets whose home this is. `reads`, `writes` and
//! `atomics` have the kinds of request, this file has what they share.

use super::bank::Bank;
use super::hook::Outcome;
use crate::cache::{Array, Way};
use crate::config::policy::Policy;
use crate::context::Context;
use crate::context::layout::Site;
use crate::context::message::{Kind, Line, Message, Unit};
use crate::engine::OutletId;
use crate::engine::pool::Handle;

impl Bank {
    pub(super) fn is_home(&self, ctx: &Context, addr: u64) -> bool {
        ctx.places.home(addr) == self.chiplet
    }

    /// Serves a request whose line is in `way`, if it is here at all.
    #[inline(never)]
    pub(super) fn perform(
        &mut self,
        ctx: &mut Context,
        request: Handle<Message>,
        way: Option<Way>,
    ) -> Outcome {
        if !self.plain && !self.hooks.may_perform(ctx, request, way) {
            return Outcome::Blocked;
        }
        let Message { kind, addr, .. } = ctx.messages[request];
        let here = !self.coherent || self.is_home(ctx, addr);
        match kind {
            Kind::Read => self.read(ctx, request, way),
            Kind::Write if here => self.write(ctx, request, way),
            Kind::Write => self.write_there(ctx, request, way),
            Kind::Atomic(_) if !here => self.atomic_there(ctx, request, way),
            Kind::Atomic(_) if self.policy == Policy::Private => {
                self.atomic_below(ctx, request, way)
            }
            Kind::Atomic(_) => self.atomic(ctx, request, way),
            kind => unreachable!("{kind:?} is no request"),
        }
    }

    /// The bank that is a line's home.
    pub(super) fn home_of(&self, ctx: &Context, addr: u64) -> Unit {
        ctx.layout.bank(ctx.places.home(addr), ctx.layout.bank_of(addr))
    }

    /// True for a CU of this chiplet.
    pub(super) fn is_own(&self, ctx: &Context, from: Unit) -> bool {
        matches!(ctx.layout.site(from), Site::Core(chiplet, _) if chiplet == self.chiplet)
    }

    /// The home of its line serves the request, and answers it. The way must be free.
    pub(super) fn pass_on(
        &mut self,
        ctx: &mut Context,
        request: Handle<Message>,
        peers: OutletId,
    ) -> Outcome {
        if self.hooks.are_there() {
            self.hooks.pass(ctx, request);
        }
        ctx.messages[request].to = self.home_of(ctx, ctx.messages[request].addr);
        ctx.send(peers, request);
        Outcome::Done
    }

    /// The L3 performs a request and answers it. The way must be free.
    pub(super) fn pass_below(&mut self, ctx: &mut Context, request: Handle<Message>) -> Outcome {
        if self.hooks.are_there() {
            self.hooks.pass(ctx, request);
        }
        let addr = ctx.messages[request].addr;
        ctx.messages[request].to = ctx.places.slice(&ctx.layout, self.gpu, addr);
        ctx.send(self.ports.below, request);
        Outcome::Done
    }
}

/// A payload that is a copy of a way's bytes.
#[inline(always)]
pub(super) fn copy(ctx: &mut Context, array: &Array, way: Way) -> Handle<Line> {
    ctx.payload(array.data(way))
}
