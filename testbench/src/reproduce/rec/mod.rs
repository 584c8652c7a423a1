//! REC, J. Systems Architecture 160 (2025), section 5: the full machine with the paper's directories,
//! divided by [`SCALE`], and programs divided likewise.

mod figures;
mod points;
#[cfg(test)]
mod tests;
mod text;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde::Serialize;

use super::figure::Figure;
use crate::kernels::{self, Params};
use crate::machine::{Bodies, Machine, Options, RunError};
use crate::trace::{self, Reader, Recorder};
use points::Point;
pub use points::SCALE;

/// A program and its size.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Input {
    /// Built-in program; `bfs.trace` is the captured program that comes with the project.
    pub program: &'static str,
    /// Its kin in the paper's table 3, if any.
    pub like: &'static str,
    /// Size; 0 for a capture.
    pub size: u32,
    /// Iterations.
    pub iterations: u32,
}

const fn input(program: &'static str, like: &'static str, size: u32, iterations: u32) -> Input {
    Input { program, like, size, iterations }
}

/// Inputs of `duet reproduce rec` (chosen): what the caches of a GPU hold several times, while the whole takes a minute or two.
pub const INPUTS: [Input; 11] = [
    input("fft", "ATAX", 14, 1),
    input("gemm", "GEMM, MM2, MM3", 160, 2),
    input("rnn", "GEMV", 128, 4),
    input("jacobi2d", "J2D", 160, 4),
    input("lu", "LU", 160, 1),
    input("pagerank", "PR", 4096, 3),
    input("hotspot3d", "ST", 64, 3),
    input("als", "", 1024, 1),
    input("sssp", "", 2048, 64),
    input("reuse", "", 16384, 10),
    input(CAPTURE, "", 0, 0),
];

const CAPTURE: &str = "bfs.trace";

/// Seed of all inputs.
const SEED: u64 = 1;

/// A program on a machine.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Record {
    /// Program.
    pub program: &'static str,
    /// Machine.
    pub machine: &'static str,
    /// Cycles of the GPUs' clock.
    pub cycles: u64,
    /// Loads that were compared.
    pub loads_checked: u64,
    /// Of these, those with one right value.
    pub loads_determined: u64,
    /// Statistics of L2s, directories and links.
    pub counters: BTreeMap<String, u64>,
}

impl Record {
    /// A statistic; 0 where the machine has none of this name.
    pub fn counter(&self, name: &str) -> f64 {
        self.counters.get(name).copied().unwrap_or(0) as f64
    }
}

/// All results.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// `rec`.
    pub paper: &'static str,
    /// `pass`: a report exists only when all values were right.
    pub verdict: &'static str,
    /// The paper's machine is divided by this.
    pub scale: u32,
    /// Seed of all inputs.
    pub seed: u64,
    /// Programs and sizes.
    pub inputs: Vec<Input>,
    /// Each program on each machine.
    pub records: Vec<Record>,
    /// The figures of the directory specification, section 11.
    pub figures: Vec<Figure>,
}

impl Report {
    /// The run of a program on a machine.
    pub fn record(&self, program: &str, machine: &str) -> &Record {
        let mut records = self.records.iter();
        let found = records.find(|r| r.program == program && r.machine == machine);
        found.expect("every program runs on every machine")
    }

    /// Loads that were compared with what the programs saw.
    pub fn loads_checked(&self) -> u64 {
        self.records.iter().map(|r| r.loads_checked).sum()
    }
}

/// Runs the experiment on these inputs, on all threads that there are.
pub fn run(inputs: &[Input]) -> Result<Report, RunError> {
    let programs = inputs.iter().map(record).collect::<Result<Vec<_>, _>>()?;
    let points = points::all();
    let jobs: Vec<_> = (0..inputs.len()).flat_map(|i| points.iter().map(move |p| (i, p))).collect();
    let results: Vec<_> = jobs.iter().map(|_| Mutex::new(None)).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some((at, &(input, point))) =
            Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|at| Some((at, jobs.get(at)?)))
        {
            let result = simulate(inputs[input].program, &programs[input], point);
            *results[at].lock().expect("nobody panics with it") = Some(result);
        }
    };
    let threads = thread::available_parallelism().map_or(1, |n| n.get());
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
    let result =
        |result: Mutex<Option<_>>| result.into_inner().ok().flatten().expect("each job was done");
    let mut report = Report {
        paper: "rec",
        verdict: "pass",
        scale: SCALE,
        seed: SEED,
        inputs: inputs.to_vec(),
        records: results.into_iter().map(result).collect::<Result<_, RunError>>()?,
        figures: Vec::new(),
    };
    report.figures = figures::all(&report);
    Ok(report)
}

/// The trace of an input.
fn record(input: &Input) -> Result<Vec<u8>, RunError> {
    if input.program == CAPTURE {
        return Ok(include_bytes!("../../../workloads/bfs.trace").to_vec());
    }
    let params = Params { size: input.size, iterations: input.iterations, seed: SEED };
    let mut recorder = Recorder::in_memory(input.program)?;
    kernels::run::<Recorder<_>>(input.program, &params, &mut recorder)
        .unwrap_or_else(|e| panic!("{}: {e}", input.program));
    Ok(recorder.into_bytes()?)
}

/// A program on a machine.
fn simulate(program: &'static str, bytes: &[u8], point: &Point) -> Result<Record, RunError> {
    let trace: Result<Reader, trace::Error> = Reader::from_bytes(bytes.to_vec(), program);
    let mut machine = Machine::new(&point.system, &Bodies::default(), trace?, Options::default())?;
    let cycles = machine.run()?;
    let kept = |name: &str| {
        ["l2.", "egress.", "ingress.", "gpu_link."].iter().any(|p| name.starts_with(p))
    };
    Ok(Record {
        program,
        machine: point.name,
        cycles,
        loads_checked: machine.checked().loads,
        loads_determined: machine.checked().determined,
        counters: machine.statistics().into_iter().filter(|(name, _)| kept(name)).collect(),
    })
}
