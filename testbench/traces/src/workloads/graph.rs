//! Directed graphs in the form that pull kernels read, and synthetic ones.

use super::rng::SplitMix64;

/// An edge as its head sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// Vertex that the edge comes from.
    pub from: u32,
    /// Weight, 1 to 255.
    pub weight: u32,
}

/// In-edges of each vertex, one list behind the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    starts: Vec<usize>,
    edges: Vec<Edge>,
    out_degree: Vec<u32>,
}

impl Graph {
    /// A graph of `n` vertices from (tail, head, weight). Parallel edges and loops are dropped.
    pub fn new(n: usize, list: impl IntoIterator<Item = (u32, u32, u32)>) -> Self {
        let mut list: Vec<(u32, u32, u32)> =
            list.into_iter().map(|(tail, head, weight)| (head, tail, weight)).collect();
        list.retain(|(head, tail, _)| head != tail);
        list.sort_unstable();
        list.dedup_by_key(|(head, tail, _)| (*head, *tail));
        let (mut starts, mut out_degree) = (vec![0; n + 1], vec![0; n]);
        for &(head, tail, _) in &list {
            starts[head as usize + 1] += 1;
            out_degree[tail as usize] += 1;
        }
        (0..n).for_each(|v| starts[v + 1] += starts[v]);
        let edges = list.into_iter().map(|(_, from, weight)| Edge { from, weight }).collect();
        Self { starts, edges, out_degree }
    }

    /// Like a crawl of the web (FinePack uses `indochina`): degrees follow a power law; three of
    /// four links stay near, because pages are numbered site by site; the others prefer low
    /// numbers, the hubs. Every vertex but 0 has one link from a lower one, so all are reached from
    /// 0.
    pub fn web_like(n: usize, seed: u64) -> Self {
        let (mut rng, n64) = (SplitMix64::new(seed), n as u64);
        let mut list = Vec::new();
        for v in 0..n64 {
            // Distances within a site: up to 8, 16, 32, ... with halving probability.
            let near = |rng: &mut SplitMix64| {
                let reach = 8 << rng.halvings().min(20);
                1 + rng.below(reach)
            };
            if v > 0 {
                let tail = v - near(&mut rng).min(v);
                list.push((tail as u32, v as u32, weight(&mut rng)));
            }
            let degree = 4 << rng.halvings().min(8);
            for _ in 0..degree {
                let head = if rng.below(4) > 0 {
                    let d = near(&mut rng);
                    if rng.below(2) == 0 { v.saturating_sub(d) } else { (v + d).min(n64 - 1) }
                } else {
                    let hubs = n64 >> rng.halvings().min(63);
                    rng.below(hubs.max(1))
                };
                list.push((v as u32, head as u32, weight(&mut rng)));
            }
        }
        Self::new(n, list)
    }

    /// Like a `cage` matrix (DNA electrophoresis; FinePack uses one for PageRank): about 19 entries
    /// in each row, at distances of 1 to `n`/16 with gaps, none far from the diagonal.
    pub fn cage_like(n: usize, seed: u64) -> Self {
        let (mut rng, n64) = (SplitMix64::new(seed), n as u64);
        let mut list = Vec::new();
        for v in 0..n64 {
            let mut band = n64 / 16;
            while band > 0 {
                for back in [true, false] {
                    let d = band + rng.below(band / 8 + 1);
                    let head = if back { v.checked_sub(d) } else { Some(v + d) };
                    if let Some(head) = head.filter(|&h| h < n64 && rng.below(4) > 0) {
                        list.push((v as u32, head as u32, weight(&mut rng)));
                    }
                }
                band /= 2;
            }
        }
        Self::new(n, list)
    }

    /// Vertices.
    pub fn len(&self) -> usize {
        self.out_degree.len()
    }

    /// True without vertices.
    pub fn is_empty(&self) -> bool {
        self.out_degree.is_empty()
    }

    /// Edges into `v`, by tail.
    pub fn in_edges(&self, v: usize) -> &[Edge] {
        &self.edges[self.starts[v]..self.starts[v + 1]]
    }

    /// Number of edges out of `v`.
    pub fn out_degree(&self, v: usize) -> u32 {
        self.out_degree[v]
    }
}

fn weight(rng: &mut SplitMix64) -> u32 {
    1 + rng.below(255) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_and_parallel_edges_are_dropped() {
        let g = Graph::new(3, [(0, 1, 5), (0, 1, 3), (1, 1, 1), (2, 1, 9)]);
        assert_eq!(g.in_edges(1), [Edge { from: 0, weight: 3 }, Edge { from: 2, weight: 9 }]);
        assert_eq!([0, 1, 2].map(|v| g.out_degree(v)), [1, 0, 1]);
    }

    #[test]
    fn cage_like_stays_near_the_diagonal() {
        let n = 4096;
        let g = Graph::cage_like(n, 7);
        let far =
            (0..n).flat_map(|v| g.in_edges(v).iter().map(move |e| v.abs_diff(e.from as usize)));
        assert!(far.max().unwrap() <= n / 16 * 9 / 8);
    }

    #[test]
    fn seed_alone_decides_the_graph() {
        assert_eq!(Graph::web_like(500, 3), Graph::web_like(500, 3));
        assert_ne!(Graph::web_like(500, 3), Graph::web_like(500, 4));
    }
}
