//! Vector copy (STC section 6): nothing but loads and stores, the worst case for stores that must
//! wait.

use crate::trace::Record;
use crate::workloads::SplitMix64;

use super::input::floats;
use super::{Buffer, Device, Knob, Launch, Params, Program, at, chunk};

pub const PROGRAM: Program = Program {
    name: "copy",
    about: "vector copy, one element for each work-item",
    size: Knob::new("elements of a vector", 1 << 14, 1..=1 << 26),
    iterations: Knob::new("copies, to and fro", 1, 1..=10_000),
    footprint: "8 n",
};

const LOCAL: usize = 256;

/// Gives both vectors, one behind the other.
pub fn run<R: Record>(device: &mut Device<R>, params: &Params) -> Result<Vec<f32>, R::Error> {
    let mut vectors = Vectors::new(device, params)?;
    for _ in 0..params.iterations {
        vectors.copy(device)?;
    }
    Ok([device.read(&vectors.from)?, device.read(&vectors.to)?].concat())
}

/// Both vectors.
pub struct Vectors {
    pub from: Buffer<f32>,
    to: Buffer<f32>,
}

impl Vectors {
    pub fn new<R: Record>(device: &mut Device<R>, params: &Params) -> Result<Self, R::Error> {
        let n = params.size as usize;
        let from = device.upload("a", &floats(&mut SplitMix64::new(params.seed), n))?;
        Ok(Self { from, to: device.alloc("b", n)? })
    }

    /// Copies one, and exchanges them.
    pub fn copy<R: Record>(&mut self, device: &mut Device<R>) -> Result<(), R::Error> {
        let Self { from, to } = self;
        let part = chunk(LOCAL);
        let launch = Launch::line("copy", from.len(), LOCAL);
        let launch = launch.read_part("from", from, &part).write_part("to", to, &part);
        device.each(launch, |it| {
            let v = it.load(at(1, 4), from, it.x);
            it.store(at(2, 1), to, it.x, *v);
        })?;
        std::mem::swap(from, to);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::shadow::replay;

    #[test]
    fn both_vectors_hold_the_input() {
        for (size, iterations) in [(1, 1), (257, 1), (600, 2)] {
            let input = floats(&mut SplitMix64::new(9), size as usize);
            let result = replay(run, &Params { size, iterations, seed: 9 });
            assert_eq!(result, [&input[..], &input].concat(), "size {size}");
        }
    }
}
