//! Shortest paths from one vertex (Bellman-Ford; CPElide table II): vertices whose distance fell
//! offer their neighbours a shorter one by atomic minimum; a second kernel takes over what was
//! offered.

use crate::trace::Record;

use super::input::Csr;
use super::{Device, Knob, Launch, Params, Program, at, chunk};

pub const PROGRAM: Program = Program {
    name: "sssp",
    about: "Bellman-Ford shortest paths over a web-like graph, by atomic minimum",
    size: Knob::new("vertices", 512, 2..=1 << 22),
    iterations: Knob::new("most rounds", 64, 1..=1 << 20),
    footprint: "about 110 n: 8 for each edge, 13 for each vertex",
};

const LOCAL: usize = 64;
/// Distance of a vertex that was not reached.
const FAR: u32 = u32::MAX;

/// Gives the length of the shortest path of at most `iterations` edges from vertex 0 to each
/// vertex.
pub fn run<R: Record>(device: &mut Device<R>, params: &Params) -> Result<Vec<u32>, R::Error> {
    let n = params.size as usize;
    let [_, graph] = Csr::web_like(n, params.seed);
    let starts = device.upload("starts", &graph.starts)?;
    let ends = device.upload("ends", &graph.ends)?;
    let weights = device.upload("weights", &graph.weights)?;
    let mut distances = vec![FAR; n];
    distances[0] = 0;
    let cost = device.upload("cost", &distances)?;
    let offered = device.upload("offered", &distances)?;
    let mut flags = vec![0u8; n];
    flags[0] = 1;
    let mask = device.upload("mask", &flags)?;
    let over = device.alloc::<u32>("over", 1)?;

    let part = chunk(LOCAL);
    let edges = graph.edges_of_group(LOCAL);
    for _ in 0..params.iterations {
        let launch = Launch::line("relax", n, LOCAL)
            .read_part("starts", &starts, |g| g * LOCAL..(g + 1) * LOCAL + 1)
            .read_part("ends", &ends, &edges)
            .read_part("weights", &weights, &edges)
            .write_part("mask", &mask, &part)
            .read_part("cost", &cost, &part)
            .write("offered", &offered);
        device.each(launch, |it| {
            let v = it.x;
            if *it.load(at(1, 4), &mask, v) == 0 {
                return;
            }
            it.store(at(2, 2), &mask, v, 0);
            let distance = it.load(at(3, 1), &cost, v);
            let first = it.load(at(4, 1), &starts, v);
            let end = it.load(at(5, 1), &starts, v + 1);
            for e in it.turns(*first as usize..*end as usize) {
                let w = it.load(at(6, 3), &ends, e);
                let weight = it.load(at(7, 1), &weights, e);
                it.atomic_min(at(8, 2), &offered, *w as usize, *distance + *weight);
            }
        })?;
        device.write(&over, &[0])?;
        let launch = Launch::line("settle", n, LOCAL)
            .write_part("mask", &mask, &part)
            .write_part("cost", &cost, &part)
            .read_part("offered", &offered, &part)
            .write("over", &over);
        device.each(launch, |it| {
            let v = it.x;
            let offer = it.load(at(1, 4), &offered, v);
            let known = it.load(at(2, 1), &cost, v);
            if *offer < *known {
                it.store(at(3, 2), &cost, v, *offer);
                it.store(at(4, 1), &mask, v, 1);
                it.store(at(5, 1), &over, 0, 1);
            }
        })?;
        if device.read(&over)?[0] == 0 {
            break;
        }
    }
    device.read(&cost)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::shadow::replay;

    /// All edges in every round, from the distances of the round before.
    fn reference(n: usize, seed: u64, rounds: u32) -> Vec<u32> {
        let [into, _] = Csr::web_like(n, seed);
        let mut distances = vec![FAR; n];
        distances[0] = 0;
        for _ in 0..rounds {
            let before = distances.clone();
            for (v, distance) in distances.iter_mut().enumerate() {
                for e in into.edges(v) {
                    let through = before[into.ends[e] as usize].saturating_add(into.weights[e]);
                    *distance = through.min(*distance);
                }
            }
        }
        distances
    }

    #[test]
    fn distances_equal_those_of_plain_rounds() {
        for (size, iterations) in [(2, 64), (63, 64), (700, 64), (700, 2)] {
            let result = replay(run, &Params { size, iterations, seed: 8 });
            assert_eq!(result, reference(size as usize, 8, iterations), "size {size}");
        }
    }
}
