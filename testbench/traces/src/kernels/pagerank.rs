//! PageRank in which each vertex pulls from those that link to it (FinePack section V): all loads
//! are determined. `pagerank_push` is the form with atomics.

use crate::trace::Record;

use super::input::Csr;
use super::{Device, Knob, Launch, Params, Program, at, chunk};

pub const PROGRAM: Program = Program {
    name: "pagerank",
    about: "PageRank over a web-like graph, each vertex pulls over its in-edges",
    size: Knob::new("vertices", 512, 2..=1 << 22),
    iterations: Knob::new("iterations", 4, 1..=10_000),
    footprint: "about 65 n: 4 for each edge, 16 for each vertex",
};

const LOCAL: usize = 64;
pub const DAMPING: f32 = 0.85;

/// Gives the rank of each vertex. What a vertex without out-edges holds is lost.
pub fn run<R: Record>(device: &mut Device<R>, params: &Params) -> Result<Vec<f32>, R::Error> {
    let n = params.size as usize;
    let [into, out] = Csr::web_like(n, params.seed);
    let starts = device.upload("starts", &into.starts)?;
    let ends = device.upload("ends", &into.ends)?;
    let degrees = device.upload("degrees", &out.degrees())?;
    let rank = device.upload("rank", &vec![1.0 / n as f32; n])?;
    let share = device.alloc::<f32>("share", n)?;
    let base = (1.0 - DAMPING) / n as f32;

    let part = chunk(LOCAL);
    for _ in 0..params.iterations {
        let launch = Launch::line("share", n, LOCAL)
            .read_part("rank", &rank, &part)
            .read_part("degrees", &degrees, &part)
            .write_part("share", &share, &part);
        device.each(launch, |it| {
            let degree = it.load(at(1, 4), &degrees, it.x);
            let rank = it.load(at(2, 1), &rank, it.x);
            let part = if *degree == 0 { 0.0 } else { *rank / *degree as f32 };
            it.store(at(3, 8), &share, it.x, part);
        })?;
        let launch = Launch::line("gather", n, LOCAL)
            .read_part("starts", &starts, |g| g * LOCAL..(g + 1) * LOCAL + 1)
            .read_part("ends", &ends, into.edges_of_group(LOCAL))
            .read("share", &share)
            .write_part("rank", &rank, &part);
        device.each(launch, |it| {
            let first = it.load(at(1, 4), &starts, it.x);
            let end = it.load(at(2, 1), &starts, it.x + 1);
            let mut sum = 0.0;
            for e in it.turns(*first as usize..*end as usize) {
                let from = *it.load(at(3, 3), &ends, e) as usize;
                sum += *it.load(at(4, 2), &share, from);
            }
            it.store(at(5, 4), &rank, it.x, base + DAMPING * sum);
        })?;
    }
    device.read(&rank)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::shadow::replay;

    fn reference(n: usize, seed: u64, iterations: u32) -> Vec<f32> {
        let [into, out] = Csr::web_like(n, seed);
        let mut rank = vec![1.0 / n as f32; n];
        for _ in 0..iterations {
            rank = (0..n)
                .map(|v| {
                    let tails = into.edges(v).map(|e| into.ends[e] as usize);
                    let sum = tails.fold(0.0, |s, t| s + rank[t] / out.edges(t).len() as f32);
                    (1.0 - DAMPING) / n as f32 + DAMPING * sum
                })
                .collect();
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
