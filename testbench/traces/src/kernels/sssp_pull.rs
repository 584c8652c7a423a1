//! Single-source shortest paths, Bellman and Ford's by pulling (FinePack section V): in each round
//! every vertex looks at all edges into it. Edges of a web-like graph lead everywhere, so all GPUs
//! read of all others. In each block of vertices those with most edges come first: they store
//! apart.

use crate::trace::Record;

use super::input::{Csr, balanced};
use super::{Device, Knob, Launch, Params, Program, at, chunk};

pub const PROGRAM: Program = Program {
    name: "sssp_pull",
    about: "shortest paths from one vertex: each vertex reads its in-edges in every round",
    size: Knob::new("vertices; about 13 edges into each", 512, 2..=1 << 22),
    iterations: Knob::new("rounds", 2, 1..=10_000),
    footprint: "about 120 n: 104 for edges",
};

const LOCAL: usize = 64;
/// A distance beyond all.
const FAR: u32 = 1 << 30;

/// Gives the distances after the last round.
pub fn run<R: Record>(device: &mut Device<R>, params: &Params) -> Result<Vec<u32>, R::Error> {
    let n = params.size as usize;
    let [into, _] = Csr::web_like(n, params.seed);
    let starts = device.upload("starts", &into.starts)?;
    let ends = device.upload("ends", &into.ends)?;
    let weights = device.upload("weights", &into.weights)?;
    let order = device.upload("order", &balanced(&into.degrees()))?;
    let mut from = device.upload("distance", &start(n))?;
    let mut to = device.alloc::<u32>("distance_next", n)?;
    for _ in 0..params.iterations {
        let launch = Launch::line("sssp_pull", n, LOCAL)
            .read_part("order", &order, chunk(LOCAL))
            .read("starts", &starts)
            .read("ends", &ends)
            .read("weights", &weights)
            .read("distance", &from)
            .write("distance_next", &to);
        device.each(launch, |it| {
            if it.x >= n {
                return;
            }
            let v = *it.load(at(1, 4), &order, it.x) as usize;
            let first = it.load(at(2, 2), &starts, v);
            let end = it.load(at(3, 1), &starts, v + 1);
            let own = it.load(at(4, 1), &from, v);
            let mut least = FAR;
            for e in it.turns(*first as usize..*end as usize) {
                let tail = it.load(at(5, 3), &ends, e);
                let weight = it.load(at(6, 1), &weights, e);
                let distance = it.load(at(7, 1), &from, *tail as usize);
                least = least.min(*distance + *weight);
            }
            it.store(at(8, 4), &to, v, least.min(*own));
        })?;
        (from, to) = (to, from);
    }
    device.read(&from)
}

fn start(n: usize) -> Vec<u32> {
    (0..n).map(|v| if v == 0 { 0 } else { FAR }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::shadow::replay;

    fn reference(n: usize, seed: u64, rounds: u32) -> Vec<u32> {
        let [into, _] = Csr::web_like(n, seed);
        let mut distance = start(n);
        for _ in 0..rounds {
            let new = |v: usize| {
                let along = |e: usize| distance[into.ends[e] as usize] + into.weights[e];
                into.edges(v).map(along).fold(distance[v], u32::min)
            };
            distance = (0..n).map(new).collect();
        }
        distance
    }

    #[test]
    fn distances_equal_those_of_plain_loops() {
        for (size, iterations) in [(2, 1), (65, 3), (300, 6)] {
            let result = replay(run, &Params { size, iterations, seed: 2 });
            assert_eq!(result, reference(size as usize, 2, iterations), "size {size}");
        }
    }
}
