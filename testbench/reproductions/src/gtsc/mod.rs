//! Timestamp coherence, Tabbakh's thesis (2018), section 3.6: the thesis's GPU with G-TSC and TC,
//! each sequentially and release consistent, without L1s, and with L1s that nothing keeps coherent
//! within a kernel.

mod figures;
mod inputs;
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
use super::instructions::Instructions;
use super::scale::Scale;
use super::score::{Score, scored};

/// Inputs of `duet reproduce gtsc` (chosen): data of about what the L1s hold together (256 KB),
/// from half to three times as much; what waits for flags or locks, and graphs, less. The programs
/// of [`SHARING`] come first.
pub const INPUTS: [Input; 12] = [
    input("barnes_hut", "BH", 512, 1),
    input("work_queue", "DLB", 2048, 8),
    input("wave", "STN", 128, 6),
    input("bfs", "BFS", 2048, 64),
    input("colouring", "", 1024, 64),
    input("spanning_tree", "", 1024, 64),
    input("gaussian", "GE", 128, 1),
    input("hotspot", "HS", 256, 4),
    input("kmeans", "KM", 2048, 2),
    input("backprop", "BP", 4096, 1),
    input("gemm", "SGM", 192, 1),
    input("hotspot3d", "", 48, 3),
];

/// Programs whose work-groups share data within a kernel, as the thesis's coherence benchmarks; it
/// gives most of its figures for these, and for the others.
pub const SHARING: [&str; 6] =
    ["barnes_hut", "work_queue", "wave", "bfs", "colouring", "spanning_tree"];

/// The machine is the thesis's.
pub const SCALES: [Scale; 1] = [Scale { by: 1, inputs: &INPUTS, perturbed: 2 }];

/// All results.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Report {
    /// `gtsc`.
    pub paper: &'static str,
    /// `pass`: a report exists only when all values were right, and logical time explained all
    /// accesses under G-TSC.
    pub verdict: &'static str,
    /// The thesis's machine is divided by this.
    pub scale: u32,
    /// Seed of all inputs.
    pub seed: u64,
    /// Programs and sizes, and each program on each machine.
    #[serde(flatten)]
    pub runs: Runs,
    /// The figures of the G-TSC specification, section 11.
    pub figures: Vec<Figure>,
    /// How near they come to the thesis's.
    pub score: Score,
}

/// Statistics of CUs, caches, memory, launches and networks.
const KEPT: [&str; 7] = ["cu.", "l1.", "l2.", "l3.", "memory.", "launch.", "traffic."];

/// Runs the experiment on these inputs, on all threads that there are.
pub fn run(inputs: &[Input], perturbed: u64, attempt: &Attempt) -> Result<Report, Error> {
    let (points, options) = (&points::all()[..], Options::default());
    let plan = Plan { inputs, points, counters: &KEPT, perturbed, shift: SHIFT, options };
    let experiment = plan.run(attempt)?;
    let count = |input: &Input| {
        let all = Instructions::of(input).map_err(Error::at(input.program))?;
        Ok((input.program, all))
    };
    let instructions = inputs.iter().map(count).collect::<Result<BTreeMap<_, _>, Error>>()?;
    let figures = experiment.figures(|runs| figures::all(runs, &instructions));
    let (figures, score) = scored(figures, "GT-");
    let (paper, verdict, scale) = ("gtsc", "pass", SCALES[0].by);
    Ok(Report { paper, verdict, scale, seed: SEED, runs: experiment.runs, figures, score })
}
