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
    outputs: Vec<Output>,
    /// Outputs that some input's head wants, one bit each.
    wanted: u128,
    /// Output for each unit; `NO_WAY` where the network does not lead.
    route: Vec<u8>,
}

/// An output, and the inputs whose visible head wants it, one bit each.
#[derive(Clone, Copy, Debug)]
struct Output {
    channel: ChannelId,
    wanted_by: u128,
}

/// No output.
pub const NO_WAY: u8 = u8::MAX;

impl Router {
    /// Joins inputs, channels of consecutive numbers which are numbered as such, and outputs.
    pub fn new(
        (first_input, inputs): (ChannelId, usize),
        outputs: Vec<ChannelId>,
        route: Vec<u8>,
    ) -> Self {
        assert!(outputs.len() <= 128, "a router has at most 128 ports a side");
        let outputs = outputs.into_iter().map(|channel| Output { channel, wanted_by: 0 }).collect();
        Self { first_input, inputs, outputs, wanted: 0, route }
    }

    /// One cycle.
    pub fn tick(&mut self, ctx: &mut Context) {
        for_each(ctx.wheel.take_inputs(ctx.me), |input| self.look(ctx, input));
        // The turn goes round with time: fair, and the same whenever the router was last visited.
        let turn = (ctx.now % self.inputs as Cycle) as u32;
        let mut moved = 0;
        let mut again = false;
        for_each(self.wanted, |at| {
            let output = &mut self.outputs[at as usize];
            // Refused, the router is woken when the output is free.
            if ctx.may_send(output.channel) {
                let after = output.wanted_by & u128::MAX << turn;
                let first = if after != 0 { after } else { output.wanted_by };
                let input = first.trailing_zeros();
                let message = ctx.pop(ChannelId(self.first_input.0 + input));
                ctx.forward(output.channel, message);
                moved |= 1 << input;
                output.wanted_by &= !(1 << input);
                again |= output.wanted_by != 0;
                self.wanted &= !(u128::from(output.wanted_by == 0) << at);
            }
        });
        // An input sends one message in a cycle; what stands behind it is looked at for the next one.
        for_each(moved, |input| {
            if ctx.channels.head(ChannelId(self.first_input.0 + input)) <= ctx.now {
                self.look(ctx, input);
                again = true;
            }
        });
        if again {
            ctx.wake_at(ctx.now + 1);
        }
    }

    /// The head of an input is visible: which output does it want?
    fn look(&mut self, ctx: &Context, input: u32) {
        let channel = ChannelId(self.first_input.0 + input);
        // A wake for a message that has been taken, or that stands behind another.
        let Some(message) = ctx.peek(channel) else { return };
        let to = self.route[ctx.messages[message].to.0 as usize];
        let Some(output) = self.outputs.get_mut(usize::from(to)) else {
            unreachable!("{:?} has no way here", ctx.messages[message]);
        };
        output.wanted_by |= 1 << input;
        self.wanted |= 1 << to;
    }
}

/// Calls `f` with the number of each bit that is set, ascending.
#[inline]
fn for_each(bits: u128, mut f: impl FnMut(u32)) {
    for (word, from) in [(bits as u64, 0), ((bits >> 64) as u64, 64)] {
        let mut left = word;
        while left != 0 {
            f(from + left.trailing_zeros());
            left &= left - 1;
        }
    }
}
