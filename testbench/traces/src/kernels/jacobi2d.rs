//! Jacobi iteration on a square grid with a fixed border (PolyBench's; FinePack section V has
//! Jacobi on a band matrix): each kernel reads its neighbours' rows and writes its own.

use crate::trace::Record;
use crate::workloads::SplitMix64;

use super::input::floats;
use super::{Buffer, Device, Knob, Launch, Params, Program, at};

pub const PROGRAM: Program = Program {
    name: "jacobi2d",
    about: "five-point Jacobi iteration over a square grid",
    size: Knob::new("rows and columns of the grid", 64, 3..=1 << 14),
    iterations: Knob::new("sweeps", 3, 1..=10_000),
    footprint: "8 n^2",
};

const LOCAL: [usize; 2] = [16, 16];

/// Gives the grid after the last sweep.
pub fn run<R: Record>(device: &mut Device<R>, params: &Params) -> Result<Vec<f32>, R::Error> {
    let mut grid = Grid::new(device, params)?;
    for _ in 0..params.iterations {
        grid.sweep(device)?;
    }
    device.read(&grid.from)
}

/// The grid before a sweep, and after it.
pub struct Grid {
    n: usize,
    pub from: Buffer<f32>,
    to: Buffer<f32>,
}

impl Grid {
    pub fn new<R: Record>(device: &mut Device<R>, params: &Params) -> Result<Self, R::Error> {
        let n = params.size as usize;
        let start = floats(&mut SplitMix64::new(params.seed), n * n);
        Ok(Self { n, from: device.upload("a", &start)?, to: device.upload("b", &start)? })
    }

    pub fn sweep<R: Record>(&mut self, device: &mut Device<R>) -> Result<(), R::Error> {
        let Self { n, from, to } = self;
        let n = *n;
        let across = n.div_ceil(LOCAL[0]);
        // Rows that a group computes, and those that it reads.
        let first_row = |group: usize| group / across * LOCAL[1];
        let own = |g| first_row(g) * n..(first_row(g) + LOCAL[1]) * n;
        let seen = |g| first_row(g).saturating_sub(1) * n..(first_row(g) + LOCAL[1] + 1) * n;
        let launch = Launch::plane("jacobi2d", [n, n], LOCAL)
            .read_part("from", from, seen)
            .write_part("to", to, own);
        device.each(launch, |it| {
            let (x, y) = (it.x, it.y);
            if x == 0 || y == 0 || x >= n - 1 || y >= n - 1 {
                return;
            }
            let i = y * n + x;
            let here = it.load(at(1, 9), from, i);
            let west = it.load(at(2, 1), from, i - 1);
            let east = it.load(at(3, 1), from, i + 1);
            let north = it.load(at(4, 2), from, i - n);
            let south = it.load(at(5, 2), from, i + n);
            it.store(at(6, 2), to, i, 0.2 * (*here + *west + *east + *north + *south));
        })?;
        std::mem::swap(from, to);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::shadow::replay;

    fn reference(n: usize, seed: u64, sweeps: u32) -> Vec<f32> {
        let mut grid = floats(&mut SplitMix64::new(seed), n * n);
        for _ in 0..sweeps {
            let old = grid.clone();
            for y in 1..n - 1 {
                for x in 1..n - 1 {
                    let v = |dx: usize, dy: usize| old[(y + dy - 1) * n + x + dx - 1];
                    grid[y * n + x] = 0.2 * (v(1, 1) + v(0, 1) + v(2, 1) + v(1, 0) + v(1, 2));
                }
            }
        }
        grid
    }

    #[test]
    fn grid_equals_that_of_plain_loops() {
        for (size, iterations) in [(3, 1), (17, 2), (50, 3)] {
            let result = replay(run, &Params { size, iterations, seed: 6 });
            assert_eq!(result, reference(size as usize, 6, iterations), "size {size}");
        }
    }
}
