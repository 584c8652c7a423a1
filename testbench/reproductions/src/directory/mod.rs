//! REC, J. Systems Architecture 160 (2025), section 5: the full machine with the paper's
//! directories, divided, and programs divided likewise; or at full size.

mod figures;
pub(crate) mod points;
#[cfg(test)]
mod tests;
mod text;

use crate::experiment::{CAPTURE, Error, Input, Point, input};
use crate::figure::Figure;
use crate::paper::{self, Entry, NoDetails, Paper, Published};
use crate::scale::Scale;

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

/// Its results.
pub type Report = paper::Report<Rec>;

/// The paper.
#[derive(Clone, Debug, PartialEq)]
pub struct Rec;

inventory::submit! { Entry::of::<Rec>() }

impl Paper for Rec {
    const NAME: &str = "rec";
    const PRESET: &str = "rec-4gpu";
    // The machine is divided as programs are; or it is the paper's.
    const SCALES: &[Scale] = &[
        Scale { by: points::SCALE, inputs: &INPUTS, perturbed: 2 },
        Scale { by: 1, inputs: &FULL_INPUTS, perturbed: 0 },
    ];
    const COUNTERS: &[&str] = &["l2.", "egress.", "ingress.", "gpu_link."];
    const FIGURES: &str = "R";
    const PUBLISHED: &[Published] = &[Published {
        scale: 1,
        system: "rec-4gpu",
        designs: &[
            ("no-caching", "no-caching"),
            ("baseline", "baseline"),
            ("hmg", "hmg"),
            ("rec", "rec"),
            ("ideal", "ideal"),
        ],
    }];

    type Details = NoDetails;

    fn points(scale: u32) -> Vec<Point> {
        points::all(scale)
    }

    fn details(_inputs: &[Input]) -> Result<Self::Details, Error> {
        Ok(NoDetails {})
    }

    fn figures(report: &Report) -> Vec<Figure> {
        figures::all(&report.runs)
    }
}
