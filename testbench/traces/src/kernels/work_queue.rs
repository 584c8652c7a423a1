//! Octree partitioning through a task queue (Cederman and Tsigas' dynamic load balancing), in two
//! dimensions: a task is a cell and its particles. A group that takes one orders the particles by
//! quadrant and pushes a task for each, which any group takes and whose particles it then reads.

use crate::trace::Record;
use crate::workloads::SplitMix64;

use super::input::floats;
use super::{Buffer, Device, Item, Knob, Launch, Params, Program, at};

pub const PROGRAM: Program = Program {
    name: "work_queue",
    about: "particles sorted into cells by tasks of a shared queue that push new tasks",
    size: Knob::new("particles", 2048, 1..=1 << 20),
    iterations: Knob::new("maximum number of levels below the root", 8, 1..=10),
    footprint: "20 n + about 8 n * iterations",
};

const LOCAL: usize = 64;
const GROUPS: usize = 16;
/// Most particles of a cell that is not split, unless it lies on the last level.
const LEAF: usize = 16;

type Point = [f32; 2];

/// A square of side 2^-level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Cell {
    level: usize,
    x: u32,
    y: u32,
}

impl Cell {
    fn packed(self) -> u32 {
        (self.level as u32) << 24 | self.y << 12 | self.x
    }

    fn unpacked(word: u32) -> Self {
        Self { level: (word >> 24) as usize, x: word & 0xfff, y: word >> 12 & 0xfff }
    }

    fn quadrant(self, point: Point) -> usize {
        let middle = |v: u32| (2 * v + 1) as f32 / (2 << self.level) as f32;
        usize::from(point[0] >= middle(self.x)) + 2 * usize::from(point[1] >= middle(self.y))
    }

    fn child(self, quadrant: usize) -> Self {
        let (x, y) = (2 * self.x + (quadrant as u32 & 1), 2 * self.y + (quadrant as u32 >> 1));
        Self { level: self.level + 1, x, y }
    }
}

/// The queue: tasks are taken in the order of their places. A group takes a place, then waits for
/// its task.
struct Queue {
    /// Next place to take.
    head: Buffer<u32>,
    /// Next place to push to.
    tail: Buffer<u32>,
    /// Tasks that were pushed and are not done.
    open: Buffer<i32>,
    /// 1: the task stands there.
    ready: Buffer<u32>,
    /// First particle, number of particles, cell.
    tasks: [Buffer<u32>; 3],
}

impl Queue {
    /// A queue for `most` tasks with the first one in it.
    fn new<R: Record>(device: &mut Device<R>, most: usize, n: usize) -> Result<Self, R::Error> {
        let head = device.alloc("head", 1)?;
        let tail = device.upload("tail", &[1])?;
        let open = device.upload("open", &[1])?;
        let ready = device.alloc("ready", most + GROUPS)?;
        device.write(&ready, &[1])?;
        let [first, count, cell] = ["first", "count", "cell"].map(|name| device.alloc(name, most));
        let tasks = [first?, count?, cell?];
        device.write(&tasks[1], &[n as u32])?;
        Ok(Self { head, tail, open, ready, tasks })
    }

    fn label(&self, launch: Launch) -> Launch {
        let launch = launch.write("head", &self.head).write("tail", &self.tail);
        let launch = launch.write("open", &self.open).write("ready", &self.ready);
        let [first, count, cell] = &self.tasks;
        launch.write("first", first).write("count", count).write("cell", cell)
    }

    /// Looks once for the task at the group's place, which it takes if it has none.
    fn poll(&self, it: &Item, place: &mut Option<usize>) -> Polled {
        let at_place =
            *place.get_or_insert_with(|| *it.atomic_add(at(1, 4), &self.head, 0, 1) as usize);
        if *it.load(at(2, 2), &self.ready, at_place) == 0 {
            let over = *it.load(at(3, 2), &self.open, 0) == 0;
            return if over { Polled::Over } else { Polled::Nothing };
        }
        *place = None;
        let [first, count, cell] = &self.tasks;
        let task = [(at(4, 3), first), (at(5, 1), count), (at(6, 1), cell)];
        let [first, count, cell] = task.map(|(at, words)| it.load(at, words, at_place));
        Polled::Task(*first as usize, *count as usize, Cell::unpacked(*cell))
    }

    fn push(&self, it: &Item, task: [u32; 3]) {
        let place = *it.atomic_add(at(7, 3), &self.tail, 0, 1) as usize;
        let sites = [at(8, 2), at(9, 1), at(10, 1)];
        for ((site, buffer), word) in sites.into_iter().zip(&self.tasks).zip(task) {
            it.store(site, buffer, place, word);
        }
        it.fence(at(11, 0));
        it.store(at(12, 1), &self.ready, place, 1);
    }

    /// A task is done and has pushed `pushed`.
    fn done(&self, it: &Item, pushed: usize) {
        it.atomic_add(at(13, 2), &self.open, 0, pushed as i32 - 1);
    }
}

enum Polled {
    Nothing,
    Over,
    /// First particle, number of particles, cell.
    Task(usize, usize, Cell),
}

/// Gives the particles cell by cell, then the level of each one's cell.
pub fn run<R: Record>(device: &mut Device<R>, params: &Params) -> Result<Vec<u32>, R::Error> {
    let (n, most) = (params.size as usize, params.iterations as usize);
    let points = device.upload("points", &input(n, params.seed))?;
    // Numbers of the particles in the order of the cells, n for each level.
    let order = device.alloc::<u32>("order", n * (most + 1))?;
    device.write(&order, &(0..n as u32).collect::<Vec<_>>())?;
    let sorted = device.alloc::<u32>("sorted", n)?;
    let levels = device.alloc::<u32>("levels", n)?;
    // A cell that is split has more particles than a leaf.
    let queue = Queue::new(device, 1 + 4 * most * (n / (LEAF + 1)), n)?;
    let launch = Launch::line("partition", GROUPS * LOCAL, LOCAL)
        .read("points", &points)
        .write("order", &order)
        .write("sorted", &sorted)
        .write("levels", &levels);
    let mut places = [None; GROUPS];
    device.in_turns(queue.label(launch), params.seed, |group| {
        let mut polled = Polled::Nothing;
        group.phase(|it| {
            if it.id == 0 {
                polled = queue.poll(it, &mut places[group.index]);
            }
        });
        let (first, count, cell) = match polled {
            Polled::Nothing => return true,
            Polled::Over => return false,
            Polled::Task(first, count, cell) => (first, count, cell),
        };
        let particles = |it: &Item| (it.id..count).step_by(LOCAL);
        if count <= LEAF || cell.level == most {
            group.phase(|it| {
                for i in it.turns(particles(it)) {
                    let p = it.load(at(14, 4), &order, n * cell.level + first + i);
                    it.store(at(15, 1), &sorted, first + i, *p);
                    it.store(at(16, 1), &levels, first + i, cell.level as u32);
                }
                it.fence(at(17, 0));
            });
            group.phase(|it| {
                if it.id == 0 {
                    queue.done(it, 0);
                }
            });
            return true;
        }
        // Local memory: particles and their quadrants.
        let mut kept = vec![(0, 0); count];
        group.phase(|it| {
            for i in it.turns(particles(it)) {
                let p = it.load(at(18, 4), &order, n * cell.level + first + i);
                let point = it.load(at(19, 2), &points, *p as usize);
                kept[i] = (*p, cell.quadrant(*point));
            }
        });
        let before = |q: usize, i: usize| kept[..i].iter().filter(|k| k.1 == q).count();
        let counts = [0, 1, 2, 3].map(|q| before(q, count));
        let start = |q: usize| first + counts[..q].iter().sum::<usize>();
        group.phase(|it| {
            for i in it.turns(particles(it)) {
                let (p, q) = kept[i];
                // A scan over the group gives each its place.
                it.work(24);
                it.store(at(20, 3), &order, n * (cell.level + 1) + start(q) + before(q, i), p);
            }
            it.fence(at(21, 0));
        });
        group.phase(|it| {
            if it.id == 0 {
                let pushed = (0..4).filter(|q| counts[*q] > 0);
                for q in it.turns(pushed.clone()) {
                    queue.push(it, [start(q) as u32, counts[q] as u32, cell.child(q).packed()]);
                }
                queue.done(it, pushed.count());
            }
        });
        true
    })?;
    Ok([device.read(&sorted)?, device.read(&levels)?].concat())
}

/// Points of the unit square, more of them near its corner: some cells are split often.
fn input(n: usize, seed: u64) -> Vec<Point> {
    let all = floats(&mut SplitMix64::new(seed), 4 * n);
    all.chunks_exact(4).map(|v| [v[0] * v[1], v[2] * v[3]]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::shadow::replay;

    /// Quadrants from the root down, most significant first.
    fn path(point: Point, most: usize) -> Vec<u32> {
        let [x, y] = point.map(|v| (f64::from(v) * f64::from(1 << most)) as u32);
        (0..most).rev().map(|bit| (x >> bit & 1) + 2 * (y >> bit & 1)).collect()
    }

    fn reference(n: usize, seed: u64, most: usize) -> Vec<u32> {
        let paths: Vec<_> = input(n, seed).into_iter().map(|point| path(point, most)).collect();
        let level = |own: &Vec<u32>| {
            let sharing =
                |level: usize| paths.iter().filter(|p| p[..level] == own[..level]).count();
            (0..most).find(|level| sharing(*level) <= LEAF).unwrap_or(most)
        };
        let levels: Vec<usize> = paths.iter().map(level).collect();
        let mut sorted: Vec<usize> = (0..n).collect();
        sorted.sort_by_key(|p| &paths[*p][..levels[*p]]);
        let particles = sorted.iter().map(|p| *p as u32);
        particles.chain(sorted.iter().map(|p| levels[*p] as u32)).collect()
    }

    #[test]
    fn cells_equal_those_of_sorting_by_path_whatever_the_order_of_the_groups() {
        for (size, iterations) in [(1, 1), (LEAF as u32 + 1, 1), (100, 3), (900, 8)] {
            for seed in [3, 4] {
                let result = replay(run, &Params { size, iterations, seed });
                let (n, most) = (size as usize, iterations as usize);
                assert_eq!(result, reference(n, seed, most), "size {size}");
            }
        }
    }

    #[test]
    fn cell_comes_back_from_its_word() {
        let cell = Cell { level: 10, x: 1023, y: 7 };
        assert_eq!(Cell::unpacked(cell.packed()), cell);
    }
}
