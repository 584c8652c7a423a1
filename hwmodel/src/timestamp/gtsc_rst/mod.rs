//! Restarts all timestamps of a GPU, after an overflow or at a kernel's end: the banks stand still
//! until each has restarted and each L1 has flushed, so no answer of a generation meets an L1 of
//! the one before (Tabbakh's thesis, section 3.5.4; specification 5.5).

mod rule;
#[cfg(test)]
mod tests;

use std::hash::{Hash, Hasher};

use ports::timestamp::gtsc_rst::*;
use ports::{ConfigError, Parameters};

use crate::block::{Block, Model};
use crate::common::counter::count;
use crate::state::State;

pub use rule::Rule;

/// What it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Phase {
    Idle,
    /// Until all banks stand still.
    Halt,
    /// Until the leases of all banks have begun anew.
    Sweep,
    /// Until all L1s have the new generation.
    Flush,
}

/// Model of `rtl/timestamp/gtsc_rst`.
#[derive(Clone, Debug)]
pub struct GtscRst {
    config: Config,
    /// A 1 for each bank.
    banks: u16,
    phase: Phase,
    rep: u8,
    /// A kernel's end waits for this reset.
    kend: bool,
    kend_done: bool,
    /// The error pulse of this cycle.
    err: bool,
    counters: Counters,
    /// L1s that must have the new generation before the banks continue: all.
    acks: usize,
}

/// What decides about what comes: not the counters, nor what the last cycle was.
impl Hash for GtscRst {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let Self { phase, rep, kend, kend_done, .. } = self;
        (phase, rep, kend, kend_done).hash(hasher);
    }
}

impl GtscRst {
    /// The next phase (specification 5.5).
    #[inline(always)]
    fn next(&self, inputs: &In, rep_ack: &[u8]) -> Phase {
        let any = |banks: u16| banks & self.banks != 0;
        let all = |banks: u16| banks & self.banks == self.banks;
        let flushed = || rep_ack.iter().filter(|&&ack| ack == self.rep).count() >= self.acks;
        match self.phase {
            Phase::Idle if any(inputs.ovf) || inputs.kend_valid => Phase::Halt,
            Phase::Halt if all(inputs.halted) => Phase::Sweep,
            Phase::Sweep if all(inputs.rst_done) => Phase::Flush,
            Phase::Flush if flushed() => Phase::Idle,
            phase => phase,
        }
    }

    /// The effects of a phase that follows another one.
    #[inline(always)]
    fn enter(&mut self, phase: Phase, kend: bool) {
        match (self.phase, phase) {
            (Phase::Idle, Phase::Halt) => {
                self.kend = kend;
                count(&mut self.counters.resets, true);
            }
            (Phase::Sweep, Phase::Flush) => self.rep = (self.rep + 1) & 3,
            (Phase::Flush, Phase::Idle) => self.kend_done = std::mem::take(&mut self.kend),
            _ => {}
        }
        self.phase = phase;
    }
}

impl Block for GtscRst {
    type In = In;
    type Out = Out;

    #[inline(always)]
    fn outputs(&self) -> Out {
        Out {
            halt: self.phase != Phase::Idle,
            rst: self.phase == Phase::Sweep,
            rep: self.rep,
            kend_ready: self.phase == Phase::Idle,
            kend_done: self.kend_done,
            err: self.err.then_some(err::GENERATION),
            counters: self.counters,
        }
    }

    fn tick(&mut self, inputs: &In) -> Out {
        let out = self.outputs();
        let acks = &inputs.rep_ack[..self.config.n_sm as usize];
        let before = self.rep.wrapping_sub(1) & 3;
        self.err = acks.iter().any(|&ack| ack != self.rep && ack != before);
        self.kend_done = false;
        count(&mut self.counters.halt_cycles, out.halt);
        self.enter(self.next(inputs, acks), inputs.kend_valid);
        out
    }

    fn is_idle(&self) -> bool {
        self.phase == Phase::Idle && !self.kend_done && !self.err
    }

    fn show_state(&self, state: &mut State) {
        state.bits("state", 2, self.phase as u8);
        state.bits("rep", 2, self.rep);
        state.bits_while(self.phase != Phase::Idle, "kend", 1, u8::from(self.kend));
        state.flag("done", self.kend_done);
        state.flag("err", self.err);
    }
}

impl Model for GtscRst {
    const NAME: &'static str = "gtsc_rst";
    type Config = Config;

    fn new(config: &Config) -> Result<Self, ConfigError> {
        config.validate()?;
        Ok(Self {
            config: config.clone(),
            banks: u16::MAX >> (16 - config.l2_banks),
            phase: Phase::Idle,
            rep: 0,
            kend: false,
            kend_done: false,
            err: false,
            counters: Counters::default(),
            acks: config.n_sm as usize,
        })
    }
}
