//! Seeded inputs.

use crate::workloads::{Graph, SplitMix64};

/// `n` numbers from 0 up to 1, multiples of 2^-24.
pub fn floats(rng: &mut SplitMix64, n: usize) -> Vec<f32> {
    (0..n).map(|_| (rng.bits() >> 40) as f32 / (1 << 24) as f32).collect()
}

/// Blocks of vertices within which their order is free: a GPU of up to so many owns whole blocks.
const BLOCKS: usize = 16;

/// The order in which work-items take vertices of these degrees: block by block, in each those with
/// most edges first, so that the lanes of a wave have equal work.
pub fn balanced(degrees: &[u32]) -> Vec<u32> {
    let mut order: Vec<_> = (0..degrees.len() as u32).collect();
    for block in order.chunks_mut(degrees.len().div_ceil(BLOCKS)) {
        block.sort_by_key(|&v| std::cmp::Reverse(degrees[v as usize]));
    }
    order
}

/// A random order of `n` elements, block by block.
pub fn scattered(rng: &mut SplitMix64, n: usize) -> Vec<u32> {
    let mut order: Vec<_> = (0..n as u32).collect();
    for block in order.chunks_mut(n.div_ceil(BLOCKS)) {
        for i in (1..block.len()).rev() {
            block.swap(i, rng.below(i as u64 + 1) as usize);
        }
    }
    order
}

/// A directed graph as GPU programs hold it: the edges of vertex v are `starts[v]` up to
/// `starts[v + 1]`.
pub struct Csr {
    /// First edge of each vertex, and the number of edges.
    pub starts: Vec<u32>,
    /// Other end of each edge.
    pub ends: Vec<u32>,
    /// Weight of each edge, 1 to 255.
    pub weights: Vec<u32>,
}

impl Csr {
    /// In-edges and out-edges of a web-like graph of `n` vertices, about 13 edges each, in which
    /// vertex 0 reaches all others.
    pub fn web_like(n: usize, seed: u64) -> [Self; 2] {
        Self::of_graph(n, &Graph::web_like(n, seed))
    }

    /// In-edges and out-edges of a graph of `n` vertices like a cage matrix, about 15 edges each,
    /// none far from the diagonal.
    pub fn cage_like(n: usize, seed: u64) -> [Self; 2] {
        Self::of_graph(n, &Graph::cage_like(n, seed))
    }

    fn of_graph(n: usize, graph: &Graph) -> [Self; 2] {
        let heads =
            (0..n as u32).flat_map(|v| graph.in_edges(v as usize).iter().map(move |e| (v, e)));
        let into: Vec<_> = heads.map(|(head, e)| (head, e.from, e.weight)).collect();
        let mut out: Vec<_> =
            into.iter().map(|&(head, tail, weight)| (tail, head, weight)).collect();
        out.sort_unstable();
        [into, out].map(|list| Self::new(n, &list))
    }

    /// A web-like graph whose edges go both ways, each vertex's ends ascending and different.
    pub fn undirected(n: usize, seed: u64) -> Self {
        let [into, _] = Self::web_like(n, seed);
        let heads =
            |v: usize| into.ends[into.starts[v] as usize..into.starts[v + 1] as usize].iter();
        let both =
            (0..n as u32).flat_map(|v| heads(v as usize).flat_map(move |&w| [(v, w), (w, v)]));
        let mut list: Vec<_> = both.filter(|(v, w)| v != w).map(|(v, w)| (v, w, 1)).collect();
        list.sort_unstable();
        list.dedup();
        Self::new(n, &list)
    }

    /// A graph like a map of roads, whose edges go both ways: crossings stand in rows, three of
    /// four are joined to the one beside, and to the one below. Each vertex's ends are ascending.
    pub fn road_like(n: usize, seed: u64) -> Self {
        let (mut rng, width) = (SplitMix64::new(seed), n.isqrt());
        let mut list = Vec::new();
        for v in 0..n {
            for w in [v + 1, v + width] {
                if w < n && rng.below(4) > 0 {
                    list.extend([(v as u32, w as u32, 1), (w as u32, v as u32, 1)]);
                }
            }
        }
        list.sort_unstable();
        list.dedup();
        Self::new(n, &list)
    }

    /// From (vertex, other end, weight), sorted by vertex.
    pub fn new(n: usize, list: &[(u32, u32, u32)]) -> Self {
        let mut starts = vec![0; n + 1];
        list.iter().for_each(|e| starts[e.0 as usize + 1] += 1);
        (0..n).for_each(|v| starts[v + 1] += starts[v]);
        let ends = list.iter().map(|e| e.1).collect();
        Self { starts, ends, weights: list.iter().map(|e| e.2).collect() }
    }

    /// Number of edges of each vertex.
    pub fn degrees(&self) -> Vec<u32> {
        self.starts.windows(2).map(|w| w[1] - w[0]).collect()
    }

    /// Vertices.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Numbers of the edges of a vertex: what the references go by.
    #[cfg(test)]
    pub fn edges(&self, v: usize) -> std::ops::Range<usize> {
        self.starts[v] as usize..self.starts[v + 1] as usize
    }

    /// Numbers of the edges of the group's vertices, when groups of `n` vertices share a launch:
    /// what a label needs.
    pub fn edges_of_group(&self, n: usize) -> impl Fn(usize) -> std::ops::Range<usize> {
        move |group| {
            let [first, end] = [group * n, (group + 1) * n].map(|v| v.min(self.len()));
            self.starts[first] as usize..self.starts[end] as usize
        }
    }
}
