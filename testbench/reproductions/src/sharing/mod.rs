//! Sharing-aware scheduling and caching, Tabbakh's thesis (2018), section 2.6: the thesis's GPU
//! with each scheduler of work-groups, with and without the policies of L1s and L2s.

mod figures;
mod locality;
pub(crate) mod points;
#[cfg(test)]
mod tests;
mod text;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::experiment::{Error, Input, Point, input};
use crate::figure::Figure;
use crate::paper::{self, Entry, Paper, Published};
use crate::scale::Scale;
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

/// Its results.
pub type Report = paper::Report<Sharing>;

/// Results beside the runs.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Details {
    /// Of each program, what its work-groups share.
    pub locality: BTreeMap<&'static str, Locality>,
}

/// The thesis.
#[derive(Clone, Debug, PartialEq)]
pub struct Sharing;

inventory::submit! { Entry::of::<Sharing>() }

impl Paper for Sharing {
    const NAME: &str = "sharing-aware";
    const WORK: &str = "thesis";
    const PRESET: &str = "fermi-15sm";
    // The machine is the thesis's.
    const SCALES: &[Scale] = &[Scale { by: 1, inputs: &INPUTS, perturbed: 2 }];
    const COUNTERS: &[&str] =
        &["cu.", "scheduler.", "l1.", "l2.", "l3.", "memory.", "launch.", "traffic."];
    const FIGURES: &str = "SA-";
    const PUBLISHED: &[Published] = &[Published {
        scale: 1,
        system: "fermi-15sm",
        designs: &[
            ("base", "base"),
            ("bcs", "bcs"),
            ("qx_adpt", "qx_adpt"),
            ("qx_adpt+mgt", "sharing-aware"),
        ],
    }];

    type Details = Details;

    fn points(_scale: u32) -> Vec<Point> {
        points::all()
    }

    fn details(inputs: &[Input]) -> Result<Self::Details, Error> {
        let of = |input: &Input| {
            Ok((input.program, Locality::of(input).map_err(Error::at(input.program))?))
        };
        let locality = inputs.iter().map(of).collect::<Result<_, Error>>()?;
        Ok(Details { locality })
    }

    fn figures(report: &Report) -> Vec<Figure> {
        figures::all(&report.runs, &report.details.locality)
    }
}
