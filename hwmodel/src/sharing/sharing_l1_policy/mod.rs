//! Which line of an L1 a fill replaces, if any: private lines are kept, shared ones may be replaced
//! (Tabbakh's thesis, sections 2.4 and 2.5; specification 5.3).

mod choices;
mod decide;
mod rule;
#[cfg(test)]
mod tests;

use ports::sharing::sharing_l1_policy::*;
use ports::sharing::types::{L1Fill, Place, Victim};
use ports::{ConfigError, Parameters};

use crate::block::{Block, Model};
use crate::common::counter::count;
use crate::sharing::use_order::UseOrder;
use crate::state::State;
use choices::{Choices, SPECIFICATION};

pub use decide::{Case, Placement};
pub use rule::Rule;

/// A set, with one bit for each way.
#[derive(Clone, Copy, Debug)]
struct Set {
    valid: u8,
    /// PF: private.
    private: u8,
    /// DBF: predicted dead.
    dead: u8,
    order: UseOrder,
}

/// Model of `rtl/sharing/sharing_l1_policy`.
#[derive(Clone, Debug)]
pub struct SharingL1Policy {
    config: Config,
    sets: Vec<Set>,
    vic: Option<Victim>,
    err: bool,
    counters: Counters,
    idle: bool,
    /// Other choices than those of the specification, in a test.
    test_choices: Option<Choices>,
}

impl SharingL1Policy {
    /// For tests: a policy with a rule disabled. Errors: as of `new`.
    pub fn without(config: &Config, rule: Rule) -> Result<Self, ConfigError> {
        Ok(Self { test_choices: Some(Choices::without(rule)), ..Self::new(config)? })
    }

    /// What a fill of the next cycle does.
    pub fn placement(&self, fill: L1Fill) -> Placement {
        let choices = self.test_choices.unwrap_or(SPECIFICATION);
        decide::place(&self.config, &self.sets[self.at(fill.set)], fill, &choices)
    }

    /// Index of a set.
    #[inline]
    fn at(&self, set: u16) -> usize {
        usize::from(set) & (self.sets.len() - 1)
    }

    /// The set and the way's bit, if the way holds a line.
    fn held(&mut self, Place { set, way }: Place) -> Option<(&mut Set, u8)> {
        let at = self.at(set);
        let set = &mut self.sets[at];
        let bit = 1u8.checked_shl(way.into()).unwrap_or(0);
        (set.valid & bit != 0).then_some((set, bit))
    }

    /// One clock edge: the events in their order.
    #[inline(always)]
    fn step(&mut self, inputs: &In, choices: &Choices) {
        let In { flush, inv, touch, fill } = *inputs;
        (self.vic, self.err) = (None, false);
        if flush {
            self.sets.iter_mut().for_each(|set| set.valid = 0);
        }
        if let Some(place) = inv {
            self.invalidate(place);
        }
        if let Some(place) = touch {
            self.touch(place, choices);
        }
        if let Some(fill) = fill {
            let at = self.at(fill.set);
            let placement = decide::place(&self.config, &self.sets[at], fill, choices);
            self.vic = Some(self.fill(at, fill, placement));
        }
        self.idle = self.vic.is_none() && !self.err;
    }

    fn invalidate(&mut self, place: Place) {
        match self.held(place) {
            Some((set, bit)) => set.valid &= !bit,
            None => self.err = true,
        }
    }

    #[inline(always)]
    fn touch(&mut self, place: Place, choices: &Choices) {
        match self.held(place) {
            Some((set, bit)) => {
                set.order.touch(place.way);
                set.dead &= !bit | choices.dead_after_touch;
                count(&mut self.counters.touches, true);
            }
            None => self.err = true,
        }
    }

    /// Applies the placement of a fill.
    #[inline(always)]
    fn fill(&mut self, at: usize, fill: L1Fill, placement: Placement) -> Victim {
        let (set, counters) = (&mut self.sets[at], &mut self.counters);
        let Placement { case, way, dead } = placement;
        if case == Case::Bypass {
            count(&mut counters.bypass_shared, true);
            return Victim::default();
        }
        set.dead |= dead;
        let bit = 1 << way;
        let evict_valid = set.valid & bit != 0;
        let evict_private = evict_valid && set.private & bit != 0;
        let dead = case == Case::Dead;
        set.valid |= bit;
        set.dead &= !bit;
        set.private = if fill.sf { set.private & !bit } else { set.private | bit };
        set.order.touch(way);
        count(&mut counters.fills_shared, fill.sf);
        count(&mut counters.fills_private, !fill.sf);
        count(&mut counters.evict_private, evict_private);
        count(&mut counters.evict_shared, evict_valid && !evict_private);
        count(&mut counters.evict_dead, dead);
        Victim { install: true, dead, evict_valid, evict_private, way }
    }
}

impl Block for SharingL1Policy {
    type In = In;
    type Out = Out;

    #[inline(always)]
    fn outputs(&self) -> Out {
        Out { vic: self.vic, err: self.err.then_some(err::WAY), counters: self.counters }
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
        let ways = self.config.l1_ways;
        for (at, set) in self.sets.iter().enumerate() {
            state.bits(&format!("valid[{at}]"), ways, set.valid);
        }
        state.flag("vic_valid", self.vic.is_some());
        state.flag("err", self.err);
    }
}

impl Model for SharingL1Policy {
    const NAME: &'static str = "sharing_l1_policy";
    type Config = Config;

    fn new(config: &Config) -> Result<Self, ConfigError> {
        config.validate()?;
        let set = Set { valid: 0, private: 0, dead: 0, order: UseOrder::NEW };
        Ok(Self {
            config: config.clone(),
            sets: vec![set; config.l1_sets as usize],
            vic: None,
            err: false,
            counters: Counters::default(),
            idle: true,
            test_choices: None,
        })
    }
}
