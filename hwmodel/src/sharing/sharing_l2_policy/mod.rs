//! Of each line of an L2 bank the SM that accessed it first, and whether another SM has accessed it
//! since; the victim of each allocation (Tabbakh's thesis, section 2.4; specification 5.2 and 5.4).

mod choices;
mod lines;
mod lookup;
mod mshrs;
mod rule;
#[cfg(test)]
mod tests;

use ports::sharing::sharing_l2_policy::*;
use ports::sharing::types::{Action, L2Fill};
use ports::{ConfigError, Parameters};

use crate::block::{Block, Model};
use crate::state::State;
use choices::{Choices, Event, SPECIFICATION};
use lines::Lines;
use mshrs::{Mshr, Mshrs};

pub use rule::Rule;

/// Model of `rtl/sharing/sharing_l2_policy`.
#[derive(Clone, Debug)]
pub struct SharingL2Policy {
    config: Config,
    lines: Lines,
    mshrs: Mshrs,
    fsf: Option<bool>,
    act: Option<Action>,
    err: u8,
    counters: Counters,
    idle: bool,
    /// Other choices than those of the specification, in a test.
    test_choices: Option<Choices>,
}

/// A line that was filled: its MSHR, the index of its set, its way.
#[derive(Clone, Copy, Debug)]
struct Filled {
    mshr: u8,
    set: usize,
    way: u8,
}

impl SharingL2Policy {
    /// For tests: a policy with a rule disabled. Errors: as of `new`.
    pub fn without(config: &Config, rule: Rule) -> Result<Self, ConfigError> {
        Ok(Self { test_choices: Some(Choices::without(rule)), ..Self::new(config)? })
    }

    /// Of several codes the lowest is shown.
    fn error(&mut self, code: u8) {
        if self.err == 0 || code < self.err {
            self.err = code;
        }
    }

    /// A line arrives from memory.
    fn fill(&mut self, L2Fill { mshr, set, way }: L2Fill) -> Option<Filled> {
        let set = self.lines.index(set);
        if !self.mshrs.is_used(mshr) || !self.lines.is_reserved(set, way) {
            self.error(err::FILL);
            return None;
        }
        let Mshr { owner, shared, .. } = self.mshrs.free(mshr);
        self.lines.fill(set, way, owner, shared);
        self.fsf = Some(shared);
        Some(Filled { mshr, set, way })
    }

    /// One clock edge: the events in their order.
    #[inline(always)]
    fn step(&mut self, inputs: &In, choices: &Choices) {
        let In { flush, inv, .. } = *inputs;
        (self.fsf, self.act, self.err) = (None, None, 0);
        if flush {
            self.lines.flush();
        }
        if let Some(place) = inv
            && !self.lines.invalidate(place)
        {
            self.error(err::INV);
        }
        let [first, second] = choices.order;
        let filled = self.event(first, inputs, None, choices);
        self.event(second, inputs, filled, choices);
        self.idle = self.fsf.is_none() && self.act.is_none() && self.err == 0;
    }

    /// A fill or a lookup, behind the fill of `filled`. Returns what is filled.
    #[inline(always)]
    fn event(
        &mut self,
        event: Event,
        inputs: &In,
        filled: Option<Filled>,
        choices: &Choices,
    ) -> Option<Filled> {
        match (event, inputs.fill, inputs.lk) {
            (Event::Fill, Some(fill), _) => self.fill(fill),
            (Event::Lookup, _, Some(lookup)) => {
                let outcome = self.decide(lookup, filled, choices);
                self.act = Some(self.apply(lookup, outcome, choices));
                None
            }
            _ => None,
        }
    }
}

impl Block for SharingL2Policy {
    type In = In;
    type Out = Out;

    #[inline(always)]
    fn outputs(&self) -> Out {
        let err = (self.err != 0).then_some(self.err);
        Out { fsf: self.fsf, act: self.act, err, counters: self.counters }
    }

    fn tick(&mut self, inputs: &In) -> Out {
        let out = self.outputs();
        match self.test_choices {
            None => self.step(inputs, &SPECIFICATION),
            Some(choices) => self.step(inputs, &choices),
        }
        out
    }

    fn is_idle(&self) -> bool {
        self.idle
    }

    fn show_state(&self, state: &mut State) {
        state.part("mshrs", |state| self.mshrs.show_state(state));
        state.part("lines", |state| self.lines.show_state(state));
        state.flag("fsf_valid", self.fsf.is_some());
        state.flag("act_valid", self.act.is_some());
        state.bits("err", 4, self.err);
    }
}

impl Model for SharingL2Policy {
    const NAME: &'static str = "sharing_l2_policy";
    type Config = Config;

    fn new(config: &Config) -> Result<Self, ConfigError> {
        config.validate()?;
        Ok(Self {
            config: config.clone(),
            lines: Lines::new(config),
            mshrs: Mshrs::new(config),
            fsf: None,
            act: None,
            err: 0,
            counters: Counters::default(),
            idle: true,
            test_choices: None,
        })
    }
}
