//! STC, TACO 20(3) art. 33, 2023, sections 6 and 7: the paper's machine with its four designs, with
//! release consistency by software and without L1s, and what its sensitivity analysis changes.

mod figures;
pub(crate) mod points;
#[cfg(test)]
mod tests;
mod text;

use crate::experiment::{Error, Input, Point, input};
use crate::figure::Figure;
use crate::paper::{self, Entry, NoDetails, Paper, Published};
use crate::scale::Scale;

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

/// Its results.
pub type Report = paper::Report<Stc>;

/// The paper.
#[derive(Clone, Debug, PartialEq)]
pub struct Stc;

inventory::submit! { Entry::of::<Stc>() }

impl Paper for Stc {
    const NAME: &str = "stc";
    const PRESET: &str = "stc-8cu";
    // The machine is the paper's.
    const SCALES: &[Scale] = &[Scale { by: 1, inputs: &INPUTS, perturbed: 2 }];
    const COUNTERS: &[&str] = &["l1.", "l2.", "launch.", "traffic."];
    const FIGURES: &str = "S";
    const PUBLISHED: &[Published] = &[Published {
        scale: 1,
        system: "stc-8cu",
        designs: &[
            ("none-lines", "none"),
            ("src-lines", "src"),
            ("nv", "stc-nv"),
            ("es", "stc-es"),
            ("ab", "stc-ab"),
            ("mb", "stc-mb"),
        ],
    }];

    type Details = NoDetails;

    fn points(_scale: u32) -> Vec<Point> {
        points::all()
    }

    fn details(_inputs: &[Input]) -> Result<Self::Details, Error> {
        Ok(NoDetails {})
    }

    fn figures(report: &Report) -> Vec<Figure> {
        figures::all(&report.runs)
    }
}
