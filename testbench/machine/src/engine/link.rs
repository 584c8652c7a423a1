//! A link between two chiplets, one way. The three networks share its bandwidth; each has its own
//! queue, so that a network that stands still does not stop the others.

use crate::context::Context;
use crate::engine::{InletId, OutletId, Port, Rate};

/// Takes what goes to the other chiplet and sends it there at the link's rate.
#[derive(Debug)]
pub struct Link {
    /// Of each network: what waits here, and the way to the other chiplet.
    ways: Vec<(InletId, OutletId)>,
    port: Port,
}

impl Link {
    /// An unused link.
    pub fn new(rate: Rate) -> Self {
        Self { ways: Vec::new(), port: Port::new(rate) }
    }

    /// Lets a network use it.
    pub fn add(&mut self, from: InletId, to: OutletId) {
        self.ways.push((from, to));
    }

    /// One cycle.
    pub fn tick(&mut self, ctx: &mut Context) {
        while let Some((from, to)) = self.next(ctx) {
            if self.port.free_at() > ctx.now {
                return ctx.wake_at(self.port.free_at());
            }
            let message = ctx.take(from);
            let end = self.port.transfer(ctx.now, ctx.bytes_of(message).into());
            ctx.messages[message].has_passed_a_link = true;
            ctx.forward(to, message, (end - 1 - ctx.now) as u32);
        }
    }

    /// The network whose turn it is, of those that have a message and room for it; refused, the
    /// link is woken when there is. The turn goes round with time.
    fn next(&self, ctx: &mut Context) -> Option<(InletId, OutletId)> {
        let turn = (ctx.now % self.ways.len() as u64) as usize;
        let mut order = self.ways[turn..].iter().chain(&self.ways[..turn]).copied();
        order.find(|&(from, to)| ctx.peek(from).is_some() && ctx.may_send(to))
    }
}
