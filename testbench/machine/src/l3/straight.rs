//! A slice without an array: requests go straight to the memory channel, in order and at its rate.

use super::Slice;
use crate::check::atomic;
use crate::context::Context;
use crate::context::masks;
use crate::context::message::{Kind, Line, MAX_LINE, Message};
use crate::engine::pool::Handle;

/// Reads of the channel: each one's tag is its place here.
#[derive(Debug)]
pub struct Straight {
    /// With the answer's payload.
    requests: Vec<Handle<Message>>,
    free: Vec<u32>,
}

impl Straight {
    /// For so many reads at a time.
    pub fn new(misses: u32) -> Self {
        Self { requests: vec![Handle::NONE; misses as usize], free: (0..misses).rev().collect() }
    }

    /// Reads under way, and most of them.
    pub fn reads(&self) -> (u32, u32) {
        ((self.requests.len() - self.free.len()) as u32, self.requests.len() as u32)
    }
}

impl Slice {
    /// One cycle: an answer leaves, and a request is served. A request takes effect when it is
    /// served, so what comes later sees it; only its answer waits for the channel.
    pub(super) fn tick_straight(&mut self, ctx: &mut Context) {
        let straight = self.straight.as_mut().expect("a slice without an array");
        if let Some(tag) = self.memory.ready(ctx.now)
            && ctx.may_send(self.ports.answers)
        {
            if let Some(next) = self.memory.take() {
                ctx.wake_at(next.max(ctx.now + 1));
            }
            straight.free.push(tag);
            let request = straight.requests[tag as usize];
            self.answer(ctx, request, Kind::Data, ctx.messages[request].line);
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
        if let Some(at) = self.memory.busy(ctx.now, 0) {
            ctx.wake_at(at);
            return false;
        }
        let Message { addr, mask, kind, line, size, .. } = ctx.messages[request];
        let length = ctx.layout.line as usize;
        let granules = self.memory.widen(mask);
        match kind {
            Kind::Write => {
                if !ctx.may_send(self.ports.answers) {
                    return false;
                }
                let memory = ctx.memory.of_mut(self.gpu);
                masks::copy(memory.get_mut(addr, length), &ctx.lines[line].0, mask);
                ctx.lines.free(line);
                self.memory.write(ctx.now, addr, granules);
                self.counters.writes += 1;
                self.counters.memory_writes += 1;
                self.answer(ctx, request, Kind::Ack, Handle::NONE);
            }
            Kind::Read | Kind::Atomic(_) => {
                let straight = self.straight.as_mut().expect("a slice without an array");
                let Some(tag) = straight.free.pop() else { return false };
                straight.requests[tag as usize] = request;
                let mut old = Line([0; MAX_LINE]);
                if let Some(bytes) = ctx.memory.of(self.gpu).get(addr, length) {
                    old.0[..length].copy_from_slice(bytes);
                }
                match kind {
                    Kind::Atomic(op) => {
                        let operands = ctx.lines[line];
                        let data = ctx.memory.of_mut(self.gpu).get_mut(addr, length);
                        atomic::apply(op, size.into(), mask, data, &operands.0);
                        ctx.lines[line] = old;
                        // There and back: the answer waits for both.
                        self.memory.write(ctx.now, addr, granules);
                        self.counters.atomics += 1;
                        self.counters.memory_writes += 1;
                    }
                    _ => {
                        self.counters.reads += 1;
                        ctx.messages[request].line = ctx.lines.put(old);
                    }
                }
                self.counters.fetches += 1;
                if let Some(at) = self.memory.read(ctx.now, addr, granules, tag) {
                    ctx.wake_at(at);
                }
            }
            kind => unreachable!("{kind:?} is no request"),
        }
        true
    }
}
