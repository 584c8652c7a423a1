//! The L1 of an SM under temporal coherence: each line has a lease in cycles, which all blocks
//! count alike (Tabbakh's thesis, section 3.2.1; specification 5.1 to 5.3, 5.8).
//!
//! One action per cycle, as of `gtsc_l1`. What is accepted in t acts in t+1 at the earliest, and
//! what it sends is shown in t+2.

mod answers;
mod fences;
mod requests;
mod row;
mod rule;
#[cfg(test)]
mod tests;
mod walk;

use std::hash::{Hash, Hasher};

use ports::timestamp::tc_l1::*;
use ports::timestamp::types::{BusReq, CoreRsp, Event, LineData, Protocol, event, op};
use ports::{ConfigError, Parameters};

use crate::block::{Block, Model};
use crate::state::{State, width_of};
use crate::timestamp::l1::cache::Cache;
use crate::timestamp::l1::channels::{Channels, Moves};
use crate::timestamp::l1::misses::Misses;
use crate::timestamp::l1::policy::Policy;
use crate::timestamp::l1::stores::Stores;
use fences::Fences;
use walk::Walk;

pub use row::Row;
pub use rule::Rule;

/// What is kept of a store or an atomic under way.
#[derive(Clone, Copy, Debug, Default, Hash)]
struct Store {
    warp: u8,
    id: u8,
}

/// Model of `rtl/timestamp/tc_l1`.
#[derive(Clone, Debug)]
pub struct TcL1 {
    config: Config,
    channels: Channels,
    /// Of each line the cycle in which its lease ends.
    lines: Cache<u32>,
    misses: Misses,
    stores: Stores<Store>,
    fences: Fences,
    /// A store of this cycle has met a lease.
    met: bool,
    walk: Option<Walk>,
    policy: Policy,
    now: u32,
    /// A flush has been asked for; it is done.
    flush: bool,
    flush_done: bool,
    /// `sm_id_i`.
    sm: u8,
    /// The pulses of this cycle; of errors 0 is none.
    err: u8,
    event: Option<Event>,
    cnt: Counters,
    /// Nothing changes until an input does, but for `now` and what it ends.
    waits: bool,
    /// See [`TcL1::rows`].
    rows: u128,
    /// What a test has taken away.
    without: Option<Rule>,
}

/// What decides about what comes: not the counters, nor what the last cycle was. All leases that
/// are over are alike.
impl Hash for TcL1 {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let Self { channels, misses, stores, walk, policy, now, flush, sm, .. } = self;
        (channels, misses, stores, walk, policy, now, flush, sm).hash(hasher);
        self.lines.hash_as(hasher, |exp, hasher| exp.max(now).hash(hasher));
        self.fences.left(*now, self.config.warps).for_each(|left| left.hash(hasher));
    }
}

impl TcL1 {
    /// For tests: an L1 that does not keep a rule. Errors: as of `new`.
    pub fn without(config: &Config, rule: Rule) -> Result<Self, ConfigError> {
        Ok(Self { without: Some(rule), ..Self::new(config)? })
    }

    /// What the last cycle was: bits of [`Row`].
    pub fn rows(&self) -> u128 {
        self.rows
    }

    #[inline(always)]
    fn is(&mut self, row: Row) {
        self.rows |= row.bit();
    }

    #[inline(always)]
    fn keeps(&self, rule: Rule) -> bool {
        self.without != Some(rule)
    }

    /// The action of a cycle. False: there is none.
    fn act(&mut self, inputs: &In) -> bool {
        let room = !self.channels.core_rsp.is_full();
        let room_for_both = room && !self.channels.bus_req.is_full();
        if let Policy::Asked(ask) = self.policy {
            let Some(pick) = inputs.pick else { return false };
            if !self.policy.say(ask, pick) {
                self.err = err::PICK;
                self.is(Row::PickWrong);
            }
            return true;
        }
        if self.walk.is_some() {
            if room {
                self.step();
            } else {
                self.is(Row::WalkWaits);
            }
            return room;
        }
        if self.flush && !matches!(self.policy, Policy::Said(_)) {
            self.drop_all();
            return true;
        }
        if !self.channels.bus_rsp.is_empty() && !room {
            self.is(Row::AnswerWaits);
        } else if let Some(rsp) = self.channels.bus_rsp.front() {
            self.answer(&rsp, inputs.policy);
            return true;
        }
        if !room_for_both {
            if !self.channels.core_req.is_empty() {
                self.is(Row::RequestWaits);
            }
            return false;
        }
        self.judge_pending() || self.request()
    }

    /// A1.
    fn drop_all(&mut self) {
        self.is(Row::Flush);
        self.lines.clear();
        self.misses.store_passes_all();
        (self.flush, self.flush_done) = (false, true);
        self.event = Some(Event { kind: event::ALL_GONE, way: 0, line: 0 });
    }

    /// A3: loads that wait are served by the line where it is here, or it is asked for. False:
    /// there are none.
    fn judge_pending(&mut self) -> bool {
        let Some(m) = self.misses.pending().next() else { return false };
        let line = self.misses.line(m);
        let within = |exp: u32| self.misses.waiters(m).any(|waiter| waiter.ts < exp);
        let place = self.lines.find(line).filter(|&place| within(*self.lines.of(place)));
        if let Some(place) = place {
            self.walk(m, *self.lines.of(place), *self.lines.data(place));
        } else {
            self.is(Row::PendingAsks);
            self.misses.sent(m);
            self.send(BusReq { id: m as u8, line, ..BusReq::default() });
        }
        true
    }

    fn send(&mut self, req: BusReq) {
        self.channels.bus_req.push(BusReq { sm: self.sm, ..req });
    }

    fn load(&mut self, warp: u8, id: u8, data: LineData) {
        self.channels.core_rsp.push(CoreRsp { op: op::LD, warp, id, data, ..CoreRsp::default() });
    }

    fn shows(&mut self, kind: u8, place: usize, line: u64) {
        self.event = Some(Event { kind, way: self.lines.way(place), line });
    }

    /// A cycle ends.
    #[inline(always)]
    fn clock(&mut self) {
        self.now = self.now.wrapping_add(1);
        self.fences.tick(self.now, std::mem::take(&mut self.met));
    }
}

impl Block for TcL1 {
    type In = In;
    type Out = Out;

    #[inline(always)]
    fn outputs(&self) -> Out {
        let busy = self.channels.busy();
        Out {
            core_req_ready: !self.channels.core_req.is_full(),
            core_rsp: self.channels.core_rsp.front(),
            bus_req: self.channels.bus_req.front(),
            bus_rsp_ready: !self.channels.bus_rsp.is_full(),
            warp_busy: busy,
            flush_done: self.flush_done,
            fence_ok: !busy & self.fences.over() & (u64::MAX >> (64 - self.config.warps)),
            ask: self.policy.ask(),
            event: self.event,
            err: (self.err != 0).then_some(self.err),
            cnt: self.cnt,
        }
    }

    fn tick(&mut self, inputs: &In) -> Out {
        let out = self.outputs();
        let moves = Moves {
            core_req: inputs.core_req.as_ref().filter(|_| out.core_req_ready),
            core_rsp: out.core_rsp.filter(|_| inputs.core_rsp_ready),
            bus_req: out.bus_req.is_some() && inputs.bus_req_ready,
            bus_rsp: inputs.bus_rsp.as_ref().filter(|_| out.bus_rsp_ready),
        };
        let comes = moves.any();
        if self.waits && !comes && inputs.pick.is_none() && !inputs.flush {
            self.clock();
            return out;
        }
        (self.err, self.event, self.flush_done, self.rows) = (0, None, false, 0);
        self.sm = inputs.sm_id;
        let flushes = inputs.flush && !self.flush;
        let acts = self.act(inputs);
        self.flush |= flushes;
        self.channels.edge(&moves);
        self.waits = !acts && !comes && !flushes;
        self.clock();
        out
    }

    fn quiet_cycles(&self) -> u64 {
        if self.waits { u64::from(self.fences.quiet(self.now)).saturating_sub(1) } else { 0 }
    }

    fn skip_quiet(&mut self, cycles: u64) {
        self.now = self.now.wrapping_add(cycles as u32);
    }

    fn show_state(&self, state: &mut State) {
        let Config { warps, line_w, waiters, proto, .. } = self.config;
        let left = self.walk.map_or(0, |walk| walk.left as u64);
        state.bits("now", 32, self.now);
        state.flag("flush", self.flush);
        state.flag("flush_done", self.flush_done);
        state.part("walk", |state| state.bits("left", width_of(waiters.into()), left));
        state.part("policy", |state| {
            self.policy.show_state(state);
            state.flag("event_valid", self.event.is_some());
        });
        state.bits("err", 4, self.err);
        state.part("channels.inside", |state| state.bits("busy", warps, self.channels.busy()));
        state.part("lines", |state| {
            self.lines.show_valid(state);
            for (place, (line, exp)) in self.lines.all().enumerate() {
                let held = line.is_some();
                state.bits_while(held, &format!("exp[{place}]"), 32, *exp);
                // The RTL has tags.
                let line = line.unwrap_or_default();
                state.bits_while(held, &format!("line_of_place[{place}]"), line_w, line);
            }
        });
        state.part("misses", |state| self.misses.show_state(state, line_w, 32));
        state.part("stores", |state| {
            state.flags("valid", self.stores.all().map(|(valid, _)| valid));
            for (entry, (valid, store)) in self.stores.all().enumerate() {
                state.bits_while(valid, &format!("warp[{entry}]"), 6, store.warp);
                state.bits_while(valid, &format!("id[{entry}]"), 8, store.id);
            }
        });
        if proto == Protocol::Tcw {
            state.part("fences.weak", |state| self.fences.show_state(state, warps));
        }
    }
}

impl Model for TcL1 {
    const NAME: &'static str = "tc_l1";
    type Config = Config;

    fn new(config: &Config) -> Result<Self, ConfigError> {
        config.validate()?;
        Ok(Self {
            config: config.clone(),
            channels: Channels::new(config.warps),
            lines: Cache::new(config.l1_sets, config.l1_ways),
            misses: Misses::new(config.l1_mshr, config.waiters),
            stores: Stores::new(config.stq),
            fences: Fences::new(),
            met: false,
            walk: None,
            policy: Policy::Rests,
            now: 0,
            flush: false,
            flush_done: false,
            sm: 0,
            err: 0,
            event: None,
            cnt: Counters::default(),
            waits: true,
            rows: 0,
            without: None,
        })
    }

    /// Never: `now_q` goes on.
    fn rests(_config: &Config, _outputs: &Out, _cycles: u64) -> bool {
        false
    }
}
