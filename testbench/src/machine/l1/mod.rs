//! L1 designs: what answers a CU's requests and talks to the network below.

mod none;
mod src;

use std::fmt::Debug;

use none::NoL1;
use src::SoftwareL1;
pub use src::Spec;

use super::context::Context;
use super::core::Transactions;
use super::engine::{Cycle, Handle, OutletId};
use super::message::{Kind, Message};
use crate::trace::InstrKind;

/// An L1 design, one instance for each CU.
pub trait L1: Debug {
    /// A request of the CU: `tag` is the CU's transaction. False when it cannot be taken now; the design has
    /// then seen to it that the CU is visited when that may have changed.
    fn request(&mut self, port: &mut Port, request: Handle<Message>) -> bool;

    /// A message from below.
    fn answer(&mut self, port: &mut Port, message: Handle<Message>);

    /// A kernel begins: nothing that was read before may be returned from now on. No request is under way.
    fn acquire(&mut self, port: &mut Port);

    /// Counters by name.
    fn counters(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }
}

/// Makes an L1.
type Make = fn(&Spec) -> Box<dyn L1>;

/// All designs, by `l1.design`.
pub const DESIGNS: [(&str, Make); 2] =
    [("none", |_| Box::new(NoL1)), ("src", |spec| Box::new(SoftwareL1::new(spec)))];

/// What an L1 may use.
#[derive(Debug)]
pub struct Port<'a> {
    /// Time, pools, maps.
    pub ctx: &'a mut Context,
    /// The network below.
    pub below: OutletId,
    /// The CU's transactions.
    pub transactions: &'a mut Transactions,
}

impl Port<'_> {
    /// Sends a request below, to where its line is served. False when the network does not take it now; the
    /// CU is then visited when that may have changed.
    pub fn send(&mut self, message: Handle<Message>) -> bool {
        let free = self.ctx.may_send(self.below);
        if free {
            let Message { addr, from, .. } = self.ctx.messages[message];
            self.ctx.messages[message].to = self.ctx.server(from, addr);
            self.ctx.send(self.below, message);
        }
        free
    }

    /// Answers a request with a line's bytes (none for a store), which the CU sees `after` cycles from now. What comes
    /// from below is seen at once; what is found here after at least a cycle.
    /// The values are compared with the program's here, where they leave the memory system.
    pub fn finish(&mut self, request: Handle<Message>, data: Option<&[u8]>, after: Cycle) {
        let Message { tag, from, .. } = self.ctx.messages[request];
        if let Some(data) = data {
            let t = self.transactions[tag];
            let expected = &self.ctx.lines[t.expected].0;
            let now = self.ctx.now;
            match t.kind {
                InstrKind::Load => self.ctx.check.load(now, from, &t, expected, data),
                _ => self.ctx.check.atomic(now, from, &t, expected, data),
            }
            self.ctx.lines.free(t.expected);
        }
        self.ctx.drop_message(request);
        if after == 0 {
            return self.transactions.finish(tag);
        }
        let when = self.ctx.now + after;
        self.transactions.finish_at(tag, when);
        self.ctx.wake_at(when);
    }

    /// Answers a CU's request with the message that has come back for it.
    pub fn finish_with(&mut self, message: Handle<Message>) {
        let Message { kind, line, .. } = self.ctx.messages[message];
        // The answer bears the server as its sender; the CU is who waits.
        self.ctx.messages[message].from = self.ctx.messages[message].to;
        if kind == Kind::Data {
            let data = self.ctx.lines[line];
            self.finish(message, Some(&data.0), 0);
        } else {
            self.finish(message, None, 0);
        }
    }
}
