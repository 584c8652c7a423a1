//! The access validation unit of an SM: says of loads that hit in the L1 whether the line may still
//! be used, by its epoch and by the last signature from the race detection unit (Tabbakh's thesis,
//! section 4.2.2; specification 5.3).
//!
//! The result of a lookup or a query of cycle t shows in t+1, by what the unit held in t. What a
//! beat accepted in t brings holds from t+1 on.

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
use crate::state::State;
use lines::Lines;
use response::{Effects, Response};
use signature::Received;

pub use rule::Rule;

/// Cycles that may be left out at once while a signature loads and no beat comes: `load_cycles`
/// goes on.
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
    cnt: Counters,
    /// See `waits`.
    waits: bool,
    /// What a test has taken away.
    without: Option<Rule>,
}

fn add(counter: &mut u32, events: u32) {
    *counter = counter.wrapping_add(events);
}

impl AccessValidationUnit {
    /// For tests: a unit that does not keep a rule. Errors: as of `new`.
    pub fn without(config: &Config, rule: Rule) -> Result<Self, ConfigError> {
        Ok(Self { without: Some(rule), ..Self::new(config)? })
    }

    #[inline(always)]
    fn keeps(&self, rule: Rule) -> bool {
        self.without != Some(rule)
    }

    /// Nothing changes until an input does, but for `load_cycles`.
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

    /// What a tick does in which a beat comes, and nothing else. False, and it does nothing, unless
    /// that shows nowhere: most beats are chunks of the signature that is loading, and others
    /// follow.
    #[inline]
    pub fn load(&mut self, rsp: &Rsp) -> bool {
        let is_next = self.waits && self.is_midway(rsp);
        if is_next {
            let counts = self.keeps(Rule::LookupWaits);
            add(&mut self.cnt.load_cycles, counts.into());
            self.signature.write(rsp.chunk, &rsp.data);
        }
        is_next
    }

    /// What as many ticks do in each of which a line that the L1 does not hold is looked up, and
    /// nothing else comes, as in the tick before.
    pub fn miss_again(&mut self, lookups: u32) {
        debug_assert!(self.rs == Some(result::MISS_COLD) && self.response.waits());
        add(&mut self.cnt.miss_cold, lookups);
    }

    /// The result of a lookup, and what is counted of it.
    #[inline(always)]
    fn look_up(&mut self, lk: Lookup) -> u8 {
        let all = self.keeps(Rule::AllGranules);
        let Self { epoch, lines, signature, cnt, without, .. } = self;
        if !lk.tag_hit || !lines.has(lk.line) {
            add(&mut cnt.miss_cold, 1);
            return result::MISS_COLD;
        }
        let written = || signature.has(lk.addr, lk.size, all);
        let verdict = lines.look_up(lk.line, *epoch, written, *without);
        add(&mut cnt.signature_tests, verdict.asked.into());
        let counter = match verdict.result {
            result::HIT if verdict.age == 0 => &mut cnt.hit_age0,
            result::HIT => &mut cnt.hit_age1,
            result::HIT_NEEDCHK => &mut cnt.needchk,
            result::MISS_EXPIRED => &mut cnt.miss_expired,
            _ => &mut cnt.miss_avu,
        };
        add(counter, 1);
        verdict.result
    }

    /// The members among the queries of a cycle.
    #[inline(always)]
    fn members(&self, valid: u8, queries: &Queries) -> u8 {
        let all = self.keeps(Rule::AllGranules);
        let has = |&v: &usize| self.signature.has(queries[v].addr, queries[v].size, all);
        ones(valid.into()).filter(has).map(|v| 1 << v).sum()
    }

    /// What the beat of this cycle does. Behind lookup and queries.
    #[inline(always)]
    fn receive(&mut self, inputs: &In, ready: bool) -> u8 {
        let rsp = inputs.rsp.as_ref().filter(|_| ready);
        let has_chunk = rsp.is_some_and(|rsp| self.signature.has_chunk(rsp.chunk));
        let next = (self.epoch + 1) & self.epoch_mask;
        let busy = inputs.slq_busy && self.keeps(Rule::ResponseWaits);
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
            add(&mut self.cnt.syncs, 1);
            if self.keeps(Rule::LiveCleared) {
                let filled = inputs.fill.map(|fill| fill.line).filter(|&line| self.lines.has(line));
                let ended = self.lines.synchronise(done.epoch, filled);
                add(&mut self.cnt.wrapped, ended);
            }
        }
        error
    }
}

impl Block for AccessValidationUnit {
    type In = In;
    type Out = Out;

    #[inline(always)]
    fn outputs(&self) -> Out {
        Out {
            rsp_ready: self.response.ready(),
            lk_ready: !self.response.loading() || !self.keeps(Rule::LookupWaits),
            rs: self.rs,
            q_member: self.q_member,
            epoch: self.epoch,
            done: self.response.done(),
            err: (self.err != 0).then_some(self.err),
            cnt: self.cnt,
        }
    }

    fn tick(&mut self, inputs: &In) -> Out {
        let out = self.outputs();
        let In { rsp, lk, fill, hc_clr, q_valid, q, slq_busy } = inputs;
        let q_valid = q_valid & self.lanes;
        let comes = rsp.is_some() | lk.is_some() | fill.is_some() | hc_clr.is_some();
        add(&mut self.cnt.load_cycles, (!out.lk_ready).into());
        if self.waits && !*slq_busy && q_valid == 0 {
            if !comes {
                return out;
            }
            let alone = lk.is_none() & fill.is_none() & hc_clr.is_none();
            if let Some(rsp) = rsp.as_ref().filter(|rsp| alone && self.is_midway(rsp)) {
                self.signature.write(rsp.chunk, &rsp.data);
                return out;
            }
        }
        let lk = lk.filter(|_| out.lk_ready);
        let places =
            [lk.filter(|lk| lk.tag_hit).map(|lk| lk.line), fill.map(|fill| fill.line), *hc_clr];
        let strange = places.into_iter().flatten().any(|line| !self.lines.has(line));

        self.rs = lk.map(|lk| self.look_up(lk));
        self.q_member = self.members(q_valid, q);
        add(&mut self.cnt.signature_tests, q_valid.count_ones());
        if let Some(line) = hc_clr.filter(|&line| self.lines.has(line)) {
            self.lines.clear_hits(line);
        }
        let receives = rsp.is_some() | *slq_busy || !self.response.waits();
        let error = if receives { self.receive(inputs, out.rsp_ready) } else { 0 };
        if let Some(fill) = fill.filter(|fill| self.lines.has(fill.line)) {
            self.lines.fill(fill);
        }
        // The others have lower codes.
        self.err = if error == 0 && strange { err::LINE } else { error };
        self.waits = self.waits();
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
        if !self.outputs().lk_ready {
            add(&mut self.cnt.load_cycles, cycles as u32);
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
            cnt: Counters::default(),
            waits: true,
            without: None,
        })
    }

    /// Longer than anything waits for but its inputs.
    fn rests(_config: &Config, _outputs: &Out, cycles: u64) -> bool {
        cycles > 1 << 11
    }
}
