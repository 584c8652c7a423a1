//! The access validation unit of an SM: decides for loads that hit in the L1 whether the line may
//! still be used, by its epoch and by the last signature from the race detection unit (Tabbakh's
//! thesis, section 4.2.2; specification 5.3).
//!
//! The result of a lookup or a query of cycle t shows in t+1, by what the unit held in t. What a
//! beat accepted in t brings holds from t+1 on.

mod choices;
mod lines;
mod response;
mod rule;
mod signature;
#[cfg(test)]
mod tests;

use ports::race::access_validation_unit::*;
use ports::race::types::{Lookup, Rsp, result};
use ports::{ConfigError, Parameters};

use crate::block::{Block, Model};
use crate::common::bits::ones;
use crate::common::counter::count;
use crate::state::State;
use choices::{Choices, SPECIFICATION};
use lines::{Lines, Verdict};
use response::{Effects, Response};
use signature::Received;

pub use rule::Rule;

/// Upper limit of cycles skipped at once while `load_cycles` counts.
const QUIET: u64 = 1 << 40;

/// Model of `rtl/race/access_validation_unit`.
#[derive(Clone, Debug)]
pub struct AccessValidationUnit {
    config: Config,
    /// A 1 for each query.
    lanes: u8,
    epoch_mask: u8,
    epoch: u8,
    lines: Lines,
    signature: Received,
    response: Response,
    rs: Option<u8>,
    q_member: u8,
    /// The error pulse of this cycle; 0 is none.
    err: u8,
    counters: Counters,
    /// See `waits`.
    waits: bool,
    /// Other choices than those of the specification, in a test.
    test_choices: Option<Choices>,
}

impl AccessValidationUnit {
    /// For tests: a unit with a rule disabled. Errors: as of `new`.
    pub fn without(config: &Config, rule: Rule) -> Result<Self, ConfigError> {
        Ok(Self { test_choices: Some(Choices::without(rule)), ..Self::new(config)? })
    }

    #[inline(always)]
    fn choices(&self) -> &Choices {
        self.test_choices.as_ref().unwrap_or(&SPECIFICATION)
    }

    /// No lookup is accepted.
    #[inline(always)]
    fn lookups_wait(&self) -> bool {
        self.response.loading() && self.choices().lookups_wait
    }

    /// The registers stay until an input changes, except `load_cycles`.
    #[inline(always)]
    fn waits(&self) -> bool {
        self.rs.is_none() && self.q_member == 0 && self.err == 0 && self.response.waits()
    }

    /// A beat is a chunk of the signature that is loading, and more follow: it changes nothing
    /// else. Most beats are such.
    #[inline(always)]
    fn is_midway(&self, rsp: &Rsp) -> bool {
        self.response.loading() && !rsp.hdr && !rsp.last && self.signature.has_chunk(rsp.chunk)
    }

    /// A tick whose only input is a beat, if the beat changes nothing but the signature that is
    /// loading; else this returns false and does nothing. Most beats are such chunks.
    #[inline]
    pub fn load(&mut self, rsp: &Rsp) -> bool {
        let is_next = self.waits && self.is_midway(rsp);
        if is_next {
            let waits = self.lookups_wait();
            count(&mut self.counters.load_cycles, waits);
            self.signature.write(rsp.chunk, &rsp.data);
        }
        is_next
    }

    /// This number of ticks whose only input is a lookup that misses in the L1, like the tick
    /// before.
    pub fn miss_again(&mut self, lookups: u32) {
        debug_assert!(self.rs == Some(result::MISS_COLD) && self.response.waits());
        count(&mut self.counters.miss_cold, lookups);
    }

    /// The result of a lookup.
    #[inline(always)]
    fn decide(&self, lk: Lookup, choices: &Choices) -> Verdict {
        if !lk.tag_hit || !self.lines.has(lk.line) {
            return Verdict { result: result::MISS_COLD, age: 0, tested: false };
        }
        let written = || self.signature.has(lk.addr, lk.size, choices.granules);
        self.lines.judge(lk.line, self.epoch, written, choices)
    }

    /// Applies the result of a lookup: hits and counters.
    #[inline(always)]
    fn apply(&mut self, lk: Lookup, verdict: Verdict) -> u8 {
        let Self { lines, counters, .. } = self;
        count(&mut counters.signature_tests, verdict.tested);
        let counter = match verdict.result {
            result::HIT => {
                lines.hit(lk.line);
                if verdict.age == 0 { &mut counters.hit_age0 } else { &mut counters.hit_age1 }
            }
            result::HIT_NEEDCHK => &mut counters.needchk,
            result::MISS_EXPIRED => &mut counters.miss_expired,
            result::MISS_AVU => &mut counters.miss_avu,
            _ => &mut counters.miss_cold,
        };
        count(counter, true);
        verdict.result
    }

    /// The members among the queries of a cycle.
    #[inline(always)]
    fn members(&self, valid: u8, queries: &Queries, choices: &Choices) -> u8 {
        let has =
            |&v: &usize| self.signature.has(queries[v].addr, queries[v].size, choices.granules);
        ones(valid.into()).filter(has).map(|v| 1 << v).sum()
    }

    /// The beat of a cycle, behind lookup and queries. Returns its error code; 0 is none.
    #[inline(always)]
    fn receive(&mut self, inputs: &In, ready: bool, choices: &Choices) -> u8 {
        let rsp = inputs.rsp.as_ref().filter(|_| ready);
        let has_chunk = rsp.is_some_and(|rsp| self.signature.has_chunk(rsp.chunk));
        let next = (self.epoch + 1) & self.epoch_mask;
        let busy = inputs.slq_busy && choices.beats_wait;
        let effects = self.response.tick(rsp, self.epoch, next, has_chunk, busy);
        let Effects { error, clears, writes, done } = effects;
        if clears {
            self.signature.clear();
        }
        if let (Some(rsp), true) = (rsp, writes) {
            self.signature.write(rsp.chunk, &rsp.data);
        }
        if let Some(done) = done.filter(|done| done.sync) {
            self.epoch = done.epoch;
            count(&mut self.counters.syncs, true);
            if choices.ends_lines {
                let filled = inputs.fill.map(|fill| fill.line).filter(|&line| self.lines.has(line));
                let ended = self.lines.synchronise(done.epoch, filled);
                count(&mut self.counters.wrapped, ended);
            }
        }
        error
    }

    /// One clock edge in which something happens; `out` is shown before it.
    #[inline(always)]
    fn step(&mut self, inputs: &In, out: &Out, choices: &Choices) {
        let In { rsp, lk, fill, hc_clr, q_valid, q, slq_busy } = inputs;
        let q_valid = q_valid & self.lanes;
        let lk = lk.filter(|_| out.lk_ready);
        let places =
            [lk.filter(|lk| lk.tag_hit).map(|lk| lk.line), fill.map(|fill| fill.line), *hc_clr];
        let strange = places.into_iter().flatten().any(|line| !self.lines.has(line));

        self.rs = lk.map(|lk| self.apply(lk, self.decide(lk, choices)));
        self.q_member = self.members(q_valid, q, choices);
        count(&mut self.counters.signature_tests, q_valid.count_ones());
        if let Some(line) = hc_clr.filter(|&line| self.lines.has(line)) {
            self.lines.clear_hits(line);
        }
        let receives = rsp.is_some() | *slq_busy || !self.response.waits();
        let error = if receives { self.receive(inputs, out.rsp_ready, choices) } else { 0 };
        if let Some(fill) = fill.filter(|fill| self.lines.has(fill.line)) {
            self.lines.fill(fill);
        }
        // The others have lower codes.
        self.err = if error == 0 && strange { err::LINE } else { error };
        self.waits = self.waits();
    }
}

impl Block for AccessValidationUnit {
    type In = In;
    type Out = Out;

    #[inline(always)]
    fn outputs(&self) -> Out {
        Out {
            rsp_ready: self.response.ready(),
            lk_ready: !self.lookups_wait(),
            rs: self.rs,
            q_member: self.q_member,
            epoch: self.epoch,
            done: self.response.done(),
            err: (self.err != 0).then_some(self.err),
            counters: self.counters,
        }
    }

    fn tick(&mut self, inputs: &In) -> Out {
        let out = self.outputs();
        let In { rsp, lk, fill, hc_clr, q_valid, slq_busy, .. } = inputs;
        let comes = rsp.is_some() | lk.is_some() | fill.is_some() | hc_clr.is_some();
        count(&mut self.counters.load_cycles, !out.lk_ready);
        if self.waits && !*slq_busy && q_valid & self.lanes == 0 {
            if !comes {
                return out;
            }
            let alone = lk.is_none() & fill.is_none() & hc_clr.is_none();
            if let Some(rsp) = rsp.as_ref().filter(|rsp| alone && self.is_midway(rsp)) {
                self.signature.write(rsp.chunk, &rsp.data);
                return out;
            }
        }
        match self.test_choices {
            None => self.step(inputs, &out, &SPECIFICATION),
            Some(choices) => self.step(inputs, &out, &choices),
        }
        out
    }

    fn is_idle(&self) -> bool {
        self.waits && !self.response.loading()
    }

    fn quiet_cycles(&self) -> u64 {
        match self.waits {
            true if self.response.loading() => QUIET,
            true => u64::MAX,
            false => 0,
        }
    }

    fn skip_quiet(&mut self, cycles: u64) {
        if self.lookups_wait() {
            count(&mut self.counters.load_cycles, cycles as u32);
        }
    }

    fn show_state(&self, state: &mut State) {
        state.bits("epoch", self.config.epoch_w, self.epoch);
        state.part("lines", |state| self.lines.show_state(state, &self.config));
        state.part("signature", |state| self.signature.show_state(state));
        self.response.show_state(state, self.config.epoch_w);
        state.flag("rs_valid", self.rs.is_some());
        state.bits_while(self.rs.is_some(), "rs", 3, self.rs.unwrap_or_default());
        state.bits("member", self.config.v_lanes, self.q_member);
        state.bits("err", 4, self.err);
    }
}

impl Model for AccessValidationUnit {
    const NAME: &'static str = "access_validation_unit";
    type Config = Config;

    fn new(config: &Config) -> Result<Self, ConfigError> {
        config.validate()?;
        Ok(Self {
            config: config.clone(),
            lanes: u8::MAX >> (8 - config.v_lanes),
            epoch_mask: (1 << config.epoch_w) - 1,
            epoch: 0,
            lines: Lines::new(config),
            signature: Received::new(config),
            response: Response::default(),
            rs: None,
            q_member: 0,
            err: 0,
            counters: Counters::default(),
            waits: true,
            test_choices: None,
        })
    }

    /// Without inputs all is done after a few cycles.
    fn rests(_config: &Config, _outputs: &Out, cycles: u64) -> bool {
        cycles > 1 << 11
    }
}
