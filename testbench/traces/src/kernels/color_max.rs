//! Graph colouring by greatest values (Pannotia's color_max; CPElide table II): in each round one
//! kernel finds the greatest value among a vertex's neighbours without colour, and a second gives
//! the round's colour to the vertices whose own value is greater.

use crate::trace::Record;
use crate::workloads::SplitMix64;

use super::input::Csr;
use super::{Device, Knob, Launch, Params, Program, at, chunk};

pub const PROGRAM: Program = Program {
    name: "color_max",
    about: "colouring of a road-like graph: a colour for local maxima each round (Pannotia)",
    size: Knob::new("vertices", 1024, 2..=1 << 22),
    iterations: Knob::new("most rounds", 256, 1..=1 << 20),
    footprint: "about 28 n: 4 for each of about 3 n edges, 16 for each vertex",
};

const LOCAL: usize = 256;
/// Colour of a vertex that has none.
const NONE: i32 = -1;

/// Gives the colour of each vertex, from 0; -1 where the rounds did not suffice.
pub fn run<R: Record>(device: &mut Device<R>, params: &Params) -> Result<Vec<i32>, R::Error> {
    let n = params.size as usize;
    let graph = Csr::road_like(n, params.seed);
    let starts = device.upload("row", &graph.starts)?;
    let ends = device.upload("col", &graph.ends)?;
    let value = device.upload("node_value", &values(n, params.seed))?;
    let colours = device.upload("color", &vec![NONE; n])?;
    let greatest = device.alloc::<i32>("max_d", n)?;
    let stop = device.alloc::<u32>("stop", 1)?;

    let part = chunk(LOCAL);
    for colour in 0..params.iterations as i32 {
        device.write(&stop, &[0])?;
        let launch = Launch::line("color1", n, LOCAL)
            .read_part("row", &starts, |g| g * LOCAL..(g + 1) * LOCAL + 1)
            .read_part("col", &ends, graph.edges_of_group(LOCAL))
            .read("node_value", &value)
            .read("color", &colours)
            .write("stop", &stop)
            .write_part("max_d", &greatest, &part);
        device.each(launch, |it| {
            let v = it.x;
            if *it.load(at(1, 4), &colours, v) != NONE {
                return;
            }
            let first = it.load(at(2, 1), &starts, v);
            let end = it.load(at(3, 1), &starts, v + 1);
            let mut most = NONE;
            for e in it.turns(*first as usize..*end as usize) {
                let w = *it.load(at(4, 3), &ends, e) as usize;
                if *it.load(at(5, 2), &colours, w) == NONE {
                    it.store(at(6, 1), &stop, 0, 1);
                    most = most.max(*it.load(at(7, 2), &value, w));
                }
            }
            it.store(at(8, 3), &greatest, v, most);
        })?;
        let launch = Launch::line("color2", n, LOCAL)
            .read_part("node_value", &value, &part)
            .write_part("color", &colours, &part)
            .read_part("max_d", &greatest, &part);
        device.each(launch, |it| {
            let v = it.x;
            if *it.load(at(1, 4), &colours, v) != NONE {
                return;
            }
            let own = it.load(at(2, 1), &value, v);
            let most = it.load(at(3, 1), &greatest, v);
            if *own > *most {
                it.store(at(4, 2), &colours, v, colour);
            }
        })?;
        if device.read(&stop)?[0] == 0 {
            break;
        }
    }
    device.read(&colours)
}

/// A value for each vertex, no two alike.
fn values(n: usize, seed: u64) -> Vec<i32> {
    let mut rng = SplitMix64::new(seed.wrapping_add(1));
    let mut values: Vec<_> = (0..n as i32).collect();
    values.sort_by_cached_key(|_| rng.bits());
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::shadow::replay;

    /// A vertex has its colour in the round after the last of its greater neighbours.
    fn reference(graph: &Csr, values: &[i32]) -> Vec<i32> {
        let mut order: Vec<_> = (0..graph.len()).collect();
        order.sort_by_key(|v| -values[*v]);
        let mut colours = vec![NONE; graph.len()];
        for v in order {
            let greater = graph.edges(v).map(|e| graph.ends[e] as usize);
            let greater = greater.filter(|w| values[*w] > values[v]).map(|w| colours[w] + 1);
            colours[v] = greater.max().unwrap_or(0);
        }
        colours
    }

    #[test]
    fn colours_follow_the_order_of_values_and_no_edge_has_one_at_both_ends() {
        for size in [2, 65, 1000] {
            let graph = Csr::road_like(size as usize, 4);
            let colours = replay(run, &Params { size, iterations: 256, seed: 4 });
            assert_eq!(colours, reference(&graph, &values(size as usize, 4)), "size {size}");
            for v in 0..graph.len() {
                let mut ends = graph.edges(v).map(|e| graph.ends[e] as usize);
                assert!(ends.all(|w| colours[w] != colours[v]), "vertex {v} of {size}");
            }
        }
    }

    #[test]
    fn rounds_that_do_not_suffice_leave_vertices_without_colour() {
        let colours = replay(run, &Params { size: 1000, iterations: 1, seed: 4 });
        assert!(colours.contains(&NONE) && colours.contains(&0));
        assert!(colours.iter().all(|colour| *colour <= 0));
    }
}
