//! Heat in a cube (Diffusion of Tartan, FinePack section V): a seven-point stencil, a work-item for
//! each cell. GPUs own layers that follow one another and read one of each neighbour.

use crate::trace::Record;
use crate::workloads::SplitMix64;

use super::input::floats;
use super::{Device, Knob, Launch, Params, Program, at};

pub const PROGRAM: Program = Program {
    name: "diffusion",
    about: "seven-point heat stencil over a cube, a work-item for each cell",
    size: Knob::new("cells along an edge of the cube", 16, 3..=512),
    iterations: Knob::new("time steps", 2, 1..=10_000),
    footprint: "8 n^3",
};

const LOCAL: [usize; 3] = [32, 2, 1];
/// What flows from a neighbour in a step.
const FLOW: f32 = 0.125;

/// Gives the temperatures after the last step.
pub fn run<R: Record>(device: &mut Device<R>, params: &Params) -> Result<Vec<f32>, R::Error> {
    let n = params.size as usize;
    let start = floats(&mut SplitMix64::new(params.seed), n * n * n);
    let mut from = device.upload("t", &start)?;
    let mut to = device.upload("t_next", &start)?;
    let of_layer = n.div_ceil(LOCAL[0]) * n.div_ceil(LOCAL[1]);
    // Layers that a group computes, and those that it reads.
    let own = |g: usize| g / of_layer * n * n..(g / of_layer + 1) * n * n;
    let seen = |g: usize| (g / of_layer).saturating_sub(1) * n * n..(g / of_layer + 2) * n * n;
    for _ in 0..params.iterations {
        let launch = Launch::new("diffusion", [n; 3], LOCAL)
            .read_part("t", &from, seen)
            .write_part("t_next", &to, own);
        device.each(launch, |it| {
            let inside = |k: usize| (1..n - 1).contains(&k);
            if !(inside(it.x) && inside(it.y) && inside(it.z)) {
                return;
            }
            let i = (it.z * n + it.y) * n + it.x;
            let here = it.load(at(1, 14), &from, i);
            let x = [it.load(at(2, 1), &from, i - 1), it.load(at(3, 1), &from, i + 1)];
            let y = [it.load(at(4, 2), &from, i - n), it.load(at(5, 2), &from, i + n)];
            let z = [it.load(at(6, 2), &from, i - n * n), it.load(at(7, 2), &from, i + n * n)];
            let sum = *x[0] + *x[1] + *y[0] + *y[1] + *z[0] + *z[1];
            it.store(at(8, 4), &to, i, step(*here, sum));
        })?;
        (from, to) = (to, from);
    }
    device.read(&from)
}

fn step(here: f32, neighbours: f32) -> f32 {
    here + FLOW * (neighbours - 6.0 * here)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::shadow::replay;

    fn reference(n: usize, seed: u64, steps: u32) -> Vec<f32> {
        let mut heat = floats(&mut SplitMix64::new(seed), n * n * n);
        for _ in 0..steps {
            let old = heat.clone();
            let inside = (1..n - 1)
                .flat_map(|z| (1..n - 1).flat_map(move |y| (1..n - 1).map(move |x| (x, y, z))));
            for (x, y, z) in inside {
                let at = |dx: usize, dy: usize, dz: usize| {
                    old[((z + dz - 1) * n + y + dy - 1) * n + x + dx - 1]
                };
                let sides = at(0, 1, 1) + at(2, 1, 1) + at(1, 0, 1) + at(1, 2, 1);
                heat[(z * n + y) * n + x] = step(at(1, 1, 1), sides + at(1, 1, 0) + at(1, 1, 2));
            }
        }
        heat
    }

    #[test]
    fn heat_equals_that_of_plain_loops() {
        for (size, iterations) in [(3, 1), (9, 2), (35, 1)] {
            let result = replay(run, &Params { size, iterations, seed: 6 });
            assert_eq!(result, reference(size as usize, 6, iterations), "size {size}");
        }
    }
}
