//! A chiplet's crossbar in one of the three networks.

use super::context::Context;
use super::engine::{ChannelId, Cycle, GroupId};

/// One message per output and cycle, of the input whose turn it is. Messages of one input stay in order, so
/// each network is FIFO for each pair of units.
#[derive(Debug)]
pub struct Router {
    /// Inputs are `first_input` and the channels after it.
    first_input: ChannelId,
    group: GroupId,
    inputs: usize,
    outputs: Vec<ChannelId>,
    /// Output for each unit; `NO_WAY` where the network does not lead.
    route: Vec<u8>,
}

/// What has become of the outputs in this cycle, one bit each.
#[derive(Clone, Copy, Debug, Default)]
struct Taken {
    /// A message went.
    used: u128,
    /// It takes none now.
    refused: u128,
}

/// No output.
pub const NO_WAY: u8 = u8::MAX;

impl Router {
    /// Joins inputs, channels of consecutive numbers that are `group`, and outputs.
    pub fn new(
        (first_input, inputs): (ChannelId, usize),
        group: GroupId,
        outputs: Vec<ChannelId>,
        route: Vec<u8>,
    ) -> Self {
        assert!(outputs.len() <= 128, "a router has at most 128 ports a side");
        Self { first_input, group, inputs, outputs, route }
    }

    /// One cycle.
    pub fn tick(&mut self, ctx: &mut Context) {
        let held = ctx.channels.held(self.group);
        if held == 0 {
            return;
        }
        // The turn goes round with time: fair, and the same whenever the router was last visited.
        let turn = (ctx.now % self.inputs as Cycle) as u32;
        let mut outputs = Taken::default();
        let after = self.serve(ctx, held >> turn << turn, &mut outputs);
        let before = self.serve(ctx, held & !(u128::MAX << turn), &mut outputs);
        if after || before {
            ctx.wake_at(ctx.now + 1);
        }
    }

    /// Passes on what of these inputs can go. True when a message that is visible stays for another cycle
    /// although nobody else will wake the router for it.
    fn serve(&self, ctx: &mut Context, mut inputs: u128, outputs: &mut Taken) -> bool {
        let mut stays = false;
        while inputs != 0 {
            let input = ChannelId(self.first_input.0 + inputs.trailing_zeros());
            inputs &= inputs - 1;
            if ctx.channels.head(input) > ctx.now {
                continue;
            }
            let message = ctx.peek(input).expect("it is visible");
            let to = self.route[ctx.messages[message].to.0 as usize];
            assert!(to != NO_WAY, "{:?} has no way here", ctx.messages[message]);
            let output = self.outputs[usize::from(to)];
            if outputs.used >> to & 1 == 1 {
                stays = true;
            } else if outputs.refused >> to & 1 == 1 {
                // The router is woken when the output is free.
            } else if ctx.may_send(output) {
                ctx.pop(input);
                ctx.forward(output, message);
                outputs.used |= 1 << to;
                stays |= ctx.channels.head(input) <= ctx.now;
            } else {
                outputs.refused |= 1 << to;
            }
        }
        stays
    }
}
