//! The L1 of an SM and its load/store unit (specification 5.7).
//!
//! A load is looked up at the end of a cycle and acts in the next one, before the CU issues. A
//! store or atomic acts when it is sent, in the cycle in which the CU issues it: the CU holds it
//! until no older load of its wave may change any more. What a cycle does to the lines is done at
//! its end.

mod answers;
mod changes;
mod loads;
mod order;

use std::collections::VecDeque;

use ports::race::types::Req;
use traces::trace::{Instr, InstrKind};

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
use crate::context::Stop;
use crate::context::message::{Kind, MAX_LINE, Message};
use crate::context::transactions::MAX_WAVES;
use crate::engine::Cycle;
use crate::engine::pool::Handle;
use crate::l1::src::Spec;
use crate::l1::{Callbacks, IssuePolicy, L1, Port, Younger};
use crate::statistics::CounterValues;
use order::record;

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

impl L1 for LoadStoreUnit {
    fn request(&mut self, port: &mut Port, request: Handle<Message>) -> bool {
        self.begin(port);
        let Message { kind, addr, .. } = port.ctx.messages[request];
        if addr >> 32 != 0 {
            let problem = format!("address {addr:#x}: race detection names at most 32 bits");
            port.ctx.stop.get_or_insert(Stop::Limit(problem));
            return false;
        }
        if kind != Kind::Read {
            return self.change(port, request);
        }
        let wave = usize::from(port.transaction(request).wave);
        self.waves.push(wave, request);
        true
    }

    fn answer(&mut self, port: &mut Port, answer: Handle<Message>) {
        self.begin(port);
        self.waves.unblock();
        self.is_stirred = true;
        let Message { tag, kind, line, sideband, .. } = port.ctx.messages[answer];
        if tag & FETCH != 0 {
            return self.come(port, (tag & !FETCH) as usize, answer);
        }
        self.ids.answered(tag);
        if kind == Kind::Data {
            self.atomics -= 1;
            let data = port.ctx.lines[line].0;
            record(port, answer, Version::of(sideband), &[], &data);
        }
        port.finish_with(answer);
    }

    fn acquire(&mut self, port: &mut Port, _past: bool) -> bool {
        self.begin(port);
        // Answers of the unit may come after those of the L2.
        self.is_acquiring = !self.is_idle();
        if !self.is_acquiring {
            self.begin_kernel();
        }
        !self.is_acquiring
    }

    fn callbacks(&self) -> Callbacks {
        let speculation = self.config == Config::Spec;
        Callbacks {
            tick: true,
            end_cycle: true,
            may_issue: true,
            speculation,
            ..Callbacks::default()
        }
    }

    fn issue_policy(&self) -> IssuePolicy {
        IssuePolicy {
            stores_bypass_speculation: !self.keeps(Rule::StoresWait),
            bank_credits: (self.config != Config::Base).then_some(self.places),
            ..IssuePolicy::default()
        }
    }

    fn tick(&mut self, port: &mut Port) {
        if self.is_over(port) {
            return;
        }
        self.begin(port);
        self.take_beat(port);
        while let Some(done) = self.checks.next_done() {
            self.see_done(port, done);
            self.waves.unblock();
            self.is_stirred = true;
        }
        if self.config == Config::Ideal {
            // Its lookup was judged only now.
            self.view = self.checks.view();
        }
        self.complete_next();
        if let Some(load) = self.view.replay {
            self.replay(port, load.warp.into(), load.tag.into());
            self.is_stirred = true;
        }
        if let Some(load) = self.view.commit {
            port.confirm(load.tag.into());
            self.is_stirred = true;
        }
        if self.looked_up.is_some()
            && let Some(load) = self.looked_up.take()
        {
            let wave = load.wave;
            if !self.load_acts(port, load) {
                match self.install.is_some() {
                    // What it lacks may be free at the end of the cycle.
                    true => self.waves.again(1 << wave),
                    false => self.waves.block(wave),
                }
            }
        }
        if self.held != 0 {
            self.release(port);
        }
        if self.is_acquiring && self.is_idle() {
            self.is_acquiring = false;
            self.begin_kernel();
            port.acquired();
        }
    }

    fn may_issue(&mut self, port: &mut Port, wave: usize, instr: &Instr) -> bool {
        self.begin(port);
        let goes_on = instr.kind == InstrKind::Store && !self.keeps(Rule::StoresWait);
        let may = match instr.kind {
            InstrKind::Load => true,
            _ if goes_on => !self.waves.has(wave),
            _ => self.is_settled(wave),
        };
        if !may {
            self.held |= 1 << wave;
            self.held_since[wave] = port.ctx.now;
        }
        may
    }

    fn end_cycle(&mut self, port: &mut Port) {
        if self.is_over(port) {
            return;
        }
        if !self.dropping.is_empty() {
            for request in self.dropping.drain(..) {
                port.finish(request, Some(&[0; MAX_LINE]), 1);
            }
        }
        if (self.wants_way && self.ways_are_free(port))
            || (self.wants_slot && self.view.alloc_ready)
        {
            (self.wants_way, self.wants_slot) = (false, false);
            self.waves.unblock();
        }
        if !self.keeps(Rule::StoreAtSend)
            && let Some(store) = self.sent.take_if(|sent| matches!(sent, Sent::Store { .. }))
        {
            self.change_line(store);
        }
        self.look_up(port);
        self.change_lines();
        self.waves.end_cycle();
        self.checks.end(port.ctx, &self.act);
        self.over = port.ctx.now;
        self.view = self.checks.view();
        let is_ready = self.waves.any_ready();
        let may_look_up = is_ready && self.may_look_up(&self.view);
        self.count_stall(port.ctx.now + 1, is_ready && !may_look_up);
        let is_stirred = std::mem::take(&mut self.is_stirred);
        let moves = is_stirred
            || self.looked_up.is_some()
            || may_look_up
            || (self.wants_slot && self.view.alloc_ready);
        self.repeats = !is_stirred && self.may_repeat(port);
        let quiet = match moves {
            true if self.repeats => self.cycles_until_one_may_act(port),
            true => 0,
            false => self.checks.quiet_cycles(),
        };
        port.ctx.wake_after(quiet);
        self.await_beat(port);
    }

    fn stays(&self, younger: Younger) -> bool {
        match self.without {
            Some(Rule::ReplayYounger) => match younger {
                Younger::Over => true,
                Younger::UnderWay(tag) => !self.dropped.contains(&tag),
            },
            Some(Rule::ReplayMisses) => match younger {
                Younger::Over => true,
                Younger::UnderWay(_) => false,
            },
            Some(Rule::ReplayLookup) => match younger {
                Younger::Over => false,
                Younger::UnderWay(tag) => self.stays == Some(tag) && !self.dropped.contains(&tag),
            },
            _ => false,
        }
    }

    fn mshrs(&self) -> (u32, u32) {
        self.misses.used()
    }

    fn waits_for(&self) -> Option<String> {
        let out = self.view.out;
        (out > 0).then(|| format!("{out} requests to the race detection unit"))
    }

    fn counters(&self, all: &mut CounterValues) {
        let c = &self.counters;
        all.extend([
            ("loads", c.loads),
            ("hits", c.hits),
            ("stores", c.stores),
            ("atomics", c.atomics),
            ("invalidated_lines", c.invalidated),
            ("merges", c.merges),
            ("merge_waits", c.merge_waits),
            ("no_install", c.no_install),
            ("race_fetches_expired", c.fetches_expired),
            ("race_fetches_avu", c.fetches_avu),
            ("race_store_hold_cycles", c.store_hold),
            ("race_stall_cycles", c.stalled),
        ]);
        self.checks.counters(all);
    }
}
