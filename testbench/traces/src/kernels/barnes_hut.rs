//! Barnes-Hut (Burtscher and Pingali's) in two dimensions: work-items insert bodies into a quadtree
//! and lock the slot that they change; those that sum up a cell wait for its children; then each
//! body goes down the tree and takes distant cells as one.

use crate::trace::Record;
use crate::workloads::SplitMix64;

use super::input::floats;
use super::{Buffer, Device, Item, Knob, Launch, Params, Program, at, chunk};

pub const PROGRAM: Program = Program {
    name: "barnes_hut",
    about: "Barnes-Hut: a quadtree built under locks, summed bottom-up, traversed for forces",
    size: Knob::new("particles", 256, 1..=1 << 18),
    iterations: Knob::new("time steps", 1, 1..=10_000),
    footprint: "112 n + 2308",
};

const LOCAL: usize = 64;
/// Slots of the tree: nothing, locked; else a body, or a cell from n on.
const EMPTY: i32 = -1;
const LOCKED: i32 = -2;
/// Levels of the tree: a coordinate has so many bits.
const LEVELS: u32 = 24;
/// Cells whose side is less than this share of their distance count as one body.
const THETA: f32 = 0.75;
const SOFTENING: f32 = 1.0 / 4096.0;
const STEP: f32 = 1.0 / 64.0;

/// x, y, mass, 0.
type Body = [f32; 4];

/// Gives the velocity of each body after the last step.
pub fn run<R: Record>(device: &mut Device<R>, params: &Params) -> Result<Vec<[f32; 2]>, R::Error> {
    let n = params.size as usize;
    let bodies = device.upload("bodies", &input(n, params.seed))?;
    let velocities = device.alloc::<[f32; 2]>("velocities", n)?;
    let tree = Tree::new(device, n)?;
    for step in 0..params.iterations {
        tree.build(device, &bodies)?;
        tree.sum_up(device, &bodies, step + 1)?;
        tree.move_bodies(device, &bodies, &velocities)?;
    }
    device.read(&velocities)
}

/// Cells, the root first; children have greater numbers.
struct Tree {
    bodies: usize,
    /// Four slots of each cell.
    slots: Buffer<i32>,
    /// Cells so far.
    used: Buffer<u32>,
    /// Centre and mass of each cell.
    sums: Buffer<Body>,
    /// Step for which the cell is summed up.
    summed: Buffer<u32>,
    /// A body on its way through the kernel that moves it.
    moved: Buffer<Body>,
}

/// Bits of the coordinates, from the root down.
fn bits(body: Body) -> [u32; 2] {
    [body[0], body[1]].map(|v| (v * (1 << LEVELS) as f32) as u32)
}

fn quadrant([x, y]: [u32; 2], level: u32) -> usize {
    let bit = |v: u32| (v >> (LEVELS - 1 - level) & 1) as usize;
    bit(x) + 2 * bit(y)
}

/// Levels on which both lie in one cell.
fn shared([ax, ay]: [u32; 2], [bx, by]: [u32; 2]) -> u32 {
    ((ax ^ bx) | (ay ^ by)).leading_zeros() - (u32::BITS - LEVELS)
}

impl Tree {
    fn new<R: Record>(device: &mut Device<R>, n: usize) -> Result<Self, R::Error> {
        let cells = 2 * n + 64;
        Ok(Self {
            bodies: n,
            slots: device.alloc("slots", 4 * cells)?,
            used: device.alloc("used", 1)?,
            sums: device.alloc("sums", cells)?,
            summed: device.alloc("summed", cells)?,
            moved: device.alloc("moved", n)?,
        })
    }

    fn cells(&self) -> usize {
        self.sums.len()
    }

    fn build<R: Record>(
        &self,
        device: &mut Device<R>,
        bodies: &Buffer<Body>,
    ) -> Result<(), R::Error> {
        device.write(&self.used, &[1])?;
        let launch = Launch::line("clear", 4 * self.cells(), LOCAL).write_part(
            "slots",
            &self.slots,
            chunk(LOCAL),
        );
        device.each(launch, |it| it.store(at(1, 3), &self.slots, it.x, EMPTY))?;
        let launch = Launch::line("build", self.bodies, LOCAL)
            .read("bodies", bodies)
            .write("slots", &self.slots)
            .write("used", &self.used);
        device.each(launch, |it| self.insert(it, bodies))
    }

    /// Puts the work-item's body into the tree. One that coincides with another, or for which there
    /// is no cell left, stays out.
    fn insert(&self, it: &Item, bodies: &Buffer<Body>) {
        let own = bits(*it.load(at(1, 4), bodies, it.x));
        let (mut cell, mut level) = (0, 0);
        for _ in it.turns(0..) {
            let slot = 4 * cell + quadrant(own, level);
            let seen = *it.load(at(2, 4), &self.slots, slot);
            if seen >= self.bodies as i32 {
                (cell, level) = (seen as usize - self.bodies, level + 1);
                continue;
            }
            if seen == LOCKED || *it.cas(at(3, 3), &self.slots, slot, seen, LOCKED) != seen {
                continue;
            }
            let new = match seen {
                EMPTY => it.x as i32,
                other => self.split(it, bodies, own, other, level + 1),
            };
            it.fence(at(4, 0));
            it.exchange(at(5, 1), &self.slots, slot, new);
            break;
        }
    }

    /// Cells from `level` down to where both bodies part; gives what the slot holds then.
    fn split(
        &self,
        it: &Item,
        bodies: &Buffer<Body>,
        own: [u32; 2],
        other: i32,
        level: u32,
    ) -> i32 {
        let theirs = bits(*it.load(at(6, 2), bodies, other as usize));
        let parts = shared(own, theirs);
        if parts == LEVELS {
            return other;
        }
        let needed = parts - level + 1;
        let first = *it.atomic_add(at(7, 6), &self.used, 0, needed) as usize;
        if first + needed as usize > self.cells() {
            return other;
        }
        for cell in it.turns(first..first + needed as usize) {
            let level = level + (cell - first) as u32;
            let slot = |bits| 4 * cell + quadrant(bits, level);
            if level < parts {
                it.store(at(8, 4), &self.slots, slot(own), (self.bodies + cell + 1) as i32);
            } else {
                it.store(at(9, 4), &self.slots, slot(theirs), other);
                it.store(at(10, 2), &self.slots, slot(own), it.x as i32);
            }
        }
        (self.bodies + first) as i32
    }

    /// Centre and mass of each cell: the last cell first, since children have greater numbers.
    fn sum_up<R: Record>(
        &self,
        device: &mut Device<R>,
        bodies: &Buffer<Body>,
        step: u32,
    ) -> Result<(), R::Error> {
        let cells = self.cells();
        let launch = Launch::line("sum_up", cells, LOCAL)
            .read("bodies", bodies)
            .read("slots", &self.slots)
            .read("used", &self.used)
            .write("sums", &self.sums)
            .write("summed", &self.summed);
        device.each(launch, |it| {
            let used = *it.load(at(1, 4), &self.used, 0) as usize;
            let Some(cell) = used.min(cells).checked_sub(it.x + 1) else { return };
            let mut sum = [0.0; 4];
            for q in it.turns(0..4) {
                let child = *it.load(at(2, 3), &self.slots, 4 * cell + q);
                if child == EMPTY {
                    continue;
                }
                let part = match (child as usize).checked_sub(self.bodies) {
                    None => it.load(at(3, 3), bodies, child as usize),
                    Some(child) => {
                        for _ in it.turns(0..) {
                            if *it.load(at(4, 3), &self.summed, child) == step {
                                break;
                            }
                        }
                        it.load(at(5, 2), &self.sums, child)
                    }
                };
                let [x, y, mass, _] = *part;
                sum = [sum[0] + mass * x, sum[1] + mass * y, sum[2] + mass, 0.0];
            }
            // A cell whose bodies did not get it has no mass.
            let whole = if sum[2] > 0.0 { sum[2] } else { 1.0 };
            it.store(at(6, 8), &self.sums, cell, [sum[0] / whole, sum[1] / whole, sum[2], 0.0]);
            it.fence(at(7, 0));
            it.store(at(8, 1), &self.summed, cell, step);
        })
    }

    fn move_bodies<R: Record>(
        &self,
        device: &mut Device<R>,
        bodies: &Buffer<Body>,
        velocities: &Buffer<[f32; 2]>,
    ) -> Result<(), R::Error> {
        let part = chunk(LOCAL);
        let launch = Launch::line("forces", self.bodies, LOCAL)
            .read("bodies", bodies)
            .read("slots", &self.slots)
            .read("sums", &self.sums)
            .write_part("velocities", velocities, &part)
            .write_part("moved", &self.moved, &part);
        device.each(launch, |it| {
            let own = it.load(at(1, 4), bodies, it.x);
            let mut force = [0.0; 2];
            // Local memory: what is to be visited, and its level.
            let mut stack = vec![(self.bodies, 0)];
            let pending = std::iter::from_fn(|| Some(()));
            for () in it.turns(pending) {
                let Some((child, level)) = stack.pop() else { break };
                let Some(cell) = child.checked_sub(self.bodies) else {
                    if child != it.x {
                        let body = it.load(at(2, 4), bodies, child);
                        pull(&mut force, *own, *body);
                        it.work(16);
                    }
                    continue;
                };
                let sum = it.load(at(3, 4), &self.sums, cell);
                if is_far(*own, *sum, level) {
                    pull(&mut force, *own, *sum);
                    it.work(20);
                    continue;
                }
                for q in it.turns((0..4).rev()) {
                    let child = *it.load(at(4, 3), &self.slots, 4 * cell + q);
                    if child != EMPTY {
                        stack.push((child as usize, level + 1));
                    }
                }
            }
            let velocity = it.load(at(5, 4), velocities, it.x);
            let (body, velocity) = after(*own, *velocity, force);
            it.store(at(6, 8), velocities, it.x, velocity);
            it.store(at(7, 1), &self.moved, it.x, body);
        })?;
        let launch = Launch::line("move", self.bodies, LOCAL)
            .read_part("moved", &self.moved, &part)
            .write_part("bodies", bodies, &part);
        device.each(launch, |it| {
            let body = it.load(at(1, 4), &self.moved, it.x);
            it.store(at(2, 1), bodies, it.x, *body);
        })
    }
}

fn square_distance(from: Body, to: Body) -> f32 {
    let (x, y) = (to[0] - from[0], to[1] - from[1]);
    x * x + y * y + SOFTENING
}

fn is_far(from: Body, cell: Body, level: u32) -> bool {
    let side = 1.0 / (1u32 << level) as f32;
    side * side < THETA * THETA * square_distance(from, cell)
}

fn pull(force: &mut [f32; 2], from: Body, to: Body) {
    let square = square_distance(from, to);
    let factor = to[2] / (square * square.sqrt());
    force[0] += factor * (to[0] - from[0]);
    force[1] += factor * (to[1] - from[1]);
}

/// The body a step later; it stays in the unit square.
fn after(body: Body, velocity: [f32; 2], force: [f32; 2]) -> (Body, [f32; 2]) {
    let velocity = [velocity[0] + STEP * force[0], velocity[1] + STEP * force[1]];
    let moved = |d: usize| (body[d] + STEP * velocity[d]).clamp(0.0, 1.0 - f32::EPSILON);
    ([moved(0), moved(1), body[2], 0.0], velocity)
}

/// Bodies in the unit square whose masses are 1 together, or nearly so.
fn input(n: usize, seed: u64) -> Vec<Body> {
    let all = floats(&mut SplitMix64::new(seed), 3 * n);
    all.chunks_exact(3).map(|v| [v[0], v[1], (0.5 + v[2]) / n as f32, 0.0]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::shadow::replay;

    /// A cell of the tree that bodies have whatever the order in which they come.
    enum Cell {
        Body(usize),
        Parent(Body, Vec<Cell>),
    }

    fn cell(bodies: &[Body], within: Vec<usize>, level: u32) -> Cell {
        if within.len() == 1 && level > 0 {
            return Cell::Body(within[0]);
        }
        let side = |v: f32| ((f64::from(v) * f64::from(2u32 << level)) as u32 & 1) as usize;
        let mut parts = vec![Vec::new(); 4];
        for b in within {
            parts[side(bodies[b][0]) + 2 * side(bodies[b][1])].push(b);
        }
        parts.retain(|part| !part.is_empty());
        let parts: Vec<_> = parts.into_iter().map(|part| cell(bodies, part, level + 1)).collect();
        let mut sum = [0.0; 3];
        for part in &parts {
            let [x, y, mass, _] = match part {
                Cell::Body(b) => bodies[*b],
                Cell::Parent(sum, _) => *sum,
            };
            sum = [sum[0] + mass * x, sum[1] + mass * y, sum[2] + mass];
        }
        Cell::Parent([sum[0] / sum[2], sum[1] / sum[2], sum[2], 0.0], parts)
    }

    fn force_of(cell: &Cell, bodies: &[Body], own: usize, level: u32, force: &mut [f32; 2]) {
        match cell {
            Cell::Body(b) if *b == own => {}
            Cell::Body(b) => pull(force, bodies[own], bodies[*b]),
            Cell::Parent(sum, _) if is_far(bodies[own], *sum, level) => {
                pull(force, bodies[own], *sum)
            }
            Cell::Parent(_, parts) => {
                parts.iter().for_each(|part| force_of(part, bodies, own, level + 1, force))
            }
        }
    }

    #[test]
    fn velocities_equal_those_of_a_tree_built_from_the_root() {
        for (size, iterations) in [(1, 1), (2, 2), (65, 3), (300, 2)] {
            let n = size as usize;
            let (mut bodies, mut velocities) = (input(n, 3), vec![[0.0; 2]; n]);
            for _ in 0..iterations {
                let root = cell(&bodies, (0..n).collect(), 0);
                let before = bodies.clone();
                for b in 0..n {
                    let mut force = [0.0; 2];
                    force_of(&root, &before, b, 0, &mut force);
                    (bodies[b], velocities[b]) = after(before[b], velocities[b], force);
                }
            }
            let result = replay(run, &Params { size, iterations, seed: 3 });
            assert_eq!(result, velocities, "size {size}");
        }
    }

    #[test]
    fn forces_are_near_those_of_all_pairs() {
        let n = 500;
        let bodies = input(n, 8);
        let result = replay(run, &Params { size: n as u32, iterations: 1, seed: 8 });
        let (mut wrong, mut whole) = (0.0, 0.0);
        for (own, velocity) in bodies.iter().zip(result) {
            let mut force = [0.0; 2];
            let others = bodies.iter().filter(|other| *other != own);
            others.for_each(|other| pull(&mut force, *own, *other));
            let error = [0, 1].map(|d| velocity[d] / STEP - force[d]);
            wrong += error[0].hypot(error[1]);
            whole += force[0].hypot(force[1]);
        }
        assert!(wrong < 0.06 * whole, "{wrong} of {whole}");
    }

    #[test]
    fn bodies_in_one_place_stay_out_of_the_tree() {
        assert_eq!(shared([5, 9], [5, 9]), LEVELS);
        assert_eq!(shared([0, 0], [0, 1 << (LEVELS - 1)]), 0);
        assert_eq!(shared([6, 1], [7, 1]), LEVELS - 1);
    }
}
