//! Shortest paths between all pairs of vertices (Pannotia's Floyd-Warshall; CPElide table II): a
//! kernel for each vertex k, which looks at all paths over k.

use crate::trace::Record;
use crate::workloads::SplitMix64;

use super::{Device, Knob, Launch, Params, Program, at};

pub const PROGRAM: Program = Program {
    name: "floyd_warshall",
    about: "shortest paths between all pairs of vertices, a kernel for each vertex (Pannotia)",
    size: Knob::new("vertices; each has n/4 edges", 28, 2..=1 << 13),
    iterations: Knob::new("graphs, one after another", 1, 1..=1000),
    footprint: "8 n^2",
};

/// The first dimension is the row, as in Pannotia: lanes beside each other read different rows.
const LOCAL: [usize; 2] = [16, 16];
/// Length where there is no path.
const FAR: i32 = 1 << 28;

/// Of the last graph: the vertex that improved each path last, -1 where none did; then the length
/// of each shortest path.
pub fn run<R: Record>(device: &mut Device<R>, params: &Params) -> Result<Vec<i32>, R::Error> {
    let n = params.size as usize;
    let rng = &mut SplitMix64::new(params.seed);
    let dist = device.alloc::<i32>("dist", n * n)?;
    let next = device.alloc::<i32>("next", n * n)?;
    for _ in 0..params.iterations {
        device.write(&dist, &input(n, rng))?;
        device.write(&next, &vec![-1; n * n])?;
        for k in 0..n {
            // Groups beside each other have other rows: no one range says what a chiplet writes.
            let launch = Launch::plane("floydwarshall", [n, n], LOCAL)
                .write("dist", &dist)
                .write("next", &next);
            device.each(launch, |it| {
                let (i, j) = (it.x, it.y);
                let there = it.load(at(1, 8), &dist, i * n + k);
                let on = it.load(at(2, 2), &dist, k * n + j);
                let known = it.load(at(3, 2), &dist, i * n + j);
                let over = *there + *on;
                if over < *known {
                    it.store(at(4, 2), &dist, i * n + j, over);
                    it.store(at(5, 2), &next, i * n + j, k as i32);
                }
            })?;
        }
    }
    let mut result = device.read(&next)?;
    result.extend(device.read(&dist)?);
    Ok(result)
}

/// Length of each edge, row by row.
fn input(n: usize, rng: &mut SplitMix64) -> Vec<i32> {
    let mut dist = vec![FAR; n * n];
    for v in 0..n {
        for _ in 0..n.div_ceil(4) {
            dist[v * n + rng.below(n as u64) as usize] = 1 + rng.below(255) as i32;
        }
        dist[v * n + v] = 0;
    }
    dist
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::shadow::replay;

    /// From each vertex, edge by edge until no path is shorter (Bellman and Ford).
    fn reference(edges: &[i32], n: usize) -> Vec<i32> {
        let mut all = Vec::new();
        for from in 0..n {
            let mut dist = vec![FAR; n];
            dist[from] = 0;
            for _ in 0..n {
                for (at, length) in edges.iter().enumerate() {
                    dist[at % n] = dist[at % n].min(dist[at / n].saturating_add(*length));
                }
            }
            all.extend(dist);
        }
        all
    }

    #[test]
    fn lengths_equal_those_of_single_sources_and_paths_add_up() {
        for (size, iterations) in [(2, 1), (17, 2), (40, 1)] {
            let n = size as usize;
            let result = replay(run, &Params { size, iterations, seed: 6 });
            let (next, dist) = result.split_at(n * n);
            let rng = &mut SplitMix64::new(6);
            let edges = (0..iterations).map(|_| input(n, rng)).last().unwrap();
            assert_eq!(dist, reference(&edges, n), "size {size}");
            for (at, &k) in next.iter().enumerate() {
                let expected = match usize::try_from(k) {
                    Ok(k) => dist[at / n * n + k] + dist[k * n + at % n],
                    Err(_) => edges[at],
                };
                assert_eq!(dist[at], expected, "size {size}, over {k}");
            }
        }
    }
}
