//! Spanning tree of a graph: vertices of the tree look at their neighbours' parents, which other
//! groups write, and adopt those that have none by compare-and-swap. A vertex that is adopted while
//! the kernel runs adopts in turn when its work-item comes later.

use crate::trace::Record;

use super::input::Csr;
use super::{Device, Knob, Launch, Params, Program, at};

pub const PROGRAM: Program = Program {
    name: "spanning_tree",
    about: "spanning tree: vertices adopted by compare-and-swap while other work-items read them",
    size: Knob::new("vertices", 768, 2..=1 << 20),
    iterations: Knob::new("most rounds", 64, 1..=1 << 20),
    footprint: "about 110 n: 4 for each of about 24 n edges, 12 for each vertex",
};

const LOCAL: usize = 64;
/// Parent of a vertex that has none yet.
const NONE: u32 = u32::MAX;

/// Gives the parent of each vertex, of the root (the last vertex) itself; `u32::MAX` for those that
/// so few rounds did not reach.
pub fn run<R: Record>(device: &mut Device<R>, params: &Params) -> Result<Vec<u32>, R::Error> {
    let n = params.size as usize;
    let graph = Csr::undirected(n, params.seed);
    let starts = device.upload("starts", &graph.starts)?;
    let ends = device.upload("ends", &graph.ends)?;
    let mut parents = vec![NONE; n];
    parents[n - 1] = n as u32 - 1;
    let parent = device.upload("parent", &parents)?;
    let mut flags = vec![0u32; n];
    flags[n - 1] = 1;
    let fresh = device.upload("fresh", &flags)?;
    let over = device.alloc::<u32>("over", 1)?;

    for _ in 0..params.iterations {
        device.write(&over, &[0])?;
        let launch = Launch::line("adopt", n, LOCAL)
            .read_part("starts", &starts, |g| g * LOCAL..(g + 1) * LOCAL + 1)
            .read_part("ends", &ends, graph.edges_of_group(LOCAL))
            .write("parent", &parent)
            .write("fresh", &fresh)
            .write("over", &over);
        device.each(launch, |it| {
            let v = it.x;
            // Set once, when the vertex is adopted: no group clears what another is about to set.
            if *it.load(at(1, 4), &fresh, v) == 0 {
                return;
            }
            it.store(at(2, 2), &fresh, v, 0);
            let first = it.load(at(3, 1), &starts, v);
            let end = it.load(at(4, 1), &starts, v + 1);
            for e in it.turns(*first as usize..*end as usize) {
                let w = *it.load(at(5, 3), &ends, e) as usize;
                if *it.load(at(6, 2), &parent, w) == NONE
                    && *it.cas(at(7, 2), &parent, w, NONE, v as u32) == NONE
                {
                    it.store(at(8, 1), &fresh, w, 1);
                    it.store(at(9, 1), &over, 0, 1);
                }
            }
        })?;
        if device.read(&over)?[0] == 0 {
            break;
        }
    }
    device.read(&parent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::shadow::replay;

    /// Vertices that lead to the root, each over edges of the graph and with no cycle.
    fn rooted(graph: &Csr, parents: &[u32]) -> usize {
        let neighbours = |v: usize, w: u32| graph.edges(v).any(|e| graph.ends[e] == w);
        let root = graph.len() - 1;
        let leads = |start: usize| {
            let mut v = start;
            for _ in 0..graph.len() {
                let parent = parents[v];
                if parent == NONE || v == root {
                    return v == root;
                }
                assert!(neighbours(v, parent), "no edge from {v} to its parent {parent}");
                v = parent as usize;
            }
            panic!("{start} is on a cycle or leads to one");
        };
        (0..graph.len()).filter(|v| leads(*v)).count()
    }

    #[test]
    fn every_vertex_leads_to_the_root_over_edges() {
        for size in [2, 63, 300, 1000] {
            let graph = Csr::undirected(size as usize, 5);
            let parents = replay(run, &Params { size, iterations: 64, seed: 5 });
            assert_eq!(parents[size as usize - 1], size - 1);
            assert_eq!(rooted(&graph, &parents), graph.len(), "size {size}");
        }
    }

    #[test]
    fn few_rounds_leave_a_tree_of_some_vertices() {
        let graph = Csr::undirected(1000, 5);
        let parents = replay(run, &Params { size: 1000, iterations: 1, seed: 5 });
        let in_tree = parents.iter().filter(|p| **p != NONE).count();
        assert_eq!(rooted(&graph, &parents), in_tree);
        assert!((2..graph.len()).contains(&in_tree), "{in_tree}");
    }
}
