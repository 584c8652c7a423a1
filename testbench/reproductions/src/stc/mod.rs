//! STC, TACO 20(3) art. 33, 2023, sections 6 and 7: the paper's machine with its four designs, with
//! release consistency by software and without L1s, and what its sensitivity analysis changes.

mod figures;
pub(crate) mod points;
#[cfg(test)]
mod tests;
mod text;

use machine::Options;
use schemars::JsonSchema;
use serde::Serialize;

use super::experiment::{Attempt, Error, Input, Plan, Runs, SEED, SHIFT, input};
use super::figure::Figure;
use super::scale::Scale;
use super::score::{Score, scored};

/// Inputs of `duet reproduce stc` (chosen): about what the L1s hold together (512 KB), or twice as
/// much where kernels would be much shorter than 10,000 cycles beside their launches; no rows of a
/// power of 2, which meet in few sets of an L1. The whole takes some minutes.
pub const INPUTS: [Input; 12] = [
    input("copy", "vec-cpy", 131072, 4),
    input("reuse", "cache-reuse", 8192, 10),
    input("multigrid", "hpgmg", 240, 1),
    input("hotspot3d", "lulesh", 88, 6),
    input("jacobi2d", "lulesh", 304, 6),
    input("bfs", "bc", 2048, 64),
    input("sssp", "", 512, 64),
    input("pagerank", "", 8192, 3),
    input("lu", "", 208, 1),
    input("fft", "fft", 14, 2),
    input("gemm", "dgemm", 208, 2),
    input("locks", "fg-share", 128, 2),
];

/// The machine is the paper's.
pub const SCALES: [Scale; 1] = [Scale { by: 1, inputs: &INPUTS, perturbed: 2 }];

/// All results.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Report {
    /// `stc`.
    pub paper: &'static str,
    /// `pass`: a report exists only when all values were right.
    pub verdict: &'static str,
    /// The paper's machine is divided by this.
    pub scale: u32,
    /// Seed of all inputs.
    pub seed: u64,
    /// Programs and sizes, and each program on each machine.
    #[serde(flatten)]
    pub runs: Runs,
    /// The figures of the STC specification, section 11.
    pub figures: Vec<Figure>,
    /// How near they come to the paper's.
    pub score: Score,
}

/// Statistics of L1s and their units, launches and networks.
const KEPT: [&str; 4] = ["l1.", "l2.", "launch.", "traffic."];

/// Runs the experiment on these inputs, on all threads that there are.
pub fn run(inputs: &[Input], perturbed: u64, attempt: &Attempt) -> Result<Report, Error> {
    let (points, options) = (&points::all()[..], Options::default());
    let plan = Plan { inputs, points, counters: &KEPT, perturbed, shift: SHIFT, options };
    let experiment = plan.run(attempt)?;
    let (figures, score) = scored(experiment.figures(figures::all), "S");
    let runs = experiment.runs;
    let (paper, verdict, scale) = ("stc", "pass", SCALES[0].by);
    Ok(Report { paper, verdict, scale, seed: SEED, runs, figures, score })
}
