//! Independent jobs in streams of their own, each on its own part of the chiplets, and at the end a
//! kernel that waits for all (the multi-stream programs of CPElide's section VI).

use crate::trace::Record;

use super::copy::Vectors;
use super::hotspot3d::Stack;
use super::jacobi2d::Grid;
use super::stream::Arrays;
use super::{Buffer, Device, Launch, Params, at, chunk};

const LOCAL: usize = 256;

/// One job.
pub enum Job {
    Stream(Arrays),
    Copy(Vectors),
    Jacobi(Grid),
    Heat(Stack),
}

impl Job {
    fn step<R: Record>(&mut self, device: &mut Device<R>) -> Result<(), R::Error> {
        match self {
            Self::Stream(arrays) => arrays.round(device),
            Self::Copy(vectors) => vectors.copy(device),
            Self::Jacobi(grid) => grid.sweep(device),
            Self::Heat(stack) => stack.heat(device),
        }
    }

    /// What it has made.
    fn result(&self) -> &Buffer<f32> {
        match self {
            Self::Stream(arrays) => &arrays.a,
            Self::Copy(vectors) => &vectors.from,
            Self::Jacobi(grid) => &grid.from,
            Self::Heat(stack) => &stack.from,
        }
    }
}

/// Makes a job.
type Make<R, E> = fn(&mut Device<R>, &Params) -> Result<Job, E>;

/// Runs the jobs, which `make` makes of the parameters, and gives the sum of what they have made,
/// element by element, as far as the shortest result goes.
pub fn run<R: Record, const N: usize>(
    device: &mut Device<R>,
    params: &Params,
    make: [Make<R, R::Error>; N],
) -> Result<Vec<f32>, R::Error> {
    device.streams(N as u8)?;
    let mut jobs = Vec::with_capacity(N);
    for (number, make) in (0..).zip(make) {
        let seed = params.seed + number;
        jobs.push(make(device, &Params { seed, ..*params })?);
    }
    for _ in 0..params.iterations {
        for (stream, job) in (0..).zip(&mut jobs) {
            device.use_stream(stream);
            job.step(device)?;
        }
    }
    let results: Vec<_> = jobs.iter().map(Job::result).collect();
    let n = results.iter().map(|result| result.len()).min().unwrap_or(0);
    let sum = device.alloc::<f32>("sum", n)?;
    for stream in 1..N as u8 {
        device.wait(0, stream)?;
    }
    device.use_stream(0);
    let launch = Launch::line("sum", n, LOCAL).write_part("sum", &sum, chunk(LOCAL));
    let launch = results
        .iter()
        .fold(launch, |launch, result| launch.read_part("result", result, chunk(LOCAL)));
    device.each(launch, |it| {
        let all = (1..).zip(&results).map(|(pc, result)| it.load(at(pc, 1), result, it.x));
        let all: Vec<_> = all.collect();
        let total = all.iter().map(|value| **value).sum();
        it.store(at(N as u32 + 1, 1), &sum, it.x, total);
    })?;
    device.read(&sum)
}
