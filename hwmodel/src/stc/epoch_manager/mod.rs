//! The epoch management unit: grants the CUs their right to write, one or a few bands of addresses
//! at a time (STC, TACO 20(3) art. 33, sections 4.2 to 4.4; cycle rules in
//! `rtl/stc/epoch_manager/README.md`).
//!
//! An epoch lasts `wakeup` cycles (IDLE). At its end the next is selected from the bands that are
//! demanded; if it is another, PREP follows until all agents have drained, CHG until all are in the
//! new epoch, REL until all levels are low.

mod choices;
mod record;
mod rule;
mod select;
#[cfg(test)]
mod tests;

use std::hash::{Hash, Hasher};

use ports::stc::epoch_manager::*;
use ports::stc::types::{Epoch, kind};
use ports::{ConfigError, Parameters};

use crate::block::{Block, Model};
use crate::common::bits::ones;
use crate::common::counter::count;
use crate::state::{State, index_width};
use choices::{Choices, SPECIFICATION};
use record::Record;
use select::{Next, Selection, select};

pub use rule::Rule;

/// Upper limit of cycles skipped at once while no band is demanded.
const QUIET: u64 = 1 << 40;

/// `state_q` (specification 5.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Phase {
    Idle,
    Prep,
    Chg,
    Rel,
}

/// What ends in a cycle (specification 5.1).
#[derive(Clone, Copy, Debug)]
enum Step {
    Nothing,
    /// IDLE: the epoch, and what is selected for the next.
    Wake(Option<Selection>),
    /// PREP: all CUs are ready.
    Change,
    /// CHG: all CUs are in the new epoch.
    Release,
    /// REL: all levels are low.
    Rest,
}

/// Model of `rtl/stc/epoch_manager`.
#[derive(Clone, Debug)]
pub struct EpochManager {
    config: Config,
    /// A 1 for each CU.
    all: u32,
    addr_mask: u32,
    phase: Phase,
    wake_count: u32,
    /// Band that the search begins behind.
    ec: u32,
    /// What is granted: `seb_q`, `gvec_q`.
    epoch: Epoch,
    next: Next,
    /// The start epoch bit has moved, and nothing has been selected since.
    hold: bool,
    record: Record,
    dmd_ack: u32,
    /// The error pulse of this cycle; 0 is none.
    err: u8,
    counters: Counters,
    /// `ready_i` and `done_i` of the last cycle.
    levels: (u32, u32),
    /// Other choices than those of the specification, in a test.
    test_choices: Option<Choices>,
}

/// The state that later outputs depend on: neither counters nor the error of the last cycle.
impl Hash for EpochManager {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let Self { phase, wake_count, ec, epoch, next, hold, record, dmd_ack, levels, .. } = self;
        (phase, wake_count, ec, epoch, next, hold, record, dmd_ack, levels).hash(hasher);
    }
}

impl EpochManager {
    /// For tests: a manager with a rule disabled. Errors: as of `new`.
    pub fn without(config: &Config, rule: Rule) -> Result<Self, ConfigError> {
        Ok(Self { test_choices: Some(Choices::without(rule)), ..Self::new(config)? })
    }

    /// The lowest error code of a cycle with these levels (specification 12).
    #[inline(always)]
    fn error(&self, ready: u32, done: u32) -> u8 {
        match self.phase {
            Phase::Idle if ready | done != 0 => err::NOT_ASKED,
            Phase::Idle => 0,
            phase if done & !ready != 0 || phase == Phase::Prep && done != 0 => err::DONE_EARLY,
            Phase::Chg if ready != self.all => err::READY_FELL,
            _ => 0,
        }
    }

    /// One clock edge. Selection and conflicts see the registers; demands come behind what the edge
    /// clears.
    #[inline(always)]
    fn step(&mut self, inputs: &In, choices: &Choices) {
        let (ready, done) = (inputs.ready & self.all, inputs.done & self.all);
        self.err = self.error(ready, done);
        self.levels = (ready, done);
        let (valid, addr_mask) = (inputs.req_valid & self.all, self.addr_mask);
        let of_kind = |kind| {
            let these = ones(valid).filter(move |&cu| inputs.req[cu].kind == kind);
            these.map(move |cu| (cu, inputs.req[cu].addr & addr_mask))
        };
        let step = self.decide(ready, done, choices);
        if self.config.variant.has_conflicts() {
            let changes = matches!(step, Step::Change);
            for (_, addr) in of_kind(kind::CONFLICT) {
                let Self { config, epoch, record, counters, .. } = self;
                record.conflict(config, epoch, changes, addr, counters);
            }
        }
        self.apply(step, choices);
        self.dmd_ack = 0;
        for (cu, addr) in of_kind(kind::DEMAND) {
            // After `change` the epoch has the new start epoch bit.
            self.record.demand(self.epoch.band(addr, self.config.band_bits), addr);
            self.dmd_ack |= 1 << cu;
        }
    }

    /// What ends in a cycle with these levels.
    #[inline(always)]
    fn decide(&self, ready: u32, done: u32, choices: &Choices) -> Step {
        let Self { config, all, epoch, ec, hold, record, .. } = self;
        match self.phase {
            Phase::Idle if self.wake_count == config.wakeup - 1 => {
                Step::Wake(select(config, epoch, *ec, *hold, record))
            }
            Phase::Prep if choices.prep.is_met(ready, *all) => Step::Change,
            Phase::Chg if choices.chg.is_met(done, *all) => Step::Release,
            Phase::Rel if choices.rel.is_met(ready | done, *all) => Step::Rest,
            _ => Step::Nothing,
        }
    }

    /// Applies it.
    #[inline(always)]
    fn apply(&mut self, step: Step, choices: &Choices) {
        let ends = !matches!(step, Step::Nothing);
        self.wake_count = if self.phase == Phase::Idle && !ends { self.wake_count + 1 } else { 0 };
        self.phase = match step {
            Step::Nothing => self.phase,
            Step::Wake(selection) => match self.wake(selection, choices) {
                true => Phase::Prep,
                false => Phase::Idle,
            },
            Step::Change => {
                self.change();
                Phase::Chg
            }
            Step::Release => Phase::Rel,
            Step::Rest => Phase::Idle,
        };
    }

    /// The end of an epoch. Returns whether the next differs from it.
    fn wake(&mut self, selection: Option<Selection>, choices: &Choices) -> bool {
        let Self { config, epoch, record, counters, .. } = self;
        count(&mut counters.wakes, true);
        count(&mut counters.wakes_idle, selection.is_none());
        let Some(Selection { bands, first, next }) = selection else { return false };
        let moves = next.seb != epoch.seb;
        let same = !moves && next.vec == epoch.gvec;
        count(&mut counters.selections, true);
        count(&mut counters.skip_same, same);
        if config.variant.has_demands() {
            record.v &= !bands;
        }
        self.ec = if moves { config.bands() - 1 } else { first };
        self.hold = moves && config.seb_on_wrap == 1 && choices.holds;
        self.next = next;
        !same
    }

    /// The edge from PREP to CHG.
    fn change(&mut self) {
        let Next { vec: gvec, seb, moves } = self.next;
        if moves {
            (self.record.vote, self.record.etv) = (0, 0);
        }
        if seb != self.epoch.seb {
            self.record.v = 0;
        }
        self.epoch = Epoch { seb, gvec };
    }
}

impl Block for EpochManager {
    type In = In;
    type Out = Out;

    #[inline(always)]
    fn outputs(&self) -> Out {
        Out {
            dmd_ack: self.dmd_ack,
            prep: matches!(self.phase, Phase::Prep | Phase::Chg),
            chg: self.phase == Phase::Chg,
            chg_info: self.epoch,
            err: (self.err != 0).then_some(self.err),
            counters: self.counters,
        }
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
        self.quiet_cycles() == u64::MAX
    }

    fn quiet_cycles(&self) -> u64 {
        let (ready, done) = self.levels;
        let wrong = self.err != 0 || self.error(ready, done) != 0;
        let silent = self.dmd_ack == 0 && !wrong;
        match self.phase {
            Phase::Prep if silent && ready != self.all => u64::MAX,
            Phase::Chg if silent && done != self.all => u64::MAX,
            Phase::Rel if silent && ready | done != 0 => u64::MAX,
            Phase::Idle if silent && self.config.variant.has_demands() && self.record.v == 0 => {
                QUIET
            }
            Phase::Idle if silent => (self.config.wakeup - 1 - self.wake_count).into(),
            _ => 0,
        }
    }

    fn skip_quiet(&mut self, cycles: u64) {
        if self.phase != Phase::Idle {
            return;
        }
        let (passed, wakeup) = (cycles + u64::from(self.wake_count), u64::from(self.config.wakeup));
        self.wake_count = (passed % wakeup) as u32;
        // A wake is skipped only while no band is demanded.
        let wakes = (passed / wakeup) as u32;
        self.counters.wakes = self.counters.wakes.wrapping_add(wakes);
        self.counters.wakes_idle = self.counters.wakes_idle.wrapping_add(wakes);
    }

    fn show_state(&self, state: &mut State) {
        let Self { config, phase, epoch, next, record, .. } = self;
        let bands = config.bands();
        state.bits("state", 2, *phase as u8);
        state.bits("wake_count", index_width(config.wakeup), self.wake_count);
        state.bits("ec", config.band_bits, self.ec);
        state.part("record", |state| {
            record.show_state(state, config);
            state.bits("dmd_ack", config.n_cu, self.dmd_ack);
        });
        state.bits("seb", 6, epoch.seb);
        state.bits("gvec", bands, epoch.gvec);
        let selected = *phase == Phase::Prep;
        state.bits_while(selected, "nvec", bands, next.vec);
        state.bits_while(selected, "nseb", 6, next.seb);
        state.bits_while(selected, "move", 1, u8::from(next.moves));
        state.flag("hold", self.hold);
        state.bits("err", 4, self.err);
    }
}

impl Model for EpochManager {
    const NAME: &'static str = "epoch_manager";
    type Config = Config;

    fn new(config: &Config) -> Result<Self, ConfigError> {
        config.validate()?;
        Ok(Self {
            config: config.clone(),
            all: u32::MAX >> (32 - config.n_cu),
            addr_mask: u32::MAX >> (32 - config.addr_w),
            phase: Phase::Idle,
            wake_count: 0,
            ec: 0,
            epoch: Epoch { seb: config.seb_init as u8, gvec: 1 },
            next: Next::default(),
            hold: false,
            record: Record::default(),
            dmd_ack: 0,
            err: 0,
            counters: Counters::default(),
            levels: (0, 0),
            test_choices: None,
        })
    }

    /// Longer than an epoch, after which `counters` changes.
    fn rests(_config: &Config, _outputs: &Out, cycles: u64) -> bool {
        cycles > 1 << 11
    }
}
