//! Heat in a stack of chip layers (Rodinia's Hotspot3D; CPElide table II): a seven-point stencil
//! with read-only power. A work-item climbs through all layers and keeps the three around it in
//! registers.

use crate::trace::Record;
use crate::workloads::SplitMix64;

use super::input::floats;
use super::{Buffer, Device, Knob, Launch, Params, Program, at};

pub const PROGRAM: Program = Program {
    name: "hotspot3d",
    about: "seven-point heat stencil over 8 layers with read-only power (Rodinia)",
    size: Knob::new("rows and columns of a layer", 24, 1..=1 << 13),
    iterations: Knob::new("time steps", 2, 1..=10_000),
    footprint: "96 n^2",
};

const LOCAL: [usize; 2] = [16, 4];
const LAYERS: usize = 8;
/// Weight of a neighbour in its layer, of one in the next, of power and of the air; exact in
/// binary, and the sum with the centre's is 1.
const SIDE: f32 = 0.0625;
const LAYER: f32 = 0.125;
const POWER: f32 = 0.5;
const AIR: f32 = 0.03125;
const CENTRE: f32 = 1.0 - 4.0 * SIDE - 2.0 * LAYER - AIR;
const AIR_TEMPERATURE: f32 = 80.0;

/// Gives the temperatures after the last step, layer by layer.
pub fn run<R: Record>(device: &mut Device<R>, params: &Params) -> Result<Vec<f32>, R::Error> {
    let mut stack = Stack::new(device, params)?;
    for _ in 0..params.iterations {
        stack.heat(device)?;
    }
    device.read(&stack.from)
}

/// The layers: power, and temperatures before a step and after it.
pub struct Stack {
    n: usize,
    power: Buffer<f32>,
    pub from: Buffer<f32>,
    to: Buffer<f32>,
}

impl Stack {
    pub fn new<R: Record>(device: &mut Device<R>, params: &Params) -> Result<Self, R::Error> {
        let n = params.size as usize;
        let (power, start) = input(n, params.seed);
        let power = device.upload("power", &power)?;
        let from = device.upload("t_in", &start)?;
        Ok(Self { n, power, from, to: device.alloc("t_out", start.len())? })
    }

    pub fn heat<R: Record>(&mut self, device: &mut Device<R>) -> Result<(), R::Error> {
        let Self { n, power, from, to } = self;
        let n = *n;
        // A group uses its tile of every layer: no one range would say so.
        let launch = Launch::plane("hotspot3d", [n, n], LOCAL)
            .read("power", power)
            .read("t_in", from)
            .write("t_out", to);
        device.each(launch, |it| {
            let (x, y) = (it.x, it.y);
            let cell = |x, y, z| (z * n + y) * n + x;
            // Beyond a border stands what is at the border.
            let (west, east) = (x.saturating_sub(1), (x + 1).min(n - 1));
            let (north, south) = (y.saturating_sub(1), (y + 1).min(n - 1));
            let mut here = it.load(at(1, 14), from, cell(x, y, 0));
            let mut below = here;
            for z in it.turns(0..LAYERS) {
                let above = it.load(at(2, 3), from, cell(x, y, (z + 1).min(LAYERS - 1)));
                let sides = [
                    it.load(at(3, 1), from, cell(west, y, z)),
                    it.load(at(4, 1), from, cell(east, y, z)),
                    it.load(at(5, 1), from, cell(x, north, z)),
                    it.load(at(6, 1), from, cell(x, south, z)),
                ];
                let power = it.load(at(7, 1), power, cell(x, y, z));
                let sides = *sides[0] + *sides[1] + *sides[2] + *sides[3];
                let new = step(*here, sides, *below + *above, *power);
                it.store(at(8, 9), to, cell(x, y, z), new);
                (below, here) = (here, above);
            }
        })?;
        std::mem::swap(from, to);
        Ok(())
    }
}

fn input(n: usize, seed: u64) -> (Vec<f32>, Vec<f32>) {
    let mut rng = SplitMix64::new(seed);
    let power = floats(&mut rng, LAYERS * n * n);
    (power, floats(&mut rng, LAYERS * n * n).iter().map(|t| 60.0 + 40.0 * t).collect())
}

fn step(here: f32, sides: f32, layers: f32, power: f32) -> f32 {
    CENTRE * here + SIDE * sides + LAYER * layers + POWER * power + AIR * AIR_TEMPERATURE
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::shadow::replay;

    fn reference(n: usize, seed: u64, steps: u32) -> Vec<f32> {
        let (power, mut t) = input(n, seed);
        for _ in 0..steps {
            let old = t.clone();
            let v = |x: isize, y: isize, z: isize| {
                let inside = |v: isize, n: usize| v.clamp(0, n as isize - 1) as usize;
                old[(inside(z, LAYERS) * n + inside(y, n)) * n + inside(x, n)]
            };
            for (i, t) in t.iter_mut().enumerate() {
                let [x, y, z] = [i % n, i / n % n, i / n / n].map(|i| i as isize);
                let sides = v(x - 1, y, z) + v(x + 1, y, z) + v(x, y - 1, z) + v(x, y + 1, z);
                *t = step(v(x, y, z), sides, v(x, y, z - 1) + v(x, y, z + 1), power[i]);
            }
        }
        t
    }

    #[test]
    fn temperatures_equal_those_of_plain_loops() {
        for (size, iterations) in [(1, 1), (5, 3), (21, 2)] {
            let result = replay(run, &Params { size, iterations, seed: 6 });
            assert_eq!(result, reference(size as usize, 6, iterations), "size {size}");
        }
    }
}
