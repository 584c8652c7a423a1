//! A bank of the L2 of G-TSC: write-back, allocates on loads and stores, and lends lines in logical
//! time, so that no store waits for a lease (Tabbakh's thesis, chapter 3; specification 5.4, 5.5).
//!
//! A request accepted in t acts in t + 1 at the earliest, and a hit is answered in t + 4.

mod leases;
mod rule;
mod sweep;
#[cfg(test)]
mod tests;

use std::hash::{Hash, Hasher};

use ports::timestamp::gtsc_l2::*;
use ports::{ConfigError, Parameters};

use crate::block::{Block, Model};
use crate::state::State;
use crate::timestamp::l2::{Bank, Inputs, Shape};
use leases::Leases;
use sweep::Sweep;

pub use crate::timestamp::l2::{Did, Hold};
pub use rule::Rule;

/// Model of `rtl/timestamp/gtsc_l2`.
#[derive(Clone, Debug)]
pub struct GtscL2 {
    config: Config,
    bank: Bank<Leases>,
    leases: Leases,
    sweep: Sweep,
    halted: bool,
    /// Nothing changes until an input does.
    idle: bool,
}

/// What decides about what comes: not the counters, nor what the last cycle was.
impl Hash for GtscL2 {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let Self { config: _, bank, leases, sweep, halted, idle: _ } = self;
        (bank, leases.mem_ts, leases.rep, leases.ovf, sweep, halted).hash(hasher);
    }
}

impl GtscL2 {
    /// For tests: a bank that does not keep a rule. Errors: as of `new`.
    pub fn without(config: &Config, rule: Rule) -> Result<Self, ConfigError> {
        Self::with(config, Some(rule))
    }

    /// What the cycle before did.
    pub fn did(&self) -> Did {
        self.bank.did()
    }

    fn with(config: &Config, without: Option<Rule>) -> Result<Self, ConfigError> {
        config.validate()?;
        let c = config;
        let shape = Shape {
            n_sm: c.n_sm,
            line_w: c.line_w,
            banks: c.l2_banks,
            sets: c.l2_sets,
            ways: c.l2_ways,
            mshr: c.l2_mshr,
            wait: c.l2_wait,
            div: c.l2_div,
        };
        Ok(Self {
            config: config.clone(),
            bank: Bank::new(shape),
            leases: Leases::new(config, without),
            sweep: Sweep::default(),
            halted: false,
            idle: true,
        })
    }

    #[inline(always)]
    fn counters(&self) -> Counters {
        let (performed, counts) = (&self.leases.performed, &self.bank.counts);
        Counters {
            busrd: performed.reads,
            buswr: performed.writes,
            busatom: performed.atomics,
            fills_sent: performed.fills,
            renews_sent: performed.renewals,
            dram_reads: counts.dram_reads,
            writebacks: counts.writebacks,
            evictions: counts.evictions,
            hold_cycles: counts.hold_cycles,
        }
    }
}

impl Block for GtscL2 {
    type In = In;
    type Out = Out;

    #[inline(always)]
    fn outputs(&self) -> Out {
        let bank = &self.bank;
        Out {
            bus_req_ready: bank.bus_req_ready(),
            bus_rsp: bank.bus_rsp(),
            dram_req: bank.dram_req(),
            dram_rsp_ready: bank.dram_rsp_ready(),
            ovf: self.leases.ovf,
            halted: self.halted,
            rst_done: self.sweep.done,
            sync_ready: bank.sync_ready(),
            sync_done: bank.sync_done(),
            ask: bank.ask(),
            event: bank.event(),
            err: bank.err(),
            cnt: self.counters(),
        }
    }

    fn tick(&mut self, inputs: &In) -> Out {
        let out = self.outputs();
        let In { halt, rst, .. } = *inputs;
        let of_bank = Inputs {
            bus_req: &inputs.bus_req,
            bus_rsp_ready: inputs.bus_rsp_ready,
            dram_req_ready: inputs.dram_req_ready,
            dram_rsp: &inputs.dram_rsp,
            sync: inputs.sync,
            policy: inputs.policy,
            pick: inputs.pick,
        };
        if self.idle && !of_bank.come() && self.halted == halt && self.sweep.waits(rst) {
            return out;
        }
        let may_act = !(halt || rst || self.leases.ovf);
        self.bank.tick(&mut self.leases, &of_bank, may_act);
        if let Some(step) = self.sweep.tick(rst, self.bank.lines.sets()) {
            if step.first {
                self.leases.restart();
            }
            let first = self.leases.first();
            self.bank.lines.set_mut(step.set).iter_mut().for_each(|line| line.lease = first);
        }
        self.halted = halt;
        self.idle = self.bank.waits() && self.sweep.waits(rst);
        out
    }

    fn is_idle(&self) -> bool {
        self.idle
    }

    fn show_state(&self, state: &mut State) {
        state.part("bank", |state| self.bank.show_state(state));
        let Config { ts_w, l2_sets, .. } = self.config;
        let Leases { mem_ts, rep, ovf, .. } = self.leases;
        state.part("leases", |state| {
            state.bits("mem_ts", ts_w, mem_ts);
            for set in 0..l2_sets as usize {
                for (way, line) in self.bank.lines.set(set).iter().enumerate() {
                    state.part(format_args!("set[{set}].way[{way}]"), |state| {
                        state.bits_while(line.valid, "wts", ts_w, line.lease.wts);
                        state.bits_while(line.valid, "rts", ts_w, line.lease.rts);
                    });
                }
            }
        });
        state.part("sweep", |state| {
            state.flag("on", self.sweep.rst);
            state.flag("done", self.sweep.done);
            state.bits("rep", 2, rep);
        });
        state.flag("ovf", ovf);
        state.flag("halted", self.halted);
    }
}

impl Model for GtscL2 {
    const NAME: &'static str = "gtsc_l2";
    type Config = Config;

    fn new(config: &Config) -> Result<Self, ConfigError> {
        Self::with(config, None)
    }
}
