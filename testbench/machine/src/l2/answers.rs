//! Answers of a bank.

use super::bank::Bank;
use crate::context::Context;
use crate::context::layout::Site;
use crate::context::message::{Kind, Line, Message};
use crate::engine::pool::Handle;

impl Bank {
    /// Whether an answer may leave now: behind what the outbox of a coherent bank holds.
    pub(super) fn may_answer(&self, ctx: &mut Context) -> bool {
        let behind = self.coherent && !self.hooks.bank.outbox.is_empty();
        !behind && ctx.may_send(self.ports.answers)
    }

    /// Turns a request into its answer and sends it; the way must be free.
    #[inline(always)]
    pub(super) fn answer(
        &mut self,
        ctx: &mut Context,
        request: Handle<Message>,
        kind: Kind,
        line: Handle<Line>,
    ) {
        self.make_answer(ctx, request, kind, line);
        self.send_answer(ctx, request);
    }

    /// Sends an answer; the way must be free.
    #[inline(always)]
    pub(super) fn send_answer(&mut self, ctx: &mut Context, answer: Handle<Message>) {
        match self.coherent {
            false => ctx.send(self.ports.answers, answer),
            true => self.send_coherent(ctx, answer),
        }
    }

    /// A line of another chiplet passes the bank of its home and this one.
    #[inline(never)]
    fn send_coherent(&mut self, ctx: &mut Context, answer: Handle<Message>) {
        let to_core = matches!(ctx.layout.site(ctx.messages[answer].to), Site::Core(..));
        match to_core && !self.comes_from_afar {
            true => ctx.send(self.ports.answers, answer),
            false => self.hooks.bank.send_away(ctx, answer),
        }
    }

    #[inline(always)]
    pub(super) fn make_answer(
        &mut self,
        ctx: &mut Context,
        request: Handle<Message>,
        kind: Kind,
        line: Handle<Line>,
    ) {
        let asked = (!self.plain).then(|| ctx.messages[request]);
        let message = &mut ctx.messages[request];
        (message.kind, message.line) = (kind, line);
        (message.to, message.from) = (message.from, self.unit);
        if let Some(asked) = asked {
            self.show_answer(ctx, request, &asked);
        }
    }

    #[cold]
    fn show_answer(&mut self, ctx: &mut Context, answer: Handle<Message>, asked: &Message) {
        // A write that was passed on is not.
        if let Some(way) = self.array.find(self.hooks.bank.addresses.local(asked.addr)) {
            self.hooks.answer(ctx, way, asked, answer, self.array.data(way));
        }
    }
}
