//! Remote write queue: collects stores to other GPUs, one partition for each destination,
//! overwrites repeated bytes in place and sends each packet's entries to the packetizer (FinePack,
//! HPCA'23, section IV-B, figure 8; cycle rules in `rtl/finepack/remote_write_queue/README.md`).
//!
//! A request accepted in cycle t is decided in stage S2 in t+2; its effects show in t+3.

mod choices;
mod cost;
mod decide;
mod drain;
mod input;
mod order_queue;
mod partition;
mod release;
mod rule;
mod slot;
mod table;
#[cfg(test)]
mod tests;

use ports::ConfigError;
use ports::finepack::remote_write_queue::{Config, In, Out};
use ports::finepack::types::Evt;

use crate::block::{Block, Model};
use crate::state::{State, width_of};
use choices::{Choices, SPECIFICATION};
use decide::Decide;
use drain::Sequencer;
use input::Input;
use ports::Parameters;

pub use rule::Rule;

/// Model of `rtl/finepack/remote_write_queue`.
#[derive(Debug)]
pub struct RemoteWriteQueue {
    config: Config,
    input: Input,
    decide: Decide,
    sequencer: Sequencer,
    /// Number of the current cycle: timers are differences from it, so that none has to be stepped.
    now: u64,
    /// `timeout_i` of the last cycle; it is static.
    timeout: u16,
    /// Other choices than those of the specification, in a test.
    test_choices: Option<Box<Choices>>,
}

impl RemoteWriteQueue {
    /// For tests: a queue that does not keep a rule. Errors: as of `new`.
    pub fn without(config: &Config, rule: Rule) -> Result<Self, ConfigError> {
        let mut queue = Self::new(config)?;
        queue.test_choices = Some(Box::new(Choices::without(rule)));
        Ok(queue)
    }

    /// One clock edge.
    #[inline(always)]
    fn step(&mut self, inputs: &In, choices: &Choices) {
        let Self { config, input, decide, sequencer, .. } = self;
        // The sequencer sees the tokens of the start of the cycle, but steps after S2: what it
        // frees in this cycle can be used from the next one on.
        let pending = decide.orders.pending;
        let leaves = decide.tick(input.current(), inputs, self.now, config, choices);
        let Decide { orders, parts, .. } = decide;
        sequencer.tick(inputs.drain_ready, pending, orders, parts, inputs.self_id, choices);
        input.tick(leaves, inputs, choices);
        parts.out.req_ready = input.ready();
        self.now += 1;
        self.timeout = inputs.timeout;
    }

    #[cold]
    fn step_with(&mut self, inputs: &In, choices: Box<Choices>) {
        self.step(inputs, &choices);
        self.test_choices = Some(choices);
    }
}

impl Block for RemoteWriteQueue {
    type In = In;
    type Out = Out;

    fn outputs(&self) -> Out {
        self.decide.parts.out
    }

    fn tick(&mut self, inputs: &In) -> Out {
        let out = self.decide.parts.out;
        match self.test_choices.take() {
            None => self.step(inputs, &SPECIFICATION),
            Some(choices) => self.step_with(inputs, choices),
        }
        out
    }

    fn is_idle(&self) -> bool {
        let out = &self.decide.parts.out;
        !self.input.stage2
            && self.input.fifo == 0
            && !self.sequencer.valid
            && self.decide.orders.pending == 0
            && (self.timeout == 0 || self.decide.parts.filled == 0)
            && (out.rel, out.err, out.evt) == (None, None, Evt::default())
    }

    fn show_state(&self, state: &mut State) {
        let Self { config, input, decide, sequencer, .. } = self;
        let Decide { parts, orders, release, .. } = decide;
        state.part("input", |state| input.show_state(state, config));
        for p in 0..config.parts() as usize {
            state.part(format_args!("part[{p}]"), |state| {
                state.part("partition", |state| parts.show_state(state, p));
                let width = width_of(config.order_queue_depth.into());
                state.part("order_queue", |state| state.bits("count", width, orders.len(p)));
            });
        }
        state.part("release", |state| release.show_state(state, config));
        state.part("drain", |state| sequencer.show_state(state));
    }
}

impl Model for RemoteWriteQueue {
    const NAME: &'static str = "remote_write_queue";

    type Config = Config;

    fn new(config: &Config) -> Result<Self, ConfigError> {
        config.validate()?;
        Ok(Self {
            config: config.clone(),
            input: Input::new(config),
            decide: Decide::new(config),
            sequencer: Sequencer::new(config),
            now: 0,
            timeout: 0,
            test_choices: None,
        })
    }
}
