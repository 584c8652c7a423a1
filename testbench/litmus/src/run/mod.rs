//! Runs litmus tests on machines of each design, and counts their outcomes.
//!
//! Many instances of a test stand in one kernel, each with words of its own, and many kernels in
//! one trace (`plan.rs`, `record.rs`). The trace runs on a machine of each design whose sizes and
//! latencies are drawn (`machines.rs`). What each load has found gives the outcomes (`counts.rs`).

mod code;
mod counts;
mod machines;
mod plan;
mod record;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use machine::{Bodies, Machine, Options, RunError, System};
use traces::trace::{self, Reader};
use traces::workloads::SplitMix64;

use crate::model::Promise;
use crate::test::Test;

pub use counts::{Forbidden, Row};
pub use machines::{Design, Sizes};

use code::Coded;
use counts::Rows;
use machines::Drawn;
use plan::Plan;

/// Most GPUs of a machine.
const MOST_GPUS: usize = 4;

/// Instances of a trace. To make one takes about as long as to run it on two machines.
const INSTANCES: u32 = 100;

/// Most cycles of a kernel: no operation waits for a value, so one that takes longer never ends.
const KERNEL_CYCLES: u64 = 200_000;

/// What to run.
#[derive(Clone, Debug)]
pub struct Job {
    /// Runs of each test on each design.
    pub runs: u32,
    /// Seed of all that is drawn.
    pub seed: u64,
    /// Designs.
    pub designs: Vec<Design>,
    /// Bodies of blocks.
    pub bodies: Bodies,
    /// How much is drawn of each machine.
    pub sizes: Sizes,
    /// Fields of each system.
    pub set: Vec<(String, String)>,
    /// Threads.
    pub threads: usize,
}

/// Why it could not go on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A machine cannot be made.
    #[error("{design}: {problem}")]
    System {
        /// Its design.
        design: String,
        /// Why.
        problem: String,
    },
    /// A test's threads are on more GPUs than machines have.
    #[error("{0}: threads on {1} GPUs: must be at most {MOST_GPUS}, the limit of machines")]
    Gpus(String, usize),
    /// No design that takes part has machines of several GPUs.
    #[error("{0}: threads on several GPUs: none of the designs runs on several GPUs")]
    OneGpu(String),
    /// A compare-and-swap has no operation of the machine.
    #[error(
        "{test}: {location}: no atomic of a machine performs its compare-and-swaps together with \
         the other values of the location"
    )]
    Swap {
        /// Name of the test.
        test: String,
        /// The location.
        location: String,
    },
    /// A test has more threads in a work-group than a CU has waves.
    #[error("{0}: {1} threads in a work-group: must be at most {2}, the waves of a CU")]
    Threads(String, usize, usize),
    /// A trace cannot be made.
    #[error(transparent)]
    Trace(#[from] trace::Error),
    /// A run did not pass for another reason than its outcomes.
    #[error("{test} on {design}, seed {seed}: {error}")]
    Run {
        /// Name of the test.
        test: String,
        /// Design.
        design: String,
        /// Seed.
        seed: u64,
        /// Why.
        error: Box<RunError>,
    },
}

/// Runs each test on each design. Gives a row of each test, design and promise, in this order.
pub fn run(job: &Job, tests: &[Test]) -> Result<Vec<Row>, Error> {
    let coded = tests.iter().map(|test| check(job, test)).collect::<Result<Vec<_>, _>>()?;
    let batches = job.runs.div_ceil(INSTANCES) as usize;
    let tasks = tests.len() * batches;
    let next = AtomicUsize::new(0);
    let done: Vec<Mutex<Option<Result<Rows, Error>>>> =
        (0..tasks).map(|_| Mutex::new(None)).collect();
    let work = || {
        loop {
            let task = next.fetch_add(1, Ordering::Relaxed);
            let Some(place) = done.get(task) else { return };
            let (coded, batch) = (&coded[task / batches], task % batches);
            let left = job.runs - batch as u32 * INSTANCES;
            let rows = run_batch(job, coded, batch as u64, left.min(INSTANCES));
            let failed = rows.is_err();
            *place.lock().expect("no thread fails with it") = Some(rows);
            if failed {
                next.store(tasks, Ordering::Relaxed);
            }
        }
    };
    thread::scope(|scope| {
        (1..job.threads.min(tasks)).for_each(|_| {
            scope.spawn(work);
        });
        work();
    });
    let mut all = Rows::default();
    for (task, place) in done.into_iter().enumerate() {
        // Behind one that has failed some were not begun.
        if let Some(rows) = place.into_inner().expect("no thread has failed with it") {
            all.add(task / batches, rows?);
        }
    }
    Ok(all.finish(tests))
}

/// Of the job's designs those that have a block in some of these places, whose bodies are chosen.
pub fn designs_with(job: &Job, places: &[String]) -> Result<Vec<Design>, Error> {
    let mut all = Vec::new();
    for design in &job.designs {
        if Drawn::has_chosen(design, job, places)? {
            all.push(design.clone());
        }
    }
    Ok(all)
}

/// The test for machines, unless they do not have what it needs.
fn check(job: &Job, test: &Test) -> Result<Coded, Error> {
    let gpus = plan::gpus(test).len();
    if gpus > MOST_GPUS {
        return Err(Error::Gpus(test.name.clone(), gpus));
    }
    if !job.designs.iter().any(|design| design.goes(gpus)) {
        return Err(Error::OneGpu(test.name.clone()));
    }
    let threads = plan::widest(test);
    match threads <= machines::WAVES {
        true => Coded::of(test),
        false => Err(Error::Threads(test.name.clone(), threads, machines::WAVES)),
    }
}

/// A seed that follows from others.
fn mixed(seed: u64, parts: &[u64]) -> SplitMix64 {
    let mix = |seed: u64, part: &u64| SplitMix64::new(seed ^ part.wrapping_mul(0x9e37_79b9)).bits();
    SplitMix64::new(parts.iter().fold(seed, mix))
}

/// Number of a name.
fn number(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// A trace on a machine of each design.
fn run_batch(job: &Job, coded: &Coded, batch: u64, instances: u32) -> Result<Rows, Error> {
    let test = &coded.test;
    let gpus = plan::gpus(test).len();
    let mut random = mixed(job.seed, &[number(&test.name), batch]);
    let cus = job.sizes.cus(&mut random);
    let plan = Plan::new(test, instances, cus, &mut random);
    let (trace, base) = record::record(test, &plan)?;
    let mut rows = Rows::default();
    for design in job.designs.iter().filter(|design| design.goes(gpus)) {
        let parts = [number(&test.name), batch, number(&design.name())];
        let drawn = Drawn::new(design, (gpus, cus), job, &mut mixed(job.seed, &parts))?;
        let machine = run_one(job, &drawn, trace.reopen()?).map_err(|error| Error::Run {
            test: test.name.clone(),
            design: format!("{}, {}", design.name(), drawn.described),
            seed: job.seed,
            error: Box::new(error),
        })?;
        let values = machine.values().expect("they are kept");
        rows.count(coded, design, &drawn, &plan, (values, base));
    }
    Ok(rows)
}

fn run_one(job: &Job, drawn: &Drawn, trace: Reader) -> Result<Machine, RunError> {
    let options = Options {
        max_cycles: KERNEL_CYCLES * u64::from(trace.kernels().max(1)),
        values: true,
        perturb: Some(drawn.perturb),
        ..Options::default()
    };
    let mut machine = Machine::new(&drawn.system, &job.bodies, trace, options)?;
    machine.run()?;
    Ok(machine)
}

/// What a machine promises.
fn promise(system: &System) -> Option<Promise> {
    let model = machine::promises(system).ok()?;
    Promise::of(model, machine::fences(system).ok()?)
}
