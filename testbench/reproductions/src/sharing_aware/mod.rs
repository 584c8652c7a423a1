//! Sharing-aware scheduling and caching, Tabbakh's thesis (2018), section 2.6: the thesis's GPU
//! with each scheduler of work-groups, with and without the policies of L1s and L2s.

mod figures;
mod locality;
pub(crate) mod points;
#[cfg(test)]
mod tests;
mod text;

use std::collections::BTreeMap;

use machine::Options;
use schemars::JsonSchema;
use serde::Serialize;

use super::experiment::{Attempt, Error, Input, Plan, Runs, SEED, SHIFT, input};
use super::figure::Figure;
use super::scale::Scale;
use super::score::{Score, scored};
use locality::Locality;

/// Inputs of `duet reproduce sharing-aware` (chosen), as many as the thesis has benchmarks, then
/// [`PRIVATE`]. Their data are up to three times an L2; most grids of two and three dimensions have
/// at least as many rows of work-groups as there are SMs. A row is no multiple of all banks' lines:
/// SMs with a row each would take turns at one bank.
pub const INPUTS: [Input; 21] = [
    input("backprop", "Backprop", 8192, 1),
    input("bfs", "BFS", 4096, 64),
    input("btree", "Btree", 128, 1),
    input("cnn", "NN", 24, 1),
    input("dwt2d", "", 250, 3),
    input("gaussian", "Gaussian", 64, 1),
    input("gemm", "SGEMM", 272, 1),
    input("hotspot", "Hotspot", 290, 4),
    input("hotspot3d", "", 72, 2),
    input("kmeans", "KMeans", 8192, 2),
    input("lbm", "LBM", 140, 2),
    input("lu", "LUD", 250, 1),
    input("nw", "NW", 260, 1),
    input("pathfinder", "Pathfinder", 16384, 24),
    input("srad", "SRAD", 250, 2),
    input("diffusion", "Stencil", 50, 2),
    input("jacobi2d", "", 330, 2),
    input("wave", "WP", 250, 2),
    input("tomography", "MRI-Q", 4096, 1),
    input("fft", "", 14, 1),
    input(PRIVATE, "", 1024, 2),
];

/// The program with private memory; it stands for none of the thesis's, and is in no mean.
pub const PRIVATE: &str = "spills";

/// The machine is the thesis's.
pub const SCALES: [Scale; 1] = [Scale { by: 1, inputs: &INPUTS, perturbed: 2 }];

/// All results.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Report {
    /// `sharing-aware`.
    pub paper: &'static str,
    /// `pass`: a report exists only when all values were right.
    pub verdict: &'static str,
    /// The thesis's machine is divided by this.
    pub scale: u32,
    /// Seed of all inputs.
    pub seed: u64,
    /// Programs and sizes, and each program on each machine.
    #[serde(flatten)]
    pub runs: Runs,
    /// Of each program, what its work-groups share.
    pub locality: BTreeMap<&'static str, Locality>,
    /// The figures of the sharing-aware specification, section 11.
    pub figures: Vec<Figure>,
    /// How near they come to the thesis's.
    pub score: Score,
}

/// Statistics of CUs, schedulers, caches, memory, launches and networks.
const KEPT: [&str; 8] =
    ["cu.", "scheduler.", "l1.", "l2.", "l3.", "memory.", "launch.", "traffic."];

/// Runs the experiment on these inputs, on all threads that there are.
pub fn run(inputs: &[Input], perturbed: u64, attempt: &Attempt) -> Result<Report, Error> {
    let (points, options) = (&points::all()[..], Options::default());
    let plan = Plan { inputs, points, counters: &KEPT, perturbed, shift: SHIFT, options };
    let experiment = plan.run(attempt)?;
    let of =
        |input: &Input| Ok((input.program, Locality::of(input).map_err(Error::at(input.program))?));
    let locality = inputs.iter().map(of).collect::<Result<BTreeMap<_, _>, Error>>()?;
    let figures = experiment.figures(|runs| figures::all(runs, &locality));
    let (figures, score) = scored(figures, "SA-");
    let (paper, verdict, scale) = ("sharing-aware", "pass", SCALES[0].by);
    let runs = experiment.runs;
    Ok(Report { paper, verdict, scale, seed: SEED, runs, locality, figures, score })
}
