//! Multi-GPU programs that push updates to replicas in other GPUs by peer-to-peer stores (FinePack,
//! HPCA'23, sections III and V). They are run for real on the host: each GPU reads its own replica
//! only, so a result is right only if the stores are.
//!
//! Vertices or rows are split into blocks, one for each GPU. One iteration is one kernel per GPU;
//! the stores of a warp of 32 lanes are coalesced for each line, and RELEASE_SYS ends the kernel.
//! Data lies at the same virtual addresses in every GPU. Inputs are synthetic and depend on the
//! seed only. Nothing holds more than one iteration's requests.

mod exchange;
mod graph;
mod jacobi;
mod pagerank;
mod partition;
mod replica;
mod rng;
mod sssp;
#[cfg(test)]
mod tests;
mod warp;

use std::ops::Range;

use ports::common::finepack_types::Req;

pub use graph::{Edge, Graph};
pub use jacobi::Jacobi;
pub use pagerank::PageRank;
pub use partition::Partition;
pub use replica::{BASE, Replica, apply_copies};
pub use rng::SplitMix64;
pub use sssp::{Sssp, UNREACHED};

/// Lanes of a warp.
pub const LANES: usize = 32;
/// Names that [`by_name`] knows.
pub const NAMES: [&str; 3] = ["pagerank", "jacobi", "sssp"];

/// What all workloads take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Params {
    /// GPUs, 1 to 16.
    pub gpus: usize,
    /// Vertices or rows, at least 1.
    pub size: usize,
    /// Most iterations; SSSP ends earlier when nothing changes.
    pub iterations: u32,
    /// Seed of the synthetic input.
    pub seed: u64,
    /// Bytes of a line, a power of 2, at most 128.
    pub line: u32,
}

impl Default for Params {
    /// Four GPUs (FinePack section V), lines of 128 B, 65,536 vertices, 8 iterations.
    fn default() -> Self {
        Self { gpus: 4, size: 1 << 16, iterations: 8, seed: 1, line: 128 }
    }
}

/// A bulk copy of the DMA paradigm, to the same addresses in GPU `dest`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockCopy {
    /// Destination GPU.
    pub dest: u8,
    /// Byte addresses.
    pub range: Range<u64>,
}

/// One GPU's part of an iteration.
#[derive(Clone, Debug, Default)]
pub struct Kernel {
    /// Stores to other GPUs in program order, then RELEASE_SYS with the iteration's number as id.
    pub requests: Vec<Req>,
    /// What the DMA paradigm copies at the end of the kernel instead: the whole owned block, to
    /// each GPU that reads any of it.
    pub copies: Vec<BlockCopy>,
    /// Addresses that the kernel writes in its own GPU: the owned block.
    pub own: Range<u64>,
    /// Bytes owned by other GPUs that this GPU reads from its replica in the next iteration:
    /// addresses, ascending. A delivered byte outside is wasted.
    pub reads: Vec<Range<u64>>,
    /// Edges or matrix elements worked on, for a model of compute time.
    pub work: u64,
}

/// A program, one iteration at a time.
pub trait Workload {
    /// Name, one of [`NAMES`].
    fn name(&self) -> &'static str;

    /// Runs the next iteration on all GPUs. False, and nothing done, when the program has ended.
    fn step(&mut self) -> bool;

    /// The iteration that `step` ran last, one kernel for each GPU; empty kernels before the first.
    fn kernels(&self) -> &[Kernel];

    /// Expected memory of each GPU after the release of the last iteration, from an in-order store
    /// machine; before the first `step` the memory that the program starts with.
    fn memory(&self) -> &[Replica];

    /// Bytes of one element: stores are multiples of this.
    fn element_bytes(&self) -> usize;
}

/// The workload called `name`, one of [`NAMES`], on its synthetic input.
pub fn by_name(name: &str, params: &Params) -> Option<Box<dyn Workload>> {
    Some(match name {
        "pagerank" => Box::new(PageRank::new(params)),
        "jacobi" => Box::new(Jacobi::new(params)),
        "sssp" => Box::new(Sssp::new(params)),
        _ => return None,
    })
}
