//! Heat on a chip (Rodinia's Hotspot; CPElide table II): a five-point stencil with read-only power.
//! A group computes two time steps of its tile in local memory, so it reads two rows and columns
//! more on each side.

use crate::trace::Record;
use crate::workloads::SplitMix64;

use super::input::floats;
use super::{Device, Knob, Launch, Params, Program, at};

pub const PROGRAM: Program = Program {
    name: "hotspot",
    about: "five-point heat stencil, two time steps of a tile in local memory (Rodinia)",
    size: Knob::new("rows and columns", 72, 1..=1 << 13),
    iterations: Knob::new("time steps, two for each kernel", 4, 1..=10_000),
    footprint: "12 n^2",
};

/// Rows and columns of a group.
const TILE: usize = 16;
/// Time steps of a kernel: Rodinia's pyramid height, 2 in CPElide table II.
const STEPS: usize = 2;
/// Rows and columns that a group writes.
const INNER: usize = TILE - 2 * STEPS;
/// Weight of a neighbour, of power and of the air; exact in binary.
const SIDE: f32 = 0.125;
const POWER: f32 = 0.5;
const AIR: f32 = 0.03125;
const AIR_TEMPERATURE: f32 = 80.0;

type Tile = [[f32; TILE]; TILE];

/// Gives the temperatures after the last step.
pub fn run<R: Record>(device: &mut Device<R>, params: &Params) -> Result<Vec<f32>, R::Error> {
    let n = params.size as usize;
    let (power, start) = input(n, params.seed);
    let power = device.upload("power", &power)?;
    let mut from = device.upload("temp_src", &start)?;
    let mut to = device.alloc("temp_dst", start.len())?;
    let tiles = n.div_ceil(INNER);
    let own = |g: usize| g / tiles * INNER * n..(g / tiles + 1) * INNER * n;
    let seen = |g: usize| {
        let first = (g / tiles * INNER).saturating_sub(STEPS);
        first * n..((g / tiles + 1) * INNER + STEPS) * n
    };
    let mut left = params.iterations as usize;
    while left > 0 {
        let steps = left.min(STEPS);
        left -= steps;
        let launch = Launch::plane("calculate_temp", [tiles * TILE; 2], [TILE; 2])
            .group_memory(3 * size_of::<Tile>())
            .read_part("power", &power, seen)
            .read_part("temp_src", &from, seen)
            .write_part("temp_dst", &to, own);
        device.launch(launch, |group| {
            // Row or column of the chip at a place of the tile, where the chip has it.
            let place = |tile: usize, at: usize| {
                (tile * INNER + at).checked_sub(STEPS).filter(|place| *place < n)
            };
            let cell = |x, y| Some(place(group.id[1], y)? * n + place(group.id[0], x)?);
            let (mut heat, mut sources) = (Tile::default(), Tile::default());
            group.phase(|it| {
                if let Some(at_cell) = cell(it.lx, it.ly) {
                    let here = it.load(at(1, 24), &from, at_cell);
                    let source = it.load(at(2, 1), &power, at_cell);
                    (heat[it.ly][it.lx], sources[it.ly][it.lx]) = (*here, *source);
                }
            });
            for done in 0..steps {
                let old = heat;
                group.phase(|it| {
                    let (x, y) = (it.lx, it.ly);
                    let inside = |at: usize| at > done && at + 1 + done < TILE;
                    if !(inside(x) && inside(y) && cell(x, y).is_some()) {
                        return;
                    }
                    // Beyond a border stands what is at the border.
                    let there = |x: usize, y: usize| cell(x, y).map(|_| old[y][x]);
                    let side = |x, y| there(x, y).unwrap_or(old[it.ly][it.lx]);
                    let sides = [side(x, y - 1), side(x, y + 1), side(x - 1, y), side(x + 1, y)];
                    heat[y][x] = step(old[y][x], sides, sources[y][x]);
                    it.work(40);
                });
            }
            group.phase(|it| {
                let written = STEPS..TILE - STEPS;
                if written.contains(&it.lx)
                    && written.contains(&it.ly)
                    && let Some(at_cell) = cell(it.lx, it.ly)
                {
                    it.store(at(3, 4), &to, at_cell, heat[it.ly][it.lx]);
                }
            });
        })?;
        (from, to) = (to, from);
    }
    device.read(&from)
}

fn input(n: usize, seed: u64) -> (Vec<f32>, Vec<f32>) {
    let mut rng = SplitMix64::new(seed);
    let power = floats(&mut rng, n * n);
    (power, floats(&mut rng, n * n).iter().map(|t| 60.0 + 40.0 * t).collect())
}

/// `sides`: north, south, west, east.
fn step(here: f32, [north, south, west, east]: [f32; 4], power: f32) -> f32 {
    let flow = (north + south - 2.0 * here) * SIDE + (west + east - 2.0 * here) * SIDE;
    here + POWER * power + flow + (AIR_TEMPERATURE - here) * AIR
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::shadow::replay;

    fn reference(n: usize, seed: u64, steps: u32) -> Vec<f32> {
        let (power, mut t) = input(n, seed);
        for _ in 0..steps {
            let old = t.clone();
            for (i, t) in t.iter_mut().enumerate() {
                let (x, y) = (i % n, i / n);
                let (west, east) = (x.saturating_sub(1), (x + 1).min(n - 1));
                let (north, south) = (y.saturating_sub(1), (y + 1).min(n - 1));
                let sides = [north * n + x, south * n + x, y * n + west, y * n + east];
                *t = step(old[i], sides.map(|at| old[at]), power[i]);
            }
        }
        t
    }

    #[test]
    fn temperatures_equal_those_of_plain_loops() {
        for (size, iterations) in [(1, 1), (12, 2), (13, 3), (40, 5)] {
            let result = replay(run, &Params { size, iterations, seed: 6 });
            assert_eq!(result, reference(size as usize, 6, iterations), "size {size}");
        }
    }
}
