//! Lattice-Boltzmann method in two dimensions, nine directions (Parboil's LBM has 19 in three):
//! each cell gathers what its neighbours sent, lets it collide, and stores it. Nothing but streams,
//! and as many stores as loads.

use crate::trace::Record;
use crate::workloads::SplitMix64;

use super::input::floats;
use super::{Device, Knob, Launch, Params, Program, at};

pub const PROGRAM: Program = Program {
    name: "lbm",
    about: "lattice-Boltzmann method with nine directions: equal numbers of loads and stores",
    size: Knob::new("rows and columns of the grid", 48, 3..=1 << 12),
    iterations: Knob::new("time steps", 2, 1..=10_000),
    footprint: "72 n^2",
};

const LOCAL: [usize; 2] = [32, 4];
/// Directions: columns, rows, weight.
const DIRECTIONS: [(i32, i32, f32); 9] = [
    (0, 0, 4.0 / 9.0),
    (1, 0, 1.0 / 9.0),
    (0, 1, 1.0 / 9.0),
    (-1, 0, 1.0 / 9.0),
    (0, -1, 1.0 / 9.0),
    (1, 1, 1.0 / 36.0),
    (-1, 1, 1.0 / 36.0),
    (-1, -1, 1.0 / 36.0),
    (1, -1, 1.0 / 36.0),
];
const RELAXATION: f32 = 0.75;

/// Gives what flows in each direction, direction by direction. The grid's borders meet.
pub fn run<R: Record>(device: &mut Device<R>, params: &Params) -> Result<Vec<f32>, R::Error> {
    let n = params.size as usize;
    let mut from = device.upload("a", &input(n, params.seed))?;
    let mut to = device.alloc("b", 9 * n * n)?;
    for _ in 0..params.iterations {
        let launch = Launch::plane("lbm", [n, n], LOCAL).read("from", &from).write("to", &to);
        device.each(launch, |it| {
            let flows = it.turns(0..9).map(|d| {
                let (dx, dy, _) = DIRECTIONS[d];
                let place = behind(it.y, dy, n) * n + behind(it.x, dx, n);
                it.load(at(1, 5), &from, d * n * n + place)
            });
            let flows: Vec<_> = flows.collect();
            let after = collided(std::array::from_fn(|d| *flows[d]));
            it.work(120);
            for d in it.turns(0..9) {
                it.store(at(2, 2), &to, d * n * n + it.y * n + it.x, after[d]);
            }
        })?;
        (from, to) = (to, from);
    }
    device.read(&from)
}

/// Where that comes from which goes `step` to arrive at `to`.
fn behind(to: usize, step: i32, n: usize) -> usize {
    (to as i32 - step).rem_euclid(n as i32) as usize
}

/// The flows nearer to their equilibrium: density and momentum stay.
fn collided(flows: [f32; 9]) -> [f32; 9] {
    let density: f32 = flows.iter().sum();
    let (mut x, mut y) = (0.0, 0.0);
    for (flow, (dx, dy, _)) in flows.iter().zip(DIRECTIONS) {
        x += dx as f32 * flow;
        y += dy as f32 * flow;
    }
    let (x, y) = (x / density, y / density);
    std::array::from_fn(|d| {
        let (dx, dy, weight) = DIRECTIONS[d];
        let along = 3.0 * (dx as f32 * x + dy as f32 * y);
        let square = 1.5 * (x * x + y * y);
        let equilibrium = weight * density * (1.0 + along + 0.5 * along * along - square);
        flows[d] + RELAXATION * (equilibrium - flows[d])
    })
}

fn input(n: usize, seed: u64) -> Vec<f32> {
    let noise = floats(&mut SplitMix64::new(seed), 9 * n * n);
    let near = |(i, noise): (usize, f32)| DIRECTIONS[i / (n * n)].2 * (1.0 + 0.25 * noise);
    noise.into_iter().enumerate().map(near).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::shadow::replay;

    /// Pushes in place of gathering: collides nothing, so that a step only moves flows.
    fn moved(flows: &[f32], n: usize) -> Vec<f32> {
        let mut to = vec![0.0; flows.len()];
        for (d, (dx, dy, _)) in DIRECTIONS.iter().enumerate() {
            for y in 0..n {
                for x in 0..n {
                    let step = |v: usize, by: i32| (v + n).wrapping_add_signed(by as isize) % n;
                    let place = step(y, *dy) * n + step(x, *dx);
                    to[(d * n + place / n) * n + place % n] = flows[(d * n + y) * n + x];
                }
            }
        }
        to
    }

    #[test]
    fn flows_equal_those_of_moving_and_colliding_in_two_passes() {
        for (size, steps) in [(3, 1), (17, 2), (40, 3)] {
            let n = size as usize;
            let mut flows = input(n, 5);
            for _ in 0..steps {
                flows = moved(&flows, n);
                for cell in 0..n * n {
                    let after = collided(std::array::from_fn(|d| flows[d * n * n + cell]));
                    (0..9).for_each(|d| flows[d * n * n + cell] = after[d]);
                }
            }
            let result = replay(run, &Params { size, iterations: steps, seed: 5 });
            assert_eq!(result, flows, "size {size}");
        }
    }

    #[test]
    fn density_and_momentum_stay() {
        let n = 24;
        let sums = |flows: &[f32]| {
            let mut sums = [0.0; 3];
            for (i, flow) in flows.iter().enumerate() {
                let (dx, dy, _) = DIRECTIONS[i / (n * n)];
                [1, dx, dy].iter().zip(&mut sums).for_each(|(k, sum)| {
                    *sum += f64::from(*k) * f64::from(*flow);
                });
            }
            sums
        };
        let before = sums(&input(n, 2));
        let result = replay(run, &Params { size: n as u32, iterations: 20, seed: 2 });
        assert_ne!(result, input(n, 2));
        for (before, after) in before.iter().zip(sums(&result)) {
            assert!((before - after).abs() < 1e-2, "{before} is now {after}");
        }
    }
}
