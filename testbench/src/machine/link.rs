//! A link between two chiplets, one way, in one of the three networks.

use super::context::Context;
use super::engine::{InletId, OutletId};

/// Takes what goes to the other chiplet and sends it there at the link's rate.
#[derive(Debug)]
pub struct Link {
    from: InletId,
    to: OutletId,
}

impl Link {
    pub fn new(from: InletId, to: OutletId) -> Self {
        Self { from, to }
    }

    /// One cycle.
    pub fn tick(&mut self, ctx: &mut Context) {
        // Refused, the link is woken when it is free.
        while let Some(message) = ctx.peek(self.from)
            && ctx.may_send(self.to)
        {
            ctx.take(self.from);
            ctx.forward(self.to, message);
        }
    }
}
