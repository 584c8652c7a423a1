//! Messages that others pass, in a machine whose channels do not keep their order: a test of what
//! that order is for.

use std::collections::VecDeque;

use ports::timestamp::types::BusRsp;

use super::super::rule::Rule;
use crate::context::Context;
use crate::context::message::Message;
use crate::engine::Cycle;
use crate::engine::pool::Handle;
use crate::l1::Port;

/// For how many cycles: several round trips of a small machine.
const CYCLES: Cycle = 100;

/// A store on its way to a bank, or an answer on its way to the block.
#[derive(Debug)]
pub struct Late {
    requests: bool,
    answers: bool,
    request: Option<(Cycle, Handle<Message>)>,
    answer: Option<(Cycle, BusRsp)>,
}

impl Late {
    pub fn new(without: Option<Rule>) -> Self {
        Self {
            requests: without == Some(Rule::RequestOrder),
            answers: without == Some(Rule::AnswerOrder),
            request: None,
            answer: None,
        }
    }

    /// Keeps a request, if others may pass it.
    #[inline]
    pub fn keep_request(&mut self, ctx: &mut Context, message: Handle<Message>) -> bool {
        let keeps = self.requests && self.request.is_none();
        if keeps {
            self.request = Some((ctx.now + CYCLES, message));
            ctx.wake_at(ctx.now + CYCLES);
        }
        keeps
    }

    /// Keeps an answer, if others may pass it.
    #[inline]
    pub fn keep_answer(&mut self, ctx: &mut Context, answer: &BusRsp) -> bool {
        let keeps = self.answers && self.answer.is_none();
        if keeps {
            self.answer = Some((ctx.now + CYCLES, *answer));
            ctx.wake_at(ctx.now + CYCLES);
        }
        keeps
    }

    /// Something is kept.
    #[inline]
    pub fn waits(&self) -> bool {
        self.request.is_some() || self.answer.is_some()
    }

    /// What was kept for long enough goes on.
    #[cold]
    pub fn let_go(&mut self, port: &mut Port, arrived: &mut VecDeque<BusRsp>) {
        let now = port.ctx.now;
        let may_go = |&(until, _): &(Cycle, Handle<Message>)| until <= now;
        if let Some((_, message)) = self.request.filter(may_go)
            && port.send(message)
        {
            self.request = None;
        }
        if let Some((_, answer)) = self.answer.take_if(|(until, _)| *until <= now) {
            arrived.push_back(answer);
        }
    }
}
