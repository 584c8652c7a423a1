//! A bank of the L2 under timestamp coherence (Tabbakh's thesis, chapter 3; specification 5.4, 5.5,
//! 5.8): write-back, allocates on loads and stores, and lends lines. G-TSC lends them in logical
//! time, so that no store waits for a lease. TC lends them until a cycle and holds all that are
//! lent; writes wait for the end of it (TC-Strong) or not (TC-Weak).
//!
//! A request accepted in t acts in t + 1 at the earliest, and a hit is answered in t + 4.

mod action;
mod apply;
mod atomic;
mod channels;
mod choices;
mod decide;
mod leases;
mod lines;
mod misses;
mod rule;
mod sweep;
mod sync;
#[cfg(test)]
mod tests;

use std::hash::{Hash, Hasher};

use ports::timestamp::timestamp_l2::*;
use ports::timestamp::types::{Ask, Event, Pick, Protocol};
use ports::{ConfigError, Parameters};

use crate::block::{Block, Model};
use crate::common::counter::count;
use crate::state::{State, index_width};
use channels::Channels;
use choices::{Choices, SPECIFICATION};
use leases::Leases;
use lines::Lines;
use misses::Misses;
use sweep::Sweep;
use sync::Sync;

pub use action::{Action, Hold};
pub use rule::Rule;

/// Cycles that may be left out at once while nothing waits and TC's clock goes on.
const QUIET: u64 = 1 << 30;

/// A way is asked of the policy.
#[derive(Clone, Copy, Debug, Hash)]
enum Asking {
    No,
    Open(Ask),
    Picked(Pick),
}

/// Model of `rtl/timestamp/timestamp_l2`.
#[derive(Clone, Debug)]
pub struct TimestampL2 {
    config: Config,
    channels: Channels,
    lines: Lines,
    misses: Misses,
    leases: Leases,
    sync: Sync,
    asking: Asking,
    /// G-TSC: all leases restart; this bank stands still.
    sweep: Sweep,
    halted: bool,
    /// Cycles in which no action may come.
    pause: u8,
    /// The action of the last cycle.
    did: Action,
    event: Option<Event>,
    /// The error pulse of this cycle; 0 is none.
    err: u8,
    /// Of both protocols, see [`TimestampL2::counters`].
    counters: Counters,
    /// Nothing changes but TC's clock until an input does.
    waits: bool,
}

/// What decides about what comes: not the counters, nor what the last cycle was.
impl Hash for TimestampL2 {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let Self { channels, misses, sync, asking, sweep, halted, pause, .. } = self;
        (channels, misses, sync, asking, sweep, halted, pause).hash(hasher);
        let Leases { mem_ts, rep, ovf, now, .. } = self.leases;
        (mem_ts, rep, ovf, now).hash(hasher);
        self.lines.hash_at(now, hasher);
    }
}

impl TimestampL2 {
    /// For tests: a bank that does not keep a rule. Errors: as of `new`.
    pub fn without(config: &Config, rule: Rule) -> Result<Self, ConfigError> {
        Self::with(config, Choices::without(rule))
    }

    /// The action of the last cycle.
    pub fn did(&self) -> Action {
        self.did
    }

    fn with(config: &Config, choices: &'static Choices) -> Result<Self, ConfigError> {
        config.validate()?;
        Ok(Self {
            config: config.clone(),
            channels: Channels::default(),
            lines: Lines::new(config.l2_banks, config.l2_sets, config.l2_ways),
            misses: Misses::new(config.l2_mshr, config.l2_wait),
            leases: Leases::new(config, choices),
            sync: Sync::default(),
            asking: Asking::No,
            sweep: Sweep::default(),
            halted: false,
            pause: 0,
            did: Action::Nothing,
            event: None,
            err: 0,
            counters: Counters::default(),
            waits: true,
        })
    }

    #[inline(always)]
    fn ask(&self) -> Option<Ask> {
        if let Asking::Open(ask) = self.asking { Some(ask) } else { None }
    }

    /// What the port shows: each protocol has its own.
    #[inline(always)]
    fn counters(&self) -> Counters {
        match self.leases.is_gtsc {
            true => self.counters,
            false => {
                let Counters { stall_lease, stall_evict, .. } = self.counters;
                Counters { stall_lease, stall_evict, ..Counters::default() }
            }
        }
    }

    /// Inputs of resets of timestamps: to stand still, and to restart. TC has none.
    #[inline(always)]
    fn reset_inputs(&self, inputs: &In) -> (bool, bool) {
        (self.leases.is_gtsc && inputs.halt, self.leases.is_gtsc && inputs.rst)
    }

    /// A bank that waits must see these inputs.
    #[inline(always)]
    fn comes(&self, inputs: &In) -> bool {
        let (halt, rst) = self.reset_inputs(inputs);
        inputs.bus_req.is_some()
            || inputs.dram_rsp.is_some()
            || inputs.sync.is_some()
            || inputs.pick.is_some()
            || self.halted != halt
            || !self.sweep.waits(rst)
    }

    /// Nothing changes until something comes. While a way is asked the request is there.
    #[inline(always)]
    fn is_at_rest(&self) -> bool {
        self.channels.is_empty()
            && !self.misses.has_filled()
            && (!self.sync.is_on() || !self.misses.is_empty())
            && self.pause == 0
            && self.did == Action::Nothing
            && self.err == 0
            && !self.sync.done
    }

    /// The oldest request of a line that is there waits for its lease.
    #[inline(always)]
    fn waits_in(&self, m: usize) -> bool {
        let lease = &self.lines.at(self.misses.at(m).place).lease;
        self.leases.must_wait(self.misses.oldest(m), lease)
    }

    /// A cycle in which something may change but the clock.
    #[inline(always)]
    fn cycle(&mut self, inputs: &In) {
        // All by the registers.
        let (halt, rst) = self.reset_inputs(inputs);
        let req = inputs.bus_req.as_ref().filter(|_| !self.channels.requests.is_full());
        let rsp = inputs.dram_rsp.as_ref().filter(|_| !self.channels.filled.is_full());
        let answer = inputs.bus_rsp_ready && self.channels.answer().is_some();
        let to_memory = inputs.dram_req_ready && self.channels.to_memory().is_some();
        let sync = inputs.sync.filter(|_| !self.sync.is_on());
        let ask = self.ask();
        let stalls = self.leases.some_wait() && self.misses.filled().any(|m| self.waits_in(m));
        count(&mut self.counters.stall_lease, stalls);

        (self.event, self.err, self.sync.done) = (None, 0, false);
        self.did = Action::Nothing;
        if self.pause > 0 {
            self.pause -= 1;
        } else if !(halt || rst || self.leases.ovf) {
            let action = self.decide(inputs.policy);
            self.apply(action);
            self.did = action;
            self.pause = if action.is_action() { self.config.l2_div as u8 - 1 } else { 0 };
        }
        if let (Some(ask), Some(pick)) = (ask, inputs.pick) {
            self.picked(ask, pick);
        }
        self.channels.taken(answer, to_memory);
        if let Some(req) = req {
            self.channels.requests.push(*req);
        }
        if let Some(rsp) = rsp {
            self.channels.filled.push(*rsp);
        }
        if let Some(kind) = sync {
            self.sync.start(kind);
        }
        if let Some(step) = self.sweep.tick(rst, self.lines.sets()) {
            if step.first {
                self.leases.restart();
            }
            let first = self.leases.first();
            self.lines.set_mut(step.set).iter_mut().for_each(|line| line.lease = first);
        }
        self.halted = halt;
        self.waits = self.is_at_rest() && self.sweep.waits(rst);
    }
}

impl Block for TimestampL2 {
    type In = In;
    type Out = Out;

    #[inline(always)]
    fn outputs(&self) -> Out {
        Out {
            bus_req_ready: !self.channels.requests.is_full(),
            bus_rsp: self.channels.answer().copied(),
            dram_req: self.channels.to_memory().copied(),
            dram_rsp_ready: !self.channels.filled.is_full(),
            ovf: self.leases.ovf,
            halted: self.halted,
            rst_done: self.sweep.done,
            sync_ready: !self.sync.is_on(),
            sync_done: self.sync.done,
            ask: self.ask(),
            event: self.event,
            err: (self.err != 0).then_some(self.err),
            counters: self.counters(),
        }
    }

    fn tick(&mut self, inputs: &In) -> Out {
        let out = self.outputs();
        if !self.waits || self.comes(inputs) {
            self.cycle(inputs);
        }
        if !self.leases.is_gtsc {
            self.leases.now = self.leases.now.wrapping_add(1);
        }
        out
    }

    fn is_idle(&self) -> bool {
        self.quiet_cycles() == u64::MAX
    }

    fn quiet_cycles(&self) -> u64 {
        match self.waits {
            false => 0,
            true if self.leases.is_gtsc => u64::MAX,
            true => QUIET,
        }
    }

    fn skip_quiet(&mut self, cycles: u64) {
        if !self.leases.is_gtsc {
            self.leases.now = self.leases.now.wrapping_add(cycles as u32);
        }
    }

    fn show_state(&self, state: &mut State) {
        let Config { ts_w, line_w, l2_sets, .. } = self.config;
        let Leases { is_gtsc, mem_ts, rep, ovf, now, .. } = self.leases;
        self.channels.show_state(state);
        state.part("misses", |state| {
            let way_of = |place| self.lines.way_of(place);
            self.misses.show_state(state, line_w, way_of);
        });
        state.part("ways", |state| {
            for set in 0..l2_sets as usize {
                let lines = self.lines.set(set);
                state.flags(&format!("valid[{set}]"), lines.iter().map(|line| line.valid));
                state.flags(&format!("dirty[{set}]"), lines.iter().map(|line| line.dirty));
            }
        });
        self.sync.show_state(state, index_width(l2_sets));
        state.part("policy", |state| {
            state.flag("ask_valid", self.ask().is_some());
            state.flag("picked", matches!(self.asking, Asking::Picked(_)));
        });
        state.bits("pause", 2, self.pause);
        state.flag("event_valid", self.event.is_some());
        state.bits("err", 4, self.err);
        state.part("leases", |state| {
            match is_gtsc {
                true => state.part("gtsc", |state| {
                    state.bits("mem_ts", ts_w, mem_ts);
                    state.flag("on", self.sweep.rst);
                    state.flag("done", self.sweep.done);
                    state.bits("rep", 2, rep);
                }),
                false => state.bits("tc.now", 32, now),
            }
            for set in 0..l2_sets as usize {
                for (way, line) in self.lines.set(set).iter().enumerate() {
                    let (wts, rts) = self.leases.fields(&line.lease);
                    state.part(format_args!("set[{set}].way[{way}]"), |state| {
                        state.bits_while(line.valid, "wts", self.config.ts_bits(), wts);
                        state.bits_while(line.valid, "rts", self.config.ts_bits(), rts);
                    });
                }
            }
        });
        if is_gtsc {
            state.flag("ovf", ovf);
            state.flag("halted", self.halted);
        }
    }
}

impl Model for TimestampL2 {
    const NAME: &'static str = "timestamp_l2";
    type Config = Config;

    fn new(config: &Config) -> Result<Self, ConfigError> {
        Self::with(config, &SPECIFICATION)
    }

    /// TC's clock goes on.
    fn rests(config: &Config, _outputs: &Out, cycles: u64) -> bool {
        config.protocol == Protocol::Gtsc && cycles > 1 << 17
    }
}
