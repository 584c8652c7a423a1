//! Speckles taken out of a picture by anisotropic diffusion (Rodinia's SRAD_v2; CPElide table II):
//! in each iteration a kernel for differences and coefficients, and one for the new picture. The
//! host takes the variance of a region between them.

use crate::trace::Record;
use crate::workloads::SplitMix64;

use super::input::floats;
use super::{Device, Group, Item, Knob, Launch, Params, Program, at};

pub const PROGRAM: Program = Program {
    name: "srad",
    about: "speckle-reducing diffusion of a picture, two kernels for each iteration (Rodinia)",
    size: Knob::new("rows and columns", 32, 2..=1 << 13),
    iterations: Knob::new("iterations", 2, 1..=10_000),
    footprint: "24 n^2",
};

/// Rows and columns of a group.
const TILE: usize = 16;
/// Rows and columns of the region whose variance counts, at most: 0 to 127 in CPElide table II.
const REGION: usize = 128;
/// Rodinia's lambda, 0.5 in CPElide table II.
const LAMBDA: f32 = 0.5;

type Tile = [[f32; TILE]; TILE];

/// Gives the picture after the last iteration.
pub fn run<R: Record>(device: &mut Device<R>, params: &Params) -> Result<Vec<f32>, R::Error> {
    let n = params.size as usize;
    let start = input(n, params.seed);
    let picture = device.upload("J", &start)?;
    let coefficient = device.alloc::<f32>("C", n * n)?;
    let east = device.alloc::<f32>("E_C", n * n)?;
    let west = device.alloc::<f32>("W_C", n * n)?;
    let north = device.alloc::<f32>("N_C", n * n)?;
    let south = device.alloc::<f32>("S_C", n * n)?;
    let tiles = n.div_ceil(TILE);
    let rows = |g: usize| g / tiles * TILE * n..(g / tiles + 1) * TILE * n;
    let with_halo = |g: usize| rows(g).start.saturating_sub(n)..rows(g).end + n;
    let mut seen = start;
    for _ in 0..params.iterations {
        let speckle = speckle(&seen, n);
        let launch = Launch::plane("srad_cuda_1", [n, n], [TILE; 2])
            .group_memory(5 * size_of::<Tile>())
            .write_part("E_C", &east, rows)
            .write_part("W_C", &west, rows)
            .write_part("N_C", &north, rows)
            .write_part("S_C", &south, rows)
            .read_part("J", &picture, with_halo)
            .write_part("C", &coefficient, rows);
        device.launch(launch, |group| {
            let view = View { n, group };
            let mut tile = Tile::default();
            let mut halo = [Tile::default(); 4];
            group.phase(|it| {
                if view.has(it) {
                    let beside = [
                        it.load(at(1, 20), &picture, view.row(it, -1)),
                        it.load(at(2, 2), &picture, view.row(it, 1)),
                        it.load(at(3, 6), &picture, view.column(it, -1)),
                        it.load(at(4, 2), &picture, view.column(it, 1)),
                    ];
                    let here = it.load(at(5, 2), &picture, it.y * n + it.x);
                    for (side, value) in halo.iter_mut().zip(beside) {
                        side[it.ly][it.lx] = *value;
                    }
                    tile[it.ly][it.lx] = *here;
                }
            });
            group.phase(|it| {
                if !view.has(it) {
                    return;
                }
                let here = tile[it.ly][it.lx];
                let sides = view.sides(it, &tile, &halo);
                let (c, differences) = coefficient_of(here, sides, speckle);
                let cell = it.y * n + it.x;
                it.store(at(6, 60), &coefficient, cell, c);
                it.store(at(7, 1), &east, cell, differences[3]);
                it.store(at(8, 1), &west, cell, differences[2]);
                it.store(at(9, 1), &south, cell, differences[1]);
                it.store(at(10, 1), &north, cell, differences[0]);
            });
        })?;
        let launch = Launch::plane("srad_cuda_2", [n, n], [TILE; 2])
            .group_memory(4 * size_of::<Tile>())
            .read_part("E_C", &east, rows)
            .read_part("W_C", &west, rows)
            .read_part("N_C", &north, rows)
            .read_part("S_C", &south, rows)
            .write_part("J", &picture, rows)
            .read_part("C", &coefficient, |g| rows(g).start..rows(g).end + n);
        device.launch(launch, |group| {
            let view = View { n, group };
            let (mut tile, mut old) = (Tile::default(), Tile::default());
            let mut halo = [Tile::default(); 4];
            group.phase(|it| {
                if view.has(it) {
                    let here = it.load(at(1, 16), &picture, it.y * n + it.x);
                    let south = it.load(at(2, 4), &coefficient, view.row(it, 1));
                    let east = it.load(at(3, 4), &coefficient, view.column(it, 1));
                    let own = it.load(at(4, 2), &coefficient, it.y * n + it.x);
                    old[it.ly][it.lx] = *here;
                    halo[1][it.ly][it.lx] = *south;
                    halo[3][it.ly][it.lx] = *east;
                    tile[it.ly][it.lx] = *own;
                }
            });
            group.phase(|it| {
                if !view.has(it) {
                    return;
                }
                let cell = it.y * n + it.x;
                let [_, c_south, _, c_east] = view.sides(it, &tile, &halo);
                let flows = [
                    it.load(at(5, 12), &north, cell),
                    it.load(at(6, 1), &south, cell),
                    it.load(at(7, 1), &west, cell),
                    it.load(at(8, 1), &east, cell),
                ];
                let c = [tile[it.ly][it.lx], c_south, c_east];
                let flows = flows.map(|flow| *flow);
                it.store(at(9, 12), &picture, cell, diffused(old[it.ly][it.lx], c, flows));
            });
        })?;
        seen = device.read(&picture)?;
    }
    Ok(seen)
}

/// Where a work-item of a tile stands in the picture, and what is beside it.
struct View<'a> {
    n: usize,
    group: &'a Group<'a>,
}

impl View<'_> {
    fn has(&self, it: &Item) -> bool {
        it.x < self.n && it.y < self.n
    }

    /// The cell of the row above or below the tile in the work-item's column, as far as the picture
    /// goes.
    fn row(&self, it: &Item, side: isize) -> usize {
        self.beside(self.group.id[1], side) * self.n + it.x
    }

    /// Likewise of the column beside the tile in its row.
    fn column(&self, it: &Item, side: isize) -> usize {
        it.y * self.n + self.beside(self.group.id[0], side)
    }

    fn beside(&self, tile: usize, side: isize) -> usize {
        let place = if side < 0 { (tile * TILE).saturating_sub(1) } else { (tile + 1) * TILE };
        place.min(self.n - 1)
    }

    /// What is north, south, west and east; beyond a border of the picture, what is at it.
    fn sides(&self, it: &Item, tile: &Tile, halo: &[Tile; 4]) -> [f32; 4] {
        let (x, y, last) = (it.lx, it.ly, self.n - 1);
        let border = [it.y == 0, it.y == last, it.x == 0, it.x == last];
        // Rows and columns of the tile, as far as it goes.
        let inside = [
            (y.checked_sub(1), Some(x)),
            (Some(y + 1), Some(x)),
            (Some(y), x.checked_sub(1)),
            (Some(y), Some(x + 1)),
        ];
        std::array::from_fn(|side| match inside[side] {
            _ if border[side] => tile[y][x],
            (Some(row), Some(column)) if row < TILE && column < TILE => tile[row][column],
            _ => halo[side][y][x],
        })
    }
}

/// Brightness, never 0: Rodinia takes an exponential of the picture here.
fn input(n: usize, seed: u64) -> Vec<f32> {
    floats(&mut SplitMix64::new(seed), n * n).iter().map(|v| 1.0 + v).collect()
}

/// Variance of the region over the square of its mean.
fn speckle(picture: &[f32], n: usize) -> f32 {
    let side = n.min(REGION);
    let region = || (0..side * side).map(|i| picture[i / side * n + i % side]);
    let (sum, squares) = region().fold((0.0, 0.0), |(s, q), v| (s + v, q + v * v));
    let mean: f32 = sum / (side * side) as f32;
    (squares / (side * side) as f32 - mean * mean) / (mean * mean)
}

/// The diffusion coefficient, and the differences from north, south, west and east.
fn coefficient_of(here: f32, sides: [f32; 4], speckle: f32) -> (f32, [f32; 4]) {
    let differences = sides.map(|side| side - here);
    let [north, south, west, east] = differences;
    let squares = north * north + south * south + west * west + east * east;
    let gradient = squares / (here * here);
    let laplace = (north + south + west + east) / here;
    let numerator = 0.5 * gradient - (1.0 / 16.0) * (laplace * laplace);
    let denominator = 1.0 + 0.25 * laplace;
    let local = numerator / (denominator * denominator);
    let excess = (local - speckle) / (speckle * (1.0 + speckle));
    ((1.0 / (1.0 + excess)).clamp(0.0, 1.0), differences)
}

/// The new brightness; coefficients of the cell itself, south and east, and differences.
fn diffused(here: f32, [own, south, east]: [f32; 3], differences: [f32; 4]) -> f32 {
    let [to_north, to_south, to_west, to_east] = differences;
    let sum = own * to_north + south * to_south + own * to_west + east * to_east;
    here + 0.25 * LAMBDA * sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::shadow::replay;

    fn reference(n: usize, seed: u64, iterations: u32) -> Vec<f32> {
        let mut picture = input(n, seed);
        for _ in 0..iterations {
            let speckle = speckle(&picture, n);
            let at = |x: usize, y: usize| y.min(n - 1) * n + x.min(n - 1);
            let each: Vec<_> = (0..n * n)
                .map(|i| {
                    let (x, y) = (i % n, i / n);
                    let (west, north) = (x.saturating_sub(1), y.saturating_sub(1));
                    let sides = [at(x, north), at(x, y + 1), at(west, y), at(x + 1, y)];
                    coefficient_of(picture[i], sides.map(|side| picture[side]), speckle)
                })
                .collect();
            for (i, v) in picture.iter_mut().enumerate() {
                let (x, y) = (i % n, i / n);
                let c = [i, at(x, y + 1), at(x + 1, y)].map(|at| each[at].0);
                *v = diffused(*v, c, each[i].1);
            }
        }
        picture
    }

    #[test]
    fn picture_equals_that_of_plain_loops_and_loses_contrast() {
        for (size, iterations) in [(2, 1), (16, 2), (17, 3), (40, 2)] {
            let n = size as usize;
            let result = replay(run, &Params { size, iterations, seed: 2 });
            assert_eq!(result, reference(n, 2, iterations), "size {size}");
            assert!(speckle(&result, n) < speckle(&input(n, 2), n), "size {size}");
        }
    }
}
