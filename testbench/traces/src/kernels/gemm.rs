//! Matrix product C = A B, by tiles in local memory with barriers.

use crate::trace::Record;
use crate::workloads::SplitMix64;

use super::input::floats;
use super::{Device, Knob, Launch, Params, Program, at};

pub const PROGRAM: Program = Program {
    name: "gemm",
    about: "matrix product by tiles of 16 x 16 in local memory",
    size: Knob::new("rows and columns of a matrix", 72, 1..=1 << 13),
    iterations: Knob::new("products; each multiplies by B again", 1, 1..=1000),
    footprint: "12 n^2",
};

/// Rows and columns of a tile.
const TILE: usize = 16;

/// Gives A B, A B^2 and so on: the last.
pub fn run<R: Record>(device: &mut Device<R>, params: &Params) -> Result<Vec<f32>, R::Error> {
    let n = params.size as usize;
    let (a, b) = input(n, params.seed);
    let (mut a, b) = (device.upload("a", &a)?, device.upload("b", &b)?);
    let mut c = device.alloc("c", n * n)?;
    let tiles = n.div_ceil(TILE);
    let rows = |g| g / tiles * TILE * n..(g / tiles + 1) * TILE * n;
    for _ in 0..params.iterations {
        let launch = Launch::plane("gemm", [n, n], [TILE; 2])
            .group_memory(2 * size_of::<[[f32; TILE]; TILE]>())
            .read_part("a", &a, rows)
            .read("b", &b)
            .write_part("c", &c, rows);
        device.launch(launch, |group| {
            let mut tile_a = [[0.0; TILE]; TILE];
            let mut tile_b = [[0.0; TILE]; TILE];
            let mut sums = [[0.0; TILE]; TILE];
            for k0 in group.turns((0..n).step_by(TILE)) {
                group.phase(|it| {
                    let (x, y, column, row) = (it.lx, it.ly, k0 + it.lx, k0 + it.ly);
                    let of_a =
                        (it.y < n && column < n).then(|| it.load(at(1, 5), &a, it.y * n + column));
                    let of_b = (row < n && it.x < n).then(|| it.load(at(2, 2), &b, row * n + it.x));
                    tile_a[y][x] = of_a.map_or(0.0, |v| *v);
                    tile_b[y][x] = of_b.map_or(0.0, |v| *v);
                });
                group.phase(|it| {
                    let sum: &mut f32 = &mut sums[it.ly][it.lx];
                    for k in 0..TILE {
                        *sum += tile_a[it.ly][k] * tile_b[k][it.lx];
                    }
                    it.work(3 * TILE);
                });
            }
            group.phase(|it| {
                if it.x < n && it.y < n {
                    it.store(at(3, 3), &c, it.y * n + it.x, sums[it.ly][it.lx]);
                }
            });
        })?;
        (a, c) = (c, a);
    }
    device.read(&a)
}

fn input(n: usize, seed: u64) -> (Vec<f32>, Vec<f32>) {
    let mut rng = SplitMix64::new(seed);
    // Rows of B sum to about 1, so that products stay small.
    (floats(&mut rng, n * n), floats(&mut rng, n * n).iter().map(|v| 2.0 * v / n as f32).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::shadow::replay;

    #[test]
    fn product_equals_that_of_plain_loops() {
        for (size, iterations) in [(1, 1), (16, 1), (17, 2), (40, 3)] {
            let n = size as usize;
            let (mut a, b) = input(n, 4);
            for _ in 0..iterations {
                let product = |i: usize, k: usize| a[i / n * n + k] * b[k * n + i % n];
                let dot = |i| (0..n).fold(0.0, |sum, k| sum + product(i, k));
                a = (0..n * n).map(dot).collect();
            }
            assert_eq!(replay(run, &Params { size, iterations, seed: 4 }), a, "size {size}");
        }
    }
}
