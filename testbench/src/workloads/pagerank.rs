//! PageRank (FinePack section V): synchronous, pull, on a `cage`-like matrix.

use super::exchange::Exchange;
use super::graph::Graph;
use super::partition::Partition;
use super::replica::Replica;
use super::{Kernel, LANES, Params, Workload};

/// Damping factor.
const DAMPING: f32 = 0.85;

/// Ranks in f32, two arrays in turn. One thread for each owned vertex: reads the ranks of the
/// vertices with an edge to it, stores its own to each GPU that has an edge from it.
/// Ranks of vertices without out-edges are lost, as in the plain iteration.
#[derive(Clone, Debug)]
pub struct PageRank {
    graph: Graph,
    ex: Exchange<4>,
    iterations: u32,
}

impl PageRank {
    /// On [`Graph::cage_like`].
    pub fn new(params: &Params) -> Self {
        Self::on(Graph::cage_like(params.size, params.seed), params)
    }

    /// On a given graph; `params.size` is not used.
    pub fn on(graph: Graph, params: &Params) -> Self {
        let n = graph.len();
        let partition =
            Partition::new(n, params.gpus, |v| graph.in_edges(v).iter().map(|e| e.from as usize));
        let ex = Exchange::new(params, partition, 2, |_| (1.0 / n as f32).to_le_bytes());
        Self { graph, ex, iterations: params.iterations }
    }

    /// Rank of each vertex, as its owner sees it.
    pub fn ranks(&self) -> Vec<f32> {
        self.ex.results(u64::from(self.ex.iteration() % 2)).map(f32::from_le_bytes).collect()
    }

    fn rank(&self, gpu: usize, array: u64, v: usize) -> f32 {
        let sum: f32 = self
            .graph
            .in_edges(v)
            .iter()
            .map(|e| e.from as usize)
            .map(|u| {
                f32::from_le_bytes(self.ex.read(gpu, array, u)) / self.graph.out_degree(u) as f32
            })
            .sum();
        (1.0 - DAMPING) / self.graph.len() as f32 + DAMPING * sum
    }
}

impl Workload for PageRank {
    fn name(&self) -> &'static str {
        "pagerank"
    }

    fn step(&mut self) -> bool {
        if self.ex.iteration() == self.iterations {
            return false;
        }
        let old = u64::from(self.ex.iteration() % 2);
        let new = 1 - old;
        self.ex.begin();
        let mut lanes = Vec::with_capacity(LANES);
        for gpu in 0..self.ex.partition.gpus() {
            let block = self.ex.partition.block(gpu);
            for warp in block.clone().step_by(LANES) {
                lanes.clear();
                for v in warp..(warp + LANES).min(block.end) {
                    lanes.push((v, self.rank(gpu, old, v).to_le_bytes()));
                    self.ex.kernels[gpu].work += self.graph.in_edges(v).len() as u64;
                }
                self.ex.store(gpu, new, &lanes);
            }
        }
        self.ex.end(new);
        true
    }

    fn kernels(&self) -> &[Kernel] {
        &self.ex.kernels
    }

    fn memory(&self) -> &[Replica] {
        &self.ex.memory
    }

    fn element_bytes(&self) -> usize {
        4
    }
}
