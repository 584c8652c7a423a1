//! LU decomposition in place, by blocks of 16 (Rodinia's LUD; CPElide table II): the corner block,
//! the strips beside and below it, then the rest, each a kernel that works in local memory.

use crate::trace::Record;
use crate::workloads::SplitMix64;

use super::input::floats;
use super::{Buffer, Device, Group, Item, Knob, Launch, Params, Program, Site, at};

pub const PROGRAM: Program = Program {
    name: "lu",
    about: "blocked LU decomposition in place: three kernels for each block (Rodinia)",
    size: Knob::new("rows and columns of the matrix", 96, 1..=1 << 14),
    iterations: Knob::new("decompositions, each of a new matrix", 1, 1..=1000),
    footprint: "4 n^2",
};

/// Rows and columns of a block.
const B: usize = 16;
type Tile = [[f32; B]; B];

/// Gives L without its diagonal of ones, and U, in one matrix: that of the last decomposition.
pub fn run<R: Record>(device: &mut Device<R>, params: &Params) -> Result<Vec<f32>, R::Error> {
    let n = params.size as usize;
    let m = Matrix { cells: device.alloc::<f32>("m", n * n)?, n };
    let rng = &mut SplitMix64::new(params.seed);
    for _ in 0..params.iterations {
        device.write(&m.cells, &input(n, rng))?;
        for corner in (0..n).step_by(B) {
            let launch = Launch::line("lud_diagonal", B, B)
                .group_memory(size_of::<Tile>())
                .write_part("m", &m.cells, |_| corner * n..(corner + B) * n);
            device.launch(launch, |group| diagonal(group, &m, corner))?;
            let rest = n.saturating_sub(corner + B).div_ceil(B);
            if rest == 0 {
                break;
            }
            // All groups read the strips, which also lie in the rows that they write: no ranges.
            let launch = Launch::line("lud_perimeter", 2 * B * rest, 2 * B);
            let launch = launch.write("m", &m.cells).group_memory(3 * size_of::<Tile>());
            device.launch(launch, |group| perimeter(group, &m, corner))?;
            let launch = Launch::plane("lud_internal", [rest * B, rest * B], [B; 2])
                .group_memory(2 * size_of::<Tile>())
                .write("m", &m.cells);
            device.launch(launch, |group| internal(group, &m, corner))?;
        }
    }
    device.read(&m.cells)
}

/// The matrix in device memory. Its last blocks may reach beyond it: there stand zeros, and ones on
/// the diagonal, which change nothing inside.
struct Matrix {
    cells: Buffer<f32>,
    n: usize,
}

impl Matrix {
    /// Gives what reads the value.
    fn load<'a>(
        &self,
        it: &Item<'a>,
        at: Site,
        row: usize,
        column: usize,
    ) -> impl Fn() -> f32 + use<'a> {
        let inside = row < self.n && column < self.n;
        let cell = inside.then(|| it.load(at, &self.cells, row * self.n + column));
        move || cell.map_or(f32::from(u8::from(row == column)), |cell| *cell)
    }

    fn store(&self, it: &Item, at: Site, row: usize, column: usize, value: f32) {
        if row < self.n && column < self.n {
            it.store(at, &self.cells, row * self.n + column, value);
        }
    }
}

/// Decomposes the corner block; work-item x has column x.
fn diagonal(group: &Group, m: &Matrix, corner: usize) {
    let mut tile = Tile::default();
    group.phase(|it| {
        for row in it.turns(0..B) {
            tile[row][it.lx] = m.load(it, at(1, 3), corner + row, corner + it.lx)();
        }
    });
    for k in 0..B - 1 {
        group.phase(|it| {
            let row = it.lx;
            if row > k {
                tile[row][k] /= tile[k][k];
                it.work(12);
            }
        });
        group.phase(|it| {
            let column = it.lx;
            if column > k {
                for row in k + 1..B {
                    tile[row][column] -= tile[row][k] * tile[k][column];
                }
                it.work(3 * (B - 1 - k));
            }
        });
    }
    group.phase(|it| {
        for row in it.turns(0..B) {
            m.store(it, at(2, 3), corner + row, corner + it.lx, tile[row][it.lx]);
        }
    });
}

/// Half of the work-items solve for a block of U beside the corner, column by column, the others
/// for the mirrored block of L below it, row by row.
fn perimeter(group: &Group, m: &Matrix, corner: usize) {
    let (mut triangle, mut right, mut below) = (Tile::default(), Tile::default(), Tile::default());
    let strip = corner + (group.index + 1) * B;
    group.phase(|it| {
        let lane = it.lx % B;
        let rows = if it.lx < B { 0..B / 2 } else { B / 2..B };
        for row in it.turns(rows) {
            triangle[row][lane] = m.load(it, at(1, 3), corner + row, corner + lane)();
        }
        for row in it.turns(0..B) {
            if it.lx < B {
                right[row][lane] = m.load(it, at(2, 3), corner + row, strip + lane)();
            } else {
                below[row][lane] = m.load(it, at(3, 3), strip + row, corner + lane)();
            }
        }
    });
    group.phase(|it| {
        let lane = it.lx % B;
        for k in 0..B {
            if it.lx < B {
                for j in 0..k {
                    right[k][lane] -= triangle[k][j] * right[j][lane];
                }
            } else {
                for j in 0..k {
                    below[lane][k] -= below[lane][j] * triangle[j][k];
                }
                below[lane][k] /= triangle[k][k];
            }
        }
        it.work(3 * B * (B - 1) / 2);
    });
    group.phase(|it| {
        let lane = it.lx % B;
        for row in it.turns(0..B) {
            if it.lx < B {
                m.store(it, at(4, 3), corner + row, strip + lane, right[row][lane]);
            } else {
                m.store(it, at(5, 3), strip + row, corner + lane, below[row][lane]);
            }
        }
    });
}

/// Subtracts from a block the product of its blocks of L and U.
fn internal(group: &Group, m: &Matrix, corner: usize) {
    let (mut right, mut below) = (Tile::default(), Tile::default());
    let [column, row] = [0, 1].map(|d| corner + (group.id[d] + 1) * B);
    group.phase(|it| {
        let (x, y) = (it.lx, it.ly);
        let of_right = m.load(it, at(1, 8), corner + y, column + x);
        let of_below = m.load(it, at(2, 3), row + y, corner + x);
        (right[y][x], below[y][x]) = (of_right(), of_below());
    });
    group.phase(|it| {
        let (x, y) = (it.lx, it.ly);
        let mut value = m.load(it, at(3, 3), row + y, column + x)();
        for k in 0..B {
            value -= below[y][k] * right[k][x];
        }
        m.store(it, at(4, 3 * B as u32), row + y, column + x, value);
    });
}

/// A matrix whose diagonal outweighs its rows, so that no pivots are needed.
fn input(n: usize, rng: &mut SplitMix64) -> Vec<f32> {
    let mut m = floats(rng, n * n);
    (0..n).for_each(|i| m[i * n + i] += n as f32);
    m
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::shadow::replay;

    #[test]
    fn factors_equal_those_of_plain_elimination() {
        for size in [1, 15, 16, 17, 50] {
            let n = size as usize;
            let result = replay(run, &Params { size, iterations: 2, seed: 3 });
            let mut rng = SplitMix64::new(3);
            let (_, mut m) = (input(n, &mut rng), input(n, &mut rng));
            for k in 0..n {
                for i in k + 1..n {
                    m[i * n + k] /= m[k * n + k];
                    for j in k + 1..n {
                        m[i * n + j] -= m[i * n + k] * m[k * n + j];
                    }
                }
            }
            assert_eq!(result, m, "size {size}");
        }
    }
}
