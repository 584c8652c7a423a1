//! Breadth-first search, level by level (Rodinia's; CPElide table II). Several work-items store the
//! same distance to one vertex: races without consequence.

use crate::trace::Record;

use super::input::Csr;
use super::{Device, Knob, Launch, Params, Program, at, chunk};

pub const PROGRAM: Program = Program {
    name: "bfs",
    about: "breadth-first search over a web-like graph, level by level (Rodinia)",
    size: Knob::new("vertices", 1024, 2..=1 << 22),
    iterations: Knob::new("most levels", 64, 1..=1 << 20),
    footprint: "about 65 n: 4 for each edge, 11 for each vertex",
};

const LOCAL: usize = 64;

/// Gives the distance of each vertex from vertex 0, -1 where it was not reached.
pub fn run<R: Record>(device: &mut Device<R>, params: &Params) -> Result<Vec<i32>, R::Error> {
    let n = params.size as usize;
    let [_, graph] = Csr::web_like(n, params.seed);
    let starts = device.upload("starts", &graph.starts)?;
    let ends = device.upload("ends", &graph.ends)?;
    let mut flags = vec![0u8; n];
    let updating = device.alloc::<u8>("updating", n)?;
    flags[0] = 1;
    let mask = device.upload("mask", &flags)?;
    let visited = device.upload("visited", &flags)?;
    let mut distances = vec![-1i32; n];
    distances[0] = 0;
    let cost = device.upload("cost", &distances)?;
    let over = device.alloc::<u32>("over", 1)?;

    let part = chunk(LOCAL);
    for _ in 0..params.iterations {
        // Each vertex of the frontier offers its neighbours a distance.
        let launch = Launch::line("bfs_1", n, LOCAL)
            .read_part("starts", &starts, |g| g * LOCAL..(g + 1) * LOCAL + 1)
            .read_part("ends", &ends, graph.edges_of_group(LOCAL))
            .write_part("mask", &mask, &part)
            .write("updating", &updating)
            .read("visited", &visited)
            .write("cost", &cost);
        device.each(launch, |it| {
            let v = it.x;
            if *it.load(at(1, 4), &mask, v) == 0 {
                return;
            }
            it.store(at(2, 2), &mask, v, 0);
            let first = it.load(at(3, 1), &starts, v);
            let end = it.load(at(4, 1), &starts, v + 1);
            for e in it.turns(*first as usize..*end as usize) {
                let w = *it.load(at(5, 3), &ends, e) as usize;
                if *it.load(at(6, 2), &visited, w) == 0 {
                    let distance = it.load(at(7, 2), &cost, v);
                    it.store(at(8, 2), &cost, w, *distance + 1);
                    it.store(at(9, 1), &updating, w, 1);
                }
            }
        })?;
        // Those that were offered one are the next frontier.
        device.write(&over, &[0])?;
        let launch = Launch::line("bfs_2", n, LOCAL)
            .write_part("mask", &mask, &part)
            .write_part("updating", &updating, &part)
            .write_part("visited", &visited, &part)
            .write("over", &over);
        device.each(launch, |it| {
            let v = it.x;
            if *it.load(at(1, 4), &updating, v) != 0 {
                it.store(at(2, 2), &mask, v, 1);
                it.store(at(3, 1), &visited, v, 1);
                it.store(at(4, 1), &over, 0, 1);
                it.store(at(5, 1), &updating, v, 0);
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
    use std::collections::VecDeque;

    use super::*;
    use crate::kernels::shadow::replay;

    fn reference(n: usize, seed: u64, most: i32) -> Vec<i32> {
        let [_, graph] = Csr::web_like(n, seed);
        let mut distances = vec![-1; n];
        distances[0] = 0;
        let mut queue = VecDeque::from([0]);
        while let Some(v) = queue.pop_front() {
            for w in graph.edges(v).map(|e| graph.ends[e] as usize) {
                if distances[w] < 0 && distances[v] < most {
                    distances[w] = distances[v] + 1;
                    queue.push_back(w);
                }
            }
        }
        distances
    }

    #[test]
    fn distances_equal_those_of_a_queue() {
        for (size, iterations) in [(2, 64), (65, 64), (1000, 64), (1000, 2)] {
            let result = replay(run, &Params { size, iterations, seed: 4 });
            assert_eq!(result, reference(size as usize, 4, iterations as i32), "size {size}");
        }
    }
}
