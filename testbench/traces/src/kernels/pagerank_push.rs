//! PageRank in which each vertex pushes to those that it links to (Pannotia's): sums of floats by
//! compare-and-swap, so that the order of the work-items shows in the last bits.

use crate::trace::Record;

use super::input::Csr;
use super::pagerank::DAMPING;
use super::{Device, Knob, Launch, Params, Program, at, chunk};

pub const PROGRAM: Program = Program {
    name: "pagerank_push",
    about: "PageRank over a web-like graph, float sums by compare-and-swap loops",
    size: Knob::new("vertices", 512, 2..=1 << 22),
    iterations: Knob::new("iterations", 3, 1..=10_000),
    footprint: "about 60 n: 4 for each edge, 12 for each vertex",
};

const LOCAL: usize = 64;

/// Gives the rank of each vertex. What a vertex without out-edges holds is lost.
pub fn run<R: Record>(device: &mut Device<R>, params: &Params) -> Result<Vec<f32>, R::Error> {
    let n = params.size as usize;
    let [_, graph] = Csr::web_like(n, params.seed);
    let starts = device.upload("starts", &graph.starts)?;
    let ends = device.upload("ends", &graph.ends)?;
    let rank = device.upload("rank", &vec![1.0 / n as f32; n])?;
    let sums = device.alloc::<f32>("sums", n)?;
    let base = (1.0 - DAMPING) / n as f32;

    let part = chunk(LOCAL);
    for _ in 0..params.iterations {
        let launch = Launch::line("scatter", n, LOCAL)
            .read_part("starts", &starts, |g| g * LOCAL..(g + 1) * LOCAL + 1)
            .read_part("ends", &ends, graph.edges_of_group(LOCAL))
            .read_part("rank", &rank, &part)
            .write("sums", &sums);
        device.each(launch, |it| {
            let first = it.load(at(1, 4), &starts, it.x);
            let end = it.load(at(2, 1), &starts, it.x + 1);
            let rank = it.load(at(3, 1), &rank, it.x);
            let edges = *first as usize..*end as usize;
            for e in it.turns(edges.clone()) {
                let to = *it.load(at(4, 3), &ends, e) as usize;
                let share = *rank / edges.len() as f32;
                let mut old = it.load(at(5, 2), &sums, to);
                for _ in it.turns(0..) {
                    let seen = it.cas(at(6, 3), &sums, to, *old, *old + share);
                    if *seen == *old {
                        break;
                    }
                    old = seen;
                }
            }
        })?;
        let launch = Launch::line("apply", n, LOCAL)
            .write_part("sums", &sums, &part)
            .write_part("rank", &rank, &part);
        device.each(launch, |it| {
            let sum = it.load(at(1, 4), &sums, it.x);
            it.store(at(2, 1), &sums, it.x, 0.0);
            it.store(at(3, 3), &rank, it.x, base + DAMPING * *sum);
        })?;
    }
    device.read(&rank)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::shadow::replay;

    fn reference(n: usize, seed: u64, iterations: u32) -> Vec<f32> {
        let [_, graph] = Csr::web_like(n, seed);
        let mut rank = vec![1.0 / n as f32; n];
        for _ in 0..iterations {
            let mut sums = vec![0.0; n];
            for (v, rank) in rank.iter().enumerate() {
                let edges = graph.edges(v);
                let share = rank / edges.len() as f32;
                edges.for_each(|e| sums[graph.ends[e] as usize] += share);
            }
            rank = sums.iter().map(|s| (1.0 - DAMPING) / n as f32 + DAMPING * s).collect();
        }
        rank
    }

    #[test]
    fn ranks_equal_those_of_plain_loops() {
        for (size, iterations) in [(2, 1), (65, 3), (300, 5)] {
            let result = replay(run, &Params { size, iterations, seed: 2 });
            assert_eq!(result, reference(size as usize, 2, iterations), "size {size}");
        }
    }
}
