//! The L1 of an SM and its load/store unit (specification 5.7).
//!
//! A load is looked up at the end of a cycle and acts in the next one, before the CU issues. A store
//! or atomic acts when it is sent, in the cycle in which the CU issues it: the CU holds it until no
//! older load of its wave may change any more. What a cycle does to the lines is done at its end.

use std::collections::VecDeque;

use ports::common::race_types::{Alloc, Done, Fill, Req, req_kind, result, rsp_kind};
use traces::trace::{Instr, InstrKind};

use super::Beat;
use super::blocks::Blocks;
use super::checks::{Act, Checks, Config, NoChecks, View};
use super::ideal::IdealChecks;
use super::ids::{About, Ids};
use super::lines::{Found, Lines, whole};
use super::misses::Misses;
use super::parameters::Parameters;
use super::waves::Waves;
use crate::cache::Way;
use crate::context::Stop;
use crate::engine::Cycle;
use crate::l1::src::Spec;
use crate::l1::{Hooks, L1, Port};
use crate::make::{Made, Make};
use crate::message::{Kind, MAX_LINE, Message, Packed};
use crate::pool::Handle;
use crate::sequential::{self, Version, WaveOf, WriteId};
use crate::transactions::Value;

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
        checks,
        view: View::default(),
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
        come: VecDeque::new(),
        install: None,
        sent: None,
        youngest: None,
        checking: Vec::new(),
        atomics: 0,
        held: 0,
        dropping: Vec::new(),
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
    checks: Box<dyn Checks>,
    /// What they show in this cycle.
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
    /// Misses that may be complete: their data have come, or both data and header while another one
    /// was completed. One is in a cycle, as one line is installed.
    come: VecDeque<usize>,
    install: Option<Install>,
    sent: Option<Sent>,
    /// The miss whose check is the youngest request of the SM.
    youngest: Option<usize>,
    /// Checks of hits on their way: line, and the waves that wait.
    checking: Vec<(u64, u64)>,
    /// Atomics without a result.
    atomics: u32,
    /// Waves whose next instruction waits for older loads.
    held: u64,
    /// Loads that a replay has dropped before they have acted.
    dropping: Vec<Handle<Message>>,
    wants_way: bool,
    wants_slot: bool,
    /// Something has come or gone in this cycle that shows in the next one.
    is_stirred: bool,
    /// A kernel begins as soon as nothing is outstanding.
    is_acquiring: bool,
    counters: Counters,
}

impl LoadStoreUnit {
    /// The cycle begins, for whoever comes first in it.
    fn begin(&mut self, port: &mut Port) {
        let now = port.ctx.now;
        if self.begun != now {
            self.begun = now;
            self.checks.begin(port.ctx);
            self.view = self.checks.view();
            self.act = Act::default();
        }
    }

    /// The run's last cycle is visited once more.
    fn is_over(&self, port: &Port) -> bool {
        self.over == port.ctx.now
    }

    /// An answer of the unit is in force.
    fn see_done(&mut self, done: Done) {
        if done.sync {
            for miss in self.misses.iter_mut() {
                // Modulo: it may wait for more epochs than that can say (U8).
                miss.no_install |= miss.header.is_some_and(|epoch| self.checks.age(epoch) == 2);
            }
        }
        if done.kind == rsp_kind::FORCED {
            return;
        }
        match self.ids.about(done.id) {
            About::Miss(at) => {
                let at = usize::from(at);
                self.misses[at].header = Some(done.epoch);
                if self.misses[at].has_come {
                    self.come.retain(|&other| other != at);
                    self.come.push_front(at);
                }
            }
            About::Check(way, addr) => {
                self.ids.give(done.id);
                if self.lines.find(addr) == Some(way) {
                    self.act.hc_clr = Some(way as u8);
                }
                let at = self.checking.iter().position(|&(line, _)| line == addr);
                let (_, waves) = self.checking.swap_remove(at.expect("it is checked"));
                self.waves.again(waves);
            }
            About::Write { .. } => self.ids.half_over(done.id),
            About::Nothing => unreachable!("an answer that nobody waits for"),
        }
    }

    /// One miss whose data and header have come is complete.
    fn complete_next(&mut self) {
        while let Some(at) = self.come.pop_front() {
            if self.misses[at].header.is_some() {
                self.complete(at);
                self.is_stirred |= !self.come.is_empty();
                return;
            }
        }
    }

    /// A miss is complete: its line is installed at the end of the cycle (U7).
    fn complete(&mut self, at: usize) {
        let miss = self.misses.end(at);
        if self.youngest == Some(at) {
            self.youngest = None;
        }
        let epoch = miss.header.unwrap_or(0);
        if self.config != Config::Base {
            self.ids.give(miss.id);
        }
        let is_kept = !miss.no_install && self.checks.age(epoch) <= 1;
        self.counters.no_install += u64::from(!is_kept);
        if is_kept {
            self.act.fill = Some(Fill { line: miss.way as u8, epoch });
        }
        let (way, data, version) = (miss.way, miss.data, miss.version);
        let epoch = is_kept.then_some(epoch);
        self.install = Some(Install { way, data, version, epoch });
        self.waves.again(miss.waves);
    }

    /// The data of a line have come: those who wait get them.
    fn come(&mut self, port: &mut Port, at: usize, answer: Handle<Message>) {
        let Message { line, sideband, .. } = port.ctx.messages[answer];
        let data = port.ctx.lines[line];
        let version = version_of(sideband);
        let miss = &mut self.misses[at];
        (miss.data, miss.version, miss.has_come) = (data.0, version, true);
        let mut request = std::mem::take(&mut miss.waiters).first();
        while request.is_some() {
            let next = port.ctx.messages[request].next;
            record(port, request, version, &[], &data.0);
            port.finish(request, Some(&data.0), 0);
            request = next;
        }
        port.ctx.drop_message(answer);
        self.come.push_back(at);
    }

    /// A load that was looked up acts. False when it cannot, and is looked up again.
    fn load_acts(&mut self, port: &mut Port, LookedUp { wave, found }: LookedUp) -> bool {
        let request = self.waves.oldest(wave);
        match (self.view.rs.expect("it was looked up"), found) {
            (result::HIT, Some(found)) => self.hit(port, request, wave, &found),
            (result::HIT_NEEDCHK, Some(found)) => self.check(port, request, wave, found.way),
            _ => self.miss(port, request, wave),
        }
    }

    /// False without a slot for a load that may have to be done again.
    fn hit(
        &mut self,
        port: &mut Port,
        request: Handle<Message>,
        wave: usize,
        found: &Found,
    ) -> bool {
        if self.view.out != 0 {
            if !self.view.alloc_ready {
                self.wants_slot = true;
                return false;
            }
            let Message { tag, mask, addr, .. } = port.ctx.messages[request];
            let lk = self.lines.lookup(None, addr, mask);
            let (warp, name) = (wave as u8, tag as u16);
            self.act.alloc = Some(Alloc { warp, tag: name, size: lk.size, addr: lk.addr });
            port.speculate(tag);
        }
        self.counters.loads += 1;
        self.counters.hits += 1;
        record(port, request, found.seen.version, &found.seen.own, &found.data);
        port.finish(request, Some(&found.data), self.hit_latency.saturating_sub(1).max(1));
        self.waves.acted(wave);
        true
    }

    /// The hits of a line are used up: it is checked, and the load looked up again (U5).
    fn check(&mut self, port: &mut Port, request: Handle<Message>, wave: usize, way: Way) -> bool {
        let addr = port.ctx.messages[request].addr;
        if let Some((_, waves)) = self.checking.iter_mut().find(|(line, _)| *line == addr) {
            *waves |= 1 << wave;
            return true;
        }
        if self.ids.is_full() || !self.ways_are_free(port) {
            return false;
        }
        let id = self.ids.take(About::Check(way, addr));
        self.checking.push((addr, 1 << wave));
        let request = Req { kind: req_kind::HITCHK, id, mask: 0, addr: addr as u32 };
        self.send(port, request, WriteId::default());
        (self.youngest, self.sent) = (None, Some(Sent::Check));
        true
    }

    /// Whether the ways to the unit and to the L2 take a request now. Else who wants them is looked
    /// up again when they do.
    fn ways_are_free(&mut self, port: &mut Port) -> bool {
        let are_free = self.checks.may_send(port) && port.ctx.may_send(port.below);
        self.wants_way |= !are_free;
        are_free
    }

    /// False when it must be looked up again (U6).
    fn miss(&mut self, port: &mut Port, request: Handle<Message>, wave: usize) -> bool {
        let Message { addr, from, born, .. } = port.ctx.messages[request];
        if let Some(at) = self.misses.find(addr) {
            let joins = match self.config {
                // Behind a store of its own nobody may get what comes.
                Config::Base => !self.misses[at].no_install,
                _ => self.youngest == Some(at),
            };
            if !joins {
                self.misses[at].waves |= 1 << wave;
                self.counters.merge_waits += 1;
                return true;
            }
            self.join(port, request, at);
        } else {
            let Some(way) = self.lines.room(addr).filter(|_| !self.misses.is_full()) else {
                return false;
            };
            if self.ids.is_full() || !self.ways_are_free(port) {
                return false;
            }
            let mask = whole(self.line);
            let at = self.misses.start(addr, way);
            let tag = at as u32 | FETCH;
            let fetch = Message { mask, addr, born, tag, from, ..Message::default() };
            let fetch = port.ctx.messages.put(fetch);
            if !port.send(fetch) {
                port.ctx.messages.free(fetch);
                self.misses.end(at);
                return false;
            }
            if self.config != Config::Base {
                let id = self.ids.take(About::Miss(at as u16));
                self.misses[at].id = id;
                let check = Req { kind: req_kind::RDCHK, id, mask: 0, addr: addr as u32 };
                self.send(port, check, WriteId::default());
            } else {
                self.misses[at].header = Some(0);
            }
            (self.youngest, self.sent) = (Some(at), Some(Sent::Fetch { addr, way, miss: at }));
            self.misses.park(port.ctx, at, request);
            self.counters.fetches_expired += u64::from(self.view.rs == Some(result::MISS_EXPIRED));
            self.counters.fetches_avu += u64::from(self.view.rs == Some(result::MISS_AVU));
        }
        self.counters.loads += 1;
        self.waves.acted(wave);
        true
    }

    /// A load joins a pending miss of its line.
    fn join(&mut self, port: &mut Port, request: Handle<Message>, at: usize) {
        self.counters.merges += 1;
        let miss = &self.misses[at];
        if miss.has_come {
            record(port, request, miss.version, &[], &miss.data);
            port.finish(request, Some(&miss.data), self.hit_latency.saturating_sub(1).max(1));
        } else {
            self.misses.park(port.ctx, at, request);
        }
    }

    fn send(&mut self, port: &mut Port, request: Req, write: WriteId) {
        self.checks.send(port, request, write);
        self.act.inc = true;
    }

    /// Whether anything is under way that `NoSpec` waits for.
    fn is_busy(&self) -> bool {
        self.view.out != 0 || !self.misses.is_idle() || self.atomics > 0
    }

    /// A store or atomic is sent, or must wait.
    fn change(&mut self, port: &mut Port, request: Handle<Message>) -> bool {
        if self.sent.is_some() || (self.config == Config::NoSpec && self.is_busy()) {
            self.is_stirred |= self.sent.is_some();
            return false;
        }
        if self.ids.is_full() || !self.checks.may_send(port) || !port.may_send(request) {
            return false;
        }
        let Message { kind, addr, mask, line, tag, .. } = port.ctx.messages[request];
        let data = port.ctx.lines[line].0;
        let wave = wave_of(port, request);
        let is_store = kind == Kind::Write;
        let write = match &mut port.ctx.sequential {
            Some(order) => order.send(wave, tag),
            None => WriteId::default(),
        };
        port.ctx.messages[request].sideband = Packed::new(&write.0, 32);
        let is_sent = port.send(request);
        debug_assert!(is_sent, "it could be sent");
        if self.config != Config::Base {
            let id = self.ids.take_write(tag);
            let kind = if is_store { req_kind::WRITE } else { req_kind::ATOM };
            self.send(port, Req { kind, id, mask, addr: addr as u32 }, write);
        }
        self.youngest = None;
        if let Some(at) = self.misses.find(addr) {
            self.misses[at].no_install = true;
        }
        self.sent = Some(match is_store {
            true => Sent::Store { addr, mask, data, write },
            false => Sent::Atomic { addr },
        });
        self.atomics += u32::from(!is_store);
        match is_store {
            true => self.counters.stores += 1,
            false => self.counters.atomics += 1,
        }
        true
    }

    /// The warp goes back to a load: what it has not done is dropped (U12).
    fn replay(&mut self, port: &mut Port, wave: usize, tag: u32) {
        port.replay(tag);
        self.waves.drop_all(wave, &mut self.dropping);
        if self.looked_up.as_ref().is_some_and(|load| load.wave == wave) {
            self.looked_up = None;
        }
        for miss in self.misses.iter_mut() {
            miss.waves &= !(1 << wave);
        }
        for (_, waves) in &mut self.checking {
            *waves &= !(1 << wave);
        }
    }

    /// Waves whose store, atomic or barrier may go on.
    fn release(&mut self, port: &mut Port) {
        let mut left = self.held;
        while left != 0 {
            let wave = left.trailing_zeros() as usize;
            left &= left - 1;
            if self.is_settled(wave) {
                self.held &= !(1 << wave);
                port.go_on(wave);
            }
        }
    }

    /// All loads of a wave have acted, and none may have to be done again (U11).
    fn is_settled(&self, wave: usize) -> bool {
        !self.waves.has(wave) && self.view.spec >> wave & 1 == 0
    }

    /// A load is looked up.
    fn look_up(&mut self, port: &mut Port) {
        let waits_for_slot = self.view.out != 0 && !self.view.alloc_ready;
        let is_held = match self.config {
            Config::NoSpec => self.is_busy() || self.sent.is_some(),
            Config::Spec => waits_for_slot,
            _ => false,
        };
        if !self.view.lk_ready || is_held {
            return;
        }
        let Some(wave) = self.waves.take_turn() else { return };
        let Message { addr, mask, .. } = port.ctx.messages[self.waves.oldest(wave)];
        let way = self.lines.find(addr);
        self.act.lk = Some(self.lines.lookup(way, addr, mask));
        let found = way.map(|way| self.lines.copy(way));
        self.looked_up = Some(LookedUp { wave, found });
    }

    /// What the cycle does to the lines: what has come first (U7).
    fn change_lines(&mut self) {
        if let Some(Install { way, data, version, epoch }) = self.install.take() {
            match epoch {
                Some(_) => self.lines.install(way, &data[..self.line as usize], version),
                None => self.lines.give_up(way),
            }
        }
        match self.sent.take() {
            Some(Sent::Store { addr, mask, data, write }) => {
                self.lines.store(addr, mask, &data, write);
            }
            Some(Sent::Atomic { addr }) => self.lines.forget(addr),
            Some(Sent::Fetch { addr, way, miss }) => self.lines.fetch(way, addr, miss),
            Some(Sent::Check) | None => {}
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
        if self.config != Config::Base {
            self.ids.answered(tag);
        }
        if kind == Kind::Data {
            self.atomics -= 1;
            let data = port.ctx.lines[line].0;
            record(port, answer, version_of(sideband), &[], &data);
        }
        port.finish_with(answer);
    }

    fn message(&mut self, port: &mut Port, message: Handle<Message>) -> bool {
        self.begin(port);
        if !self.view.rsp_ready || self.act.rsp.is_some() {
            self.is_stirred = true;
            return false;
        }
        let Message { sideband, line, .. } = port.ctx.messages[message];
        let Beat { hdr, last, kind, id, epoch, sync, chunk } = sideband.get(());
        let mut data = ports::Bytes::default();
        if line.is_some() {
            data.0 = *port.ctx.lines[line].0.first_chunk().expect("the bits of a beat");
        }
        let rsp = ports::common::race_types::Rsp { hdr, last, kind, id, epoch, sync, chunk, data };
        self.act.rsp = Some(rsp);
        port.ctx.drop_message(message);
        true
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

    fn hooks(&self) -> Hooks {
        Hooks {
            tick: true,
            end_cycle: true,
            issue: true,
            speculation: self.config == Config::Spec,
            places: (self.config != Config::Base).then_some(self.places),
            ..Hooks::default()
        }
    }

    fn tick(&mut self, port: &mut Port) {
        if self.is_over(port) {
            return;
        }
        self.begin(port);
        while let Some(done) = self.checks.next_done() {
            self.see_done(done);
            self.waves.unblock();
            self.is_stirred = true;
        }
        self.view = self.checks.view();
        self.complete_next();
        if let Some(load) = self.view.replay {
            self.replay(port, load.warp.into(), load.tag.into());
            self.is_stirred = true;
        }
        if let Some(load) = self.view.commit {
            port.confirm(load.tag.into());
            self.is_stirred = true;
        }
        if let Some(load) = self.looked_up.take() {
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
        let may = instr.kind == InstrKind::Load || self.is_settled(wave);
        if !may {
            self.held |= 1 << wave;
        }
        may
    }

    fn end_cycle(&mut self, port: &mut Port) {
        if self.is_over(port) {
            return;
        }
        for request in std::mem::take(&mut self.dropping) {
            port.finish(request, Some(&[0; MAX_LINE]), 1);
        }
        if (self.wants_way && self.ways_are_free(port))
            || (self.wants_slot && self.view.alloc_ready)
        {
            (self.wants_way, self.wants_slot) = (false, false);
            self.waves.unblock();
        }
        self.look_up(port);
        self.change_lines();
        self.waves.end_cycle();
        self.checks.end(port.ctx, &self.act);
        self.over = port.ctx.now;
        let moves = std::mem::take(&mut self.is_stirred)
            || self.act != Act::default()
            || self.looked_up.is_some()
            || self.waves.any_ready();
        let quiet = self.checks.quiet_cycles();
        port.ctx.wake_after(if moves { 0 } else { quiet });
    }

    fn waits_for(&self) -> Option<String> {
        let out = self.view.out;
        (out > 0).then(|| format!("{out} requests to the race detection unit"))
    }

    fn counters(&self) -> Vec<(&'static str, u64)> {
        let c = &self.counters;
        let mut all = vec![
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
        ];
        all.extend(self.checks.counters());
        all
    }
}

/// Whose request it is.
fn wave_of(port: &Port, request: Handle<Message>) -> WaveOf {
    let slot = usize::from(port.transaction(request).wave);
    WaveOf { cu: port.ctx.messages[request].from, slot }
}

/// The version of a line that an answer of its L2 bank names.
fn version_of(sideband: Packed) -> Version {
    let packed: u64 = sideband.get(64);
    Version { kernel: (packed >> 32) as u32, writes: packed as u32 }
}

/// Tells the oracle what a load or atomic has read.
#[inline]
fn record(
    port: &mut Port,
    request: Handle<Message>,
    version: Version,
    own: &[(WriteId, u128)],
    data: &[u8],
) {
    if port.ctx.sequential.is_some() {
        record_in(port, request, version, own, data);
    }
}

#[cold]
fn record_in(
    port: &mut Port,
    request: Handle<Message>,
    version: Version,
    own: &[(WriteId, u128)],
    data: &[u8],
) {
    let t = *port.transaction(request);
    if t.value == Value::Dropped {
        return;
    }
    let Message { tag, kind, from, to, .. } = port.ctx.messages[request];
    let cu = if kind == Kind::Read { from } else { to };
    let wave = WaveOf { cu, slot: usize::from(t.wave) };
    let seen = sequential::Seen { version, own };
    if let Some(order) = &mut port.ctx.sequential {
        order.read(wave, tag, (t.addr, t.mask), seen, data);
    }
}
