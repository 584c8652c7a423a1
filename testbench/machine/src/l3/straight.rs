//! A slice without an array: requests go straight to the memory channel, in order and at its rate.

use std::collections::VecDeque;

use super::Slice;
use crate::check::atomic;
use crate::context::Context;
use crate::context::masks;
use crate::context::message::{Kind, Line, MAX_LINE, Message};
use crate::engine::Cycle;
use crate::engine::pool::Handle;

/// Answers under way.
#[derive(Debug)]
pub struct Straight {
    /// When each may be sent, its request and its payload. In order of time.
    due: VecDeque<(Cycle, Handle<Message>, Handle<Line>)>,
    most: usize,
}

impl Straight {
    /// For so many reads at a time.
    pub fn new(misses: u32) -> Self {
        Self { due: VecDeque::with_capacity(misses as usize), most: misses as usize }
    }

    /// Reads under way, and most of them.
    pub fn reads(&self) -> (u32, u32) {
        (self.due.len() as u32, self.most as u32)
    }

    /// Reads that the channel has not answered.
    pub fn pending(&self, now: Cycle) -> u32 {
        self.due.iter().filter(|(at, ..)| *at > now).count() as u32
    }
}

impl Slice {
    /// One cycle: an answer leaves, and a request is served. A request takes effect when it is
    /// served, so what comes later sees it; only its answer waits for the channel.
    pub(super) fn tick_straight(&mut self, ctx: &mut Context) {
        let straight = self.straight.as_mut().expect("a slice without an array");
        if let Some(&(at, request, line)) = straight.due.front()
            && at <= ctx.now
            && ctx.may_send(self.ports.answers)
        {
            straight.due.pop_front();
            if let Some(&(next, ..)) = straight.due.front() {
                ctx.wake_at(next.max(ctx.now + 1));
            }
            self.answer(ctx, request, Kind::Data, line);
        }
        let Some(request) = ctx.peek(self.ports.requests) else { return };
        if self.serve_straight(ctx, request) {
            ctx.take(self.ports.requests);
            if ctx.peek(self.ports.requests).is_some() {
                ctx.wake_at(ctx.now + 1);
            }
        }
    }

    /// False when it cannot be served now: the channel, an answer that leaves or the network wakes
    /// the slice.
    fn serve_straight(&mut self, ctx: &mut Context, request: Handle<Message>) -> bool {
        if self.memory.free_at() > ctx.now {
            ctx.wake_at(self.memory.free_at());
            return false;
        }
        let Message { addr, mask, kind, line, size, .. } = ctx.messages[request];
        let length = ctx.layout.line as usize;
        match kind {
            Kind::Write => {
                if !ctx.may_send(self.ports.answers) {
                    return false;
                }
                let memory = ctx.memory.of_mut(self.gpu);
                masks::copy(memory.get_mut(addr, length), &ctx.lines[line].0, mask);
                ctx.lines.free(line);
                self.memory.transfer(ctx.now, length as u64);
                self.counters.writes += 1;
                self.counters.memory_writes += 1;
                self.answer(ctx, request, Kind::Ack, Handle::NONE);
            }
            Kind::Read | Kind::Atomic(_) => {
                let straight = self.straight.as_mut().expect("a slice without an array");
                if straight.due.len() == straight.most {
                    return false;
                }
                let mut old = Line([0; MAX_LINE]);
                if let Some(bytes) = ctx.memory.of(self.gpu).get(addr, length) {
                    old.0[..length].copy_from_slice(bytes);
                }
                let mut bytes = length as u64;
                let line = match kind {
                    Kind::Atomic(op) => {
                        let operands = ctx.lines[line];
                        let data = ctx.memory.of_mut(self.gpu).get_mut(addr, length);
                        atomic::apply(op, size.into(), mask, data, &operands.0);
                        ctx.lines[line] = old;
                        // There and back.
                        bytes *= 2;
                        self.counters.atomics += 1;
                        self.counters.memory_writes += 1;
                        line
                    }
                    _ => {
                        self.counters.reads += 1;
                        ctx.lines.put(old)
                    }
                };
                self.counters.fetches += 1;
                let at = self.memory.transfer(ctx.now, bytes) + Cycle::from(self.latency);
                straight.due.push_back((at, request, line));
                ctx.wake_at(at);
            }
            kind => unreachable!("{kind:?} is no request"),
        }
        true
    }
}
