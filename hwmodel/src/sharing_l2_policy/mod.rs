//! Knows of each line of an L2 bank which SM has asked for it first and whether another one has
//! since; says which line goes for one that is fetched (Tabbakh's thesis, section 2.4;
//! specification 5.2 and 5.4).

mod lookup;
mod rule;
#[cfg(test)]
mod tests;

use ports::common::sharing_types::{Action, L2Fill, Place};
use ports::sharing_l2_policy::*;
use ports::{ConfigError, Parameters};

use crate::block::{Block, Model};
use crate::common::use_order::{UseOrder, WAYS};
use crate::state::State;

pub use rule::Rule;

/// MSHRs, at most.
const MSHRS: usize = 64;

/// A set: of each way a bit.
#[derive(Clone, Copy, Debug)]
struct Set {
    valid: u16,
    reserved: u16,
    /// SF: more than one SM has asked for it.
    shared: u16,
    order: UseOrder,
    /// Who has asked first.
    owner: [u8; WAYS as usize],
}

/// A line that is waited for.
#[derive(Clone, Copy, Debug, Default)]
struct Mshr {
    used: bool,
    owner: u8,
    shared: bool,
}

/// Model of `rtl/sharing_l2_policy`.
#[derive(Clone, Debug)]
pub struct SharingL2Policy {
    config: Config,
    sets: Vec<Set>,
    mshrs: [Mshr; MSHRS],
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

    /// A set's place.
    fn at(&self, set: u16) -> usize {
        usize::from(set) & (self.sets.len() - 1)
    }

    fn is_used(&self, mshr: u8) -> bool {
        u32::from(mshr) < self.config.l2_mshr && self.mshrs[usize::from(mshr)].used
    }

    fn invalidate(&mut self, Place { set, way }: Place) {
        let at = self.at(set);
        let bit = 1 << way;
        match self.sets[at].valid & bit {
            0 => self.error(err::INV),
            _ => self.sets[at].valid &= !bit,
        }
    }

    /// A line has come. Gives its MSHR's, its set's and its way's place.
    fn fill(&mut self, L2Fill { mshr, set, way }: L2Fill) -> Option<(u8, usize, u8)> {
        let at = self.at(set);
        let (bit, is_used) = (1 << way, self.is_used(mshr));
        let set = &mut self.sets[at];
        if !is_used || set.reserved & bit == 0 {
            self.error(err::FILL);
            return None;
        }
        let Mshr { owner, shared, .. } = std::mem::take(&mut self.mshrs[usize::from(mshr)]);
        set.valid |= bit;
        set.reserved &= !bit;
        set.owner[usize::from(way)] = owner;
        set.shared = if shared { set.shared | bit } else { set.shared & !bit };
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
            self.sets.iter_mut().for_each(|set| set.valid = 0);
        }
        if let Some(place) = inv {
            self.invalidate(place);
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
        let Config { l2_ways, l2_mshr, .. } = self.config;
        state.flags("used", self.mshrs[..l2_mshr as usize].iter().map(|mshr| mshr.used));
        for (at, set) in self.sets.iter().enumerate() {
            state.bits(&format!("valid[{at}]"), l2_ways, set.valid);
            state.bits(&format!("reserved[{at}]"), l2_ways, set.reserved);
        }
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
        let owner = [0; WAYS as usize];
        let set = Set { valid: 0, reserved: 0, shared: 0, order: UseOrder::NEW, owner };
        Ok(Self {
            config: config.clone(),
            sets: vec![set; config.l2_sets as usize],
            mshrs: [Mshr::default(); MSHRS],
            fsf: None,
            act: None,
            err: 0,
            cnt: Counters::default(),
            idle: true,
            without: None,
        })
    }
}
