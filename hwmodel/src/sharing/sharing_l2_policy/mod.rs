//! Knows of each line of an L2 bank which SM has asked for it first and whether another one has
//! since; says which line goes for one that is fetched (Tabbakh's thesis, section 2.4;
//! specification 5.2 and 5.4).

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
    cnt: Counters,
    idle: bool,
    /// What a test has taken away.
    without: Option<Rule>,
}

impl SharingL2Policy {
    /// For tests: one that does not keep a rule. Errors: as of `new`.
    pub fn without(config: &Config, rule: Rule) -> Result<Self, ConfigError> {
        Ok(Self { without: Some(rule), ..Self::new(config)? })
    }

    fn keeps(&self, rule: Rule) -> bool {
        self.without != Some(rule)
    }

    /// Of several codes the lowest is shown.
    fn error(&mut self, code: u8) {
        if self.err == 0 || code < self.err {
            self.err = code;
        }
    }

    /// A line has come. Gives its MSHR, and its set's and its way's place.
    fn fill(&mut self, L2Fill { mshr, set, way }: L2Fill) -> Option<(u8, usize, u8)> {
        let at = self.lines.at(set);
        if !self.mshrs.is_used(mshr) || !self.lines.is_reserved(at, way) {
            self.error(err::FILL);
            return None;
        }
        let Mshr { owner, shared, .. } = self.mshrs.free(mshr);
        self.lines.fill(at, way, owner, shared);
        self.fsf = Some(shared);
        Some((mshr, at, way))
    }
}

impl Block for SharingL2Policy {
    type In = In;
    type Out = Out;

    #[inline(always)]
    fn outputs(&self) -> Out {
        let err = (self.err != 0).then_some(self.err);
        Out { fsf: self.fsf, act: self.act, err, cnt: self.cnt }
    }

    fn tick(&mut self, inputs: &In) -> Out {
        let out = self.outputs();
        let In { flush, inv, fill, lk } = *inputs;
        (self.fsf, self.act, self.err) = (None, None, 0);
        if flush {
            self.lines.flush();
        }
        if let Some(place) = inv
            && !self.lines.invalidate(place)
        {
            self.error(err::INV);
        }
        let is_first = self.keeps(Rule::FillFirst);
        let mut filled = None;
        if let Some(fill) = fill.filter(|_| is_first) {
            filled = self.fill(fill);
        }
        if let Some(lookup) = lk {
            self.act = Some(self.look_up(lookup, filled));
        }
        if let Some(fill) = fill.filter(|_| !is_first) {
            self.fill(fill);
        }
        self.idle = self.fsf.is_none() && self.act.is_none() && self.err == 0;
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
            cnt: Counters::default(),
            idle: true,
            without: None,
        })
    }
}
