//! FinePack, HPCA'23, section VI: the paper's system without its GPUs' compute time and caches.
//!
//! All GPUs run the kernels of an iteration at the same time and offer one store per cycle
//! (chosen); the next iteration starts when all releases are done. So cycles are those of
//! communication.

pub mod burst;
pub mod egress_run;
mod figures;
mod storage;
pub mod sweeps;
#[cfg(test)]
mod tests;
mod text;
mod traffic;

use hwmodel::tlp_link::LINK_LAT;
use machine::egress_path::PathKind;
use ports::common::finepack_types::FinePack;
use schemars::JsonSchema;
use serde::Serialize;

use super::figure::Figure;
use super::scale::Scale;
use super::score::{Score, scored};
use egress_run::{Record, RunError, Setup};
use sweeps::{BurstBytes, Input, Point};

/// Stores of a packet in the short runs: the paper's average (section VI-A).
const AVERAGE: u32 = 42;

/// The named configuration that the experiment is made on.
pub const CONFIG: &str = "paper";

/// Inputs of `duet reproduce finepack` (chosen): the kernels are much longer than the latency of a
/// link, the whole takes less than a minute. The paper's graphs have millions of vertices.
pub const INPUTS: [Input; 3] = [
    Input { workload: "pagerank", size: 1 << 17, iterations: 4 },
    Input { workload: "jacobi", size: 1 << 14, iterations: 8 },
    Input { workload: "sssp", size: 1 << 16, iterations: 16 },
];

/// The system's GPUs and links are as many and as fast as the paper's.
pub const SCALES: [Scale; 1] = [Scale { by: 1, perturbed: 0 }];

/// All results.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Report {
    /// `finepack`.
    pub paper: &'static str,
    /// `pass`: a report exists only when all memories were right.
    pub verdict: &'static str,
    /// Parameters of the blocks.
    #[schemars(with = "std::collections::BTreeMap<String, u32>")]
    pub parameters: FinePack,
    /// Cycles.
    pub link_latency: u32,
    /// The paper's machine is divided by this.
    pub scale: u32,
    /// Workloads and sizes.
    pub inputs: Vec<Input>,
    /// Seed of all inputs.
    pub seed: u64,
    /// Whole memories that were compared with the expected ones and equal.
    pub memories_compared: u64,
    /// Each workload through each path.
    pub records: Vec<Record>,
    /// FinePack with sub-headers of 2 to 6 bytes.
    pub sub_headers: Vec<Point>,
    /// Generations 4 to 6.
    pub bandwidths: Vec<Point>,
    /// 16 GPUs, generation 6.
    pub sixteen_gpus: Vec<Record>,
    /// The average packet, of stores of 4, 8, 16 and 32 bytes (specification 10, example 4).
    pub average_packet: Vec<BurstBytes>,
    /// Stores of 32, 64 and 128 bytes.
    pub transfers: Vec<BurstBytes>,
    /// Packets of 32 to 64 stores against configuration packets.
    pub config_packets: Vec<BurstBytes>,
    /// The figures of specification 11.
    pub figures: Vec<Figure>,
    /// How near they come to the paper's.
    pub score: Score,
}

impl Report {
    /// The run of `workload` through `path`.
    pub fn record(&self, workload: &str, path: PathKind) -> &Record {
        sweeps::find(&self.records, workload, path)
    }
}

/// Runs the experiment on these parameters and inputs.
pub fn run(parameters: &FinePack, inputs: &[Input]) -> Result<Report, RunError> {
    let setup = Setup { parameters: parameters.clone(), link_latency: LINK_LAT };
    let burst = |(count, len)| BurstBytes::measure(&setup, count, len);
    let bursts = |list: &[(u32, u32)]| list.iter().copied().map(burst).collect::<Result<_, _>>();
    let mut report = Report {
        paper: "finepack",
        verdict: "pass",
        parameters: parameters.clone(),
        link_latency: LINK_LAT,
        scale: SCALES[0].by,
        inputs: inputs.to_vec(),
        seed: sweeps::SEED,
        memories_compared: 0,
        records: sweeps::all(&setup, inputs, &PathKind::ALL)?,
        sub_headers: sweeps::sub_headers(&setup, inputs)?,
        bandwidths: sweeps::bandwidths(&setup, inputs)?,
        sixteen_gpus: sweeps::sixteen_gpus(&setup, inputs)?,
        average_packet: bursts(&[(AVERAGE, 4), (AVERAGE, 8), (AVERAGE, 16), (AVERAGE, 32)])?,
        transfers: bursts(&[(AVERAGE, 32), (AVERAGE, 64), (AVERAGE, 128)])?,
        config_packets: bursts(&[(32, 40), (AVERAGE, 8), (AVERAGE, 40), (64, 40), (64, 56)])?,
        figures: Vec::new(),
        score: Score::default(),
    };
    let points = report.sub_headers.iter().chain(&report.bandwidths);
    let records =
        points.flat_map(|p| &p.records).chain(&report.records).chain(&report.sixteen_gpus);
    let bursts =
        report.average_packet.iter().chain(&report.transfers).chain(&report.config_packets);
    report.memories_compared = records.map(|r| r.memories_compared).sum::<u64>()
        + bursts.map(|b| b.memories_compared).sum::<u64>();
    (report.figures, report.score) = scored(figures::all(&report), "F");
    Ok(report)
}
