//! REC, J. Systems Architecture 160 (2025), section 5: the full machine with the paper's
//! directories, divided by [`SCALE`], and programs divided likewise.

mod figures;
mod points;
#[cfg(test)]
mod tests;
mod text;

use machine::Options;
use schemars::JsonSchema;
use serde::Serialize;

use super::experiment::{Attempt, CAPTURE, Error, Input, Plan, Runs, SEED, input};
use super::figure::Figure;
use super::scale::Scale;
use super::score::{Score, scored};
use points::SCALE;

/// Inputs of `duet reproduce rec` (chosen): what the caches of a GPU hold several times, while the
/// whole takes a minute or two.
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

/// The machine is divided as programs are.
pub const SCALES: [Scale; 1] = [Scale { by: SCALE, perturbed: 0 }];

/// All results.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Report {
    /// `rec`.
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
    /// The figures of the directory specification, section 11.
    pub figures: Vec<Figure>,
    /// How near they come to the paper's.
    pub score: Score,
}

/// Statistics of L2s, directories and links.
const KEPT: [&str; 4] = ["l2.", "egress.", "ingress.", "gpu_link."];

/// Runs the experiment on these inputs, on all threads that there are.
pub fn run(inputs: &[Input], perturbed: u64, attempt: &Attempt) -> Result<Report, Error> {
    let (points, options) = (&points::all()[..], Options::default());
    let plan = Plan { inputs, points, counters: &KEPT, perturbed, options };
    let experiment = plan.run(attempt)?;
    let (figures, score) = scored(experiment.figures(figures::all), "R");
    let runs = experiment.runs;
    Ok(Report { paper: "rec", verdict: "pass", scale: SCALE, seed: SEED, runs, figures, score })
}
