//! Four BabelStreams at once, each in a stream of its own on a quarter of the chiplets.

use crate::trace::Record;

use super::jobs::{self, Job};
use super::stream::Arrays;
use super::{Device, Knob, Params, Program};

pub const PROGRAM: Program = Program {
    name: "stream_jobs",
    about: "four BabelStreams, each in its own stream; then their results are added up",
    size: Knob::new("elements of an array of a job", 512, 1..=1 << 24),
    iterations: Knob::new("rounds of the four kernels of a job", 3, 1..=10_000),
    footprint: "52 n",
};

/// Gives the sum of the jobs' first arrays.
pub fn run<R: Record>(device: &mut Device<R>, params: &Params) -> Result<Vec<f32>, R::Error> {
    let job =
        |device: &mut Device<R>, params: &Params| Ok(Job::Stream(Arrays::new(device, params)?));
    jobs::run(device, params, [job; 4])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::shadow::replay;
    use crate::kernels::stream;

    #[test]
    fn sums_are_those_of_jobs_by_themselves() {
        let params = Params { size: 300, iterations: 2, seed: 5 };
        let alone = |seed| replay(stream::run, &Params { seed, ..params })[..300].to_vec();
        let jobs = [5, 6, 7, 8].map(alone);
        let sum = |i: usize| jobs.iter().map(|job| job[i]).sum::<f32>();
        assert_eq!(replay(run, &params), (0..300).map(sum).collect::<Vec<_>>());
    }
}
