//! One point: its run, and what is kept of it.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use machine::{Machine, RunError};

use super::super::job::{Job, Program, run_failure};
use super::super::record::Run;
use super::super::{Failure, keep, pages, run};
use super::Point;

/// Bundles that a command leaves, as a design that is wrong fails at each point; and those so far.
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
    /// What a page shows of it, where that was asked for.
    pub shown: Option<report::Run>,
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
        let (mut record, mut shown) = (None, None);
        let result = self.measure(opened, &mut record, &mut shown);
        let Failure { status, message } = result.err().unwrap_or(Failure::new(0, ""));
        Outcome { status, message, record, seconds: started.elapsed().as_secs_f64(), shown }
    }

    /// Errors: it never ran, or has failed.
    fn measure(
        &self,
        opened: &mut Opened,
        record: &mut Option<Run>,
        shown: &mut Option<report::Run>,
    ) -> Result<(), Failure> {
        let Self { choice, configuration, .. } = self;
        let job = opened.job(self)?;
        let options = run::options(&choice.job);
        let machine = Machine::new(&job.system, &configuration.bodies, job.program()?, options);
        let mut machine = machine.map_err(run_failure)?;
        let packets = self.is_shown.then(|| pages::watch(&mut machine));
        let result = machine.run();
        *record = Some(Run::of(&choice.job, job, &machine, result.is_ok(), &result));
        *shown = packets
            .map(|packets| pages::shown(&machine, job, choice.job.seed(), &result, &packets));
        let kernel = machine.kernels();
        let Err(error) = result else { return Ok(()) };
        let is_limit = matches!(error, RunError::CycleLimit(_));
        let failure = run_failure(error);
        if !is_limit && BUNDLES.fetch_add(1, Ordering::Relaxed) < MOST_BUNDLES {
            let bundle = keep::of_run(choice, None, job, kernel);
            keep::leave(bundle, &failure, &format!("{}-{}", job.name(), self.key), None);
        }
        Err(failure)
    }
}
