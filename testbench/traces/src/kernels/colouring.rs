//! Graph colouring (Gebremedhin and Manne): each vertex takes the least colour that it does not see
//! among its neighbours, while other groups write theirs; a second kernel finds neighbours that
//! took the same one, and the later of the two chooses again.

use crate::trace::Record;

use super::input::Csr;
use super::{Device, Knob, Launch, Params, Program, at, chunk};

pub const PROGRAM: Program = Program {
    name: "colouring",
    about: "graph colouring: work-groups read neighbours' colours while others write them",
    size: Knob::new("vertices", 512, 2..=1 << 20),
    iterations: Knob::new("maximum number of rounds; 64 always suffice", 64, 1..=1 << 20),
    footprint: "about 100 n: 4 for each of about 22 n edges, 9 for each vertex",
};

const LOCAL: usize = 64;
/// Colour of a vertex that has none.
const NONE: u32 = 0;

/// Gives the colour of each vertex, from 1. With too few rounds neighbours may share one.
pub fn run<R: Record>(device: &mut Device<R>, params: &Params) -> Result<Vec<u32>, R::Error> {
    let n = params.size as usize;
    let graph = Csr::undirected(n, params.seed);
    let starts = device.upload("starts", &graph.starts)?;
    let ends = device.upload("ends", &graph.ends)?;
    let colours = device.alloc::<u32>("colours", n)?;
    let open = device.upload("open", &vec![1u8; n])?;
    let over = device.alloc::<u32>("over", 1)?;

    let part = chunk(LOCAL);
    let (rows, edges) = (|g| g * LOCAL..(g + 1) * LOCAL + 1, graph.edges_of_group(LOCAL));
    for _ in 0..params.iterations {
        let launch = Launch::line("choose", n, LOCAL)
            .read_part("starts", &starts, rows)
            .read_part("ends", &ends, &edges)
            .read_part("open", &open, &part)
            .write("colours", &colours);
        device.launch(launch, |group| {
            let mut chosen = [NONE; LOCAL];
            group.phase(|it| {
                let v = it.x;
                if v >= n || *it.load(at(1, 4), &open, v) == 0 {
                    return;
                }
                let first = it.load(at(2, 1), &starts, v);
                let end = it.load(at(3, 1), &starts, v + 1);
                let neighbours = *first as usize..*end as usize;
                let mut seen = vec![false; neighbours.len() + 2];
                for e in it.turns(neighbours) {
                    let w = *it.load(at(4, 3), &ends, e) as usize;
                    let colour = *it.load(at(5, 2), &colours, w) as usize;
                    // A colour beyond the number of neighbours is never the least free one.
                    if colour < seen.len() {
                        seen[colour] = true;
                    }
                }
                let free = (1..seen.len()).find(|colour| !seen[*colour]);
                chosen[it.id] = free.expect("one colour more than neighbours") as u32;
                it.work(2 * chosen[it.id] as usize);
            });
            group.phase(|it| {
                if chosen[it.id] != NONE {
                    it.store(at(6, 1), &colours, it.x, chosen[it.id]);
                }
            });
        })?;
        device.write(&over, &[0])?;
        let launch = Launch::line("find_conflicts", n, LOCAL)
            .read_part("starts", &starts, rows)
            .read_part("ends", &ends, &edges)
            .read("colours", &colours)
            .write_part("open", &open, &part)
            .write("over", &over);
        device.each(launch, |it| {
            let v = it.x;
            if *it.load(at(1, 4), &open, v) == 0 {
                return;
            }
            let colour = it.load(at(2, 1), &colours, v);
            let first = it.load(at(3, 1), &starts, v);
            let end = it.load(at(4, 1), &starts, v + 1);
            for e in it.turns(*first as usize..*end as usize) {
                let w = *it.load(at(5, 3), &ends, e) as usize;
                if w >= v {
                    break;
                }
                let other = it.load(at(6, 2), &colours, w);
                if *other == *colour {
                    it.store(at(7, 2), &over, 0, 1);
                    return;
                }
            }
            it.store(at(8, 2), &open, v, 0);
        })?;
        if device.read(&over)?[0] == 0 {
            break;
        }
    }
    device.read(&colours)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::shadow::replay;

    fn conflicts(graph: &Csr, colours: &[u32]) -> usize {
        let same = |v: usize| {
            graph.edges(v).filter(|e| colours[graph.ends[*e] as usize] == colours[v]).count()
        };
        (0..graph.len()).map(same).sum()
    }

    #[test]
    fn no_edge_has_one_colour_at_both_ends() {
        for size in [2, 63, 200, 700] {
            let graph = Csr::undirected(size as usize, 6);
            let colours = replay(run, &Params { size, iterations: 64, seed: 6 });
            assert_eq!(conflicts(&graph, &colours), 0, "size {size}");
            // The least free colour is at most one more than there are neighbours.
            for (colour, degree) in colours.iter().zip(graph.degrees()) {
                assert!((1..=degree + 1).contains(colour), "{colour} with {degree} neighbours");
            }
        }
    }

    #[test]
    fn one_round_leaves_conflicts_to_the_next() {
        let graph = Csr::undirected(200, 6);
        let colours = replay(run, &Params { size: 200, iterations: 1, seed: 6 });
        assert!(conflicts(&graph, &colours) > 0);
    }

    /// The vertices of a group choose together: each round settles at least the first of them.
    #[test]
    fn groups_in_order_and_vertices_of_a_group_together_give_these_colours() {
        let (n, seed) = (300, 9);
        let graph = Csr::undirected(n, seed);
        let (mut colours, mut open) = (vec![0; n], vec![true; n]);
        while open.contains(&true) {
            for first in (0..n).step_by(LOCAL) {
                let before = colours.clone();
                for v in (first..n.min(first + LOCAL)).filter(|v| open[*v]) {
                    let taken =
                        |c: &u32| graph.edges(v).any(|e| before[graph.ends[e] as usize] == *c);
                    colours[v] = (1..).find(|c| !taken(c)).unwrap();
                }
            }
            for v in 0..n {
                let mut below = graph.edges(v).map(|e| graph.ends[e] as usize).filter(|w| *w < v);
                open[v] &= below.any(|w| colours[w] == colours[v]);
            }
        }
        let result = replay(run, &Params { size: n as u32, iterations: 64, seed });
        assert_eq!(result, colours);
    }
}
