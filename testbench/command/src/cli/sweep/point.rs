//! One point of a sweep: its run, and what is kept of it.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use machine::{Machine, RunError};

use super::super::job::{Job, Program, run_failure};
use super::super::record::Run;
use super::super::{Failure, keep, run};
use super::plan::Point;

/// Bundles that a sweep leaves, as a design that is wrong fails at each point; and those so far.
const MOST_BUNDLES: u32 = 16;
static BUNDLES: AtomicU32 = AtomicU32::new(0);

/// What came of a point.
pub struct Outcome {
    /// Exit status that `duet run` would have.
    pub status: u8,
    /// Why it has not passed.
    pub message: String,
    /// The result, where the machine ran.
    pub record: Option<Run>,
    /// How long it took.
    pub seconds: f64,
}

/// The program that was opened last, which the next point may have, too.
#[derive(Default)]
pub struct Opened(Option<(Program, Job)>);

impl Opened {
    /// The job of a point.
    fn job(&mut self, point: &Point) -> Result<&Job, Failure> {
        let system = point.configuration.system.clone();
        match &mut self.0 {
            Some((program, job)) if *program == point.program => job.system = system,
            opened => {
                let job = Job::open(&point.choice.job, system, &point.program)?;
                *opened = Some((point.program.clone(), job));
            }
        }
        let (_, job) = self.0.as_ref().expect("it was opened");
        Ok(job)
    }
}

impl Point {
    /// Runs it. A failure leaves a bundle, as that of `duet run` does, if it is one of the first.
    pub fn run(&self, opened: &mut Opened) -> Outcome {
        let started = Instant::now();
        let (record, failure) = match self.measure(opened) {
            Ok((record, failure)) => (Some(record), failure),
            Err(failure) => (None, Some(failure)),
        };
        let Failure { status, message } = failure.unwrap_or(Failure::new(0, ""));
        Outcome { status, message, record, seconds: started.elapsed().as_secs_f64() }
    }

    /// Errors: it never ran.
    fn measure(&self, opened: &mut Opened) -> Result<(Run, Option<Failure>), Failure> {
        let Self { choice, configuration, .. } = self;
        let job = opened.job(self)?;
        let options = run::options(&choice.job);
        let machine = Machine::new(&job.system, &configuration.bodies, job.program()?, options);
        let mut machine = machine.map_err(run_failure)?;
        let result = machine.run();
        let record = Run::of(&choice.job, job, &machine, result.is_ok(), &result);
        let kernel = machine.kernels();
        let Err(error) = result else { return Ok((record, None)) };
        let is_limit = matches!(error, RunError::CycleLimit(_));
        let failure = run_failure(error);
        if !is_limit && BUNDLES.fetch_add(1, Ordering::Relaxed) < MOST_BUNDLES {
            let bundle = keep::of_run(choice, None, job, kernel);
            keep::leave(bundle, &failure, &format!("{}-{}", job.name(), self.key), None);
        }
        Ok((record, Some(failure)))
    }
}
