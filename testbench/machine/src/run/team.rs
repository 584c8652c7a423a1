//! One run on several threads. Each builds the machine for itself and goes through the program, but
//! visits the components of its shard alone (`shard`, `owners`). The threads meet and hand over
//! what crosses; between two meetings lies a window, as many cycles as a message takes from one
//! shard to another at least. A window is one cycle where what the command processors do takes
//! effect at once: a release to other GPUs, a completion, an L1's acquire. What the host does
//! between kernels each does for itself. So nothing of a machine ever changes threads.
//!
//! A run that does not pass is done again on one thread, which says why.

use std::mem;
use std::sync::{Arc, Mutex};
use std::thread;

use cosim::socket::BlockUse;

use super::meeting::{Meeting, Patience};
use super::{Machine, PROGRESS_STEPS, RunError};
use crate::build::part::Part;
use crate::check::Checked;
use crate::context::Context;
use crate::engine::{ComponentId, Cycle};
use crate::run::shard::{Parcel, Progress, Report, Shard, lock};
use crate::statistics::traffic::Traffic;

/// What the threads of a run share.
struct Office {
    shards: u8,
    meeting: Meeting,
    /// From and to each shard, in turn: a parcel is put down before a meeting, and emptied before
    /// the next one.
    parcels: [Vec<Vec<Mutex<Parcel>>>; 2],
    /// What each has counted.
    counted: Vec<Mutex<Counted>>,
    progress: Arc<Progress>,
}

impl Office {
    fn new(shards: u8) -> Self {
        let to_all = || (0..shards).map(|_| Mutex::default()).collect();
        let parcels = [(); 2].map(|()| (0..shards).map(|_| to_all()).collect());
        let counted = (0..shards).map(|_| Mutex::default()).collect();
        let (meeting, progress) = (Meeting::new(shards.into()), Arc::new(Progress::new(shards)));
        Self { shards, meeting, parcels, counted, progress }
    }
}

/// However a thread ends, no other waits for it.
struct Leaving<'a>(&'a Office);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        self.0.meeting.close();
        self.0.progress.close();
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
    pub(super) meetings: u64,
    patience: Patience,
    /// Each shard's, of the last meeting.
    reports: Vec<Report>,
    /// Cycles of a window, where the command processors allow it.
    lookahead: Cycle,
    /// The next window ends before this cycle.
    end: Cycle,
    /// As long as this shard hands nothing over it may go on so far: with messages that other
    /// shards have not taken, and without.
    alone: (Cycle, Cycle),
    /// It meets the others at the end of the window, as they must know something.
    is_due: bool,
    /// Cycles since the last meeting in which it has visited a component, and what was written
    /// past the L1s in them.
    steps: u64,
    visits: u64,
    written_past: u64,
    pub(super) windows: Windows,
    /// Completion signals that it had written at the last meeting.
    completions: u32,
    /// It meets the others in each cycle.
    pub(super) is_close: bool,
    /// Its own watchdog sees nothing move.
    pub(super) is_silent: bool,
    /// Work-groups started, and values checked.
    pub(super) done: (u64, u64),
    /// What the others had counted when that was gathered.
    pub(super) counted: Vec<Counted>,
}

/// How evenly the windows of a run on several threads are distributed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Windows {
    /// Windows.
    pub count: u64,
    /// Visits of components.
    pub visits: u64,
    /// Of these, those of each window's slowest thread.
    pub slowest: u64,
}

impl Windows {
    fn add(&mut self, reports: &[Report]) {
        let visits = || reports.iter().map(|report| report.visits);
        self.count += 1;
        self.visits += visits().sum::<u64>();
        self.slowest += visits().max().unwrap_or(0);
    }
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
        ctx.end_meeting();
        self.plan(ctx);
        Ok(())
    }

    /// How far this shard may go before the next meeting. No shard visits a component before
    /// `first`, so nothing arrives from another one before `first` plus the lookahead. No other
    /// shard visits a component before `others`, unless this one hands something over.
    fn plan(&mut self, ctx: &mut Context) {
        let hands = self.reports.iter().filter_map(|report| report.hands).min();
        let next = |report: &Report| report.next.unwrap_or(Cycle::MAX);
        let hands = hands.unwrap_or(Cycle::MAX);
        let others = self.others().map(|at| next(&self.reports[at])).fold(hands, Cycle::min);
        let first = others.min(next(&self.reports[self.own]));
        let is_apart = self.reports.iter().all(|report| report.is_apart) && !self.is_close;
        let window = if is_apart { self.lookahead } else { 1 };
        self.end = first.saturating_add(window);
        self.alone = match self.is_close {
            true => (self.end, self.end),
            false => (others.saturating_add(1), others.saturating_add(window)),
        };
        ctx.shard.as_mut().expect("it has one").alone_until = others;
    }

    /// Whether this shard may visit its components in cycle `next` without meeting the others.
    fn may_visit(&self, ctx: &Context, next: Cycle) -> bool {
        let shard = ctx.shard.as_ref().expect("it has one");
        let alone = || {
            let end = if ctx.network.afar() > 0 { self.alone.0 } else { self.alone.1 };
            !self.is_due && !shard.hands_over() && next < end
        };
        // Others may wait for what this shard takes in the window.
        next < self.end || alone()
    }

    /// The next cycle in which a component may be active: the same on each thread.
    pub(super) fn next(&self) -> Option<Cycle> {
        let next = self.reports.iter().flat_map(|report| [report.next, report.hands]);
        next.flatten().min()
    }

    /// A component wakes up in this cycle, as all threads know.
    fn visit_at(&mut self, ctx: &mut Context, at: Cycle) {
        for report in &mut self.reports {
            report.next = Some(report.next.map_or(at, |next| next.min(at)));
            report.is_apart = false;
        }
        self.plan(ctx);
    }

    /// Completion signals that were written before the last meeting.
    pub(super) fn completions(&self) -> u32 {
        self.reports.iter().map(|report| report.completions).sum()
    }

    /// Messages and payloads that were anywhere at the last meeting.
    pub(super) fn in_use(&self) -> (usize, usize) {
        let in_use = self.reports.iter().map(|report| report.in_use);
        in_use.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
    }

    /// The progress that the others have reported.
    pub(super) fn done_by_others(&self) -> (u64, u64) {
        let done = self.others().map(|number| self.reports[number].done);
        done.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
    }
}

impl Machine {
    /// Runs on so many threads. Errors: it does not pass, of whatever kind.
    pub(super) fn run_on_threads(&mut self, threads: u8) -> Result<Cycle, RunError> {
        let office = Arc::new(Office::new(threads));
        let (system, bodies, options) = (self.system.clone(), self.bodies.clone(), self.options);
        let (system, bodies) = (&system, &bodies);
        thread::scope(|scope| {
            let _leaving = Leaving(&office);
            if let Some(probing) = &mut self.probing {
                probing.restart(threads.into());
            }
            for number in 1..threads {
                let (office, program) = (office.clone(), self.ctx.program.reopen()?);
                let gate_share = self.gate_share;
                let probing =
                    self.probing.as_ref().map(|own| Box::new(own.of_shard(number.into())));
                scope.spawn(move || {
                    let _leaving = Leaving(&office);
                    let mut machine = Self::new(system, bodies, program, options)?;
                    machine.probing = probing;
                    machine.gate_share = gate_share;
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
        let (owners, progress) = (self.owners(office.shards), office.progress.clone());
        let shard = Shard::new(number, owners, chiplets, progress);
        let lookahead = self.lookahead(office.shards);
        self.ctx.network.share(|component| shard.owner(component));
        self.ctx.shard = Some(Box::new(shard));
        self.team = Some(Box::new(Team {
            own: number.into(),
            meetings: 0,
            patience: Patience::default(),
            reports: vec![Report::default(); office.shards.into()],
            lookahead,
            end: 0,
            alone: (0, 0),
            is_due: false,
            steps: 0,
            visits: 0,
            windows: Windows::default(),
            written_past: 0,
            completions: 0,
            is_close: false,
            is_silent: false,
            done: (0, 0),
            counted: Vec::new(),
            office,
        }));
    }

    /// Ticks a component, on any thread.
    pub(super) fn wake(&mut self, id: ComponentId, at: Cycle) {
        if self.ctx.has_component(id) {
            self.ctx.wheel.wake(id, at);
        }
        if let Some(team) = &mut self.team {
            team.visit_at(&mut self.ctx, at);
        }
    }

    /// The next cycle of this shard, all that it must know before; none where it must meet the
    /// others.
    pub(super) fn next_of_shard(&mut self) -> Option<Cycle> {
        let team = self.team.as_mut().expect("there are others");
        let mut next = self.ctx.next_visit().filter(|&next| team.may_visit(&self.ctx, next))?;
        if self.ctx.network.awaits() {
            self.ctx.await_next_visit();
            next = self.ctx.next_visit()?;
        }
        self.ctx.begin_cycle(next);
        Some(next)
    }

    /// Ends a cycle of this shard. `past`: what was written past the L1s before it.
    pub(super) fn end_of_shard(&mut self, past: u64) {
        let Some(team) = &mut self.team else { return };
        self.ctx.end_cycle();
        let visits: u64 = self.active.iter().map(|word| u64::from(word.count_ones())).sum();
        team.steps += u64::from(visits > 0);
        team.visits += visits;
        team.written_past += self.ctx.written_past - past;
        let is_narrow = team.reports.iter().any(|report| !report.is_apart);
        team.is_due = is_narrow && team.written_past > 0
            || self.ctx.completions.iter().sum::<u32>() != team.completions
            || self.ctx.stop.is_some()
            || self.ctx.check.wrong.is_some()
            || self.sockets.have_failed()
            || team.is_silent
            || team.steps >= PROGRESS_STEPS;
    }

    /// Hands over what crosses, and takes it. Gives the cycles since the last meeting in which
    /// components were visited. Errors: a thread has found what ends the run.
    pub(super) fn meet(&mut self) -> Result<u64, RunError> {
        let Some(team) = &mut self.team else { return Ok(0) };
        self.ctx.end_window(team.end);
        let mut own = self.ctx.report();
        own.steps = mem::take(&mut team.steps);
        own.visits = mem::take(&mut team.visits);
        own.written_past = mem::take(&mut team.written_past);
        own.has_failed |= self.ctx.check.wrong.is_some() || self.sockets.have_failed();
        (own.is_silent, own.done) = (team.is_silent, team.done);
        own.is_apart = self.parts[self.first_global..].iter().all(|part| match part {
            Part::Global(global) => global.is_apart(),
            _ => true,
        });
        (team.is_due, team.completions) = (false, own.completions);
        team.exchange(&mut self.ctx, own)?;
        let reports = &team.reports;
        team.windows.add(reports);
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
