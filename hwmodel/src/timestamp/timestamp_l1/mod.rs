//! The L1 of an SM under timestamp coherence (Tabbakh's thesis, chapter 3; specification 5.1 to
//! 5.6, 5.8). Each line has a lease. In G-TSC that is in logical time, each warp has a clock, and a
//! store comes after all leases of its line; in TC it is in cycles, which all blocks count alike.
//!
//! One action per cycle, the first that is enabled of: a step of a replay, a flush, an answer of a
//! bank, a line that loads wait for, a request of the SM. What is accepted in t acts in t+1 at the
//! earliest, and what it sends is shown in t+2.

mod answers;
mod channels;
mod fences;
mod lines;
mod misses;
mod policy;
mod replay;
mod request;
mod requests;
mod row;
mod rule;
mod stores;
#[cfg(test)]
mod tests;
mod time;
mod warps;

use std::hash::{Hash, Hasher};

use ports::timestamp::timestamp_l1::*;
use ports::timestamp::types::{Ask, BusReq, CoreRsp, Event, LineData, Pick, Protocol, event, op};
use ports::{ConfigError, Parameters};

use crate::block::{Block, Model};
use crate::state::{State, width_of};
use channels::{Channels, Moves};
use fences::Fences;
use lines::Lines;
use misses::Misses;
use policy::Policy;
use replay::Replay;
use stores::Stores;
use time::Time;
use warps::Warps;

pub use row::Row;
pub use rule::Rule;

/// Cycles that may be left out at once while a request is held: `hold_cycles` goes on.
const QUIET: u64 = 1 << 40;

/// Counts an event.
fn count(counter: &mut u32) {
    *counter = counter.wrapping_add(1);
}

/// What an L1 does in a cycle (specification 5.1).
enum Action {
    Nothing,
    /// The policy has said this.
    Pick(Ask, Pick),
    /// A0.
    Step,
    /// A1.
    Flush,
    /// A2.
    Answer,
    /// A3, else A4.
    Serve,
}

/// Model of `rtl/timestamp/timestamp_l1`.
#[derive(Clone, Debug)]
pub struct TimestampL1 {
    config: Config,
    ts_mask: u32,
    channels: Channels,
    lines: Lines,
    misses: Misses,
    stores: Stores,
    replay: Option<Replay>,
    policy: Policy,
    time: Time,
    /// G-TSC: the clocks, and the own generation.
    warps: Warps,
    rep: u8,
    /// TC-Weak: until when fences wait; a store of this cycle has met a lease.
    fences: Fences,
    met: bool,
    /// TC: a flush has been asked for; it is done.
    flush: bool,
    flush_done: bool,
    /// `sm_id_i`.
    sm: u8,
    /// The pulses of this cycle; of errors 0 is none.
    err: u8,
    event: Option<Event>,
    /// Of both protocols, see [`TimestampL1::counters`].
    cnt: Counters,
    /// Nothing changes until an input does, but for TC's clock and what it ends, and for
    /// `hold_cycles` while `holds`.
    waits: bool,
    /// The request that is the oldest could not act.
    holds: bool,
    /// See [`TimestampL1::rows`].
    rows: u128,
    /// What a test has taken away.
    without: Option<Rule>,
}

/// What decides about what comes: not the counters, nor what the last cycle was.
impl Hash for TimestampL1 {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let Self { channels, misses, stores, replay, policy, warps, rep, flush, sm, .. } = self;
        (channels, misses, stores, replay, policy, warps, rep, flush, sm).hash(hasher);
        let now = self.time.now;
        now.hash(hasher);
        self.lines.hash_at(now, hasher);
        self.fences.left(now, self.config.warps).for_each(|left| left.hash(hasher));
    }
}

impl TimestampL1 {
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

    /// What the port shows: each protocol has its own.
    #[inline(always)]
    fn counters(&self) -> Counters {
        match self.time.is_gtsc {
            true => self.cnt,
            false => {
                let Counters { load_hit, miss_cold, miss_expired, late_fills, .. } = self.cnt;
                Counters { load_hit, miss_cold, miss_expired, late_fills, ..Counters::default() }
            }
        }
    }

    /// A flush is asked for in this cycle.
    #[inline(always)]
    fn is_called(&self, inputs: &In) -> bool {
        if self.time.is_gtsc { inputs.rep != self.rep } else { inputs.flush }
    }

    /// The first action that is enabled.
    #[inline(always)]
    fn choose(&self, inputs: &In) -> Action {
        let room = !self.channels.core_rsp.is_full();
        let room_for_both = room && !self.channels.bus_req.is_full();
        // G-TSC's input is a level, TC's a pulse.
        let flush = if self.time.is_gtsc { inputs.rep != self.rep } else { self.flush };
        match self.policy {
            Policy::Asked(ask) => {
                inputs.pick.map_or(Action::Nothing, |pick| Action::Pick(ask, pick))
            }
            _ if self.replay.is_some() => {
                if room {
                    Action::Step
                } else {
                    Action::Nothing
                }
            }
            Policy::Rests if flush => Action::Flush,
            _ if room && !self.channels.bus_rsp.is_empty() => Action::Answer,
            _ if room_for_both => Action::Serve,
            _ => Action::Nothing,
        }
    }

    /// The action of a cycle. False: there is none.
    fn act(&mut self, inputs: &In) -> bool {
        match self.choose(inputs) {
            Action::Nothing => {
                self.tell_room();
                return false;
            }
            Action::Pick(ask, pick) => {
                if !self.policy.say(ask, pick) {
                    self.err = err::PICK;
                    self.is(Row::PickWrong);
                }
            }
            Action::Step => self.step(),
            Action::Flush => self.flush(inputs.rep),
            Action::Answer => {
                if let Some(rsp) = self.channels.bus_rsp.front() {
                    self.answer(&rsp, inputs.policy);
                }
            }
            Action::Serve => {
                let late = !self.keeps(Rule::PendingFirst);
                return late && self.request()
                    || self.re_evaluate_pending()
                    || !late && self.request();
            }
        }
        true
    }

    /// What has found no room, for the rows.
    fn tell_room(&mut self) {
        if self.policy.ask().is_some() {
            return;
        }
        if self.replay.is_some() {
            return self.is(Row::WalkWaits);
        }
        if !self.channels.bus_rsp.is_empty() {
            self.is(Row::AnswerWaits);
        }
        if !self.channels.core_req.is_empty() {
            self.is(Row::RequestWaits);
        }
    }

    /// A1: all lines go. In G-TSC a generation begins.
    fn flush(&mut self, rep: u8) {
        self.is(Row::Flush);
        self.lines.clear();
        self.event = Some(Event { kind: event::ALL_GONE, way: 0, line: 0 });
        count(&mut self.cnt.flushes);
        if !self.time.is_gtsc {
            self.misses.store_passes_all();
            (self.flush, self.flush_done) = (false, true);
            return;
        }
        if rep != (self.rep + 1) & 3 {
            self.is(Row::FlushWrong);
            self.err = err::GENERATION;
        }
        self.warps = Warps::new();
        self.misses.flush_passes(self.keeps(Rule::MissStale));
        if self.keeps(Rule::StoreStale) {
            self.stores.flush_passes();
        }
        self.rep = rep;
    }

    /// A3: loads that wait are served by the line where it is here, or it is asked for. False:
    /// there is none of which this can be said.
    fn re_evaluate_pending(&mut self) -> bool {
        let lines = &self.lines;
        let free = |line| lines.find(line).is_none_or(|place| !lines.lease(place).is_locked());
        let Some(m) = self.misses.pending().find(|&m| free(self.misses.line(m))) else {
            if self.misses.pending().next().is_some() {
                self.is(Row::PendingLocked);
            }
            return false;
        };
        let line = self.misses.line(m);
        let place = self.lines.find(line);
        let covers = |end| self.misses.waiters(m).any(|waiter| self.time.covers(end, waiter.ts));
        if let Some(place) = place.filter(|&place| covers(self.lines.lease(place).rts)) {
            self.is(Row::PendingWalks);
            self.replay_line(m, place, self.rep);
            return true;
        }
        let wts = place.map_or(0, |place| self.lines.lease(place).wts);
        // A line of TC comes anew.
        let renews = place.is_some() && self.time.is_gtsc;
        self.is(if renews { Row::PendingRenews } else { Row::PendingAsks });
        let warp_ts = self.misses.waiters(m).map(|waiter| waiter.ts).max().unwrap_or_default();
        self.misses.sent(m);
        self.send(BusReq { id: m as u8, line, wts, warp_ts, ..BusReq::default() });
        count(&mut self.cnt.extra_renewals);
        true
    }

    /// A request to a bank. Those of TC have no timestamps.
    #[inline(always)]
    fn send(&mut self, req: BusReq) {
        let (rep, sm) = (self.rep, self.sm);
        let (wts, warp_ts) = if self.time.is_gtsc { (req.wts, req.warp_ts) } else { (0, 0) };
        self.channels.bus_req.push(BusReq { rep, sm, wts, warp_ts, ..req });
    }

    /// An answer to the SM. Those of TC have no timestamps.
    #[inline(always)]
    fn respond(&mut self, rsp: CoreRsp) {
        let (rep, ts) = if self.time.is_gtsc { (rsp.rep, rsp.ts) } else { (0, 0) };
        self.channels.core_rsp.push(CoreRsp { rep, ts, ..rsp });
    }

    /// Answers a load that happens at `ts` of a generation.
    fn load(&mut self, warp: u8, id: u8, (rep, ts): (u8, u32), data: LineData) {
        self.respond(CoreRsp { rep, ts, op: op::LD, warp, id, data });
        if self.time.is_gtsc && rep == self.rep && self.keeps(Rule::LoadRaises) {
            self.warps.raise(warp, ts);
        }
    }

    fn shows(&mut self, kind: u8, place: usize, line: u64) {
        self.event = Some(Event { kind, way: self.lines.way(place), line });
    }

    /// A cycle of TC's clock ends.
    #[inline(always)]
    fn clock(&mut self) {
        if !self.time.is_gtsc {
            self.time.now = self.time.now.wrapping_add(1);
            self.fences.tick(self.time.now, std::mem::take(&mut self.met));
        }
    }
}

impl Block for TimestampL1 {
    type In = In;
    type Out = Out;

    #[inline(always)]
    fn outputs(&self) -> Out {
        let busy = self.channels.busy();
        let fence_ok = match self.time.is_gtsc {
            true => 0,
            false => !busy & self.fences.over() & (u64::MAX >> (64 - self.config.warps)),
        };
        Out {
            core_req_ready: !self.channels.core_req.is_full(),
            core_rsp: self.channels.core_rsp.front(),
            bus_req: self.channels.bus_req.front(),
            bus_rsp_ready: !self.channels.bus_rsp.is_full(),
            warp_busy: busy,
            rep_ack: self.rep,
            flush_done: self.flush_done,
            fence_ok,
            ask: self.policy.ask(),
            event: self.event,
            err: (self.err != 0).then_some(self.err),
            cnt: self.counters(),
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
        let called = self.is_called(inputs);
        if self.waits && !comes && inputs.pick.is_none() && !called {
            if self.holds {
                count(&mut self.cnt.hold_cycles);
            }
            self.clock();
            return out;
        }
        (self.err, self.event, self.flush_done) = (0, None, false);
        (self.holds, self.rows) = (false, 0);
        self.sm = inputs.sm_id;
        // One that is asked for before it is done counts once.
        let flushes = !self.time.is_gtsc && inputs.flush && !self.flush;
        let acts = self.act(inputs);
        self.flush |= flushes;
        if self.holds {
            count(&mut self.cnt.hold_cycles);
        }
        self.channels.edge(&moves);
        self.waits = !acts && !comes && !flushes;
        self.clock();
        out
    }

    fn is_idle(&self) -> bool {
        self.time.is_gtsc && self.waits && !self.holds
    }

    fn quiet_cycles(&self) -> u64 {
        match self.waits {
            false => 0,
            true if !self.time.is_gtsc => {
                u64::from(self.fences.quiet(self.time.now)).saturating_sub(1)
            }
            true if self.holds => QUIET,
            true => u64::MAX,
        }
    }

    fn skip_quiet(&mut self, cycles: u64) {
        if self.holds {
            self.cnt.hold_cycles = self.cnt.hold_cycles.wrapping_add(cycles as u32);
        }
        if !self.time.is_gtsc {
            self.time.now = self.time.now.wrapping_add(cycles as u32);
        }
    }

    fn show_state(&self, state: &mut State) {
        let Config { protocol, warps, ts_w, line_w, waiters, .. } = self.config;
        let is_gtsc = self.time.is_gtsc;
        let left = self.replay.map_or(0, |replay| replay.left as u64);
        if is_gtsc {
            state.part("gtsc", |state| {
                state.bits("rep", 2, self.rep);
                state.part("warps", |state| self.warps.show_state(state, warps, ts_w));
            });
        } else {
            state.part("tc", |state| {
                state.bits("now", 32, self.time.now);
                state.flag("flush", self.flush);
                state.flag("flush_done", self.flush_done);
            });
        }
        state.bits("left", width_of(waiters.into()), left);
        state.part("policy", |state| self.policy.show_state(state));
        state.flag("event_valid", self.event.is_some());
        state.bits("err", 4, self.err);
        state.part("inside", |state| state.bits("busy", warps, self.channels.busy()));
        state.part("lines", |state| {
            self.lines.show_state(state, self.time, line_w, self.config.ts_bits());
        });
        let time_w = if is_gtsc { ts_w } else { 32 };
        state.part("misses", |state| self.misses.show_state(state, line_w, time_w));
        state.part("stores", |state| self.stores.show_state(state, is_gtsc, line_w));
        if protocol == Protocol::Tcw {
            state.part("tc.fences.weak", |state| self.fences.show_state(state, warps));
        }
    }
}

impl Model for TimestampL1 {
    const NAME: &'static str = "timestamp_l1";
    type Config = Config;

    fn new(config: &Config) -> Result<Self, ConfigError> {
        config.validate()?;
        Ok(Self {
            config: config.clone(),
            ts_mask: u32::MAX >> (32 - config.ts_w),
            channels: Channels::new(config.warps),
            lines: Lines::new(config.l1_sets, config.l1_ways),
            misses: Misses::new(config.l1_mshr, config.waiters),
            stores: Stores::new(config.stq),
            replay: None,
            policy: Policy::Rests,
            time: Time::new(config.protocol),
            warps: Warps::new(),
            rep: 0,
            fences: Fences::new(),
            met: false,
            flush: false,
            flush_done: false,
            sm: 0,
            err: 0,
            event: None,
            cnt: Counters::default(),
            waits: true,
            holds: false,
            rows: 0,
            without: None,
        })
    }

    /// G-TSC: longer than a replay that answers nobody. TC: never, as its clock goes on.
    fn rests(config: &Config, _outputs: &Out, cycles: u64) -> bool {
        config.protocol == Protocol::Gtsc && cycles > 1 << 11
    }
}
