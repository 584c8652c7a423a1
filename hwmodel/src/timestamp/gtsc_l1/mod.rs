//! The L1 of an SM under G-TSC: each line has a lease in logical time, each warp a clock, and a
//! store comes after all leases of its line (Tabbakh's thesis, chapter 3; specification 5.1 to
//! 5.6).
//!
//! One action per cycle, the first that is enabled of: a step of a walk, a flush, an answer of a
//! bank, a line that loads wait for, a request of the SM. What is accepted in t acts in t+1 at the
//! earliest, and what it sends is shown in t+2.

mod answers;
mod lines;
mod requests;
mod row;
mod rule;
mod stores;
#[cfg(test)]
mod tests;
mod walk;

use std::hash::{Hash, Hasher};

use ports::timestamp::gtsc_l1::*;
use ports::timestamp::types::{BusReq, CoreRsp, Event, LineData, event, op};
use ports::{ConfigError, Parameters};

use crate::block::{Block, Model};
use crate::state::{State, width_of};
use crate::timestamp::l1::channels::{Channels, Moves};
use crate::timestamp::l1::count;
use crate::timestamp::l1::misses::Misses;
use crate::timestamp::l1::policy::Policy;
use lines::Lines;
use stores::Stores;
use walk::Walk;

pub use row::Row;
pub use rule::Rule;

const WARPS: usize = 64;

/// Cycles that may be left out at once while a request is held: `hold_cycles` goes on.
const QUIET: u64 = 1 << 40;

/// Model of `rtl/timestamp/gtsc_l1`.
#[derive(Clone, Debug)]
pub struct GtscL1 {
    config: Config,
    ts_mask: u32,
    channels: Channels,
    lines: Lines,
    misses: Misses,
    stores: Stores,
    walk: Option<Walk>,
    policy: Policy,
    warp_ts: [u32; WARPS],
    /// Hits since a warp was last answered from the L2.
    spin: [u16; WARPS],
    /// Own generation.
    rep: u8,
    /// `sm_id_i`.
    sm: u8,
    /// The pulses of this cycle; of errors 0 is none.
    err: u8,
    event: Option<Event>,
    cnt: Counters,
    /// Nothing changes until an input does, but for `hold_cycles` while `holds`.
    waits: bool,
    /// The request that is the oldest could not act.
    holds: bool,
    /// See [`GtscL1::rows`].
    rows: u128,
    /// What a test has taken away.
    without: Option<Rule>,
}

/// What decides about what comes: not the counters, nor what the last cycle was.
impl Hash for GtscL1 {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let Self { channels, lines, misses, stores, walk, policy, rep, sm, .. } = self;
        (channels, lines, misses, stores, walk, policy, rep, sm).hash(hasher);
        let warps = self.config.warps as usize;
        (&self.warp_ts[..warps], &self.spin[..warps]).hash(hasher);
    }
}

impl GtscL1 {
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
        let said = matches!(self.policy, Policy::Said(_));
        if !said && inputs.rep != self.rep {
            self.flush(inputs.rep);
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
        let late = !self.keeps(Rule::PendingFirst);
        late && self.request() || self.judge_pending() || !late && self.request()
    }

    /// A1.
    fn flush(&mut self, rep: u8) {
        self.is(Row::Flush);
        if rep != (self.rep + 1) & 3 {
            self.is(Row::FlushWrong);
            self.err = err::GENERATION;
        }
        self.lines.clear();
        (self.warp_ts, self.spin) = ([1; WARPS], [0; WARPS]);
        self.misses.flush_passes(self.keeps(Rule::MissStale));
        if self.keeps(Rule::StoreStale) {
            self.stores.all_mut().for_each(|store| store.stale = true);
        }
        self.rep = rep;
        count(&mut self.cnt.flushes);
        self.event = Some(Event { kind: event::ALL_GONE, way: 0, line: 0 });
    }

    /// A3: loads that wait are served by the line where it is here, or it is asked for. False:
    /// there is none of which this can be said.
    fn judge_pending(&mut self) -> bool {
        let lines = &self.lines;
        let free = |line| lines.find(line).is_none_or(|place| !lines.of(place).is_locked());
        let Some(m) = self.misses.pending().find(|&m| free(self.misses.line(m))) else {
            if self.misses.pending().next().is_some() {
                self.is(Row::PendingLocked);
            }
            return false;
        };
        let line = self.misses.line(m);
        let place = self.lines.find(line);
        let within = |rts: u32| self.misses.waiters(m).any(|waiter| waiter.ts <= rts);
        if let Some(place) = place.filter(|&place| within(self.lines.of(place).rts)) {
            self.is(Row::PendingWalks);
            self.walk_line(m, place, self.rep);
            return true;
        }
        let wts = place.map_or(0, |place| self.lines.of(place).wts);
        self.is(if place.is_some() { Row::PendingRenews } else { Row::PendingAsks });
        let warp_ts = self.misses.waiters(m).map(|waiter| waiter.ts).max().unwrap_or_default();
        self.misses.sent(m);
        self.send(BusReq { id: m as u8, line, wts, warp_ts, ..BusReq::default() });
        count(&mut self.cnt.extra_renewals);
        true
    }

    fn send(&mut self, req: BusReq) {
        self.channels.bus_req.push(BusReq { rep: self.rep, sm: self.sm, ..req });
    }

    fn respond(&mut self, rsp: CoreRsp) {
        self.channels.core_rsp.push(rsp);
    }

    /// Answers a load that happens at `ts` of a generation.
    fn load(&mut self, warp: u8, id: u8, (rep, ts): (u8, u32), data: LineData) {
        self.respond(CoreRsp { rep, ts, op: op::LD, warp, id, data });
        if rep == self.rep && self.keeps(Rule::LoadRaises) {
            self.raise(warp, ts);
        }
    }

    /// A warp's clock never falls.
    fn raise(&mut self, warp: u8, ts: u32) {
        let clock = &mut self.warp_ts[usize::from(warp)];
        *clock = ts.max(*clock);
    }

    fn shows(&mut self, kind: u8, place: usize, line: u64) {
        self.event = Some(Event { kind, way: self.lines.way(place), line });
    }
}

impl Block for GtscL1 {
    type In = In;
    type Out = Out;

    #[inline(always)]
    fn outputs(&self) -> Out {
        Out {
            core_req_ready: !self.channels.core_req.is_full(),
            core_rsp: self.channels.core_rsp.front(),
            bus_req: self.channels.bus_req.front(),
            bus_rsp_ready: !self.channels.bus_rsp.is_full(),
            warp_busy: self.channels.busy(),
            rep_ack: self.rep,
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
        if self.waits && !comes && inputs.pick.is_none() && inputs.rep == self.rep {
            self.skip_quiet(1);
            return out;
        }
        (self.err, self.event, self.holds, self.rows) = (0, None, false, 0);
        self.sm = inputs.sm_id;
        let acts = self.act(inputs);
        if self.holds {
            count(&mut self.cnt.hold_cycles);
        }
        self.channels.edge(&moves);
        self.waits = !acts && !comes;
        out
    }

    fn is_idle(&self) -> bool {
        self.waits && !self.holds
    }

    fn quiet_cycles(&self) -> u64 {
        match self.waits {
            true if self.holds => QUIET,
            true => u64::MAX,
            false => 0,
        }
    }

    fn skip_quiet(&mut self, cycles: u64) {
        if self.holds {
            self.cnt.hold_cycles = self.cnt.hold_cycles.wrapping_add(cycles as u32);
        }
    }

    fn show_state(&self, state: &mut State) {
        let Config { warps, ts_w, line_w, waiters, .. } = self.config;
        let left = self.walk.map_or(0, |walk| walk.left as u64);
        state.bits("rep", 2, self.rep);
        state.part("walk", |state| state.bits("left", width_of(waiters.into()), left));
        state.part("policy", |state| {
            self.policy.show_state(state);
            state.flag("event_valid", self.event.is_some());
        });
        state.bits("err", 4, self.err);
        state.part("channels.inside", |state| state.bits("busy", warps, self.channels.busy()));
        state.part("warps", |state| {
            for warp in 0..warps as usize {
                state.bits(&format!("ts[{warp}]"), ts_w, self.warp_ts[warp]);
                state.bits(&format!("spin[{warp}]"), 16, self.spin[warp]);
            }
        });
        state.part("lines", |state| lines::show_state(&self.lines, state, line_w, ts_w));
        state.part("misses", |state| self.misses.show_state(state, line_w, ts_w));
        state.part("stores", |state| stores::show_state(&self.stores, state, line_w));
    }
}

impl Model for GtscL1 {
    const NAME: &'static str = "gtsc_l1";
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
            walk: None,
            policy: Policy::Rests,
            warp_ts: [1; WARPS],
            spin: [0; WARPS],
            rep: 0,
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

    /// Longer than a walk that answers nobody.
    fn rests(_config: &Config, _outputs: &Out, cycles: u64) -> bool {
        cycles > 1 << 11
    }
}
