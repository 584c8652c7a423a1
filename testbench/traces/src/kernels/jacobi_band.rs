//! Jacobi iteration for a banded system of equations (FinePack section V): a work-item for each
//! row, which reads the values within the band and writes its own. Work-groups of a GPU own rows
//! that follow one another, so only the rows at their ends are read elsewhere.

use crate::trace::Record;
use crate::workloads::SplitMix64;

use super::{Device, Knob, Launch, Params, Program, at, chunk};

pub const PROGRAM: Program = Program {
    name: "jacobi_band",
    about: "Jacobi iteration for a banded, diagonally dominant system of equations",
    size: Knob::new("rows; up to 64 elements on each side of the diagonal", 256, 2..=1 << 22),
    iterations: Knob::new("sweeps", 1, 1..=10_000),
    footprint: "about 530 n",
};

const LOCAL: usize = 64;
/// Most elements on each side of the diagonal.
const HALF: usize = 64;

/// Gives the values after the last sweep.
pub fn run<R: Record>(device: &mut Device<R>, params: &Params) -> Result<Vec<f32>, R::Error> {
    let system = System::new(params.size as usize, params.seed);
    let (n, half) = (system.b.len(), system.half);
    let matrix = device.upload("matrix", &system.diagonals)?;
    let b = device.upload("b", &system.b)?;
    let mut from = device.alloc::<f32>("x", n)?;
    let mut to = device.alloc::<f32>("x_next", n)?;
    for _ in 0..params.iterations {
        let seen = |g: usize| (g * LOCAL).saturating_sub(half)..(g + 1) * LOCAL + half;
        let launch = Launch::line("jacobi_band", n, LOCAL)
            .read("matrix", &matrix)
            .read_part("b", &b, chunk(LOCAL))
            .read_part("x", &from, seen)
            .write_part("x_next", &to, chunk(LOCAL));
        device.each(launch, |it| {
            if it.x >= n {
                return;
            }
            let right = it.load(at(1, 4), &b, it.x);
            let mut rest = None;
            for d in it.turns(0..=2 * half) {
                let column = (it.x + d).checked_sub(half).filter(|&j| j < n && j != it.x);
                if let Some(column) = column {
                    let a = it.load(at(2, 2), &matrix, d * n + it.x);
                    let x = it.load(at(3, 1), &from, column);
                    rest = Some(rest.unwrap_or(*right) - *a * *x);
                }
            }
            let diagonal = it.load(at(4, 2), &matrix, half * n + it.x);
            it.store(at(5, 8), &to, it.x, rest.unwrap_or(*right) / *diagonal);
        })?;
        (from, to) = (to, from);
    }
    device.read(&from)
}

/// A system of equations. Elements are small integers.
struct System {
    half: usize,
    /// Element of row i and column i + d - half at d * n + i.
    diagonals: Vec<f32>,
    b: Vec<f32>,
}

impl System {
    fn new(n: usize, seed: u64) -> Self {
        let mut rng = SplitMix64::new(seed);
        let half = HALF.min(n / 2);
        let mut diagonals: Vec<f32> =
            (0..(2 * half + 1) * n).map(|_| -((1 + rng.below(15)) as f32)).collect();
        for i in 0..n {
            let row: f32 = (0..=2 * half).map(|d| diagonals[d * n + i]).sum();
            diagonals[half * n + i] = 1.0 - row;
        }
        let b = (0..n).map(|_| rng.below(1000) as f32).collect();
        Self { half, diagonals, b }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::shadow::replay;

    fn reference(n: usize, seed: u64, sweeps: u32) -> Vec<f32> {
        let System { half, diagonals, b } = System::new(n, seed);
        let mut x = vec![0.0; n];
        for _ in 0..sweeps {
            let row = |i: usize| {
                let columns = i.saturating_sub(half)..(i + half + 1).min(n);
                let a = |j: usize| diagonals[(j + half - i) * n + i];
                let others = columns.filter(|&j| j != i);
                others.fold(b[i], |rest, j| rest - a(j) * x[j]) / a(i)
            };
            x = (0..n).map(row).collect();
        }
        x
    }

    #[test]
    fn values_equal_those_of_plain_loops() {
        for (size, iterations) in [(2, 1), (65, 3), (200, 2)] {
            let result = replay(run, &Params { size, iterations, seed: 4 });
            assert_eq!(result, reference(size as usize, 4, iterations), "size {size}");
        }
    }
}
