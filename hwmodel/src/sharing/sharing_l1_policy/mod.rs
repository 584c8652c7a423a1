//! Says which line of an L1 goes for one that comes, if any: private lines stay, shared ones may go
//! (Tabbakh's thesis, sections 2.4 and 2.5; specification 5.3).

mod decide;
mod rule;
#[cfg(test)]
mod tests;

use ports::sharing::sharing_l1_policy::*;
use ports::sharing::types::{L1Fill, Place, Victim};
use ports::{ConfigError, Parameters};

use crate::block::{Block, Model};
use crate::sharing::use_order::UseOrder;
use crate::state::State;

pub use decide::Row;
pub use rule::Rule;

/// A set: of each way a bit.
#[derive(Clone, Copy, Debug)]
struct Set {
    valid: u8,
    /// PF: private.
    private: u8,
    /// DBF: thought to be dead.
    dead: u8,
    order: UseOrder,
}

/// Model of `rtl/sharing/sharing_l1_policy`.
#[derive(Clone, Debug)]
pub struct SharingL1Policy {
    config: Config,
    sets: Vec<Set>,
    vic: Option<Victim>,
    row: Option<Row>,
    err: bool,
    cnt: Counters,
    idle: bool,
    /// What a test has taken away.
    without: Option<Rule>,
}

impl SharingL1Policy {
    /// For tests: one that does not keep a rule. Errors: as of `new`.
    pub fn without(config: &Config, rule: Rule) -> Result<Self, ConfigError> {
        Ok(Self { without: Some(rule), ..Self::new(config)? })
    }

    /// The row that the last cycle's fill has met.
    pub fn row(&self) -> Option<Row> {
        self.row
    }

    /// A place's set and the way's bit, where the way holds a line.
    fn held(&mut self, Place { set, way }: Place) -> Option<(&mut Set, u8)> {
        let at = usize::from(set) & (self.sets.len() - 1);
        let set = &mut self.sets[at];
        let bit = 1u8.checked_shl(way.into()).unwrap_or(0);
        (set.valid & bit != 0).then_some((set, bit))
    }

    fn invalidate(&mut self, place: Place) {
        match self.held(place) {
            Some((set, bit)) => set.valid &= !bit,
            None => self.err = true,
        }
    }

    fn touch(&mut self, place: Place) {
        let keeps = self.without != Some(Rule::TouchClears);
        match self.held(place) {
            Some((set, bit)) => {
                set.order.touch(place.way);
                if keeps {
                    set.dead &= !bit;
                }
                self.cnt.touches = self.cnt.touches.wrapping_add(1);
            }
            None => self.err = true,
        }
    }

    fn fill(&mut self, fill: L1Fill) {
        let at = usize::from(fill.set) & (self.sets.len() - 1);
        let keeps = self.without != Some(Rule::KeepPrivate);
        let (row, way) = decide::way(&self.config, &mut self.sets[at], fill.sf, keeps);
        self.row = Some(row);
        let cnt = &mut self.cnt;
        let Some(way) = way else {
            cnt.bypass_shared = cnt.bypass_shared.wrapping_add(1);
            self.vic = Some(Victim::default());
            return;
        };
        let (set, bit) = (&mut self.sets[at], 1 << way);
        let evict_valid = set.valid & bit != 0;
        let evict_private = evict_valid && set.private & bit != 0;
        let dead = row == Row::R3;
        set.valid |= bit;
        set.dead &= !bit;
        set.private = if fill.sf { set.private & !bit } else { set.private | bit };
        set.order.touch(way);
        let add = |count: &mut u32, is_one: bool| *count = count.wrapping_add(is_one.into());
        add(&mut cnt.fills_shared, fill.sf);
        add(&mut cnt.fills_private, !fill.sf);
        add(&mut cnt.evict_private, evict_private);
        add(&mut cnt.evict_shared, evict_valid && !evict_private);
        add(&mut cnt.evict_dead, dead);
        self.vic = Some(Victim { install: true, dead, evict_valid, evict_private, way });
    }
}

impl Block for SharingL1Policy {
    type In = In;
    type Out = Out;

    #[inline(always)]
    fn outputs(&self) -> Out {
        Out { vic: self.vic, err: self.err.then_some(err::WAY), cnt: self.cnt }
    }

    fn tick(&mut self, inputs: &In) -> Out {
        let out = self.outputs();
        let In { flush, inv, touch, fill } = *inputs;
        (self.vic, self.row, self.err) = (None, None, false);
        if flush {
            self.sets.iter_mut().for_each(|set| set.valid = 0);
        }
        if let Some(place) = inv {
            self.invalidate(place);
        }
        if let Some(place) = touch {
            self.touch(place);
        }
        if let Some(fill) = fill {
            self.fill(fill);
        }
        self.idle = self.vic.is_none() && !self.err;
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
            row: None,
            err: false,
            cnt: Counters::default(),
            idle: true,
            without: None,
        })
    }
}
