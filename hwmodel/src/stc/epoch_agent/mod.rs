//! The epoch agent of a CU, between its coalescing buffer and its L1: holds stores back until the
//! epoch of their band, and says of loads whether the L1 may serve them (STC, TACO 20(3) art. 33,
//! sections 4.2 to 4.4; cycle rules in `rtl/stc/epoch_agent/README.md`).
//!
//! A store accepted in cycle t is classified in t+1; it is at `st` in t+2, or its demand at `req`
//! in t+2 at the earliest. A load accepted in t is at `ld` in t+1 at the earliest.

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
use crate::state::State;
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
    cnt: Counters,
    /// See `waits`; kept, as most ticks are of an agent that does. The levels of the last one.
    idle: bool,
    levels: Levels,
    /// What a test has taken away.
    without: Option<Rule>,
}

/// Inputs that are no pulses.
type Levels = (bool, bool, bool);

/// What decides about what comes: not the counters, nor what the last cycle found wrong.
impl Hash for EpochAgent {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let Self { phase, cer, upd, input, issue, out, queue, demands, loads, levels, .. } = self;
        (phase, cer, upd, input, issue, out, queue, demands, loads, levels).hash(hasher);
    }
}

impl EpochAgent {
    /// For tests: an agent that does not keep a rule. Errors: as of `new`.
    pub fn without(config: &Config, rule: Rule) -> Result<Self, ConfigError> {
        Ok(Self { without: Some(rule), ..Self::new(config)? })
    }

    #[inline(always)]
    fn keeps(&self, rule: Rule) -> bool {
        self.without != Some(rule)
    }

    #[inline(always)]
    fn band(&self, addr: u32) -> u32 {
        self.cer.band(addr, self.config.band_bits)
    }

    #[inline(always)]
    fn granted(&self, addr: u32) -> bool {
        self.cer.granted(addr, self.config.band_bits)
    }

    /// Some store has this slot.
    #[inline(always)]
    fn holds(&self, slot: u8) -> bool {
        let is = |store: &Option<Store>| store.is_some_and(|store| store.slot == slot);
        is(&self.input) || is(&self.issue) || self.queue.has(slot)
    }

    /// Another store may be on its way.
    #[inline(always)]
    fn has_credit(&self) -> bool {
        u32::from(self.out) < self.config.bsq_n
    }

    /// Nothing changes until an input does: what is shown and not taken stays.
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

    /// The lowest error of a cycle (specification 12), of which the caller has found two.
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

    /// The scan, then the store in the input register (specification 5.4). Returns the store where
    /// it goes to the issue register, if it `may`.
    fn classify(&mut self, may: bool) -> Option<Store> {
        let scan_demands = self.keeps(Rule::ScanDemands);
        let Self { config, cer, queue, demands, cnt, .. } = self;
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
            count(&mut cnt.scan_cycles, queue.scan(|slot, addr| examine(slot, addr, scan_demands)));
        }
        let store = self.input?;
        let granted = open && examine(store.slot, store.addr, true);
        let direct = granted && may;
        if !direct {
            queue.put(store.slot, store.addr, granted, open);
        }
        count(&mut cnt.stores_direct, direct);
        count(&mut cnt.stores_blocked, !direct);
        direct.then_some(store)
    }
}

fn count(counter: &mut u32, event: bool) {
    *counter = counter.wrapping_add(event.into());
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
            cnt: self.cnt,
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
        let offered = inputs.st.filter(|store| !self.holds(store.slot));
        let begins = self.phase == Phase::Ready && inputs.chg;
        let changes = begins && self.is_legal(&inputs.chg_info);
        self.err = self.error(inputs, inputs.st.is_some() && offered.is_none(), begins && !changes);
        let drained = (self.out == 0 || !self.keeps(Rule::DrainWaits)) && inputs.sweep_done;

        self.demands.send(inputs.dmd_ack);
        if inputs.ld_ready {
            self.loads.pop();
        }
        if let (Some(load), true) = (inputs.ld, out.ld_ready) {
            self.load(load);
        }

        // What is released in this cycle waits for the next.
        let free = self.issue.is_none() || inputs.st_ready;
        let may_issue = self.phase == Phase::Run
            || self.phase == Phase::Done && !self.keeps(Rule::StoresWaitForAll);
        let can_issue = may_issue && free && self.has_credit();
        let blocked = self.queue.is_released();
        let entry = if can_issue && blocked { self.queue.issue() } else { None };
        if changes {
            self.queue.change(self.without);
        }
        let direct = self.classify(can_issue && !blocked);
        let loaded = entry.map(|(slot, addr)| Store { slot, addr }).or(direct);
        if free {
            self.issue = loaded;
        }
        let acknowledged = inputs.wa_valid && self.out != 0;
        let counted = if self.keeps(Rule::CountAtLoad) { loaded } else { out.st };
        let counts = counted.is_some() && (self.keeps(Rule::CountAtLoad) || inputs.st_ready);
        self.out = self.out + u16::from(counts) - u16::from(acknowledged);
        self.input = offered.map(|st| Store { addr: st.addr & self.addr_mask, ..st });

        self.upd = changes;
        self.phase = match self.phase {
            Phase::Run if inputs.prep => Phase::Drain,
            Phase::Drain if drained => Phase::Ready,
            Phase::Ready if changes => {
                self.cer = inputs.chg_info;
                self.demands.change(self.keeps(Rule::FilterCleared));
                Phase::Done
            }
            Phase::Done if !inputs.prep => Phase::Run,
            phase => phase,
        };
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
            cnt: Counters::default(),
            idle: true,
            levels: Levels::default(),
            without: None,
        })
    }

    /// All it does by itself is in `cnt`, or waits for nothing but its inputs: at most an entry for
    /// each slot.
    fn rests(_config: &Config, _outputs: &Out, cycles: u64) -> bool {
        cycles > 1 << 11
    }
}
