//! Multigrid (hpgmg of STC section 6): V-cycles for heat conduction in a square whose border is
//! cold, on grids of halving size. Each kernel of a level reads conductances that none writes, and
//! the grid that the kernel before has written.

use crate::trace::Record;
use crate::workloads::SplitMix64;

use super::input::floats;
use super::{Buffer, Device, Item, Knob, Launch, Params, Program, at};

pub const PROGRAM: Program = Program {
    name: "multigrid",
    about: "multigrid V-cycles: stencils on grids of halving size, restriction, prolongation",
    size: Knob::new("rows and columns of the finest grid", 24, 1..=1 << 13),
    iterations: Knob::new("V-cycles", 1, 1..=1_000),
    footprint: "22 n^2",
};

const LOCAL: [usize; 2] = [16, 16];
/// Of a grid that is not made coarser.
const COARSEST: usize = 8;
/// Smoothing is Jacobi's, with this share of each correction. An even number of sweeps ends in the
/// grid where it began.
const WEIGHT: f32 = 0.75;
const SWEEPS: usize = 2;
const SIDES: [(isize, isize); 4] = [(-1, 0), (1, 0), (0, -1), (0, 1)];
const QUARTERS: [(usize, usize); 4] = [(0, 0), (1, 0), (0, 1), (1, 1)];

/// A grid of n rows: conductance of each cell, heat that comes in, temperatures, and room for them
/// while they are smoothed.
struct Level {
    n: usize,
    conductance: Buffer<f32>,
    source: Buffer<f32>,
    heat: Buffer<f32>,
    next: Buffer<f32>,
}

/// Gives the temperatures on the finest grid after the last cycle.
pub fn run<R: Record>(device: &mut Device<R>, params: &Params) -> Result<Vec<f32>, R::Error> {
    let mut n = params.size as usize;
    let (mut conductance, mut source) = input(n, params.seed);
    let mut levels = Vec::new();
    loop {
        levels.push(Level {
            n,
            conductance: device.upload("conductance", &conductance)?,
            source: device.upload("source", &source)?,
            heat: device.alloc("heat", n * n)?,
            next: device.alloc("next", n * n)?,
        });
        if n <= COARSEST {
            break;
        }
        conductance = coarser(&conductance, n);
        n = n.div_ceil(2);
        source = vec![0.0; n * n];
    }
    for _ in 0..params.iterations {
        cycle(device, &levels)?;
    }
    device.read(&levels[0].heat)
}

fn cycle<R: Record>(device: &mut Device<R>, levels: &[Level]) -> Result<(), R::Error> {
    let fine = &levels[0];
    smooth(device, fine)?;
    if let Some(coarse) = levels.get(1) {
        restrict(device, fine, coarse)?;
        cycle(device, &levels[1..])?;
        prolong(device, coarse, fine)?;
    }
    smooth(device, fine)
}

fn smooth<R: Record>(device: &mut Device<R>, level: &Level) -> Result<(), R::Error> {
    let (mut from, mut to) = (&level.heat, &level.next);
    for _ in 0..SWEEPS {
        let launch = Launch::plane("smooth", [level.n; 2], LOCAL)
            .read("conductance", &level.conductance)
            .read("source", &level.source)
            .read("from", from)
            .write("to", to);
        device.each(launch, |it| {
            let [heat, left, sum] = defect(it, level, from, it.x, it.y);
            it.store(at(6, 4), to, it.y * level.n + it.x, heat + WEIGHT * left / sum);
        })?;
        (from, to) = (to, from);
    }
    Ok(())
}

/// What the fine grid leaves over becomes the coarse grid's source.
fn restrict<R: Record>(
    device: &mut Device<R>,
    fine: &Level,
    coarse: &Level,
) -> Result<(), R::Error> {
    let launch = Launch::plane("restrict", [coarse.n; 2], LOCAL)
        .read("conductance", &fine.conductance)
        .read("source", &fine.source)
        .read("from", &fine.heat)
        .write("to", &coarse.source)
        .write("heat", &coarse.heat);
    device.each(launch, |it| {
        let mut sum = 0.0;
        for (dx, dy) in it.turns(QUARTERS) {
            let (x, y) = (2 * it.x + dx, 2 * it.y + dy);
            if x < fine.n && y < fine.n {
                sum += defect(it, fine, &fine.heat, x, y)[1];
            }
        }
        let i = it.y * coarse.n + it.x;
        it.store(at(6, 3), &coarse.source, i, sum);
        it.store(at(7, 1), &coarse.heat, i, 0.0);
    })
}

/// The coarse grid's correction is added to the fine one.
fn prolong<R: Record>(
    device: &mut Device<R>,
    coarse: &Level,
    fine: &Level,
) -> Result<(), R::Error> {
    let launch = Launch::plane("prolong", [fine.n; 2], LOCAL);
    let launch = launch.read("from", &coarse.heat).write("to", &fine.heat);
    device.each(launch, |it| {
        let i = it.y * fine.n + it.x;
        let more = it.load(at(1, 5), &coarse.heat, it.y / 2 * coarse.n + it.x / 2);
        let heat = it.load(at(2, 1), &fine.heat, i);
        it.store(at(3, 2), &fine.heat, i, *heat + *more);
    })
}

/// The temperature of a cell, what flows in beyond what flows out, and its sides' conductances
/// together. Beyond the border it is cold.
fn defect(it: &Item, level: &Level, heat: &Buffer<f32>, x: usize, y: usize) -> [f32; 3] {
    let i = y * level.n + x;
    let here = it.load(at(1, 8), &level.conductance, i);
    let own = it.load(at(2, 1), heat, i);
    let source = it.load(at(3, 1), &level.source, i);
    let (mut left, mut sum) = (None, 0.0);
    for (dx, dy) in it.turns(SIDES) {
        let (x, y) = (x.wrapping_add_signed(dx), y.wrapping_add_signed(dy));
        let (side, beyond) = if x < level.n && y < level.n {
            let i = y * level.n + x;
            let conductance = it.load(at(4, 6), &level.conductance, i);
            let there = it.load(at(5, 1), heat, i);
            (0.5 * (*here + *conductance), *there)
        } else {
            (*here, 0.0)
        };
        left = Some(left.unwrap_or(*source) + side * (beyond - *own));
        sum += side;
    }
    [*own, left.unwrap_or(*source), sum]
}

/// The mean of each four cells; where there are less, the last ones count twice.
fn coarser(cells: &[f32], n: usize) -> Vec<f32> {
    let half = n.div_ceil(2);
    let cell = |x: usize, y: usize| cells[y.min(n - 1) * n + x.min(n - 1)];
    let mean = |x, y| QUARTERS.iter().map(|(dx, dy)| cell(2 * x + dx, 2 * y + dy)).sum::<f32>();
    (0..half * half).map(|i| 0.25 * mean(i % half, i / half)).collect()
}

fn input(n: usize, seed: u64) -> (Vec<f32>, Vec<f32>) {
    let mut rng = SplitMix64::new(seed);
    let conductance = floats(&mut rng, n * n).iter().map(|k| 1.0 + k).collect();
    (conductance, floats(&mut rng, n * n))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::shadow::replay;

    /// What is left over at a cell, and its sides' conductances: the grids have a rim of one cell,
    /// of which the conductance is negative.
    fn left(k: &[Vec<f32>], f: &[Vec<f32>], u: &[Vec<f32>], x: usize, y: usize) -> (f32, f32) {
        let (mut left, mut sum) = (f[y][x], 0.0);
        for (x2, y2) in [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)] {
            let side = if k[y2][x2] < 0.0 { k[y][x] } else { 0.5 * (k[y][x] + k[y2][x2]) };
            left += side * (u[y2][x2] - u[y][x]);
            sum += side;
        }
        (left, sum)
    }

    fn rim(cells: &[f32], n: usize, rim: f32) -> Vec<Vec<f32>> {
        let mut grid = vec![vec![rim; n + 2]; n + 2];
        (0..n * n).for_each(|i| grid[i / n + 1][i % n + 1] = cells[i]);
        grid
    }

    fn reference(k: &[f32], f: &[Vec<f32>], u: &mut Vec<Vec<f32>>) {
        let n = f.len() - 2;
        let with_rim = rim(k, n, -1.0);
        let cells = || (1..=n).flat_map(|y| (1..=n).map(move |x| (x, y)));
        let smooth = |u: &mut Vec<Vec<f32>>| {
            for _ in 0..SWEEPS {
                let old = u.clone();
                for (x, y) in cells() {
                    let (left, sum) = left(&with_rim, f, &old, x, y);
                    u[y][x] = old[y][x] + WEIGHT * left / sum;
                }
            }
        };
        smooth(u);
        if n > COARSEST {
            let half = n.div_ceil(2);
            let (mut f2, mut u2) = (vec![vec![0.0; half + 2]; half + 2], Vec::new());
            u2.clone_from(&f2);
            for (x, y) in cells() {
                f2[y.div_ceil(2)][x.div_ceil(2)] += left(&with_rim, f, u, x, y).0;
            }
            reference(&coarser(k, n), &f2, &mut u2);
            cells().for_each(|(x, y)| u[y][x] += u2[y.div_ceil(2)][x.div_ceil(2)]);
        }
        smooth(u);
    }

    #[test]
    fn temperatures_equal_those_of_plain_loops() {
        for (size, iterations) in [(1, 1), (9, 2), (21, 1), (40, 2)] {
            let n = size as usize;
            let (k, f) = input(n, 6);
            let (f, mut u) = (rim(&f, n, 0.0), vec![vec![0.0; n + 2]; n + 2]);
            (0..iterations).for_each(|_| reference(&k, &f, &mut u));
            let inner: Vec<f32> = (1..=n).flat_map(|y| u[y][1..=n].to_vec()).collect();
            let result = replay(run, &Params { size, iterations, seed: 6 });
            assert_eq!(result, inner, "size {size}");
        }
    }

    #[test]
    fn each_cycle_leaves_less_over() {
        let n = 32;
        let (k, f) = input(n, 1);
        let (k, f) = (rim(&k, n, -1.0), rim(&f, n, 0.0));
        let over = |iterations| {
            let heat = replay(run, &Params { size: n as u32, iterations, seed: 1 });
            let u = rim(&heat, n, 0.0);
            (0..n * n).map(|i| left(&k, &f, &u, i % n + 1, i / n + 1).0.abs()).fold(0.0, f32::max)
        };
        let over: Vec<f32> = (1..5).map(over).collect();
        assert!(over.windows(2).all(|w| w[1] < w[0]), "{over:?}");
    }
}
