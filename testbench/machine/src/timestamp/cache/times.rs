//! When accesses were, for the check of their order (`timed`).

use std::collections::VecDeque;

use ports::timestamp::types::CoreRsp;

use super::{Cache, IDS, aop_of};
use crate::check::sequential::WaveOf;
use crate::check::timed::{Access, AtomicKind, Begun, Kind as Over};
use crate::context::message::{Kind, MAX_LINE, Message};
use crate::context::transactions::Transaction;
use crate::engine::pool::Handle;
use crate::l1::Port;

/// What is known of requests under way.
#[derive(Debug)]
pub struct Issued {
    /// By tag: what was when they began, and the L1's generation then.
    begun: Vec<(Begun, u32)>,
    /// Tags of stores and atomics that the block has not sent on.
    unsent: VecDeque<u8>,
    /// Of each name that the block has given one, its tag.
    tags: Vec<u8>,
    /// By tag: the cycle in which a bank has answered it, in the order in which it performs.
    performed: Vec<u32>,
}

impl Issued {
    pub fn new() -> Self {
        let begun = vec![(Begun::default(), 0); IDS];
        Self { begun, unsent: VecDeque::new(), tags: vec![0; IDS], performed: vec![0; IDS] }
    }

    /// The block sends the next store or atomic on, under a name of its own.
    pub fn send(&mut self, id: u8) {
        let tag = self.unsent.pop_front().expect("each is sent once");
        self.tags[usize::from(id)] = tag;
    }

    /// A bank has answered the one of that name.
    pub fn perform(&mut self, id: u8, cycle: u32) {
        let tag = self.tags[usize::from(id)];
        self.performed[usize::from(tag)] = cycle;
    }
}

impl Cache {
    /// A request begins.
    #[cold]
    pub(super) fn record_issue(&mut self, port: &mut Port, request: Handle<Message>) {
        let Message { addr, kind, tag, from, .. } = port.ctx.messages[request];
        let Transaction { wave, place, .. } = *port.transaction(request);
        let mut before = [0; MAX_LINE];
        let ctx = &mut *port.ctx;
        ctx.check.show(addr, &mut before[..self.line]);
        let wave = WaveOf { cu: from, slot: wave.into() };
        let timed = ctx.timed.as_mut().expect("it is written down");
        let begun = timed.issue(wave, place, ctx.now, (addr, &before));
        self.issued.begun[tag as usize] = (begun, self.generation);
        if kind != Kind::Read {
            self.issued.unsent.push_back(tag as u8);
        }
    }

    /// When an access was, and what it has found.
    #[cold]
    pub(super) fn record_end(
        &mut self,
        port: &mut Port,
        answer: &CoreRsp,
        request: Handle<Message>,
    ) {
        let Message { addr, mask, kind, line, size, .. } = port.ctx.messages[request];
        let generation = self.generation_of(answer.rep);
        let id = usize::from(answer.id);
        let (begun, first) = self.issued.begun[id];
        let is_sure = generation < first + 4;
        let found = &answer.data.0[..];
        let kind = match kind {
            Kind::Read => Over::Load,
            Kind::Atomic(op) => Over::Atomic(AtomicKind { aop: aop_of(op), size }),
            _ => Over::Store,
        };
        let time = (generation, answer.ts);
        let at = if kind == Over::Load { port.ctx.now as u32 } else { self.issued.performed[id] };
        let access = Access { addr, time, at, is_sure, kind, mask, begun };
        let ctx = &mut *port.ctx;
        let timed = ctx.timed.as_mut().expect("it is written down");
        match kind {
            Over::Load => timed.over(access, &[found]),
            Over::Atomic(_) => timed.over(access, &[&ctx.lines[line].0, found]),
            _ => timed.over(access, &[&ctx.lines[line].0]),
        }
    }
}
