//! The epoch agent of a CU, between its coalescing buffer and its L1: blocks stores until the epoch
//! of their band, and marks loads that the L1 may not serve (STC, TACO 20(3) art. 33,
//! sections 4.2 to 4.4; cycle rules in `rtl/stc/epoch_agent/README.md`).
//!
//! A store accepted in cycle t is classified in t+1; it is at `st` in t+2, or its demand at `req`
//! in t+2 at the earliest. A load accepted in t is at `ld` in t+1 at the earliest.

mod choices;
mod demands;
mod loads;
mod queue;
mod rule;
#[cfg(test)]
mod tests;

use std::hash::{Hash, Hasher};

use ports::stc::epoch_agent::*;
use ports::stc::types::{Epoch, Load, Store};
use ports::{ConfigError, Parameters};

use crate::block::{Block, Model};
use crate::common::counter::count;
use crate::state::State;
use choices::{Choices, Counted, SPECIFICATION};
use demands::Demands;
use loads::Loads;
use queue::Queue;

pub use rule::Rule;

/// `state_q` (specification 5.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Phase {
    Run,
    Drain,
    Ready,
    Done,
}

/// What happens in a cycle, by its inputs and the registers.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// The state of the next cycle.
    phase: Phase,
    /// The epoch changes.
    changes: bool,
    /// The store that is accepted.
    offered: Option<Store>,
    /// The L1 takes the store in the issue register; another store may be loaded.
    taken: bool,
    free: bool,
    issue: Issue,
    /// A store has reached the L2.
    acknowledged: bool,
    /// The error code; 0 is none.
    err: u8,
}

/// What is loaded into the issue register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Issue {
    Nothing,
    /// The next released store of the queue.
    Blocked,
    /// The store in the input register, if its band is granted.
    Direct,
}

/// Model of `rtl/stc/epoch_agent`.
#[derive(Clone, Debug)]
pub struct EpochAgent {
    config: Config,
    addr_mask: u32,
    phase: Phase,
    cer: Epoch,
    upd: bool,
    /// The input register, the issue register.
    input: Option<Store>,
    issue: Option<Store>,
    /// `out_q`: stores in the issue register and on their way.
    out: u16,
    queue: Queue,
    demands: Demands,
    loads: Loads,
    /// The error pulse of this cycle; 0 is none.
    err: u8,
    counters: Counters,
    /// `waits`, kept from the last tick, and the levels of that tick.
    idle: bool,
    levels: Levels,
    /// Other choices than those of the specification, in a test.
    test_choices: Option<Choices>,
}

/// Inputs that are no pulses.
type Levels = (bool, bool, bool);

/// The state that later outputs depend on: neither counters nor the error of the last cycle.
impl Hash for EpochAgent {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let Self { phase, cer, upd, input, issue, out, queue, demands, loads, levels, .. } = self;
        (phase, cer, upd, input, issue, out, queue, demands, loads, levels).hash(hasher);
    }
}

impl EpochAgent {
    /// For tests: an agent with a rule disabled. Errors: as of `new`.
    pub fn without(config: &Config, rule: Rule) -> Result<Self, ConfigError> {
        Ok(Self { test_choices: Some(Choices::without(rule)), ..Self::new(config)? })
    }

    #[inline(always)]
    fn band(&self, addr: u32) -> u32 {
        self.cer.band(addr, self.config.band_bits)
    }

    #[inline(always)]
    fn granted(&self, addr: u32) -> bool {
        self.cer.granted(addr, self.config.band_bits)
    }

    /// A store has this slot.
    #[inline(always)]
    fn holds(&self, slot: u8) -> bool {
        let is = |store: &Option<Store>| store.is_some_and(|store| store.slot == slot);
        is(&self.input) || is(&self.issue) || self.queue.has(slot)
    }

    /// Another store may be issued.
    #[inline(always)]
    fn has_credit(&self) -> bool {
        u32::from(self.out) < self.config.bsq_n
    }

    /// The registers stay until an input changes; an output that is not taken stays too.
    #[inline(always)]
    fn waits(&self) -> bool {
        let (prep, chg, sweep_done) = self.levels;
        let stays = match self.phase {
            Phase::Run => {
                let free = self.issue.is_none() && self.has_credit();
                let issues = free && self.queue.is_released();
                !prep && !chg && self.queue.is_scanned() && !issues
            }
            Phase::Drain => prep && !chg && !(self.out == 0 && sweep_done),
            Phase::Ready => prep && !chg,
            Phase::Done => prep && self.queue.is_scanned(),
        };
        stays
            && self.err == 0
            && !self.upd
            && self.input.is_none()
            && self.demands.front(&self.queue).is_none()
    }

    fn is_legal(&self, epoch: &Epoch) -> bool {
        let Config { max_bands, seb_min, seb_max, .. } = self.config;
        (1..=max_bands).contains(&epoch.gvec.count_ones())
            && (seb_min..=seb_max).contains(&epoch.seb.into())
    }

    /// The lowest error code of a cycle (specification 12).
    #[inline(always)]
    fn error(&self, inputs: &In, slot: bool, illegal: bool) -> u8 {
        let errors = [
            (err::SLOT, slot),
            (err::ACK, inputs.wa_valid && self.out == 0),
            (err::EARLY_CHANGE, inputs.chg && matches!(self.phase, Phase::Run | Phase::Drain)),
            (err::PREP_FELL, !inputs.prep && matches!(self.phase, Phase::Drain | Phase::Ready)),
            (err::EPOCH, illegal),
            (err::DEMAND_ACK, inputs.dmd_ack && self.demands.none_due()),
        ];
        let set = errors.iter().fold(0, |set, (code, holds)| set | u32::from(*holds) << code);
        if set == 0 { 0 } else { set.trailing_zeros() as u8 }
    }

    /// What happens in a cycle.
    #[inline(always)]
    fn decide(&self, inputs: &In, choices: &Choices) -> Step {
        let In { prep, chg, chg_info, .. } = inputs;
        let offered = inputs.st.filter(|store| !self.holds(store.slot));
        let begins = self.phase == Phase::Ready && *chg;
        let changes = begins && self.is_legal(chg_info);
        let drained = self.out <= choices.drained && inputs.sweep_done;
        let free = self.issue.is_none() || inputs.st_ready;
        let may_issue = choices.issues[self.phase as usize] && free && self.has_credit();
        Step {
            phase: match self.phase {
                Phase::Run if *prep => Phase::Drain,
                Phase::Drain if drained => Phase::Ready,
                Phase::Ready if changes => Phase::Done,
                Phase::Done if !prep => Phase::Run,
                phase => phase,
            },
            changes,
            offered,
            taken: self.issue.is_some() && inputs.st_ready,
            free,
            issue: match (may_issue, self.queue.is_released()) {
                (false, _) => Issue::Nothing,
                (true, true) => Issue::Blocked,
                (true, false) => Issue::Direct,
            },
            acknowledged: inputs.wa_valid && self.out != 0,
            err: self.error(inputs, inputs.st.is_some() && offered.is_none(), begins && !changes),
        }
    }

    /// Applies what happens in a cycle. What it releases waits for the next.
    #[inline(always)]
    fn apply(&mut self, inputs: &In, step: &Step, choices: &Choices) {
        self.err = step.err;
        self.demands.send(inputs.dmd_ack);
        let can_load = !self.loads.is_full();
        if inputs.ld_ready {
            self.loads.pop();
        }
        if let (Some(load), true) = (inputs.ld, can_load) {
            self.load(load);
        }

        let blocked = if step.issue == Issue::Blocked { self.queue.issue() } else { None };
        if step.changes {
            self.queue.change(&choices.change);
        }
        let direct = self.classify(step.issue == Issue::Direct, choices.scan_demands);
        let loaded = blocked.map(|(slot, addr)| Store { slot, addr }).or(direct);
        if step.free {
            self.issue = loaded;
        }
        let counts = match choices.counted {
            Counted::Load => loaded.is_some(),
            Counted::Handshake => step.taken,
        };
        self.out = self.out + u16::from(counts) - u16::from(step.acknowledged);
        self.input = step.offered.map(|st| Store { addr: st.addr & self.addr_mask, ..st });

        self.upd = step.changes;
        if step.changes {
            self.cer = inputs.chg_info;
            self.demands.change(&choices.change);
        }
        self.phase = step.phase;
    }

    /// A load is accepted.
    #[inline(always)]
    fn load(&mut self, load: Load) {
        let load = Load { addr: load.addr & self.addr_mask, ..load };
        let nocache = self.granted(load.addr);
        self.loads.push(load, nocache);
        if !nocache && self.config.variant.has_conflicts() {
            self.demands.load(self.band(load.addr), load.addr);
        }
    }

    /// The scan, then the store in the input register (specification 5.4). `may`: the issue
    /// register takes the store if its band is granted; then it is returned.
    fn classify(&mut self, may: bool, scan_demands: bool) -> Option<Store> {
        let Self { config, cer, queue, demands, counters, .. } = self;
        let Config { band_bits, variant, .. } = *config;
        let mut examine = |slot, addr, demands_it| {
            let granted = cer.granted(addr, band_bits);
            if !granted && demands_it && variant.has_demands() {
                demands.store(cer.band(addr, band_bits), slot);
            }
            granted
        };
        let open = matches!(self.phase, Phase::Run | Phase::Done);
        if open && !queue.is_scanned() {
            count(
                &mut counters.scan_cycles,
                queue.scan(|slot, addr| examine(slot, addr, scan_demands)),
            );
        }
        let store = self.input?;
        let granted = open && examine(store.slot, store.addr, true);
        let direct = granted && may;
        if !direct {
            queue.put(store.slot, store.addr, granted, open);
        }
        count(&mut counters.stores_direct, direct);
        count(&mut counters.stores_blocked, !direct);
        direct.then_some(store)
    }
}

impl Block for EpochAgent {
    type In = In;
    type Out = Out;

    #[inline(always)]
    fn outputs(&self) -> Out {
        Out {
            st: self.issue,
            ld_ready: !self.loads.is_full(),
            ld: self.loads.front(),
            ready: matches!(self.phase, Phase::Ready | Phase::Done),
            done: self.phase == Phase::Done,
            req: self.demands.front(&self.queue),
            cer: self.cer,
            cer_upd: self.upd,
            sweep: self.phase == Phase::Drain,
            empty: self.input.is_none() && self.queue.len() == 0 && self.out == 0,
            occ: self.queue.len(),
            err: (self.err != 0).then_some(self.err),
            counters: self.counters,
        }
    }

    fn tick(&mut self, inputs: &In) -> Out {
        let out = self.outputs();
        let levels = (inputs.prep, inputs.chg, inputs.sweep_done);
        let pulses = inputs.wa_valid | inputs.dmd_ack;
        let taken = out.ld.is_some() & inputs.ld_ready | out.st.is_some() & inputs.st_ready;
        let given = inputs.ld.is_some() | inputs.st.is_some();
        if self.idle && levels == self.levels && !(pulses | taken | given) {
            return out;
        }
        self.levels = levels;
        match self.test_choices {
            None => self.apply(inputs, &self.decide(inputs, &SPECIFICATION), &SPECIFICATION),
            Some(choices) => self.apply(inputs, &self.decide(inputs, &choices), &choices),
        }
        self.idle = self.waits();
        out
    }

    fn is_idle(&self) -> bool {
        self.idle
    }

    fn show_state(&self, state: &mut State) {
        let Self { config, cer, .. } = self;
        state.bits("state", 2, self.phase as u8);
        state.part("cer", |state| {
            state.bits("seb", 6, cer.seb);
            state.bits("gvec", config.bands(), cer.gvec);
        });
        state.flag("upd", self.upd);
        let mut register = |name: &str, store: &Option<Store>| {
            let Store { slot, addr } = store.unwrap_or_default();
            state.flag(&format!("{name}_valid"), store.is_some());
            state.part(name, |state| {
                state.bits_while(store.is_some(), "slot", config.slot_w(), slot);
                state.bits_while(store.is_some(), "addr", 32, addr);
            });
        };
        register("in", &self.input);
        register("issue", &self.issue);
        state.part("queue", |state| self.queue.show_state(state, config));
        state.part("demands", |state| self.demands.show_state(state, config));
        state.bits("out", config.slot_w() + 1, self.out);
        state.part("loads", |state| self.loads.show_state(state));
        state.bits("err", 4, self.err);
    }
}

impl Model for EpochAgent {
    const NAME: &'static str = "epoch_agent";
    type Config = Config;

    fn new(config: &Config) -> Result<Self, ConfigError> {
        config.validate()?;
        Ok(Self {
            config: config.clone(),
            addr_mask: u32::MAX >> (32 - config.addr_w),
            phase: Phase::Run,
            cer: Epoch { seb: config.seb_init as u8, gvec: 1 },
            upd: false,
            input: None,
            issue: None,
            out: 0,
            queue: Queue::new(config),
            demands: Demands::default(),
            loads: Loads::default(),
            err: 0,
            counters: Counters::default(),
            idle: true,
            levels: Levels::default(),
            test_choices: None,
        })
    }

    /// Without inputs it issues and scans, at most one entry for each slot.
    fn rests(_config: &Config, _outputs: &Out, cycles: u64) -> bool {
        cycles > 1 << 11
    }
}
