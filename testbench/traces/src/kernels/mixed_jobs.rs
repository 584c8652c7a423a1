//! BabelStream, copies, a Jacobi iteration and Hotspot3D at once, each in a stream of its own on a
//! quarter of the chiplets.

use crate::trace::Record;

use super::copy::Vectors;
use super::hotspot3d::Stack;
use super::jacobi2d::Grid;
use super::jobs::{self, Job};
use super::stream::Arrays;
use super::{Device, Knob, Params, Program};

pub const PROGRAM: Program = Program {
    name: "mixed_jobs",
    about: "stream, copy, jacobi2d and hotspot3d, each in its own stream; then their results are \
            added up",
    size: Knob::new("approximate number of elements of an array of a job", 1024, 9..=1 << 24),
    iterations: Knob::new("steps of each job", 2, 1..=10_000),
    footprint: "44 n",
};

/// Gives the sum of the jobs' results.
pub fn run<R: Record>(device: &mut Device<R>, params: &Params) -> Result<Vec<f32>, R::Error> {
    jobs::run(
        device,
        params,
        [
            |device, params| Ok(Job::Stream(Arrays::new(device, params)?)),
            |device, params| Ok(Job::Copy(Vectors::new(device, params)?)),
            |device, params| Ok(Job::Jacobi(Grid::new(device, &side(params, 1))?)),
            |device, params| Ok(Job::Heat(Stack::new(device, &side(params, 8))?)),
        ],
    )
}

/// Of a square with as many elements in each of so many layers together.
fn side(params: &Params, layers: u32) -> Params {
    Params { size: (params.size / layers).isqrt().max(1), ..*params }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::shadow::replay;
    use crate::kernels::{copy, hotspot3d, jacobi2d, stream};

    #[test]
    fn sums_are_those_of_jobs_by_themselves() {
        let params = Params { size: 128, iterations: 3, seed: 5 };
        let with = |seed, size| Params { seed, size, ..params };
        let jobs = [
            replay(stream::run, &with(5, 128)),
            replay(copy::run, &with(6, 128)),
            replay(jacobi2d::run, &with(7, 11)),
            replay(hotspot3d::run, &with(8, 4)),
        ];
        let sum = |i: usize| jobs.iter().map(|job| job[i]).sum::<f32>();
        assert_eq!(replay(run, &params), (0..121).map(sum).collect::<Vec<_>>());
    }
}
