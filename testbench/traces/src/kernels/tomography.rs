//! Model-based reconstruction of an image from its projections (CT, FinePack section V): a
//! work-item gathers the voxels that share its voxel's rays and moves its own towards what was
//! measured. Voxels are visited in a random order, so that updates do not follow one another in
//! space: all GPUs read all, and stores have no locality.

use crate::trace::Record;
use crate::workloads::SplitMix64;

use super::input::{floats, scattered};
use super::{Device, Knob, Launch, Params, Program, at, chunk};

pub const PROGRAM: Program = Program {
    name: "tomography",
    about: "iterative reconstruction of an image: voxels in random order, gathered along rays",
    size: Knob::new("voxels; 24 of their rays' voxels each", 512, 2..=1 << 22),
    iterations: Knob::new("sweeps over the image", 2, 1..=10_000),
    footprint: "108 n",
};

const LOCAL: usize = 64;
/// Voxels that are read for each.
const RAYS: usize = 24;
/// Share of the difference by which a voxel moves.
const RELAX: f32 = 0.0625;
/// Instructions of the model for each voxel of a ray.
const MODEL: u32 = 40;

/// Gives the image after the last sweep.
pub fn run<R: Record>(device: &mut Device<R>, params: &Params) -> Result<Vec<f32>, R::Error> {
    let scan = Scan::new(params.size as usize, params.seed);
    let n = scan.measured.len();
    let order = device.upload("order", &scan.order)?;
    let rays = device.upload("rays", &scan.rays)?;
    let measured = device.upload("measured", &scan.measured)?;
    let mut from = device.alloc::<f32>("image", n)?;
    let mut to = device.alloc::<f32>("image_next", n)?;
    for _ in 0..params.iterations {
        let launch = Launch::line("tomography", n, LOCAL)
            .read_part("order", &order, chunk(LOCAL))
            .read("rays", &rays)
            .read("measured", &measured)
            .read("image", &from)
            .write("image_next", &to);
        device.each(launch, |it| {
            if it.x >= n {
                return;
            }
            let v = it.load(at(1, 4), &order, it.x);
            let mut sum = 0.0;
            for ray in it.turns(0..RAYS) {
                let other = *it.load(at(2, 3), &rays, ray * n + it.x) as usize;
                sum += *it.load(at(3, MODEL), &from, other);
            }
            let v = *v as usize;
            let own = it.load(at(4, 1), &from, v);
            let measured = it.load(at(5, 1), &measured, v);
            it.store(at(6, MODEL), &to, v, moved(*own, sum, *measured));
        })?;
        (from, to) = (to, from);
    }
    device.read(&from)
}

fn moved(own: f32, sum: f32, measured: f32) -> f32 {
    own + RELAX * (measured - sum / RAYS as f32)
}

/// What was measured, and in which order voxels are visited.
struct Scan {
    order: Vec<u32>,
    /// Ray k of the voxel that is visited i-th at k * n + i.
    rays: Vec<u32>,
    measured: Vec<f32>,
}

impl Scan {
    fn new(n: usize, seed: u64) -> Self {
        let mut rng = SplitMix64::new(seed);
        let order = scattered(&mut rng, n);
        let rays = (0..RAYS * n).map(|_| rng.below(n as u64) as u32).collect();
        Self { order, rays, measured: floats(&mut rng, n) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::shadow::replay;

    fn reference(n: usize, seed: u64, sweeps: u32) -> Vec<f32> {
        let Scan { order, rays, measured } = Scan::new(n, seed);
        let mut image = vec![0.0; n];
        for _ in 0..sweeps {
            let old = image.clone();
            for (i, &v) in order.iter().enumerate() {
                let sum = (0..RAYS).fold(0.0, |sum, k| sum + old[rays[k * n + i] as usize]);
                image[v as usize] = moved(old[v as usize], sum, measured[v as usize]);
            }
        }
        image
    }

    #[test]
    fn image_equals_that_of_plain_loops() {
        for (size, iterations) in [(2, 1), (65, 3), (300, 2)] {
            let result = replay(run, &Params { size, iterations, seed: 5 });
            assert_eq!(result, reference(size as usize, 5, iterations), "size {size}");
        }
    }
}
