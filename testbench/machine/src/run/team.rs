//! One run on several threads. Each builds the machine for itself and goes through the program, but
//! visits the components of its shard alone; in each cycle in which anybody is active they meet and
//! hand over what crosses (`shard.rs`). What the host does between kernels each does for itself. So
//! nothing of a machine ever changes threads.
//!
//! A run that does not pass is done again on one thread, which says why.

use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use cosim::socket::BlockUse;

use super::meeting::{Meeting, Patience};
use super::{Machine, Options, Order, PROGRESS_STEPS, RunError};
use crate::check::Checked;
use crate::context::Context;
use crate::engine::{ComponentId, Cycle, HERE};
use crate::shard::{Parcel, Report, Shard};
use crate::traffic::Traffic;

/// What the threads of a run share.
struct Office {
    shards: u8,
    meeting: Meeting,
    /// From and to each shard, in turn: a parcel is put down before a meeting, and emptied before
    /// the next one.
    parcels: [Vec<Vec<Mutex<Parcel>>>; 2],
    /// What each has counted.
    counted: Vec<Mutex<Counted>>,
}

impl Office {
    fn new(shards: u8) -> Self {
        let to_all = || (0..shards).map(|_| Mutex::default()).collect();
        let parcels = [(); 2].map(|()| (0..shards).map(|_| to_all()).collect());
        let counted = (0..shards).map(|_| Mutex::default()).collect();
        Self { shards, meeting: Meeting::new(shards.into()), parcels, counted }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// However a thread ends, nobody waits for it.
struct Leaving<'a>(&'a Meeting);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// What a shard has counted.
#[derive(Clone, Default)]
pub(super) struct Counted {
    /// By the numbers of their names.
    pub(super) statistics: Vec<u64>,
    pub(super) checked: Checked,
    pub(super) blocks: Vec<BlockUse>,
    pub(super) traffic: Traffic,
}

/// A thread's part in a run on several.
pub(super) struct Team {
    office: Arc<Office>,
    own: usize,
    meetings: u64,
    patience: Patience,
    /// Each shard's, of the last meeting.
    reports: Vec<Report>,
    /// Cycles since then in which it has visited anybody.
    steps: u64,
    /// It meets the others in each cycle.
    pub(super) is_close: bool,
    /// Its own watchdog sees nothing move.
    pub(super) is_silent: bool,
    /// Work-groups started, and values checked.
    pub(super) done: (u64, u64),
    /// What the others had counted when that was gathered.
    pub(super) counted: Vec<Counted>,
}

impl Team {
    /// The numbers of the other shards.
    fn others(&self) -> impl Iterator<Item = usize> + use<> {
        let own = self.own;
        (0..usize::from(self.office.shards)).filter(move |&number| number != own)
    }

    fn meet(&mut self) -> Result<(), RunError> {
        self.meetings += 1;
        let met = self.office.meeting.meet(self.meetings, &mut self.patience);
        met.map_err(|_| RunError::Threads)
    }

    fn exchange(&mut self, ctx: &mut Context, own: Report) -> Result<(), RunError> {
        let office = self.office.clone();
        let parcels = &office.parcels[(self.meetings % 2) as usize];
        let shard = ctx.shard.as_mut().expect("it has one");
        for to in self.others() {
            shard.out[to].report = own;
            mem::swap(&mut shard.out[to], &mut *lock(&parcels[self.own][to]));
        }
        self.meet()?;
        self.reports[self.own] = own;
        for from in self.others() {
            let mut parcel = lock(&parcels[from][self.own]);
            ctx.accept(&mut parcel);
            self.reports[from] = parcel.report;
        }
        Ok(())
    }

    /// Whether it may go on without the others: none has anything to do before it has, and it tells
    /// them nothing new. They wait meanwhile, where they were at the last meeting.
    fn may_go_on(&self, own: &Report) -> bool {
        let last = &self.reports[self.own];
        // Of what it has handed over at the last meeting the others have not told yet what it makes
        // them do.
        let is_new = last.hands_over
            || own.hands_over
            || own.completions != last.completions
            || own.written_past > 0
            || own.has_failed
            || own.is_silent
            || own.steps >= PROGRESS_STEPS;
        let is_first =
            |next| self.others().all(|at| self.reports[at].next.is_none_or(|n| next < n));
        !self.is_close && !is_new && own.next.is_some_and(is_first)
    }

    /// The next cycle in which anybody may be active: the same on each thread that waits for none.
    pub(super) fn next(&self) -> Option<Cycle> {
        self.reports.iter().filter_map(|report| report.next).min()
    }

    /// Somebody is visited in this cycle, as all threads know.
    fn visit_at(&mut self, at: Cycle) {
        for report in &mut self.reports {
            report.next = Some(report.next.map_or(at, |next| next.min(at)));
        }
    }

    /// Completion signals that the others have written.
    pub(super) fn completions(&self) -> u32 {
        self.others().map(|number| self.reports[number].completions).sum()
    }

    /// Messages and payloads that were anywhere at the last meeting.
    pub(super) fn in_use(&self) -> (usize, usize) {
        let in_use = self.reports.iter().map(|report| report.in_use);
        in_use.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
    }

    /// What the others have told of how far they are.
    pub(super) fn done_by_others(&self) -> (u64, u64) {
        let done = self.others().map(|number| self.reports[number].done);
        done.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
    }
}

impl Machine {
    /// Why the run has one thread, whatever was wanted: part of a sentence.
    pub fn why_one_thread(&self) -> Option<&'static str> {
        let Options { order, visit_all, watch, compare_lines, .. } = self.options;
        let ctx = &self.ctx;
        let is_checked = ctx.sequential.is_some() || ctx.timed.is_some() || ctx.values.is_some();
        let is_seen = ctx.recorder.is_some()
            || watch.is_some()
            || compare_lines > 0
            || self.observers.are_told_of_blocks()
            || self.sockets.is_watched();
        // A trace that cannot be read fails on one thread.
        let has_streams = || ctx.program.streams().map_or(true, |number| number > 1);
        [
            (self.options.sample, "launches are skipped"),
            (visit_all || order != Order::Numbers, "its components have an order"),
            (is_checked, "the order of its accesses is checked"),
            (is_seen, "a report, log, timeline or waveform is written"),
            (ctx.places.are_replicated(), "its pages have copies"),
            (self.has_rtl(), "a block is RTL or in lockstep"),
            (self.all_pieces() == 1, "it has one chiplet, or CUs with wires to a unit of the GPU"),
        ]
        .into_iter()
        .find_map(|(holds, why)| holds.then_some(why))
        .or_else(|| has_streams().then_some("the program has several streams"))
    }

    /// Threads that the run may have.
    pub(super) fn threads(&self) -> u8 {
        let most = u8::try_from(self.all_pieces()).unwrap_or(HERE);
        match self.options.threads.clamp(1, most) {
            threads if threads > 1 && self.why_one_thread().is_none() => threads,
            _ => 1,
        }
    }

    /// Pieces of the machine that threads can simulate apart.
    pub fn most_threads(&self) -> u16 {
        self.all_pieces()
    }

    pub(super) fn all_pieces(&self) -> u16 {
        self.pieces.iter().max().map_or(1, |last| last + 1)
    }

    /// Runs on so many threads. Errors: it does not pass, of whatever kind.
    pub(super) fn run_on_threads(&mut self, threads: u8) -> Result<Cycle, RunError> {
        let office = Arc::new(Office::new(threads));
        let (system, bodies, options) = (self.system.clone(), self.bodies.clone(), self.options);
        let (system, bodies) = (&system, &bodies);
        thread::scope(|scope| {
            let _leaving = Leaving(&office.meeting);
            if let Some(probing) = &mut self.probing {
                probing.restart(threads.into());
            }
            for number in 1..threads {
                let (office, program) = (office.clone(), self.ctx.program.reopen()?);
                let probing =
                    self.probing.as_ref().map(|own| Box::new(own.of_shard(number.into())));
                scope.spawn(move || {
                    let _leaving = Leaving(&office.meeting);
                    let mut machine = Self::new(system, bodies, program, options)?;
                    machine.probing = probing;
                    machine.join(office.clone(), number);
                    let result = machine.run_program();
                    machine.publish();
                    result
                });
            }
            self.join(office.clone(), 0);
            self.run_program()
        })
    }

    /// Takes a share of the components.
    fn join(&mut self, office: Arc<Office>, number: u8) {
        let layout = &self.ctx.layout;
        let chiplets = (0..layout.all_chiplets()).map(|chiplet| layout.core(chiplet, 0));
        let chiplets = chiplets.map(|unit| layout.part_of(unit));
        let pieces = (&self.pieces[..], self.all_pieces());
        let shard = Shard::new((number, office.shards), pieces, chiplets);
        self.ctx.network.share(|component| shard.owner(component));
        self.ctx.shard = Some(Box::new(shard));
        self.team = Some(Box::new(Team {
            own: number.into(),
            meetings: 0,
            patience: Patience::default(),
            reports: vec![Report::default(); office.shards.into()],
            steps: 0,
            is_close: false,
            is_silent: false,
            done: (0, 0),
            counted: Vec::new(),
            office,
        }));
    }

    /// Visits a component, whoever has it.
    pub(super) fn wake(&mut self, id: ComponentId, at: Cycle) {
        if self.ctx.has_component(id) {
            self.ctx.wheel.wake(id, at);
        }
        if let Some(team) = &mut self.team {
            team.visit_at(at);
        }
    }

    /// Ends a cycle: hands over what crosses. `past`: what was written past the L1s before it.
    /// Gives the cycles since the last one in which anybody was visited. Errors: somebody has found
    /// what ends the run.
    pub(super) fn meet(&mut self, past: u64) -> Result<u64, RunError> {
        let Some(team) = &mut self.team else { return Ok(1) };
        let mut own = self.ctx.end_cycle();
        let is_active = self.active.iter().any(|word| *word != 0);
        team.steps += u64::from(is_active);
        own.steps = team.steps;
        own.written_past = self.ctx.written_past - past;
        own.has_failed |= self.ctx.check.wrong.is_some() || self.sockets.have_failed();
        (own.is_silent, own.done) = (team.is_silent, team.done);
        if team.may_go_on(&own) {
            team.reports[team.own].next = own.next;
            return Ok(0);
        }
        team.steps = 0;
        team.exchange(&mut self.ctx, own)?;
        let reports = &team.reports;
        if reports.iter().any(|r| r.has_failed) || reports.iter().all(|r| r.is_silent) {
            return Err(RunError::Threads);
        }
        Ok(reports.iter().map(|report| report.steps).max().unwrap_or(0))
    }

    /// Lets all threads know what each has counted. Between two of these there is a meeting.
    pub(super) fn gather(&mut self) -> Result<(), RunError> {
        if self.team.is_none() {
            return Ok(());
        }
        self.gather_counted(Counted {
            statistics: self.names().values(&self.parts, &self.ctx),
            checked: self.ctx.check.checked,
            blocks: self.sockets.uses(self.ctx.now),
            traffic: Traffic::of(&self.parts, &self.ctx),
        })
    }

    /// The same of the statistics up to the end of a kernel alone.
    pub(super) fn gather_statistics(&mut self) -> Result<(), RunError> {
        if self.team.is_none() {
            return Ok(());
        }
        let statistics = self.names().values(&self.parts, &self.ctx);
        self.gather_counted(Counted { statistics, ..Counted::default() })
    }

    fn gather_counted(&mut self, counted: Counted) -> Result<(), RunError> {
        let Some(team) = &mut self.team else { return Ok(()) };
        *lock(&team.office.counted[team.own]) = counted;
        team.meet()?;
        team.counted = team.others().map(|at| lock(&team.office.counted[at]).clone()).collect();
        Ok(())
    }
}
