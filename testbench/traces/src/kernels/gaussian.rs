//! Gaussian elimination (Rodinia; CPElide table II): for each column a kernel with the multipliers
//! (Fan1), and one that subtracts from all rows below (Fan2).

use crate::trace::Record;
use crate::workloads::SplitMix64;

use super::input::floats;
use super::{Device, Knob, Launch, Params, Program, at};

pub const PROGRAM: Program = Program {
    name: "gaussian",
    about: "Gaussian elimination, two kernels for each column: Fan1 and Fan2 (Rodinia)",
    size: Knob::new("equations", 32, 2..=1 << 13),
    iterations: Knob::new("systems of equations, one after another", 1, 1..=1000),
    footprint: "8 n^2 + 4 n",
};

const LOCAL: usize = 512;
/// The first dimension is the row, as in Rodinia.
const SQUARE: [usize; 2] = [4, 4];

/// Gives the matrix and then the right side of the last system, eliminated; the host solves it
/// from below.
pub fn run<R: Record>(device: &mut Device<R>, params: &Params) -> Result<Vec<f32>, R::Error> {
    let n = params.size as usize;
    let rng = &mut SplitMix64::new(params.seed);
    let m = device.alloc::<f32>("m", n * n)?;
    let a = device.alloc::<f32>("a", n * n)?;
    let b = device.alloc::<f32>("b", n)?;
    for _ in 0..params.iterations {
        let (left, right) = input(n, rng);
        device.write(&m, &vec![0.0; n * n])?;
        device.write(&a, &left)?;
        device.write(&b, &right)?;
        for t in 0..n - 1 {
            let last_row = |g: usize| (t + 1 + (g + 1) * LOCAL).min(n);
            let launch = Launch::line("Fan1", n, LOCAL)
                .write_part("m", &m, |g| (t + 1 + g * LOCAL) * n..last_row(g) * n)
                .read_part("a", &a, |g| t * n..last_row(g) * n);
            device.each(launch, |it| {
                let row = it.x + t + 1;
                if row < n {
                    let own = it.load(at(1, 6), &a, row * n + t);
                    let pivot = it.load(at(2, 2), &a, t * n + t);
                    it.store(at(3, 12), &m, row * n + t, *own / *pivot);
                }
            })?;
            // Groups beside each other have other rows, and all read row t: no ranges.
            let launch =
                Launch::plane("Fan2", [n, n], SQUARE).read("m", &m).write("a", &a).write("b", &b);
            device.each(launch, |it| {
                let (row, column) = (it.x + 1 + t, it.y + t);
                if row >= n || column >= n {
                    return;
                }
                let factor = it.load(at(1, 9), &m, row * n + t);
                let above = it.load(at(2, 2), &a, t * n + column);
                let own = it.load(at(3, 2), &a, row * n + column);
                it.store(at(4, 2), &a, row * n + column, *own - *factor * *above);
                if it.y == 0 {
                    let above = it.load(at(5, 2), &b, t);
                    let own = it.load(at(6, 1), &b, row);
                    it.store(at(7, 2), &b, row, *own - *factor * *above);
                }
            })?;
        }
    }
    let mut result = device.read(&a)?;
    result.extend(device.read(&b)?);
    Ok(result)
}

/// A matrix whose diagonal outweighs its rows, so that no pivots are needed, and a right side.
fn input(n: usize, rng: &mut SplitMix64) -> (Vec<f32>, Vec<f32>) {
    let mut a = floats(rng, n * n);
    (0..n).for_each(|i| a[i * n + i] += n as f32);
    (a, floats(rng, n))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::shadow::replay;

    #[test]
    fn solution_from_below_solves_the_system() {
        for (size, iterations) in [(2, 1), (17, 2), (40, 1)] {
            let n = size as usize;
            let result = replay(run, &Params { size, iterations, seed: 3 });
            let rng = &mut SplitMix64::new(3);
            let (a, b) = (0..iterations).map(|_| input(n, rng)).last().unwrap();
            let (upper, right) = result.split_at(n * n);
            let mut x = vec![0.0; n];
            for i in (0..n).rev() {
                let known: f32 = (i + 1..n).map(|j| upper[i * n + j] * x[j]).sum();
                x[i] = (right[i] - known) / upper[i * n + i];
                for j in 0..i {
                    assert!(upper[i * n + j].abs() < 1e-4, "size {size}: not eliminated");
                }
            }
            for i in 0..n {
                let sum: f32 = (0..n).map(|j| a[i * n + j] * x[j]).sum();
                assert!((sum - b[i]).abs() < 1e-4, "size {size}: {sum} for {}", b[i]);
            }
        }
    }
}
