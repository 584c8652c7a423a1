//! PageRank by pulling along in-edges of a cage matrix (FinePack section V): edges stay near the
//! diagonal, so GPUs read of their neighbours. In each block of vertices those with most edges come
//! first, so that the lanes of a wave have equal work: they store apart.

use crate::trace::Record;

use super::input::{Csr, balanced};
use super::{Device, Knob, Launch, Params, Program, at, chunk};

pub const PROGRAM: Program = Program {
    name: "pagerank_cage",
    about: "PageRank over a matrix with edges near the diagonal, by pulling",
    size: Knob::new("vertices; about 15 edges into each", 512, 32..=1 << 22),
    iterations: Knob::new("iterations", 2, 1..=10_000),
    footprint: "about 84 n: 60 for edges",
};

const DAMPING: f32 = 0.85;
const LOCAL: usize = 64;

/// Gives the shares that vertices pass on along each edge, after the last iteration.
pub fn run<R: Record>(device: &mut Device<R>, params: &Params) -> Result<Vec<f32>, R::Error> {
    let n = params.size as usize;
    let [into, out] = Csr::cage_like(n, params.seed);
    let starts = device.upload("starts", &into.starts)?;
    let ends = device.upload("ends", &into.ends)?;
    let degrees = device.upload("degrees", &out.degrees())?;
    let order = device.upload("order", &balanced(&into.degrees()))?;
    let first: Vec<_> = out.degrees().iter().map(|&degree| share(1.0 / n as f32, degree)).collect();
    let mut from = device.upload("share", &first)?;
    let mut to = device.alloc::<f32>("share_next", n)?;
    let base = (1.0 - DAMPING) / n as f32;
    for _ in 0..params.iterations {
        let launch = Launch::line("pagerank_cage", n, LOCAL)
            .read_part("order", &order, chunk(LOCAL))
            .read("starts", &starts)
            .read("ends", &ends)
            .read("degrees", &degrees)
            .read("share", &from)
            .write("share_next", &to);
        device.each(launch, |it| {
            if it.x >= n {
                return;
            }
            let v = *it.load(at(1, 4), &order, it.x) as usize;
            let first = it.load(at(2, 2), &starts, v);
            let end = it.load(at(3, 1), &starts, v + 1);
            let mut sum = 0.0;
            for e in it.turns(*first as usize..*end as usize) {
                let tail = *it.load(at(4, 3), &ends, e) as usize;
                sum += *it.load(at(5, 2), &from, tail);
            }
            let degree = it.load(at(6, 2), &degrees, v);
            it.store(at(7, 8), &to, v, share(base + DAMPING * sum, *degree));
        })?;
        (from, to) = (to, from);
    }
    device.read(&from)
}

/// What a vertex of this rank passes on along each of its edges.
fn share(rank: f32, degree: u32) -> f32 {
    if degree == 0 { 0.0 } else { rank / degree as f32 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::shadow::replay;

    fn reference(n: usize, seed: u64, iterations: u32) -> Vec<f32> {
        let [into, out] = Csr::cage_like(n, seed);
        let degree = |v: usize| out.degrees()[v];
        let mut shares: Vec<f32> = (0..n).map(|v| share(1.0 / n as f32, degree(v))).collect();
        for _ in 0..iterations {
            let new = |v: usize| {
                let sum = into.edges(v).fold(0.0, |sum, e| sum + shares[into.ends[e] as usize]);
                share((1.0 - DAMPING) / n as f32 + DAMPING * sum, degree(v))
            };
            shares = (0..n).map(new).collect();
        }
        shares
    }

    #[test]
    fn shares_equal_those_of_plain_loops() {
        for (size, iterations) in [(32, 1), (65, 3), (300, 2)] {
            let result = replay(run, &Params { size, iterations, seed: 2 });
            assert_eq!(result, reference(size as usize, 2, iterations), "size {size}");
        }
    }
}
