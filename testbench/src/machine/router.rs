//! A chiplet's crossbar in one of the three networks.

use super::context::Context;
use super::engine::{ChannelId, Cycle};

/// One message per output and cycle, of the input whose turn it is. Messages of one input stay in order, so
/// each network is FIFO for each pair of units.
#[derive(Debug)]
pub struct Router {
    /// Inputs are `first_input` and the channels after it.
    first_input: ChannelId,
    inputs: usize,
    outputs: Vec<ChannelId>,
    /// Output for each unit; `NO_WAY` where the network does not lead.
    route: Vec<u8>,
}

/// No output.
pub const NO_WAY: u8 = u8::MAX;

impl Router {
    /// Joins inputs, channels of consecutive numbers, and outputs.
    pub fn new(
        first_input: ChannelId,
        inputs: usize,
        outputs: Vec<ChannelId>,
        route: Vec<u8>,
    ) -> Self {
        assert!(inputs <= 128 && outputs.len() <= 128, "a router has at most 128 ports a side");
        Self { first_input, inputs, outputs, route }
    }

    /// One cycle.
    pub fn tick(&mut self, ctx: &mut Context) {
        let due = self.due(ctx);
        if due == 0 {
            return;
        }
        // The turn goes round with time: fair, and the same whenever the router was last visited.
        let turn = (ctx.now % self.inputs as Cycle) as u32;
        let mut taken = 0;
        let moved = self.serve(ctx, due >> turn << turn, &mut taken)
            | self.serve(ctx, due & !(u128::MAX << turn), &mut taken);
        // Where nothing moved, the outputs wake the router: a deadlock must come to rest to be seen.
        if moved && self.due(ctx) != 0 {
            ctx.wake_at(ctx.now + 1);
        }
    }

    /// Inputs whose head is visible.
    #[inline]
    fn due(&self, ctx: &Context) -> u128 {
        let heads = ctx.channels.heads(self.first_input, self.inputs);
        heads.iter().enumerate().fold(0, |due, (i, &at)| due | u128::from(at <= ctx.now) << i)
    }

    /// True when a message went on.
    fn serve(&self, ctx: &mut Context, mut inputs: u128, taken: &mut u128) -> bool {
        let mut moved = false;
        while inputs != 0 {
            let input = ChannelId(self.first_input.0 + inputs.trailing_zeros());
            inputs &= inputs - 1;
            let message = ctx.peek(input).expect("it is due");
            let to = self.route[ctx.messages[message].to.0 as usize];
            assert!(to != NO_WAY, "{:?} has no way here", ctx.messages[message]);
            let output = self.outputs[usize::from(to)];
            if *taken >> to & 1 == 0 && ctx.may_send(output) {
                ctx.pop(input);
                ctx.forward(output, message);
                moved = true;
            }
            // Whether it went or is refused, nobody else gets this output now.
            *taken |= 1 << to;
        }
        moved
    }
}
