//! The L1 of an SM under timestamp coherence (Tabbakh's thesis, chapter 3; specification 5.1 to
//! 5.6, 5.8). Each line has a lease. Under G-TSC leases are in logical time, each warp has a clock,
//! and a store is ordered after all leases of its line. Under TC leases are in cycles.
//!
//! One action per cycle, the first enabled one of: a replay step, a flush, an answer of a bank, a
//! re-evaluation of an MSHR in PEND, a request of the SM. A message accepted in cycle t acts in t+1
//! at the earliest; the messages that it causes are valid in t+2.

mod action;
mod answers;
mod channels;
mod choices;
mod fences;
mod lines;
mod misses;
mod pending;
mod policy;
mod replay;
mod request;
mod requests;
mod rule;
mod stores;
#[cfg(test)]
mod tests;
mod time;
mod warps;

use std::hash::{Hash, Hasher};

use ports::timestamp::timestamp_l1::*;
use ports::timestamp::types::{BusReq, CoreRsp, Event, LineData, Protocol, event, op};
use ports::{ConfigError, Parameters};

use crate::block::{Block, Model};
use crate::common::counter::count;
use crate::state::{State, width_of};
use channels::{Channels, Transfers};
use choices::{Choices, Client, LOADS, MISSES, SPECIFICATION, STORES};
use fences::Fences;
use lines::Lines;
use misses::Misses;
use policy::Policy;
use replay::Replay;
use stores::Stores;
use time::Time;
use warps::Warps;

pub use action::{Action, Fill, Lock, OwnCopy, Place, Request, Step, condition};
pub use rule::Rule;

/// Cycles that may be skipped at once while a request is held and `hold_cycles` counts.
const QUIET: u64 = 1 << 40;

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
    /// G-TSC: the warps' clocks.
    warps: Warps,
    /// G-TSC: the L1's generation.
    rep: u8,
    fences: Fences,
    /// TC-Weak: the action of this cycle recorded a lease for a fence.
    fence_changed: bool,
    /// TC: a flush is pending.
    flush: bool,
    /// TC, pulse: the flush is done.
    flush_done: bool,
    /// `sm_id_i`.
    sm: u8,
    /// Pulse: error code, 0 for none.
    err: u8,
    event: Option<Event>,
    /// Counters of both protocols: [`TimestampL1::counters`] selects.
    counters: Counters,
    /// Until an input changes, only TC's clock with its fences, and `hold_cycles` while a request
    /// is held, can change.
    waits: bool,
    /// The action of the last cycle.
    did: Action,
    choices: &'static Choices,
}

/// State that affects later behaviour: neither counters nor results of the last action.
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
    /// For tests: an L1 with a disabled rule. Errors: as of `new`.
    pub fn without(config: &Config, rule: Rule) -> Result<Self, ConfigError> {
        Ok(Self { choices: Choices::without(rule), ..Self::new(config)? })
    }

    /// The action of the last cycle.
    pub fn did(&self) -> Action {
        self.did
    }

    /// The counters that the protocol has; others are 0.
    #[inline(always)]
    fn counters(&self) -> Counters {
        match self.time.is_gtsc {
            true => self.counters,
            false => {
                let Counters { load_hit, miss_cold, miss_expired, late_fills, .. } = self.counters;
                Counters { load_hit, miss_cold, miss_expired, late_fills, ..Counters::default() }
            }
        }
    }

    /// The inputs request a flush.
    #[inline(always)]
    fn flush_requested(&self, inputs: &In) -> bool {
        if self.time.is_gtsc { inputs.rep != self.rep } else { inputs.flush }
    }

    /// The first action that is enabled (specification 5.1).
    #[inline(always)]
    fn decide(&self, inputs: &In) -> Action {
        let Self { channels, policy, replay, .. } = self;
        let room = !channels.core_rsp.is_full();
        let room_for_both = room && !channels.bus_req.is_full();
        // G-TSC compares levels; TC's `flush_i` is a pulse, which `flush` registers.
        let flush = if self.time.is_gtsc { inputs.rep != self.rep } else { self.flush };
        match (policy, replay, channels.bus_rsp.peek()) {
            (Policy::Queried(ask), ..) => inputs.pick.map_or(Action::Nothing, |pick| {
                let offered = ask.ways >> pick.way & 1 == 1;
                let way = (pick.keep && offered).then_some(pick.way);
                Action::Pick { way, wrong: pick.keep && !offered }
            }),
            (_, Some(Replay { miss, rep, rts, stale, .. }), _) if room => {
                Action::Replay(self.next_step(*miss, *rep, *rts, *stale))
            }
            (_, Some(_), _) => Action::Blocked { replay: true, answer: false, request: false },
            (Policy::Idle, ..) if flush => {
                Action::Flush { wrong: self.time.is_gtsc && inputs.rep != (self.rep + 1) & 3 }
            }
            (.., Some(rsp)) if room => self.answer(rsp, inputs.policy),
            _ if room_for_both => self.serve(),
            (.., answer) => Action::Blocked {
                replay: false,
                answer: answer.is_some(),
                request: !channels.core_req.is_empty(),
            },
        }
    }

    /// A3, else A4.
    #[inline(always)]
    fn serve(&self) -> Action {
        let request = |locked| {
            let row = self.channels.core_req.peek().map(|req| self.row(req));
            Action::Request { row, locked }
        };
        match self.choices.first {
            Client::Pending => {
                let pending = self.re_evaluate_pending();
                pending.unwrap_or_else(|| request(self.misses.has_pending()))
            }
            Client::Request => match request(false) {
                action if action.acts() => action,
                action => self.re_evaluate_pending().unwrap_or(action),
            },
        }
    }

    /// The effects of an action.
    #[inline(always)]
    fn apply(&mut self, action: Action, inputs: &In) {
        match action {
            Action::Nothing | Action::Blocked { .. } => {}
            Action::Pick { way, wrong } => {
                self.policy = Policy::Picked(way);
                self.err = if wrong { err::PICK } else { 0 };
            }
            Action::Replay(step) => self.step(step),
            Action::Flush { wrong } => self.apply_flush(inputs.rep, wrong),
            Action::Query(ask) => self.policy = Policy::Queried(ask),
            Action::PendingReplay { miss, place, step } => {
                self.replay_line(miss, place, self.rep, step);
            }
            Action::PendingRequest { miss, place } => self.apply_pending_request(miss, place),
            Action::Request { row, .. } => {
                let req = self.channels.core_req.front();
                if let (Some(row), Some(req)) = (row.filter(|row| !row.is_held()), req) {
                    self.apply_row(row, &req);
                    self.channels.core_req.pop();
                }
            }
            Action::Fill(_)
            | Action::Renewal(_)
            | Action::Acknowledgement(_)
            | Action::BadFill
            | Action::BadAcknowledgement => {
                if let Some(rsp) = self.channels.bus_rsp.front() {
                    self.apply_answer(action, &rsp);
                    self.channels.bus_rsp.pop();
                }
            }
        }
    }

    /// A1: drops all lines. Under G-TSC a generation begins.
    fn apply_flush(&mut self, rep: u8, wrong: bool) {
        self.lines.clear();
        self.event = Some(Event { kind: event::ALL_GONE, way: 0, line: 0 });
        count(&mut self.counters.flushes, true);
        if !self.time.is_gtsc {
            self.misses.mark_store_all();
            (self.flush, self.flush_done) = (false, true);
            return;
        }
        self.err = if wrong { err::GENERATION } else { 0 };
        self.warps = Warps::new();
        self.misses.mark_flush(self.choices.makes_stale & MISSES != 0);
        if self.choices.makes_stale & STORES != 0 {
            self.stores.mark_flush();
        }
        self.rep = rep;
    }

    /// Sends a request to a bank; under TC without timestamps.
    #[inline(always)]
    fn send(&mut self, req: BusReq) {
        let (rep, sm) = (self.rep, self.sm);
        let (wts, warp_ts) = if self.time.is_gtsc { (req.wts, req.warp_ts) } else { (0, 0) };
        self.channels.bus_req.push(BusReq { rep, sm, wts, warp_ts, ..req });
    }

    /// Answers the SM; under TC without timestamps.
    #[inline(always)]
    fn respond(&mut self, rsp: CoreRsp) {
        let (rep, ts) = if self.time.is_gtsc { (rsp.rep, rsp.ts) } else { (0, 0) };
        self.channels.core_rsp.push(CoreRsp { rep, ts, ..rsp });
    }

    /// Answers a load performed at logical time `ts` of generation `rep`.
    fn load(&mut self, warp: u8, id: u8, (rep, ts): (u8, u32), data: LineData) {
        self.respond(CoreRsp { rep, ts, op: op::LD, warp, id, data });
        if self.time.is_gtsc && rep == self.rep && self.choices.raises & LOADS != 0 {
            self.warps.raise(warp, ts);
        }
    }

    fn set_event(&mut self, kind: u8, place: usize, line: u64) {
        self.event = Some(Event { kind, way: self.lines.way(place), line });
    }

    /// Advances TC's clock.
    #[inline(always)]
    fn clock(&mut self) {
        if !self.time.is_gtsc {
            self.time.now = self.time.now.wrapping_add(1);
            self.fences.tick(self.time.now, std::mem::take(&mut self.fence_changed));
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
            counters: self.counters(),
        }
    }

    fn tick(&mut self, inputs: &In) -> Out {
        let out = self.outputs();
        let transfers = Transfers {
            core_req: inputs.core_req.as_ref().filter(|_| out.core_req_ready),
            core_rsp: out.core_rsp.filter(|_| inputs.core_rsp_ready),
            bus_req: out.bus_req.is_some() && inputs.bus_req_ready,
            bus_rsp: inputs.bus_rsp.as_ref().filter(|_| out.bus_rsp_ready),
        };
        let any_transfer = transfers.any();
        let requested = self.flush_requested(inputs);
        if self.waits && !any_transfer && inputs.pick.is_none() && !requested {
            count(&mut self.counters.hold_cycles, self.did.is_held());
            self.clock();
            return out;
        }
        (self.err, self.event, self.flush_done) = (0, None, false);
        self.sm = inputs.sm_id;
        // `flush_i` is ignored while a flush is pending (rule 21).
        let flushes = !self.time.is_gtsc && inputs.flush && !self.flush;
        let action = self.decide(inputs);
        self.apply(action, inputs);
        self.flush |= flushes;
        count(&mut self.counters.hold_cycles, action.is_held());
        self.channels.edge(&transfers);
        self.waits = !action.acts() && !any_transfer && !flushes;
        self.did = action;
        self.clock();
        out
    }

    fn is_idle(&self) -> bool {
        self.quiet_cycles() == u64::MAX
    }

    fn quiet_cycles(&self) -> u64 {
        match self.waits {
            false => 0,
            true if !self.time.is_gtsc => {
                u64::from(self.fences.idle_cycles(self.time.now)).saturating_sub(1)
            }
            true if self.did.is_held() => QUIET,
            true => u64::MAX,
        }
    }

    fn skip_quiet(&mut self, cycles: u64) {
        if self.did.is_held() {
            self.counters.hold_cycles = self.counters.hold_cycles.wrapping_add(cycles as u32);
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
            policy: Policy::Idle,
            time: Time::new(config.protocol),
            warps: Warps::new(),
            rep: 0,
            fences: Fences::new(),
            fence_changed: false,
            flush: false,
            flush_done: false,
            sm: 0,
            err: 0,
            event: None,
            counters: Counters::default(),
            waits: true,
            did: Action::Nothing,
            choices: &SPECIFICATION,
        })
    }

    /// G-TSC: after more cycles than the longest replay takes. TC: never, as its clock counts.
    fn rests(config: &Config, _outputs: &Out, cycles: u64) -> bool {
        config.protocol == Protocol::Gtsc && cycles > 1 << 11
    }
}
