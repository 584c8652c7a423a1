//! What every hardware block is: a synchronous machine with one clock.

use std::fmt::{self, Write};

use ports::{ConfigError, Description, Parameters, Ports};

use crate::state::{State, write_line};

/// A clocked hardware block. Outputs depend on registered state only; `new` is reset.
pub trait Block {
    /// One cycle's input ports, plain data.
    type In: Ports;
    /// One cycle's output ports, plain data.
    type Out: Ports;

    /// What the ports show before the next edge.
    fn outputs(&self) -> Self::Out;

    /// One clock edge. Returns the outputs of the cycle that it ends.
    fn tick(&mut self, inputs: &Self::In) -> Self::Out;

    /// True when a tick with idle inputs (no valid set) would change nothing: the owner may then
    /// leave the block unticked. `false` is always correct.
    fn is_idle(&self) -> bool {
        false
    }

    /// How many ticks with idle inputs (no valid set, no pulse, levels as in the last tick) from
    /// now on would show nothing new and start nothing that the owner need see: it may
    /// [`Block::skip_quiet`] as many. So an owner leaves a block alone that only waits, though its
    /// clocks and counters go on, which [`Block::is_idle`] cannot say of it. 0 is always correct.
    /// `u64::MAX`: for ever, and after each [`Model::period`] all its registers are as they were:
    /// RTL in lockstep with the model is not clocked then.
    fn quiet_cycles(&self) -> u64 {
        if self.is_idle() { u64::MAX } else { 0 }
    }

    /// The same as this many ticks with idle inputs; at most [`Block::quiet_cycles`].
    fn skip_quiet(&mut self, _cycles: u64) {}

    /// True once something is found to be wrong with this body: a comparison that differs, a failed
    /// assertion. Cheap enough to ask in every cycle.
    fn failed(&self) -> bool {
        false
    }

    /// What is wrong, for a person. Empty unless [`Block::failed`].
    fn write_failure(&self, _report: &mut dyn Write) -> fmt::Result {
        Ok(())
    }

    /// Shows its registers by name, for waveforms and reports. Which ones depends on its parameters
    /// alone.
    fn show_state(&self, _state: &mut State) {}

    /// One line of them, as `name=value` pairs of what is not 0.
    fn write_state(&self, line: &mut dyn Write) -> fmt::Result {
        write_line(line, |state| self.show_state(state))
    }
}

impl<B: Block + ?Sized> Block for Box<B> {
    type In = B::In;
    type Out = B::Out;

    fn outputs(&self) -> B::Out {
        (**self).outputs()
    }

    fn tick(&mut self, inputs: &B::In) -> B::Out {
        (**self).tick(inputs)
    }

    fn is_idle(&self) -> bool {
        (**self).is_idle()
    }

    fn quiet_cycles(&self) -> u64 {
        (**self).quiet_cycles()
    }

    fn skip_quiet(&mut self, cycles: u64) {
        (**self).skip_quiet(cycles);
    }

    fn failed(&self) -> bool {
        (**self).failed()
    }

    fn write_failure(&self, report: &mut dyn Write) -> fmt::Result {
        (**self).write_failure(report)
    }

    fn show_state(&self, state: &mut State) {
        (**self).show_state(state);
    }
}

/// The Rust body of a block: a [`Block`] that can be built from its parameters, and the name and
/// ports under which its RTL body is found.
pub trait Model:
    Block<In: Ports<Config = Self::Config>, Out: Ports<Config = Self::Config>> + Sized
{
    /// `snake_case` name: RTL folder and top module, Rust module, VCD scope, command-line argument.
    const NAME: &'static str;

    /// The block's parameters, one field for each RTL parameter.
    type Config: Parameters;

    /// The state after reset. Errors: a parameter outside its legal range.
    fn new(config: &Self::Config) -> Result<Self, ConfigError>;

    /// Resets it in the midst of what it does: the state of `new`, but for memories that no reset
    /// clears. Errors: as of `new`.
    fn reset(&mut self, config: &Self::Config) -> Result<(), ConfigError> {
        *self = Self::new(config)?;
        Ok(())
    }

    /// True when a body that shows `outputs`, and at whose ports nothing has changed for `cycles`
    /// cycles, changes nothing any more until an input does. A body that cannot tell, as RTL, is
    /// left alone then. Unless the block knows better it is longer than any timer of 16 bits.
    fn rests(_config: &Self::Config, _outputs: &Self::Out, cycles: u64) -> bool {
        cycles > 1 << 17
    }

    /// After a multiple of so many cycles in which it only waits the block is as it was: the length
    /// of the pattern of its clock.
    fn period(_config: &Self::Config) -> u64 {
        1
    }

    /// What the build and the reports need to know of it.
    fn describe(config: &Self::Config) -> Description {
        Description {
            name: Self::NAME,
            parameters: config.rtl_parameters(),
            inputs: Self::In::declare(config),
            outputs: Self::Out::declare(config),
        }
    }
}

#[cfg(test)]
mod tests {
    use ports::common::test_queue::{Config, In, Item, Out};

    use super::*;
    use crate::common::test_queue::TestQueue;

    /// It does nothing, and may tell so.
    struct Nothing<const TELLS: bool>;

    impl Block for Nothing<false> {
        type In = In;
        type Out = Out;

        fn outputs(&self) -> Out {
            Out::default()
        }

        fn tick(&mut self, _inputs: &In) -> Out {
            Out::default()
        }
    }

    impl Block for Nothing<true> {
        type In = In;
        type Out = Out;

        fn outputs(&self) -> Out {
            Out::default()
        }

        fn tick(&mut self, _inputs: &In) -> Out {
            Out::default()
        }

        fn is_idle(&self) -> bool {
            true
        }

        fn failed(&self) -> bool {
            true
        }

        fn write_failure(&self, report: &mut dyn Write) -> fmt::Result {
            report.write_str("it does nothing")
        }
    }

    fn failure(block: &dyn Block<In = In, Out = Out>) -> (bool, String) {
        let mut report = String::new();
        block.write_failure(&mut report).unwrap();
        (block.failed(), report)
    }

    fn queue() -> (Config, TestQueue) {
        let config = Config { depth: 2, latency: 3 };
        let mut queue = TestQueue::new(&config).unwrap();
        queue.tick(&In { item: Some(Item { id: 7 }), done_ready: false });
        (config, queue)
    }

    #[test]
    fn block_without_optional_methods_is_ticked_in_every_cycle_and_has_not_failed() {
        let block = Nothing::<false>;
        assert_eq!((block.is_idle(), block.quiet_cycles()), (false, 0));
        assert_eq!(failure(&block), (false, String::new()));
    }

    #[test]
    fn block_that_is_idle_is_quiet_for_ever() {
        assert_eq!(Nothing::<true>.quiet_cycles(), u64::MAX);
    }

    #[test]
    fn boxed_block_forwards_all_calls() {
        assert_eq!(failure(&Box::new(Nothing::<true>)), (true, "it does nothing".into()));
        assert_eq!(failure(&Box::new(Nothing::<false>)), (false, String::new()));
        let mut queue = Box::new(queue().1);
        assert_eq!((Block::is_idle(&queue), Block::quiet_cycles(&queue)), (false, 2));
        Block::skip_quiet(&mut queue, 2);
        let out = Out { item_ready: true, done: Some(Item { id: 7 }) };
        assert_eq!(Block::outputs(&queue), out);
        let take = In { item: None, done_ready: true };
        assert_eq!(Block::tick(&mut queue, &take), out);
        assert_eq!((Block::is_idle(&queue), Block::quiet_cycles(&queue)), (true, u64::MAX));
    }

    #[test]
    fn model_rests_after_more_cycles_than_a_timer_of_16_bits_counts() {
        let (config, mut queue) = queue();
        let out = queue.outputs();
        assert!(!TestQueue::rests(&config, &out, 1 << 17));
        assert!(TestQueue::rests(&config, &out, (1 << 17) + 1));
        assert_eq!(TestQueue::period(&config), 1);
        queue.reset(&config).unwrap();
        assert!(queue.is_idle(), "reset drops the item");
    }
}
