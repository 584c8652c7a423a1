//! The runs behind the figures: all workloads through all paths, and the sweeps.

use machine::egress_path::PathKind;
use ports::common::finepack_types::{FinePack, offset_bits};
use schemars::JsonSchema;
use serde::Serialize;
use traces::workloads::{self, Params};

use super::burst::Burst;
use super::egress_run::{Record, RunError, Setup};

/// Seed of all inputs.
pub(super) const SEED: u64 = 1;

/// Size of one workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Input {
    /// Workload, one of [`workloads::NAMES`].
    pub workload: &'static str,
    /// Vertices or rows.
    pub size: usize,
    /// Most iterations.
    pub iterations: u32,
}

impl Input {
    /// Runs it through `path` with these parameters.
    pub fn run(&self, setup: &Setup, path: PathKind) -> Result<Record, RunError> {
        let FinePack { num_gpus, line, .. } = setup.parameters;
        let (gpus, size, iterations) = (num_gpus as usize, self.size, self.iterations);
        let params = Params { gpus, size, iterations, seed: SEED, line };
        let mut workload = workloads::by_name(self.workload, &params).expect("a name of the list");
        setup.run(path, workload.as_mut())
    }
}

/// Runs with one value of a parameter.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Point {
    /// The value.
    pub value: u32,
    /// Bytes of a line.
    pub line: u32,
    /// One for each workload and path.
    pub records: Vec<Record>,
}

/// The run of `workload` through `path`.
pub(super) fn find<'a>(records: &'a [Record], workload: &str, path: PathKind) -> &'a Record {
    let found = records.iter().find(|r| r.workload == workload && r.path == path);
    found.expect("every workload was run through this path")
}

/// All `inputs` through all `paths`.
pub(super) fn all(
    setup: &Setup,
    inputs: &[Input],
    paths: &[PathKind],
) -> Result<Vec<Record>, RunError> {
    let pairs = inputs.iter().flat_map(|input| paths.iter().map(move |path| (input, *path)));
    pairs.map(|(input, path)| input.run(setup, path)).collect()
}

/// FinePack with sub-headers of 2 to 6 bytes. With 2 bytes the window is 64 B, so lines are too.
pub(super) fn sub_headers(setup: &Setup, inputs: &[Input]) -> Result<Vec<Point>, RunError> {
    let point = |sub_header_bytes: u32| {
        let mut setup = setup.clone();
        let p = &mut setup.parameters;
        (p.sub_header_bytes, p.offset_width) = (sub_header_bytes, offset_bits(sub_header_bytes));
        p.line = p.line.min(1 << p.offset_width.min(7));
        let line = p.line;
        Ok(Point {
            value: sub_header_bytes,
            line,
            records: all(&setup, inputs, &[PathKind::FinePack])?,
        })
    };
    (2..=6).map(point).collect()
}

/// Parameters for a PCIe generation: beats as wide as the link is fast, so that it is the limit.
pub(super) fn generation(setup: &Setup, pcie_generation: u32) -> Setup {
    let mut setup = setup.clone();
    setup.parameters.pcie_generation = pcie_generation;
    setup.parameters.beat = 2 << pcie_generation;
    setup
}

/// Generations 4, 5 and 6.
pub(super) fn bandwidths(setup: &Setup, inputs: &[Input]) -> Result<Vec<Point>, RunError> {
    use PathKind::{Dma, FinePack, Infinite, P2p, WriteCombine};
    let point = |pcie_generation| {
        let setup = generation(setup, pcie_generation);
        let records = all(&setup, inputs, &[P2p, WriteCombine, FinePack, Dma, Infinite])?;
        Ok(Point { value: pcie_generation, line: setup.parameters.line, records })
    };
    (4..=6).map(point).collect()
}

/// 16 GPUs on links of generation 6.
pub(super) fn sixteen_gpus(setup: &Setup, inputs: &[Input]) -> Result<Vec<Record>, RunError> {
    let mut setup = generation(setup, 6);
    setup.parameters.num_gpus = 16;
    all(&setup, inputs, &[PathKind::P2p, PathKind::FinePack, PathKind::Dma])
}

/// Stores of one length, and the wire bytes of the TLPs that carry them: without the MARK.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BurstBytes {
    /// Stores.
    pub count: u32,
    /// Bytes of each.
    pub len: u32,
    /// Through `p2p`.
    pub p2p: u64,
    /// Through `finepack`.
    pub finepack: u64,
    /// Through `config-packet`.
    pub config_packet: u64,
    /// TLPs that carry them, through `finepack`.
    pub packets: u64,
    /// Comparisons of a whole memory with the expected one.
    pub memories_compared: u64,
    /// Sub-packet bytes of the stores: data and sub-headers, through `config-packet`.
    pub sub_packets: u64,
}

impl BurstBytes {
    /// Sends `count` stores of `len` bytes through the three paths.
    pub fn measure(setup: &Setup, count: u32, len: u32) -> Result<Self, RunError> {
        let FinePack { num_gpus, line, .. } = setup.parameters;
        let send = |path| setup.run(path, &mut Burst::new(num_gpus as usize, count, len, line));
        let (p2p, finepack) = (send(PathKind::P2p)?, send(PathKind::FinePack)?);
        let config = send(PathKind::ConfigPacket)?;
        Ok(Self {
            count,
            len,
            p2p: p2p.wire.stores,
            finepack: finepack.wire.stores,
            config_packet: config.wire.stores,
            packets: finepack.packets,
            memories_compared: [&p2p, &finepack, &config].map(|r| r.memories_compared).iter().sum(),
            sub_packets: config.wire.data + config.wire.sub_headers,
        })
    }

    /// Stored bytes.
    pub fn data(&self) -> u64 {
        u64::from(self.count) * u64::from(self.len)
    }

    /// Bytes that `config-packet` adds to each sub-packet, beside its configuration packet of
    /// `context` bytes.
    pub fn config_packet_extra(&self, context: u64) -> f64 {
        (self.config_packet - context - self.sub_packets) as f64 / f64::from(self.count)
    }

    /// Goodput of packed stores over that of raw ones.
    pub fn gain(&self) -> f64 {
        self.p2p as f64 / self.finepack as f64
    }

    /// Share of the wire bytes of `p2p` that is data.
    pub fn p2p_goodput(&self) -> f64 {
        self.data() as f64 / self.p2p as f64
    }

    /// Share of the wire bytes of `config-packet` that FinePack saves.
    pub fn config_packet_loss(&self) -> f64 {
        1.0 - self.finepack as f64 / self.config_packet as f64
    }
}
