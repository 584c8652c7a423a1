//! FinePack, HPCA'23, section VI: programs in the kind of section V on one GPU and on four that
//! keep copies of what the others compute, through each egress path, and on 16 GPUs; the paper's
//! machines, divided by [`SCALE`].

mod burst;
mod figures;
pub(crate) mod points;
mod storage;
#[cfg(test)]
mod tests;
mod text;

use schemars::JsonSchema;
use serde::Serialize;

use crate::experiment::{Error, Input, Point, input};
use crate::figure::Figure;
use crate::paper::{self, Entry, Paper, Published};
use crate::scale::Scale;
use burst::BurstBytes;
use points::SCALE;

/// Stores of a packet in the short runs: the paper's average (section VI-A).
const AVERAGE: u32 = 42;

/// Inputs of `duet reproduce finepack` (chosen): kernels of one GPU take several times as long as
/// their launch, the whole takes a minute or two.
pub const INPUTS: [Input; 8] = [
    input("jacobi_band", "Jacobi", 8192, 2),
    input("pagerank_cage", "Pagerank", 24576, 2),
    input("sssp_pull", "SSSP", 8192, 2),
    input("als", "ALS", 12288, 1),
    input("tomography", "CT", 16384, 2),
    input("earthquake", "EQWP", 64, 2),
    input("diffusion", "Diffusion", 64, 2),
    input("turbulence", "HIT", 768, 1),
];

/// Its results.
pub type Report = paper::Report<FinePack>;

/// Results beside the runs.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Details {
    /// The average packet, of stores of 4, 8, 16 and 32 bytes (specification 10, example 4).
    pub average_packet: Vec<BurstBytes>,
    /// Stores of 32, 64 and 128 bytes.
    pub transfers: Vec<BurstBytes>,
    /// Packets of 32 to 64 stores against configuration packets.
    pub config_packets: Vec<BurstBytes>,
}

/// The paper.
#[derive(Clone, Debug, PartialEq)]
pub struct FinePack;

inventory::submit! { Entry::of::<FinePack>() }

impl Paper for FinePack {
    const NAME: &str = "finepack";
    const PRESET: &str = "finepack-4gpu";
    // The machine is divided as programs are.
    const SCALES: &[Scale] = &[Scale { by: SCALE, inputs: &INPUTS, perturbed: 2 }];
    const COUNTERS: &[&str] = &["egress.", "ingress.", "gpu_link.", "launch."];
    const FIGURES: &str = "F";
    const PUBLISHED: &[Published] = &[Published {
        scale: SCALE,
        system: "finepack-4gpu-small",
        designs: &[
            ("p2p", "p2p"),
            ("write-combine", "write-combine"),
            ("finepack", "finepack"),
            ("dma", "dma"),
            ("gps", "gps"),
            ("config-packet", "config-packet"),
            ("infinite", "infinite"),
        ],
    }];

    type Details = Details;

    fn points(_scale: u32) -> Vec<Point> {
        points::all()
    }

    fn details(_inputs: &[Input]) -> Result<Self::Details, Error> {
        let bursts = |list: &[(u32, u32)]| {
            let each = list.iter().map(|&(count, len)| BurstBytes::measure(count, len));
            each.collect::<Result<Vec<_>, Error>>()
        };
        Ok(Details {
            average_packet: bursts(&[4, 8, 16, 32].map(|len| (AVERAGE, len)))?,
            transfers: bursts(&[32, 64, 128].map(|len| (AVERAGE, len)))?,
            config_packets: bursts(&[(32, 40), (AVERAGE, 8), (AVERAGE, 40), (64, 40), (64, 56)])?,
        })
    }

    fn figures(report: &Report) -> Vec<Figure> {
        figures::all(report)
    }
}
