//! REC, J. Systems Architecture 160 (2025), section 5: the full machine with the paper's
//! directories, divided, and programs divided likewise; or at full size.

mod figures;
pub(crate) mod points;
#[cfg(test)]
mod tests;
mod text;

use machine::Options;
use schemars::JsonSchema;
use serde::Serialize;

use super::experiment::{Attempt, CAPTURE, Error, Input, Plan, Runs, SEED, SHIFT, input};
use super::figure::Figure;
use super::scale::Scale;
use super::score::{Score, scored};

/// Inputs at scale 64 (chosen): what a GPU reads and writes of a program is 1 to 2 times what its
/// L2 holds, so lines stay there until somebody takes them away. Of inputs several times as large
/// most lines go for want of room, and no directory changes that (docs/measurements.md).
const INPUTS: [Input; 11] = [
    input("fft", "ATAX", 12, 1),
    input("gemm", "GEMM, MM2, MM3", 80, 2),
    input("rnn", "GEMV", 80, 4),
    input("jacobi2d", "J2D", 144, 4),
    input("lu", "LU", 128, 1),
    input("pagerank", "PR", 1536, 3),
    input("hotspot3d", "ST", 32, 3),
    input("als", "", 512, 1),
    input("sssp", "", 1024, 64),
    input("reuse", "", 6144, 10),
    input(CAPTURE, "", 0, 0),
];

/// The machine is divided as programs are; or it is the paper's.
pub const SCALES: [Scale; 2] = [
    Scale { by: points::SCALE, inputs: &INPUTS, perturbed: 0 },
    Scale { by: 1, inputs: &FULL_INPUTS, perturbed: 0 },
];

/// Inputs at full size (chosen): as near to the footprints of the paper's table 3 as a run of a
/// minute or two and memory of 1 GB allow. `fft`, `jacobi2d` and `hotspot3d` have 96 to 128 MB, as
/// ATAX, J2D and ST; a product or LU of 128 MB has some hundred times the accesses of the one here.
const FULL_INPUTS: [Input; 10] = [
    input("fft", "ATAX", 22, 1),
    input("gemm", "GEMM, MM2, MM3", 1024, 1),
    input("rnn", "GEMV", 2048, 2),
    input("jacobi2d", "J2D", 4096, 2),
    input("lu", "LU", 1024, 1),
    input("pagerank", "PR", 524_288, 2),
    input("hotspot3d", "ST", 1152, 2),
    input("als", "", 131_072, 1),
    input("sssp", "", 65_536, 64),
    input("reuse", "", 262_144, 10),
];

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

/// Runs the experiment at a scale on these inputs, on all threads that there are.
pub fn run(
    scale: u32,
    inputs: &[Input],
    perturbed: u64,
    attempt: &Attempt,
) -> Result<Report, Error> {
    let (points, options) = (&points::all(scale)[..], Options::default());
    let plan = Plan { inputs, points, counters: &KEPT, perturbed, shift: SHIFT, options };
    let experiment = plan.run(attempt)?;
    let (figures, score) = scored(experiment.figures(figures::all), "R");
    let runs = experiment.runs;
    Ok(Report { paper: "rec", verdict: "pass", scale, seed: SEED, runs, figures, score })
}
