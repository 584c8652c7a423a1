//! The speculative load queue of an SM: loads that hit in the L1 while an answer of the race
//! detection unit was outstanding, until they commit or are replayed (Tabbakh's thesis, section
//! 4.2.3; specification 5.4).
//!
//! A load allocated in t is an entry in t+1. With its last answer in cycle s it commits in s+1 at
//! the earliest; if that answer has a signature, after the test of the signature.

mod choices;
mod rule;
mod slots;
#[cfg(test)]
mod tests;
mod validation;

use ports::race::speculative_load_queue::*;
use ports::race::types::{LoadName, rsp_kind};
use ports::{ConfigError, Parameters};

use crate::block::{Block, Model};
use crate::common::counter::count;
use crate::state::State;
use choices::{Choices, SPECIFICATION};
use slots::{Head, Slots};
use validation::Validation;

pub use rule::Rule;

/// What happens in a cycle (specification 5.4).
#[derive(Clone, Copy, Debug)]
struct Step {
    /// An answer is complete.
    answered: bool,
    /// The head is popped.
    pops: Option<Pop>,
    /// The load that is accepted gets an entry.
    allocates: bool,
    /// A signature is tested from the next cycle on.
    validates: bool,
    /// The error code; 0 is none.
    err: u8,
}

/// Why the head is popped.
#[derive(Clone, Copy, Debug)]
enum Pop {
    Dead,
    Commit,
    Replay(LoadName),
}

/// Model of `rtl/race/speculative_load_queue`.
#[derive(Clone, Debug)]
pub struct SpeculativeLoadQueue {
    config: Config,
    slots: Slots,
    validation: Validation,
    /// Requests without a complete answer.
    out: u8,
    /// The error pulse of this cycle; 0 is none.
    err: u8,
    counters: Counters,
    /// See `waits`.
    idle: bool,
    /// Replaces the specification's choices in a test.
    test_choices: Option<Choices>,
}

impl SpeculativeLoadQueue {
    /// For tests: a queue with a rule disabled. Errors: as of `new`.
    pub fn without(config: &Config, rule: Rule) -> Result<Self, ConfigError> {
        Ok(Self { test_choices: Some(Choices::without(rule)), ..Self::new(config)? })
    }

    /// A validation delays commits.
    #[inline(always)]
    fn commits_wait(&self) -> bool {
        self.validation.busy() && self.test_choices.as_ref().unwrap_or(&SPECIFICATION).commits_wait
    }

    /// What happens in a cycle with outputs `out`.
    #[inline(always)]
    fn decide(&self, inputs: &In, out: &Out, choices: &Choices) -> Step {
        let In { inc, done, alloc, replay_ready, .. } = *inputs;
        let answered = done.is_some_and(|done| done.kind != rsp_kind::FORCED);
        let sync = done.filter(|done| done.sync);
        let pops = match (out.commit, out.replay) {
            (Some(_), _) => Some(Pop::Commit),
            (_, Some(load)) if replay_ready => Some(Pop::Replay(load)),
            _ if !out.busy && self.slots.head() == Head::Dead => Some(Pop::Dead),
            _ => None,
        };
        let dropped = match pops {
            Some(Pop::Replay(load)) if choices.drops_alloc => Some(load.warp),
            _ => None,
        };
        let tested = |kind| kind != rsp_kind::FORCED || choices.tests_forced;
        Step {
            answered,
            pops,
            allocates: out.alloc_ready && alloc.is_some_and(|load| dropped != Some(load.warp)),
            validates: sync.is_some_and(|sync| tested(sync.kind)) && !out.busy,
            err: match () {
                () if answered && self.out == 0 => err::DONE,
                () if inc && !answered && self.out == u8::MAX => err::REQUEST,
                () if sync.is_some() && out.busy => err::SYNC,
                () => 0,
            },
        }
    }

    /// Applies what happens in a cycle.
    #[inline(always)]
    fn apply(&mut self, inputs: &In, step: &Step, choices: &Choices) {
        let Self { slots, validation, counters, .. } = self;
        self.err = step.err;
        validation.tick(inputs.q_member, slots);
        if step.answered {
            slots.answered();
        }
        // Beyond 0 and 255 the count saturates, with an error.
        self.out = self.out.saturating_sub(step.answered.into());
        self.out = self.out.saturating_add(inputs.inc.into());
        if let Some(pop) = step.pops {
            slots.pop();
            validation.popped();
            match pop {
                Pop::Dead => {}
                Pop::Commit => count(&mut counters.commits, true),
                Pop::Replay(load) => {
                    count(&mut counters.replays, true);
                    if choices.drops_entries {
                        count(&mut counters.dropped, slots.drop_all(load.warp));
                    }
                }
            }
        }
        if let Some(load) = inputs.alloc.filter(|_| step.allocates) {
            slots.push(load, self.out);
            count(&mut counters.allocs, true);
        }
        if step.validates {
            validation.start(slots.len());
        }
    }

    /// No register changes until an input does; a replay waits for its ready.
    #[inline(always)]
    fn waits(&self) -> bool {
        matches!(self.slots.head(), Head::Waits | Head::Wrong(_))
            && !self.validation.busy()
            && self.err == 0
            && self.counters.occ_max >= self.slots.len().into()
    }
}

impl Block for SpeculativeLoadQueue {
    type In = In;
    type Out = Out;

    #[inline(always)]
    fn outputs(&self) -> Out {
        let head = self.slots.head();
        let (q_valid, q) = self.validation.queries(&self.slots);
        Out {
            alloc_ready: !self.slots.is_full(),
            q_valid,
            q,
            commit: match head {
                Head::Right(load) if !self.commits_wait() => Some(load),
                _ => None,
            },
            replay: match head {
                Head::Wrong(load) => Some(load),
                _ => None,
            },
            out: self.out,
            spec: self.slots.spec(),
            busy: self.validation.busy(),
            empty: self.slots.len() == 0,
            err: (self.err != 0).then_some(self.err),
            counters: self.counters,
        }
    }

    fn tick(&mut self, inputs: &In) -> Out {
        let out = self.outputs();
        let In { inc, done, alloc, replay_ready, .. } = *inputs;
        let replayed = out.replay.is_some() && replay_ready;
        if self.idle && !inc && done.is_none() && alloc.is_none() && !replayed {
            return out;
        }
        let counters = &mut self.counters;
        count(&mut counters.busy_cycles, out.busy);
        count(&mut counters.full_cycles, alloc.is_some() && !out.alloc_ready);
        counters.occ_max = counters.occ_max.max(self.slots.len().into());
        match self.test_choices {
            None => self.apply(inputs, &self.decide(inputs, &out, &SPECIFICATION), &SPECIFICATION),
            Some(choices) => self.apply(inputs, &self.decide(inputs, &out, &choices), &choices),
        }
        self.idle = self.waits();
        out
    }

    fn is_idle(&self) -> bool {
        self.idle
    }

    fn show_state(&self, state: &mut State) {
        state.part("slots", |state| self.slots.show_state(state));
        state.part("validation", |state| {
            self.validation.show_state(state, self.config.slq_n);
        });
        state.flag("busy", self.validation.busy());
        state.part("warps", |state| state.bits("spec", 64, self.outputs().spec));
        state.bits("out", 8, self.out);
        state.bits("err", 4, self.err);
    }
}

impl Model for SpeculativeLoadQueue {
    const NAME: &'static str = "speculative_load_queue";
    type Config = Config;

    fn new(config: &Config) -> Result<Self, ConfigError> {
        config.validate()?;
        Ok(Self {
            config: config.clone(),
            slots: Slots::new(config.slq_n),
            validation: Validation::new(config.v_lanes),
            out: 0,
            err: 0,
            counters: Counters::default(),
            idle: true,
            test_choices: None,
        })
    }

    /// Longer than a validation, which takes at most a cycle for each slot.
    fn rests(_config: &Config, _outputs: &Out, cycles: u64) -> bool {
        cycles > 1 << 11
    }
}
