//! Waves in a cube of rock (EQWP of Tartan, FinePack section V): the wave equation with differences
//! of the fourth order. GPUs own layers that follow one another and read two of each neighbour; a
//! cell's value before the last is overwritten by the new one.

use crate::trace::Record;
use crate::workloads::SplitMix64;

use super::input::floats;
use super::{Device, Knob, Launch, Params, Program, at};

pub const PROGRAM: Program = Program {
    name: "earthquake",
    about: "wave equation over a cube, differences of the fourth order",
    size: Knob::new("cells along an edge of the cube", 16, 5..=512),
    iterations: Knob::new("time steps", 2, 1..=10_000),
    footprint: "8 n^3",
};

const LOCAL: [usize; 3] = [32, 2, 1];
/// Weights of the cell, its neighbours and theirs: multiples of 1/12 by the speed of waves.
const WEIGHTS: [f32; 3] = [-0.9375, 0.125, -0.0078125];

/// Gives the waves after the last step.
pub fn run<R: Record>(device: &mut Device<R>, params: &Params) -> Result<Vec<f32>, R::Error> {
    let n = params.size as usize;
    let start = floats(&mut SplitMix64::new(params.seed), n * n * n);
    let mut now = device.upload("u", &start)?;
    let mut before = device.upload("u_before", &start)?;
    let of_layer = n.div_ceil(LOCAL[0]) * n.div_ceil(LOCAL[1]);
    // Layers that a group computes, and those that it reads.
    let own = |g: usize| g / of_layer * n * n..(g / of_layer + 1) * n * n;
    let seen = |g: usize| (g / of_layer).saturating_sub(2) * n * n..(g / of_layer + 3) * n * n;
    for _ in 0..params.iterations {
        let launch = Launch::new("earthquake", [n; 3], LOCAL)
            .read_part("u", &now, seen)
            .write_part("u_before", &before, own);
        device.each(launch, |it| {
            let inside = |k: usize| (2..n - 2).contains(&k);
            if !(inside(it.x) && inside(it.y) && inside(it.z)) {
                return;
            }
            let i = (it.z * n + it.y) * n + it.x;
            let here = it.load(at(1, 14), &now, i);
            let mut sums = [0.0; 2];
            for (far, sum) in it.turns(sums.iter_mut().enumerate()) {
                for stride in it.turns([1, n, n * n]) {
                    let low = it.load(at(2, 3), &now, i - (far + 1) * stride);
                    let high = it.load(at(3, 2), &now, i + (far + 1) * stride);
                    *sum = *sum + *low + *high;
                }
            }
            let before_here = it.load(at(4, 2), &before, i);
            it.store(at(5, 8), &before, i, step(*here, *before_here, sums));
        })?;
        (now, before) = (before, now);
    }
    device.read(&now)
}

fn step(here: f32, before: f32, [near, far]: [f32; 2]) -> f32 {
    let change = WEIGHTS[0] * here + WEIGHTS[1] * near + WEIGHTS[2] * far;
    2.0 * here - before + change
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::shadow::replay;

    fn reference(n: usize, seed: u64, steps: u32) -> Vec<f32> {
        let mut now = floats(&mut SplitMix64::new(seed), n * n * n);
        let mut before = now.clone();
        for _ in 0..steps {
            for i in 0..n * n * n {
                let inside = |k: usize| k >= 2 && k + 2 < n;
                if ![i % n, i / n % n, i / n / n].into_iter().all(inside) {
                    continue;
                }
                let ring = |far: usize| {
                    let strides = [1, n, n * n].map(|stride| far * stride);
                    strides.iter().fold(0.0, |sum, s| sum + now[i - s] + now[i + s])
                };
                before[i] = step(now[i], before[i], [ring(1), ring(2)]);
            }
            std::mem::swap(&mut now, &mut before);
        }
        now
    }

    #[test]
    fn waves_equal_those_of_plain_loops() {
        for (size, iterations) in [(5, 1), (9, 3), (35, 1)] {
            let result = replay(run, &Params { size, iterations, seed: 6 });
            assert_eq!(result, reference(size as usize, 6, iterations), "size {size}");
        }
    }
}
