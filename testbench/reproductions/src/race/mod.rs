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

use crate::experiment::{Error, Input, Point, Record, input};
use crate::figure::Figure;
use crate::instructions::Instructions;
use crate::paper::{self, Entry, Paper, Published};
use crate::scale::Scale;

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

/// Each run's order of accesses is checked too, which takes about a tenth of its time.
const CHECKS: Keep = Keep { values: true, placed: false };

/// Its results.
pub type Report = paper::Report<Race>;

/// Results beside the runs.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Details {
    /// Of each program, memory instructions of all instructions.
    pub memory_share: BTreeMap<&'static str, f64>,
}

/// The thesis.
#[derive(Clone, Debug, PartialEq)]
pub struct Race;

inventory::submit! { Entry::of::<Race>() }

impl Paper for Race {
    const NAME: &str = "race-detection";
    const WORK: &str = "thesis";
    const PRESET: &str = "fermi-16sm";
    // The machine is the thesis's.
    const SCALES: &[Scale] = &[Scale { by: 1, inputs: &INPUTS, perturbed: 2 }];
    const COUNTERS: &[&str] = &["l1.", "l2.", "l3.", "memory.", "launch.", "traffic."];
    const FIGURES: &str = "RD-";
    const CHECKED: &str = ", sequentially consistent";
    const PUBLISHED: &[Published] = &[Published {
        scale: 1,
        system: "fermi-16sm",
        designs: &[
            ("base", "race-base"),
            ("nospec-8k", "race-nospec"),
            ("block-8k", "race-spec"),
            ("ideal-8k", "race-ideal"),
        ],
    }];

    type Details = Details;

    fn options() -> Options {
        Options { sequential: Some(CHECKS), ..Options::default() }
    }

    fn points(_scale: u32) -> Vec<Point> {
        points::all()
    }

    fn details(inputs: &[Input]) -> Result<Self::Details, Error> {
        let share = |input: &Input| {
            let all = Instructions::of(input).map_err(Error::at(input.program))?;
            Ok((input.program, all.memory_share()))
        };
        let memory_share = inputs.iter().map(share).collect::<Result<_, Error>>()?;
        Ok(Details { memory_share })
    }

    fn figures(report: &Report) -> Vec<Figure> {
        figures::all(&report.runs, &report.details.memory_share)
    }
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
