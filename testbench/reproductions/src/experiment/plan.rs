//! What an experiment runs, and running it: each program on each machine, as it is and perturbed,
//! on all threads that there are.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use machine::{Bodies, Machine, Options, RunError};
use traces::trace::Reader;

use super::programs::{Program, Programs};
use super::{Experiment, Input, Point, Record, Runs, SEED};
use crate::kept::{self, Identity, Kept, Measured};

/// Between two reports of progress, at most.
const PERIOD: Duration = Duration::from_secs(1);

/// By how much buffers of perturbed runs are shifted: no whole turn of any L2 bank's.
pub const SHIFT: u64 = 1024 + 128;
/// After so many perturbed runs buffers begin anew where they do when nothing is perturbed.
const SHIFTS: u64 = 3;

/// What an experiment runs.
pub struct Plan<'a> {
    /// Programs and sizes.
    pub inputs: &'a [Input],
    /// Machines; each program runs on each.
    pub points: &'a [Point],
    /// How the names of statistics begin that records hold.
    pub counters: &'static [&'static str],
    /// All of it so many times more, perturbed.
    pub perturbed: u64,
    /// Of perturbed runs each has its buffers so many bytes further from the beginning of a page
    /// than the one before.
    pub shift: u64,
    /// More checks.
    pub options: Options,
}

/// One attempt at an experiment.
#[derive(Clone, Copy, Default)]
pub struct Attempt<'a> {
    /// Runs that earlier attempts have finished; this one's are added.
    pub kept: Option<&'a Kept>,
    /// Is told about once a second how far it is.
    pub told: Option<&'a dyn Fn(&Progress)>,
}

/// How far an attempt is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Runs of the experiment.
    pub runs: usize,
    /// Of these, those that are there.
    pub done: usize,
    /// Of these, those of earlier attempts.
    pub kept: usize,
    /// Of the accesses of the other runs, the share that was simulated.
    pub share: f64,
}

/// Why an experiment has no result.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A run did not pass.
    #[error("{place}: {error}")]
    Run {
        /// The program, and the machine.
        place: String,
        /// Why.
        error: RunError,
    },
    /// Runs cannot be kept, or those that were kept cannot be used.
    #[error(transparent)]
    Kept(#[from] kept::Error),
}

impl Error {
    /// Of a program, or a program on a machine.
    pub fn at<E: Into<RunError>>(place: impl ToString) -> impl FnOnce(E) -> Self {
        move |error| Self::Run { place: place.to_string(), error: error.into() }
    }
}

/// A program on a machine; perturbed by a seed from 1 on.
#[derive(Clone, Copy)]
struct Job {
    seed: u64,
    input: usize,
    point: usize,
}

impl Job {
    fn perturb(self) -> Option<u64> {
        (self.seed > 0).then_some(self.seed)
    }
}

impl Plan<'_> {
    /// Runs what no earlier attempt has. Errors: that of the first run, in the order of the plan,
    /// that fails or cannot be kept; what has finished by then is kept.
    pub fn run(&self, attempt: &Attempt) -> Result<Experiment, Error> {
        let jobs = self.jobs();
        let mut results: Vec<Option<Measured>> = Vec::with_capacity(jobs.len());
        for &job in &jobs {
            let found = attempt.kept.map(|kept| kept.find(&self.identity(job)));
            results.push(found.transpose()?.flatten());
        }
        let left: Vec<usize> = (0..jobs.len()).filter(|&at| results[at].is_none()).collect();
        self.run_all(&jobs, &left, attempt, &mut results)?;
        let mut results = jobs.iter().zip(results);
        let mut sets = (0..=self.perturbed).map(|_| {
            let of_set = results.by_ref().take(self.inputs.len() * self.points.len());
            let record = |(job, measured): (&Job, Option<Measured>)| {
                self.record(*job, measured.expect("each job was done"))
            };
            Runs::new(self.inputs.to_vec(), of_set.map(record))
        });
        let runs = sets.next().expect("there is one that is not perturbed");
        Ok(Experiment { runs, perturbed: sets.collect() })
    }

    /// Each program on each machine, then all of it again.
    fn jobs(&self) -> Vec<Job> {
        let all = (0..=self.perturbed).flat_map(|seed| {
            let inputs = 0..self.inputs.len();
            inputs.flat_map(move |input| {
                (0..self.points.len()).map(move |point| Job { seed, input, point })
            })
        });
        all.collect()
    }

    fn record(&self, job: Job, measured: Measured) -> Record {
        let Measured { cycles, loads_checked, loads_determined, counters } = measured;
        let (program, machine) = (self.inputs[job.input].program, self.points[job.point].name);
        let kept = self.counters;
        Record { program, machine, cycles, loads_checked, loads_determined, counters, kept }
    }

    fn identity(&self, job: Job) -> Identity {
        let (input, point) = (&self.inputs[job.input], &self.points[job.point]);
        Identity {
            program: input.program.into(),
            size: input.size,
            iterations: input.iterations,
            seed: SEED,
            shift: self.shift(job),
            machine: point.name.into(),
            system: toml::to_string(&point.system).unwrap_or_else(|e| panic!("{e}")),
            cp: format!("{:?}", point.cp),
            perturb: job.perturb(),
            sequential: format!("{:?}", self.options.sequential),
        }
    }

    /// Runs the jobs at these places, and keeps each result as it comes.
    fn run_all(
        &self,
        jobs: &[Job],
        left: &[usize],
        attempt: &Attempt,
        results: &mut [Option<Measured>],
    ) -> Result<(), Error> {
        let programs = Programs::new(left.iter().map(|&at| self.program(jobs[at])));
        let accesses = programs.accesses(left.iter().map(|&at| self.program(jobs[at])))?;
        let all: u64 = left.iter().map(|&at| accesses[&jobs[at].input]).sum();
        let passed = Arc::new(AtomicU64::new(0));
        let kept = jobs.len() - left.len();
        let tell = |done: usize| {
            let share = passed.load(Ordering::Relaxed) as f64 / all.max(1) as f64;
            if let Some(told) = attempt.told {
                told(&Progress { runs: jobs.len(), done: kept + done, kept, share });
            }
        };
        let next = AtomicUsize::new(0);
        let (sender, finished) = mpsc::channel();
        let work = |sender: mpsc::Sender<_>| {
            while let Some(&at) = left.get(next.fetch_add(1, Ordering::Relaxed)) {
                let job = jobs[at];
                let result = self.simulate(job, &programs, &passed);
                // Nobody is gone before the last sender is.
                let _ = sender.send((at, result));
            }
        };
        // Before a thread starts: the first report is the same on any number of busy cores.
        tell(0);
        thread::scope(|scope| {
            for _ in 0..threads().min(left.len()) {
                let sender = sender.clone();
                scope.spawn(|| work(sender));
            }
            drop(sender);
            let (mut first_error, mut done): (Option<(usize, Error)>, _) = (None, 0);
            loop {
                match finished.recv_timeout(PERIOD) {
                    Ok((at, result)) => {
                        let kept = result.and_then(|measured: Measured| {
                            let keep = |kept: &Kept| kept.keep(&self.identity(jobs[at]), &measured);
                            attempt.kept.map_or(Ok(()), keep)?;
                            results[at] = Some(measured);
                            Ok(())
                        });
                        done += usize::from(kept.is_ok());
                        if let Err(error) = kept {
                            // No other begins; those under way may still be kept. Jobs begin in
                            // order, so the first one that fails has begun, on any number of
                            // threads.
                            next.store(left.len(), Ordering::Relaxed);
                            if first_error.as_ref().is_none_or(|(first, _)| at < *first) {
                                first_error = Some((at, error));
                            }
                        }
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => break,
                }
                tell(done);
            }
            first_error.map_or(Ok(()), |(_, error)| Err(error))
        })
    }

    /// Bytes that a job's buffers are shifted by.
    fn shift(&self, job: Job) -> u64 {
        self.shift * (job.seed % SHIFTS)
    }

    /// What a job runs.
    fn program(&self, job: Job) -> Program {
        Program { at: job.input, input: self.inputs[job.input], shift: self.shift(job) }
    }

    /// A program on a machine; `passed` counts its accesses meanwhile.
    fn simulate(
        &self,
        job: Job,
        programs: &Programs,
        passed: &Arc<AtomicU64>,
    ) -> Result<Measured, Error> {
        let point = &self.points[job.point];
        let program = self.inputs[job.input].program;
        let place = format!("{program} on {}", point.name);
        let bytes = programs.get(self.program(job))?;
        let trace: Reader = Reader::from_bytes(bytes, program).map_err(Error::at(&place))?;
        let accesses = accesses(&trace);
        let bodies = Bodies::default().with_cp(point.cp);
        let options = Options { perturb: job.perturb(), ..self.options };
        let machine = Machine::new(&point.system, &bodies, trace, options);
        let mut machine = machine.map_err(Error::at(&place))?;
        let (counter, counted) = (passed.clone(), Rc::new(Cell::new(0)));
        let count = counted.clone();
        machine.on_progress(move |progress| {
            let before = count.replace(progress.checked);
            counter.fetch_add(progress.checked - before, Ordering::Relaxed);
        });
        let cycles = machine.run().map_err(Error::at(&place))?;
        // It is told of no more than every some thousand steps.
        passed.fetch_add(accesses - counted.get(), Ordering::Relaxed);
        programs.done(self.program(job));
        let kept = |name: &str| self.counters.iter().any(|start| name.starts_with(start));
        Ok(Measured {
            cycles,
            loads_checked: machine.checked().loads,
            loads_determined: machine.checked().determined,
            counters: machine.statistics().into_iter().filter(|(name, _)| kept(name)).collect(),
        })
    }
}

/// Threads that run.
pub(crate) fn threads() -> usize {
    thread::available_parallelism().map_or(1, |n| n.get())
}

/// Accesses of a program that a machine checks.
pub(super) fn accesses(trace: &Reader) -> u64 {
    let totals = trace.totals();
    totals.loads + totals.atomics
}

/// Accesses of each program, by its place among the inputs.
pub(super) type Accesses = BTreeMap<usize, u64>;

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::fs;

    use super::super::input;
    use super::*;
    use crate::kept::Origin;

    const INPUTS: [Input; 2] = [input("copy", "", 1024, 1), input("jacobi2d", "", 16, 1)];
    const RUNS: usize = 8;

    fn points() -> Vec<Point> {
        [("src", "src"), ("none", "none")]
            .map(|(name, design)| Point::with_l1(name, "stc-8cu-small", design, &[]))
            .into()
    }

    fn plan(points: &[Point]) -> Plan<'_> {
        let options = Options::default();
        Plan { inputs: &INPUTS, points, counters: &["l1."], perturbed: 1, shift: SHIFT, options }
    }

    fn kept(folder: &files::Folder) -> Kept {
        let [duet, build] = ["0.1.0", "0123"].map(String::from);
        let origin = Origin { paper: "stc".into(), scale: 4, perturbed: 1, duet, build };
        Kept::open(folder.path(), &origin).unwrap()
    }

    /// The experiment, and all that was told of its progress.
    fn attempt(kept: Option<&Kept>) -> (Experiment, Vec<Progress>) {
        let told = RefCell::new(Vec::new());
        let tell = |progress: &Progress| told.borrow_mut().push(*progress);
        let experiment = plan(&points()).run(&Attempt { kept, told: Some(&tell) });
        (experiment.unwrap(), told.into_inner())
    }

    #[test]
    fn an_attempt_goes_on_where_the_one_before_was_ended_and_comes_out_the_same() {
        let (whole, told) = attempt(None);
        assert_eq!(whole.perturbed.len(), 1);
        assert_eq!(whole.runs.records.len(), RUNS / 2);
        let share = 0.0;
        assert_eq!(told[0], Progress { runs: RUNS, done: 0, kept: 0, share });
        let last = told.last().unwrap();
        assert_eq!((last.done, last.kept), (RUNS, 0));
        let folder = files::Folder::new().unwrap();
        attempt(Some(&kept(&folder)));
        for ended in ["copy.src.1.json", "jacobi2d.none.0.json", "jacobi2d.none.1.json"] {
            fs::remove_file(folder.path().join(ended)).unwrap();
        }
        let (again, told) = attempt(Some(&kept(&folder)));
        assert_eq!((told[0].done, told[0].kept), (RUNS - 3, RUNS - 3));
        assert_eq!(told.last().unwrap().done, RUNS);
        assert_eq!((&again.runs, &again.perturbed), (&whole.runs, &whole.perturbed));
        let (again, told) = attempt(Some(&kept(&folder)));
        assert_eq!((told[0].done, told[0].kept), (RUNS, RUNS));
        assert_eq!((&again.runs, &again.perturbed), (&whole.runs, &whole.perturbed));
    }

    #[test]
    fn what_was_kept_is_not_run_again() {
        let (folder, points) = (files::Folder::new().unwrap(), points());
        let kept = kept(&folder);
        let job = Job { seed: 1, input: 1, point: 0 };
        let counters = BTreeMap::new();
        let mark = Measured { cycles: 12345, loads_checked: 1, loads_determined: 1, counters };
        kept.keep(&plan(&points).identity(job), &mark).unwrap();
        let (experiment, told) = attempt(Some(&kept));
        assert_eq!(told[0].kept, 1);
        assert_eq!(experiment.perturbed[0].record("jacobi2d", "src").cycles, 12345);
        assert_ne!(experiment.runs.record("jacobi2d", "src").cycles, 12345);
    }

    #[test]
    fn result_that_cannot_be_kept_ends_it_and_the_others_stay() {
        let (folder, points) = (files::Folder::new().unwrap(), points());
        let (plan, kept) = (plan(&points), kept(&folder));
        // Comes into the way of the last result once it is known not to be there: at the first
        // report, before any run can end.
        let place = folder.path().join("jacobi2d.none.1.json");
        let is_first = Cell::new(true);
        let tell = |_: &Progress| {
            if is_first.take() {
                fs::create_dir(&place).unwrap();
            }
        };
        let attempt = Attempt { kept: Some(&kept), told: Some(&tell) };
        match plan.run(&attempt) {
            Err(Error::Kept(kept::Error::Io { path, .. })) => assert_eq!(path, place),
            Err(other) => panic!("{other}"),
            Ok(_) => panic!("it was kept"),
        }
        fs::remove_dir(&place).unwrap();
        let is_there = |&job: &Job| kept.find(&plan.identity(job)).unwrap().is_some();
        assert_eq!(plan.jobs().iter().filter(|job| is_there(job)).count(), RUNS - 1);
    }

    #[test]
    fn failure_names_program_and_machine() {
        let mut points = points();
        points[1].system.l1.design = "nosuch".into();
        let error = plan(&points).run(&Attempt::default()).err().unwrap().to_string();
        assert!(error.starts_with("copy on none: ") && error.contains("nosuch"), "{error}");
    }

    #[test]
    fn share_is_of_all_accesses_and_ends_at_1() {
        let points = points();
        let plan = plan(&points);
        let jobs = plan.jobs();
        let left: Vec<usize> = (0..jobs.len()).collect();
        let told = RefCell::new(Vec::new());
        let tell = |progress: &Progress| told.borrow_mut().push(progress.share);
        let mut results = vec![None; jobs.len()];
        let attempt = Attempt { kept: None, told: Some(&tell) };
        plan.run_all(&jobs, &left, &attempt, &mut results).unwrap();
        let told = told.into_inner();
        assert!(told.is_sorted() && told[0] < 1.0, "{told:?}");
        assert!((told.last().unwrap() - 1.0).abs() < 1e-9, "{told:?}");
    }
}
