//! Sequential consistency by dynamic race detection, Tabbakh's thesis (2018), section 4.3 and
//! appendix A: the thesis's GPU with each size of signature and granularity, without speculation,
//! with checks that take no time, and without checks.

mod energy;
mod figures;
pub(crate) mod inputs;
pub(crate) mod points;
#[cfg(test)]
mod tests;
mod text;

use std::collections::BTreeMap;

use machine::Options;
use machine::sequential::Keep;
use schemars::JsonSchema;
use serde::Serialize;

use super::experiment::{Attempt, Error, Input, Plan, Record, Runs, SEED, SHIFT, input};
use super::figure::Figure;
use super::instructions::Instructions;
use super::scale::Scale;
use super::score::{Score, scored};

/// Inputs of `duet reproduce race-detection` (chosen): data of about what the L1s hold together
/// (256 KB), from half to three times as much; graphs, whose vertices are shared, and what waits
/// for flags or locks less, as most of their time is waiting. The first seven share data within a
/// kernel. The whole takes some minutes on one core.
pub const INPUTS: [Input; 17] = [
    input("work_queue", "OctreePart", 2048, 8),
    input("colouring", "", 1024, 64),
    input("spanning_tree", "", 1024, 64),
    input("barnes_hut", "Barneshut", 512, 1),
    input("wave", "Wave", 128, 6),
    input("locks", "", 256, 2),
    input("pagerank_push", "", 768, 2),
    input("gemm", "SGEMM", 128, 1),
    input("kmeans", "KMeans", 2048, 2),
    input("lu", "LUD", 160, 1),
    input("hotspot3d", "Stencil", 48, 3),
    input("jacobi2d", "Hotspot", 160, 4),
    input("bfs", "BFS-Rodinia", 2048, 64),
    input("rnn", "NN", 96, 4),
    input("stream", "", 16384, 2),
    input("lbm", "LBM", 80, 2),
    input("fft", "", 12, 2),
];

/// The machine is the thesis's.
pub const SCALES: [Scale; 1] = [Scale { by: 1, inputs: &INPUTS, perturbed: 2 }];

/// All results.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Report {
    /// `race-detection`.
    pub paper: &'static str,
    /// `pass`: a report exists only when all values were right, and all runs of machines that
    /// promise it sequentially consistent.
    pub verdict: &'static str,
    /// The thesis's machine is divided by this.
    pub scale: u32,
    /// Seed of all inputs.
    pub seed: u64,
    /// Programs and sizes, and each program on each machine.
    #[serde(flatten)]
    pub runs: Runs,
    /// Of each program, memory instructions of all instructions.
    pub memory_share: BTreeMap<&'static str, f64>,
    /// The figures of the race detection specification, section 11.
    pub figures: Vec<Figure>,
    /// How near they come to the paper's.
    pub score: Score,
}

/// Statistics of L1s and their units, caches, memory, launches and networks.
const KEPT: [&str; 6] = ["l1.", "l2.", "l3.", "memory.", "launch.", "traffic."];

/// Each run's order of accesses is checked too, which takes about a tenth of its time.
const CHECKS: Keep = Keep { values: true, placed: false };

/// Runs the experiment on these inputs, on all threads that there are.
pub fn run(inputs: &[Input], perturbed: u64, attempt: &Attempt) -> Result<Report, Error> {
    let options = Options { sequential: Some(CHECKS), ..Options::default() };
    let points = &points::all()[..];
    let plan = Plan { inputs, points, counters: &KEPT, perturbed, shift: SHIFT, options };
    let experiment = plan.run(attempt)?;
    let share = |input: &Input| {
        let all = Instructions::of(input).map_err(Error::at(input.program))?;
        Ok((input.program, all.memory_share()))
    };
    let memory_share = inputs.iter().map(share).collect::<Result<_, Error>>()?;
    let figures = experiment.figures(|runs| figures::all(runs, &memory_share));
    let (figures, score) = scored(figures, "RD-");
    let (runs, paper, verdict) = (experiment.runs, "race-detection", "pass");
    let scale = SCALES[0].by;
    Ok(Report { paper, verdict, scale, seed: SEED, runs, memory_share, figures, score })
}

/// Lines that L1s have fetched.
fn fetches(record: &Record) -> f64 {
    let [loads, hits, merges] = ["loads", "hits", "merges"].map(|n| l1(record, n));
    loads - hits - merges
}

/// A statistic of the L1s.
fn l1(record: &Record, name: &str) -> f64 {
    record.counter(&format!("l1.{name}"))
}
