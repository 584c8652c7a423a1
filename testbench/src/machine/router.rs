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
    outputs: Vec<Output>,
    /// Output for each unit; `NO_WAY` where the network does not lead.
    route: Vec<u8>,
}

/// An output, and when it was last used and last refused a message.
#[derive(Clone, Copy, Debug)]
struct Output {
    channel: ChannelId,
    used: Cycle,
    refused: Cycle,
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
        let (used, refused) = (Cycle::MAX, Cycle::MAX);
        let outputs =
            outputs.into_iter().map(|channel| Output { channel, used, refused }).collect();
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
        let first = u128::MAX << turn;
        let (mut stays, mut at) = (false, 0);
        for half in [held & first, held & !first] {
            for word in [half as u64, (half >> 64) as u64] {
                stays |= self.serve(ctx, word, at % 128);
                at += 64;
            }
        }
        if stays {
            ctx.wake_at(ctx.now + 1);
        }
    }

    /// Passes on what of these inputs can go. True when a message that is visible stays for another cycle
    /// although nobody else will wake the router for it.
    fn serve(&mut self, ctx: &mut Context, mut inputs: u64, from: u32) -> bool {
        let mut stays = false;
        while inputs != 0 {
            let input = ChannelId(self.first_input.0 + from + inputs.trailing_zeros());
            inputs &= inputs - 1;
            if ctx.channels.head(input) > ctx.now {
                continue;
            }
            let message = ctx.channels.first(input);
            let to = self.route[ctx.messages[message].to.0 as usize];
            let Some(output) = self.outputs.get_mut(usize::from(to)) else {
                unreachable!("{:?} has no way here", ctx.messages[message]);
            };
            if output.used == ctx.now {
                stays = true;
            } else if output.refused == ctx.now {
                // The router is woken when the output is free.
            } else if ctx.may_send(output.channel) {
                ctx.pop(input);
                ctx.forward(output.channel, message);
                output.used = ctx.now;
                stays |= ctx.channels.head(input) <= ctx.now;
            } else {
                output.refused = ctx.now;
            }
        }
        stays
    }
}
