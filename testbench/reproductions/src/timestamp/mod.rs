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

use schemars::JsonSchema;
use serde::Serialize;

use crate::experiment::{Error, Input, Point, input};
use crate::figure::Figure;
use crate::instructions::Instructions;
use crate::paper::{self, Entry, Paper, Published};
use crate::scale::Scale;

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

/// Its results.
pub type Report = paper::Report<Timestamp>;

/// What figures read beside the runs.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Details {
    /// Instructions of each program.
    #[serde(skip)]
    instructions: BTreeMap<&'static str, Instructions>,
}

/// The thesis.
#[derive(Clone, Debug, PartialEq)]
pub struct Timestamp;

inventory::submit! { Entry::of::<Timestamp>() }

impl Paper for Timestamp {
    const NAME: &str = "gtsc";
    const WORK: &str = "thesis";
    const PRESET: &str = "fermi-16sm-8p";
    // The machine is the thesis's.
    const SCALES: &[Scale] = &[Scale { by: 1, inputs: &INPUTS, perturbed: 2 }];
    const COUNTERS: &[&str] = &["cu.", "l1.", "l2.", "l3.", "memory.", "launch.", "traffic."];
    const FIGURES: &str = "GT-";
    const PUBLISHED: &[Published] = &[Published {
        scale: 1,
        system: "fermi-16sm-8p",
        designs: &[
            ("none", "none"),
            ("src", "src"),
            ("tc-strong", "tc-strong"),
            ("tc-weak", "tc-weak"),
            ("gtsc-sc", "gtsc-sc"),
            ("gtsc-rc", "gtsc-rc"),
        ],
    }];

    type Details = Details;

    fn points(_scale: u32) -> Vec<Point> {
        points::all()
    }

    fn details(inputs: &[Input]) -> Result<Self::Details, Error> {
        let count = |input: &Input| {
            let all = Instructions::of(input).map_err(Error::at(input.program))?;
            Ok((input.program, all))
        };
        let instructions = inputs.iter().map(count).collect::<Result<_, Error>>()?;
        Ok(Details { instructions })
    }

    fn figures(report: &Report) -> Vec<Figure> {
        figures::all(&report.runs, &report.details.instructions)
    }
}
