//! The L1 of an SM and its load/store unit (specification 5.7).
//!
//! A load is looked up at the end of a cycle and acts in the next one, before the CU issues. A
//! store or atomic acts when it is sent, in the cycle in which the CU issues it: the CU holds it
//! until no older load of its wave may change any more. What a cycle does to the lines is done at
//! its end.

mod answers;
mod calls;
mod changes;
mod loads;
mod order;

use std::collections::VecDeque;

use ports::race::types::Req;

use super::blocks::Blocks;
use super::checks::{Act, Checks, Config, NoChecks, View};
use super::ideal::IdealChecks;
use super::ids::Ids;
use super::lines::{Found, Lines};
use super::misses::Misses;
use super::parameters::Parameters;
use super::rule::Rule;
use super::waves::Waves;
use crate::build::make::{Made, Make};
use crate::cache::Way;
use crate::check::sequential::{Version, WriteId};
use crate::context::message::{MAX_LINE, Message};
use crate::context::transactions::MAX_WAVES;
use crate::engine::Cycle;
use crate::engine::pool::Handle;
use crate::l1::src::Spec;
use crate::l1::{L1, Port};

/// Makes what stands beside a CU.
pub fn new(make: &mut Make) -> Made<dyn L1> {
    let parameters = Parameters::of(make.system)?;
    let spec = Spec::of(make.system);
    let config = match make.system.l1.design.as_str() {
        "race-spec" => Config::Spec,
        "race-nospec" => Config::NoSpec,
        "race-ideal" => Config::Ideal,
        _ => Config::Base,
    };
    let checks: Box<dyn Checks> = match config {
        Config::Base => Box::new(NoChecks::default()),
        Config::Ideal => Box::new(IdealChecks::new(make, &parameters)),
        _ => Box::new(Blocks::new(make, &parameters, config == Config::Spec)?),
    };
    Ok(Box::new(LoadStoreUnit {
        config,
        without: parameters.without,
        view: checks.view(),
        checks,
        places: parameters.places,
        lines: Lines::new(spec.shape),
        line: spec.shape.line,
        hit_latency: spec.hit_latency.into(),
        misses: Misses::new(spec.misses),
        ids: Ids::new(make.system.cu.transactions),
        waves: Waves::new(),
        begun: Cycle::MAX,
        over: Cycle::MAX,
        act: Act::default(),
        looked_up: None,
        repeats: false,
        come: VecDeque::new(),
        install: None,
        sent: None,
        late: None,
        youngest: None,
        checking: Vec::new(),
        atomics: 0,
        held: 0,
        held_since: vec![0; MAX_WAVES],
        stalled_since: None,
        dropping: Vec::new(),
        dropped: Vec::new(),
        stays: None,
        wants_way: false,
        wants_slot: false,
        is_stirred: false,
        is_acquiring: false,
        counters: Counters::default(),
    }))
}

/// Tags of the L1's own fetches, apart from the CU's transactions.
const FETCH: u32 = 1 << 31;

/// Counters (specification, section 9).
#[derive(Clone, Copy, Debug, Default)]
struct Counters {
    loads: u64,
    hits: u64,
    stores: u64,
    atomics: u64,
    invalidated: u64,
    merges: u64,
    merge_waits: u64,
    no_install: u64,
    /// Lines fetched again. The unit's counters have lookups, and a load that waits is looked up
    /// again.
    fetches_expired: u64,
    fetches_avu: u64,
    /// Cycles in which waves have waited with a store, an atomic or a barrier, together.
    store_hold: u64,
    /// Cycles in which a load might have been looked up, but for what is being checked.
    stalled: u64,
}

/// A load that was looked up in the cycle before.
#[derive(Debug)]
struct LookedUp {
    wave: usize,
    found: Option<Found>,
}

/// What is sent in a cycle does to the lines at its end.
#[derive(Debug)]
enum Sent {
    Store { addr: u64, mask: u128, data: [u8; MAX_LINE], write: WriteId },
    Atomic { addr: u64 },
    Fetch { addr: u64, way: Way, miss: usize },
    Check,
}

/// A line whose miss is complete.
#[derive(Debug)]
struct Install {
    way: Way,
    data: [u8; MAX_LINE],
    version: Version,
    /// It is kept, and is of this epoch.
    epoch: Option<u8>,
}

#[derive(Debug)]
struct LoadStoreUnit {
    config: Config,
    without: Option<Rule>,
    checks: Box<dyn Checks>,
    /// What they show in this cycle; once it is over, in the next one.
    view: View,
    places: u32,
    lines: Lines,
    line: u32,
    hit_latency: Cycle,
    misses: Misses,
    ids: Ids,
    waves: Waves,
    /// The cycle that `act` and `view` are of, and the last one that is over.
    begun: Cycle,
    over: Cycle,
    act: Act,
    looked_up: Option<LookedUp>,
    /// In cycles in which the CU is not visited the loads whose turn it is are looked up, and miss,
    /// and none can act.
    repeats: bool,
    /// Misses that may be complete: their data have come, or both data and header while another one
    /// was completed. One is in a cycle, as one line is installed.
    come: VecDeque<usize>,
    install: Option<Install>,
    sent: Option<Sent>,
    /// Without U2, the store of the cycle before.
    late: Option<Sent>,
    /// The miss whose check is the youngest request of the SM.
    youngest: Option<usize>,
    /// Checks of hits on their way: line, and the waves that wait.
    checking: Vec<(u64, u64)>,
    /// Atomics without a result.
    atomics: u32,
    /// Waves whose next instruction waits for older loads.
    held: u64,
    /// Of each of those, since when.
    held_since: Vec<Cycle>,
    /// Since when no load may be looked up, and some could.
    stalled_since: Option<Cycle>,
    /// Loads that a replay has dropped before they have acted.
    dropping: Vec<Handle<Message>>,
    /// Without U12, those loads' tags.
    dropped: Vec<u32>,
    /// Without a part of U12, the load that a replay has not dropped.
    stays: Option<u32>,
    wants_way: bool,
    wants_slot: bool,
    /// Something has come or gone in this cycle that shows in the next one.
    is_stirred: bool,
    /// A kernel begins as soon as nothing is outstanding.
    is_acquiring: bool,
    counters: Counters,
}

impl LoadStoreUnit {
    /// The cycle begins, at the first call in it.
    fn begin(&mut self, port: &mut Port) {
        let now = port.ctx.now;
        if self.begun != now {
            self.begun = now;
            if std::mem::take(&mut self.repeats) {
                self.repeat_lookups(now);
            }
            if self.checks.begin(port.ctx) {
                self.view = self.checks.view();
            }
            self.act = Act::default();
        }
    }

    fn keeps(&self, rule: Rule) -> bool {
        self.without != Some(rule)
    }

    /// The run's last cycle is visited once more.
    fn is_over(&self, port: &Port) -> bool {
        self.over == port.ctx.now
    }

    fn send(&mut self, port: &mut Port, request: Req, write: WriteId) {
        match self.checks.send(port, request, write) {
            None => self.act.inc = true,
            Some(done) => self.see_done(port, done),
        }
    }

    /// From cycle `from` on loads are stalled, or are not.
    fn count_stall(&mut self, from: Cycle, is_stalled: bool) {
        match self.stalled_since {
            None if is_stalled => self.stalled_since = Some(from),
            Some(since) if !is_stalled => {
                self.counters.stalled += from - since;
                self.stalled_since = None;
            }
            _ => {}
        }
    }

    /// The beat of the unit that shows is taken.
    fn take_beat(&mut self, port: &mut Port) {
        match self.view.rsp_ready {
            true => self.act.rsp = self.checks.take_beat(port.ctx),
            false => self.is_stirred |= self.checks.has_beat(port.ctx),
        }
    }

    /// The CU is visited for the next beat.
    fn await_beat(&mut self, port: &mut Port) {
        if let Some(at) = self.checks.next_beat(port.ctx) {
            port.ctx.wake_at(at);
        }
    }

    fn is_idle(&self) -> bool {
        self.view.out == 0 && self.misses.is_idle() && self.ids.is_idle() && self.atomics == 0
    }

    fn begin_kernel(&mut self) {
        self.counters.invalidated += u64::from(self.lines.forget_all());
    }
}
