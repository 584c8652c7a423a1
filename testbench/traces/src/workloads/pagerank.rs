//! PageRank (FinePack section V): synchronous, pull, on a `cage`-like matrix.

use super::exchange::Exchange;
use super::graph::Graph;
use super::replica::Replica;
use super::{Kernel, Params, Workload};

/// Damping factor.
const DAMPING: f32 = 0.85;

/// Ranks in f32, two arrays in turn. One thread for each owned vertex: reads the ranks of the
/// vertices with an edge to it, stores its own to each GPU that has an edge from it.
/// Ranks of vertices without out-edges are lost, as in the plain iteration.
#[derive(Clone, Debug)]
pub struct PageRank {
    graph: Graph,
    ex: Exchange<4>,
}

impl PageRank {
    /// On [`Graph::cage_like`].
    pub fn new(params: &Params) -> Self {
        Self::on(Graph::cage_like(params.size, params.seed), params)
    }

    /// On a given graph; `params.size` is not used.
    pub fn on(graph: Graph, params: &Params) -> Self {
        let partition = graph.partition(params.gpus);
        let initial = 1.0 / graph.len() as f32;
        let ex = Exchange::new(params, partition, 2, |_| initial.to_le_bytes());
        Self { graph, ex }
    }

    /// Rank of each vertex, as its owner sees it.
    pub fn ranks(&self) -> Vec<f32> {
        self.ex.results().map(f32::from_le_bytes).collect()
    }
}

/// The next rank of vertex `v`, from `rank(u)` of the last iteration.
fn next_rank(graph: &Graph, v: usize, rank: impl Fn(usize) -> f32) -> f32 {
    let from = graph.in_edges(v).iter().map(|e| e.from as usize);
    let sum: f32 = from.map(|u| rank(u) / graph.out_degree(u) as f32).sum();
    (1.0 - DAMPING) / graph.len() as f32 + DAMPING * sum
}

impl Workload for PageRank {
    fn name(&self) -> &'static str {
        "pagerank"
    }

    fn step(&mut self) -> bool {
        if self.ex.is_over() {
            return false;
        }
        let graph = &self.graph;
        self.ex.iterate(|ex, gpu, v| {
            let rank = next_rank(graph, v, |u| f32::from_le_bytes(ex.read(gpu, u)));
            (rank.to_le_bytes(), graph.in_edges(v).len())
        });
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
