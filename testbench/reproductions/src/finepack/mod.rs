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

use machine::Options;
use schemars::JsonSchema;
use serde::Serialize;

use super::experiment::{Attempt, Error, Input, Plan, Runs, SEED, SHIFT, input};
use super::figure::Figure;
use super::scale::Scale;
use super::score::{Score, scored};
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

/// The machine is divided as programs are.
pub const SCALES: [Scale; 1] = [Scale { by: SCALE, inputs: &INPUTS, perturbed: 0 }];

/// All results.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Report {
    /// `finepack`.
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
    /// The average packet, of stores of 4, 8, 16 and 32 bytes (specification 10, example 4).
    pub average_packet: Vec<BurstBytes>,
    /// Stores of 32, 64 and 128 bytes.
    pub transfers: Vec<BurstBytes>,
    /// Packets of 32 to 64 stores against configuration packets.
    pub config_packets: Vec<BurstBytes>,
    /// The figures of the specification of FinePack, section 11.
    pub figures: Vec<Figure>,
    /// How near they come to the paper's.
    pub score: Score,
}

/// Statistics of gates, links and launches.
const KEPT: [&str; 4] = ["egress.", "ingress.", "gpu_link.", "launch."];

/// Runs the experiment on these inputs, on all threads that there are.
pub fn run(inputs: &[Input], perturbed: u64, attempt: &Attempt) -> Result<Report, Error> {
    let (points, options) = (&points::all()[..], Options::default());
    let plan = Plan { inputs, points, counters: &KEPT, perturbed, shift: SHIFT, options };
    let experiment = plan.run(attempt)?;
    let bursts = |list: &[(u32, u32)]| {
        let each = list.iter().map(|&(count, len)| BurstBytes::measure(count, len));
        each.collect::<Result<Vec<_>, Error>>()
    };
    let mut report = Report {
        paper: "finepack",
        verdict: "pass",
        scale: SCALE,
        seed: SEED,
        runs: experiment.runs.clone(),
        average_packet: bursts(&[4, 8, 16, 32].map(|len| (AVERAGE, len)))?,
        transfers: bursts(&[32, 64, 128].map(|len| (AVERAGE, len)))?,
        config_packets: bursts(&[(32, 40), (AVERAGE, 8), (AVERAGE, 40), (64, 40), (64, 56)])?,
        figures: Vec::new(),
        score: Score::default(),
    };
    let of = |runs: &Runs| figures::all(&Report { runs: runs.clone(), ..report.clone() });
    (report.figures, report.score) = scored(experiment.figures(of), "F");
    Ok(report)
}
