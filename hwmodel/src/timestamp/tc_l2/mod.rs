//! A bank of the L2 of TC, with which G-TSC is compared: lends lines until a cycle, holds all that
//! are lent, and lets writes wait for the end of it (TC-Strong) or not (TC-Weak; Tabbakh's thesis,
//! section 3.2.1; specification 5.8).

mod leases;
mod rule;
#[cfg(test)]
mod tests;

use std::hash::{Hash, Hasher};

use ports::timestamp::tc_l2::*;
use ports::{ConfigError, Parameters};

use crate::block::{Block, Model};
use crate::state::State;
use crate::timestamp::l2::{Bank, Inputs, Shape};
use leases::Leases;

pub use crate::timestamp::l2::{Did, Hold};
pub use rule::Rule;

/// Cycles that may be left out at once while nothing waits: the bank's clock goes on.
const QUIET: u64 = 1 << 30;

/// Model of `rtl/timestamp/tc_l2`.
#[derive(Clone, Debug)]
pub struct TcL2 {
    config: Config,
    bank: Bank<Leases>,
    leases: Leases,
    stall_lease: u32,
    /// Nothing changes but the clock until an input does.
    waits: bool,
}

/// What decides about what comes: not the counters, nor what the last cycle was. All leases that
/// are over are alike.
impl Hash for TcL2 {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let now = self.leases.now;
        now.hash(hasher);
        self.bank.hash_as(hasher, |exp, hasher| exp.max(&now).hash(hasher));
    }
}

impl TcL2 {
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
            stall_lease: 0,
            waits: true,
        })
    }
}

impl Block for TcL2 {
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
            sync_ready: bank.sync_ready(),
            sync_done: bank.sync_done(),
            ask: bank.ask(),
            event: bank.event(),
            err: bank.err(),
            cnt: Counters { stall_lease: self.stall_lease, stall_evict: bank.counts.stall_evict },
        }
    }

    fn tick(&mut self, inputs: &In) -> Out {
        let out = self.outputs();
        let of_bank = Inputs {
            bus_req: &inputs.bus_req,
            bus_rsp_ready: inputs.bus_rsp_ready,
            dram_req_ready: inputs.dram_req_ready,
            dram_rsp: &inputs.dram_rsp,
            sync: inputs.sync,
            policy: inputs.policy,
            pick: inputs.pick,
        };
        if !self.waits || of_bank.come() {
            let stalls = self.bank.lease_waits(&self.leases);
            self.stall_lease = self.stall_lease.wrapping_add(stalls.into());
            self.bank.tick(&mut self.leases, &of_bank, true);
            self.waits = self.bank.waits();
        }
        self.leases.now = self.leases.now.wrapping_add(1);
        out
    }

    fn quiet_cycles(&self) -> u64 {
        if self.waits { QUIET } else { 0 }
    }

    fn skip_quiet(&mut self, cycles: u64) {
        self.leases.now = self.leases.now.wrapping_add(cycles as u32);
    }

    fn show_state(&self, state: &mut State) {
        state.part("bank", |state| self.bank.show_state(state));
        state.part("leases", |state| {
            state.bits("now", 32, self.leases.now);
            for set in 0..self.config.l2_sets as usize {
                for (way, line) in self.bank.lines.set(set).iter().enumerate() {
                    state.part(format_args!("set[{set}].way[{way}]"), |state| {
                        state.bits_while(line.valid, "exp", 32, line.lease);
                    });
                }
            }
        });
    }
}

impl Model for TcL2 {
    const NAME: &'static str = "tc_l2";
    type Config = Config;

    fn new(config: &Config) -> Result<Self, ConfigError> {
        Self::with(config, None)
    }

    /// Its clock goes on.
    fn rests(_config: &Config, _outputs: &Out, _cycles: u64) -> bool {
        false
    }
}
