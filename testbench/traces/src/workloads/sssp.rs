//! Single-source shortest paths (FinePack section V): Bellman-Ford on a web-like graph.

use super::exchange::Exchange;
use super::graph::Graph;
use super::replica::Replica;
use super::{Kernel, LANES, Params, Workload};

/// Distance of a vertex that no path has reached.
pub const UNREACHED: u32 = u32::MAX;

/// Distances in u32 from vertex 0, one array. One thread for each owned vertex walks its in-edges
/// in step with its warp and stores each improvement at once, to each GPU that has an edge from the
/// vertex: small stores, some of them to one address several times in a kernel. Distances of other
/// vertices are those of the last release. Ends after an iteration without improvement.
#[derive(Clone, Debug)]
pub struct Sssp {
    graph: Graph,
    ex: Exchange<4>,
    changed: bool,
}

impl Sssp {
    /// On [`Graph::web_like`].
    pub fn new(params: &Params) -> Self {
        Self::on(Graph::web_like(params.size, params.seed), params)
    }

    /// On a given graph; `params.size` is not used.
    pub fn on(graph: Graph, params: &Params) -> Self {
        let partition = graph.partition(params.gpus);
        let initial = |v| if v == 0 { 0 } else { UNREACHED };
        let ex = Exchange::new(params, partition, 1, |v| u32::to_le_bytes(initial(v)));
        Self { graph, ex, changed: true }
    }

    /// Distance of each vertex, as its owner sees it.
    pub fn distances(&self) -> Vec<u32> {
        self.ex.results().map(u32::from_le_bytes).collect()
    }

    /// One warp: the vertices from `first` on, fewer than 32 at the block's end.
    fn warp(&mut self, gpu: usize, first: usize, end: usize) {
        let width = (end - first).min(LANES);
        let distance = |ex: &Exchange<4>, v| u32::from_le_bytes(ex.read(gpu, v));
        let mut best: [u32; LANES] = [UNREACHED; LANES];
        (0..width).for_each(|k| best[k] = distance(&self.ex, first + k));
        let steps = (first..first + width).map(|v| self.graph.in_edges(v).len()).max().unwrap_or(0);
        let mut lanes = Vec::with_capacity(LANES);
        for step in 0..steps {
            lanes.clear();
            for (k, best) in best[..width].iter_mut().enumerate() {
                let Some(edge) = self.graph.in_edges(first + k).get(step) else { continue };
                self.ex.kernels[gpu].work += 1;
                let path = distance(&self.ex, edge.from as usize).saturating_add(edge.weight);
                if path < *best {
                    *best = path;
                    lanes.push((first + k, path.to_le_bytes()));
                }
            }
            if !lanes.is_empty() {
                self.changed = true;
                self.ex.store(gpu, &lanes);
            }
        }
    }
}

impl Workload for Sssp {
    fn name(&self) -> &'static str {
        "sssp"
    }

    fn step(&mut self) -> bool {
        if self.ex.is_over() || !self.changed {
            return false;
        }
        self.changed = false;
        self.ex.begin();
        for gpu in 0..self.ex.partition.gpus() {
            let block = self.ex.partition.block(gpu);
            for first in block.clone().step_by(LANES) {
                self.warp(gpu, first, block.end);
            }
        }
        self.ex.end();
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

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;
    use std::collections::BinaryHeap;

    use super::*;

    fn dijkstra(graph: &Graph) -> Vec<u32> {
        let n = graph.len();
        let mut out = vec![Vec::new(); n];
        for v in 0..n {
            graph.in_edges(v).iter().for_each(|e| out[e.from as usize].push((v, e.weight)));
        }
        let (mut distance, mut heap) = (vec![UNREACHED; n], BinaryHeap::from([Reverse((0, 0))]));
        distance[0] = 0;
        while let Some(Reverse((d, v))) = heap.pop() {
            for &(u, w) in &out[v] {
                if d + w < distance[u] {
                    distance[u] = d + w;
                    heap.push(Reverse((d + w, u)));
                }
            }
        }
        distance
    }

    #[test]
    fn distances_are_those_of_dijkstra() {
        for (seed, gpus) in [(1, 4), (2, 4), (3, 1), (4, 16)] {
            let params = Params { size: 2000, iterations: 2000, seed, gpus, line: 128 };
            let mut sssp = Sssp::new(&params);
            while sssp.step() {}
            let expected = dijkstra(&sssp.graph);
            assert!(sssp.distances() == expected, "seed {seed}, {gpus} GPUs");
            assert!(expected.iter().all(|&d| d != UNREACHED));
        }
    }

    #[test]
    fn everybody_talks_to_everybody() {
        let mut sssp = Sssp::new(&Params { size: 4000, ..Params::default() });
        let mut pairs = std::collections::BTreeSet::new();
        while sssp.step() {
            for (gpu, kernel) in sssp.kernels().iter().enumerate() {
                let stores = &kernel.requests[..kernel.requests.len() - 1];
                pairs.extend(stores.iter().map(|r| (gpu, r.dest)));
            }
        }
        assert_eq!(pairs.len(), 4 * 3);
    }
}
