//! Look-ups in a B+ tree (Rodinia's B+tree; CPElide table II): a group walks down from the root for
//! its query, a work-item for each key of a node. One kernel finds records (findK), one finds where
//! ranges of keys begin and how many records they have (findRangeK).

use crate::trace::Record;
use crate::workloads::SplitMix64;

use super::{Buffer, Device, Group, Knob, Launch, Params, Program, at, chunk};

pub const PROGRAM: Program = Program {
    name: "btree",
    about: "look-ups of keys and of ranges of keys in a B+ tree of order 256 (Rodinia)",
    size: Knob::new("keys looked up; the tree has 100 times as many", 16, 1..=1 << 16),
    iterations: Knob::new("rounds of look-ups with new keys", 1, 1..=1000),
    footprint: "about 2100 n",
};

/// Keys of a node: Rodinia's order.
const ORDER: usize = 256;
/// Keys that a node has here: those of a tree that grew by ascending keys.
const FILLED: usize = ORDER / 2;
/// Keys of the tree for each that is looked up: 1 million for 10 000 in Rodinia's example.
const KEYS: usize = 100;
/// Words of a node: its keys, then for each the child or the record.
const NODE: usize = 2 * (ORDER + 1);
const CHILDREN: usize = ORDER + 1;
/// Key behind the last.
const NO_KEY: i32 = i32::MAX;

/// Gives of the last queries the records found, then where each range begins, then how many
/// records it has.
pub fn run<R: Record>(device: &mut Device<R>, params: &Params) -> Result<Vec<i32>, R::Error> {
    let found = params.size as usize;
    let ranges = (3 * found).div_ceil(5);
    let rng = &mut SplitMix64::new(params.seed);
    let host = Tree::new(found * KEYS, rng);
    let tree = OnDevice {
        nodes: device.upload("knodes", &host.nodes)?,
        height: host.height,
        elements: host.nodes.len() / NODE,
    };
    let records = device.upload("records", &host.records)?;
    let walk = Walk::new(device, ["currKnode", "offset"], found)?;
    let first = Walk::new(device, ["currKnode", "offset"], ranges)?;
    let last = Walk::new(device, ["lastKnode", "offset_2"], ranges)?;
    let keys = device.alloc::<i32>("keys", found)?;
    let answers = device.alloc::<i32>("ans", found)?;
    let start = device.alloc::<i32>("start", ranges)?;
    let end = device.alloc::<i32>("end", ranges)?;
    let begins = device.alloc::<i32>("recstart", ranges)?;
    let lengths = device.alloc::<i32>("reclength", ranges)?;
    for _ in 0..params.iterations {
        let queries = Queries::new(&host, [found, ranges], rng);
        device.write(&keys, &queries.keys)?;
        walk.begin(device)?;
        let one = chunk(1);
        let launch = Launch::line("findK", found * ORDER, ORDER)
            .read("knodes", &tree.nodes)
            .read("records", &records)
            .write_part("currKnode", &walk.node, &one)
            .write_part("offset", &walk.next, &one)
            .read_part("keys", &keys, &one)
            .write_part("ans", &answers, &one);
        device.launch(launch, |group| {
            tree.descend(group, &[(&walk, &keys)]);
            group.phase(|it| {
                let node = it.load(at(20, 3), &walk.node, group.index);
                let key = it.load(at(21, 1), &keys, group.index);
                let node = *node as usize;
                let here = it.load(at(22, 4), &tree.nodes, node * NODE + it.lx);
                if *here == *key {
                    let place = node * NODE + CHILDREN + it.lx;
                    let record = it.load(at(23, 3), &tree.nodes, place);
                    let value = it.load(at(24, 3), &records, *record as usize);
                    it.store(at(25, 1), &answers, group.index, *value);
                }
            });
        })?;
        device.write(&start, &queries.starts)?;
        device.write(&end, &queries.ends)?;
        first.begin(device)?;
        last.begin(device)?;
        let launch = Launch::line("findRangeK", ranges * ORDER, ORDER)
            .read("knodes", &tree.nodes)
            .write_part("currKnode", &first.node, &one)
            .write_part("offset", &first.next, &one)
            .write_part("lastKnode", &last.node, &one)
            .write_part("offset_2", &last.next, &one)
            .read_part("start", &start, &one)
            .read_part("end", &end, &one)
            .write_part("recstart", &begins, &one)
            .write_part("reclength", &lengths, &one);
        device.launch(launch, |group| {
            tree.descend(group, &[(&first, &start), (&last, &end)]);
            group.phase(|it| {
                let node = it.load(at(20, 3), &first.node, group.index);
                let key = it.load(at(21, 1), &start, group.index);
                let node = *node as usize;
                let here = it.load(at(22, 4), &tree.nodes, node * NODE + it.lx);
                if *here == *key {
                    let place = node * NODE + CHILDREN + it.lx;
                    let record = it.load(at(23, 3), &tree.nodes, place);
                    it.store(at(24, 1), &begins, group.index, *record);
                }
            });
            group.phase(|it| {
                let node = it.load(at(30, 3), &last.node, group.index);
                let key = it.load(at(31, 1), &end, group.index);
                let node = *node as usize;
                let here = it.load(at(32, 4), &tree.nodes, node * NODE + it.lx);
                if *here == *key {
                    let place = node * NODE + CHILDREN + it.lx;
                    let record = it.load(at(33, 3), &tree.nodes, place);
                    let begin = it.load(at(34, 1), &begins, group.index);
                    it.store(at(35, 2), &lengths, group.index, *record - *begin + 1);
                }
            });
        })?;
    }
    let mut result = device.read(&answers)?;
    result.extend(device.read(&begins)?);
    result.extend(device.read(&lengths)?);
    Ok(result)
}

/// Where the queries of a kernel are.
struct Walk {
    node: Buffer<i32>,
    /// Where each goes next.
    next: Buffer<i32>,
}

impl Walk {
    fn new<R: Record>(
        device: &mut Device<R>,
        [node, next]: [&str; 2],
        n: usize,
    ) -> Result<Self, R::Error> {
        Ok(Self { node: device.alloc(node, n)?, next: device.alloc(next, n)? })
    }

    /// All at the root, whose number is 0.
    fn begin<R: Record>(&self, device: &mut Device<R>) -> Result<(), R::Error> {
        device.write(&self.node, &vec![0; self.node.len()])?;
        device.write(&self.next, &vec![0; self.next.len()])
    }
}

/// The tree in device memory.
struct OnDevice {
    nodes: Buffer<i32>,
    /// Levels above the leaves.
    height: usize,
    /// Nodes.
    elements: usize,
}

impl OnDevice {
    /// Takes each query of a group, a place and its key, down to its leaf.
    fn descend(&self, group: &Group, queries: &[(&Walk, &Buffer<i32>)]) {
        let query = group.index;
        for _ in group.turns(0..self.height) {
            group.phase(|it| {
                for (walk, keys) in it.turns(queries) {
                    let node = it.load(at(1, 4), &walk.node, query);
                    let key = it.load(at(2, 1), keys, query);
                    let place = *node as usize * NODE + it.lx;
                    if *it.load(at(3, 4), &self.nodes, place) <= *key
                        && *it.load(at(4, 2), &self.nodes, place + 1) > *key
                    {
                        let child = it.load(at(5, 3), &self.nodes, place + CHILDREN);
                        if (*child as usize) < self.elements {
                            it.store(at(6, 2), &walk.next, query, *child);
                        }
                    }
                }
            });
            group.phase(|it| {
                if it.lx == 0 {
                    for (walk, _) in it.turns(queries) {
                        let next = it.load(at(7, 2), &walk.next, query);
                        it.store(at(8, 1), &walk.node, query, *next);
                    }
                }
            });
        }
    }
}

/// What the host begins with.
struct Tree {
    /// Keys in ascending order; record i belongs to key i.
    keys: Vec<i32>,
    records: Vec<i32>,
    /// Level by level, the root first.
    nodes: Vec<i32>,
    height: usize,
}

impl Tree {
    fn new(n: usize, rng: &mut SplitMix64) -> Self {
        let mut key = 0;
        let mut next = || {
            key += 1 + rng.below(16) as i32;
            key
        };
        let keys: Vec<_> = (0..n).map(|_| next()).collect();
        let records = (0..n).map(|_| rng.below(1 << 31) as i32).collect();
        // Each level, from the leaves up: the least key below each node.
        let mut levels = vec![keys.clone()];
        while levels.len() == 1 || levels[levels.len() - 1].len() > 1 {
            let below = &levels[levels.len() - 1];
            levels.push(below.chunks(FILLED).map(|keys| keys[0]).collect());
        }
        let counts: Vec<_> = levels.iter().map(Vec::len).collect();
        let mut nodes = Vec::new();
        for level in (1..levels.len()).rev() {
            // Number of the first child: those above the children and this level stand before.
            let first: usize = counts[level..].iter().sum();
            for (number, least) in levels[level - 1].chunks(FILLED).enumerate() {
                let mut node = [NO_KEY; NODE];
                for (i, key) in least.iter().enumerate() {
                    let own = number * FILLED + i;
                    node[i] = *key;
                    node[CHILDREN + i] = if level == 1 { own } else { first + own } as i32;
                }
                nodes.extend(node);
            }
        }
        Self { keys, records, nodes, height: levels.len() - 2 }
    }
}

/// Keys to find, and the first and last keys of ranges: all are in the tree.
struct Queries {
    keys: Vec<i32>,
    starts: Vec<i32>,
    ends: Vec<i32>,
}

impl Queries {
    fn new(tree: &Tree, [found, ranges]: [usize; 2], rng: &mut SplitMix64) -> Self {
        let n = tree.keys.len() as u64;
        let keys = (0..found).map(|_| tree.keys[rng.below(n) as usize]).collect();
        let mut ends = Vec::new();
        let mut range = || {
            let start = rng.below(n);
            ends.push(tree.keys[(start + rng.below(n - start)) as usize]);
            tree.keys[start as usize]
        };
        let starts = (0..ranges).map(|_| range()).collect();
        Self { keys, starts, ends }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::shadow::replay;

    #[test]
    fn answers_equal_those_of_a_search_in_the_sorted_keys() {
        // Trees of one, two and three levels.
        for (size, iterations) in [(1, 2), (20, 1), (200, 1)] {
            let found = size as usize;
            let ranges = (3 * found).div_ceil(5);
            let rng = &mut SplitMix64::new(9);
            let tree = Tree::new(found * KEYS, rng);
            let all = (0..iterations).map(|_| Queries::new(&tree, [found, ranges], rng));
            let queries = all.last().unwrap();
            let place = |key: &i32| tree.keys.binary_search(key).unwrap();
            let mut expected: Vec<i32> =
                queries.keys.iter().map(|key| tree.records[place(key)]).collect();
            expected.extend(queries.starts.iter().map(|key| place(key) as i32));
            let both = queries.starts.iter().zip(&queries.ends);
            expected.extend(both.map(|(start, end)| (place(end) - place(start) + 1) as i32));
            let result = replay(run, &Params { size, iterations, seed: 9 });
            assert_eq!(result, expected, "size {size}");
        }
        let height = |n| Tree::new(n * KEYS, &mut SplitMix64::new(9)).height;
        assert_eq!([1, 20, 200].map(height), [0, 1, 2]);
    }
}
