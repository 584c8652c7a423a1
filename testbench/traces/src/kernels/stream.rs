//! BabelStream (CPElide table II): copy, multiply, add and triad over three arrays, over and over.

use crate::trace::Record;
use crate::workloads::SplitMix64;

use super::input::floats;
use super::{Buffer, Device, Knob, Launch, Params, Program, at, chunk};

pub const PROGRAM: Program = Program {
    name: "stream",
    about: "BabelStream: copy, multiply, add and triad over three arrays",
    size: Knob::new("elements of an array", 2048, 1..=1 << 26),
    iterations: Knob::new("rounds of the four kernels", 3, 1..=10_000),
    footprint: "12 n",
};

const LOCAL: usize = 256;
const SCALAR: f32 = 0.4;

/// Gives the three arrays, one behind the other.
pub fn run<R: Record>(device: &mut Device<R>, params: &Params) -> Result<Vec<f32>, R::Error> {
    let arrays = Arrays::new(device, params)?;
    for _ in 0..params.iterations {
        arrays.round(device)?;
    }
    let Arrays { a, b, c } = &arrays;
    Ok([device.read(a)?, device.read(b)?, device.read(c)?].concat())
}

/// The three arrays.
pub struct Arrays {
    pub a: Buffer<f32>,
    b: Buffer<f32>,
    c: Buffer<f32>,
}

impl Arrays {
    pub fn new<R: Record>(device: &mut Device<R>, params: &Params) -> Result<Self, R::Error> {
        let n = params.size as usize;
        let a = device.upload("a", &floats(&mut SplitMix64::new(params.seed), n))?;
        Ok(Self { a, b: device.alloc("b", n)?, c: device.alloc("c", n)? })
    }

    /// The four kernels.
    pub fn round<R: Record>(&self, device: &mut Device<R>) -> Result<(), R::Error> {
        let Self { a, b, c } = self;
        let part = chunk(LOCAL);
        let line = |name| Launch::line(name, a.len(), LOCAL);
        let launch = line("copy").read_part("a", a, &part).write_part("c", c, &part);
        device.each(launch, |it| {
            let v = it.load(at(1, 4), a, it.x);
            it.store(at(2, 1), c, it.x, *v);
        })?;
        let launch = line("mul").write_part("b", b, &part).read_part("c", c, &part);
        device.each(launch, |it| {
            let v = it.load(at(1, 4), c, it.x);
            it.store(at(2, 2), b, it.x, SCALAR * *v);
        })?;
        let launch = line("add").read_part("a", a, &part).read_part("b", b, &part);
        device.each(launch.write_part("c", c, &part), |it| {
            let v = it.load(at(1, 4), a, it.x);
            let w = it.load(at(2, 1), b, it.x);
            it.store(at(3, 2), c, it.x, *v + *w);
        })?;
        let launch = line("triad").write_part("a", a, &part).read_part("b", b, &part);
        device.each(launch.read_part("c", c, &part), |it| {
            let v = it.load(at(1, 4), b, it.x);
            let w = it.load(at(2, 1), c, it.x);
            it.store(at(3, 2), a, it.x, *v + SCALAR * *w);
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::shadow::replay;

    #[test]
    fn arrays_equal_those_of_plain_loops() {
        for (size, iterations) in [(1, 1), (255, 3), (1000, 2)] {
            let params = Params { size, iterations, seed: 5 };
            let mut a = floats(&mut SplitMix64::new(5), size as usize);
            let (mut b, mut c) = (a.clone(), a.clone());
            for _ in 0..iterations {
                c.copy_from_slice(&a);
                b.iter_mut().zip(&c).for_each(|(b, c)| *b = SCALAR * c);
                (0..a.len()).for_each(|i| c[i] = a[i] + b[i]);
                (0..a.len()).for_each(|i| a[i] = b[i] + SCALAR * c[i]);
            }
            assert_eq!(replay(run, &params), [a, b, c].concat(), "size {size}");
        }
    }
}
