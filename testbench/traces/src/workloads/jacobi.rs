//! Jacobi solver (FinePack section V): a banded, strictly diagonally dominant system.

use std::ops::Range;

use super::exchange::Exchange;
use super::partition::Partition;
use super::replica::Replica;
use super::rng::SplitMix64;
use super::{Kernel, Params, Workload};

/// Off-diagonal elements on each side of the diagonal, unless the system is smaller.
const HALF_BAND: usize = 128;

/// A banded system `A x = b`. Elements are small integers, exact in f64.
#[derive(Clone, Debug)]
struct Banded {
    half_band: usize,
    rows: Vec<f64>, // row i: columns i - half_band ..= i + half_band
    b: Vec<f64>,
}

impl Banded {
    fn synthetic(n: usize, half_band: usize, seed: u64) -> Self {
        let mut rng = SplitMix64::new(seed);
        let width = 2 * half_band + 1;
        let mut rows = vec![0.0; n * width];
        for (i, row) in rows.chunks_exact_mut(width).enumerate() {
            for j in columns(i, half_band, n).filter(|&j| j != i) {
                row[j + half_band - i] = -((1 + rng.below(15)) as f64);
            }
            row[half_band] = 1.0 - row.iter().sum::<f64>();
        }
        let b = (0..n).map(|_| rng.below(1000) as f64).collect();
        Self { half_band, rows, b }
    }

    /// Row `i` of the next `x`, from `x(j)` of the last one.
    fn row(&self, i: usize, x: impl Fn(usize) -> f64) -> f64 {
        let row = &self.rows[i * (2 * self.half_band + 1)..];
        let a = |j: usize| row[j + self.half_band - i];
        let others = columns(i, self.half_band, self.b.len()).filter(|&j| j != i);
        let sum: f64 = others.map(|j| a(j) * x(j)).sum();
        (self.b[i] - sum) / a(i)
    }
}

/// Columns of row `i`.
fn columns(i: usize, half_band: usize, n: usize) -> Range<usize> {
    i.saturating_sub(half_band)..(i + half_band + 1).min(n)
}

/// `x` in f64, two arrays in turn, from 0. One thread for each owned row; values within the band of
/// a neighbour's rows are stored to it. Full warps store full lines.
#[derive(Clone, Debug)]
pub struct Jacobi {
    system: Banded,
    ex: Exchange<8>,
}

impl Jacobi {
    /// A synthetic system with 128 elements on each side of the diagonal (fewer when small).
    pub fn new(params: &Params) -> Self {
        Self::with_half_band(params, HALF_BAND.min(params.size / 8))
    }

    /// A synthetic system with `half_band` elements on each side of the diagonal.
    pub fn with_half_band(params: &Params, half_band: usize) -> Self {
        let n = params.size;
        let partition = Partition::new(n, params.gpus, |i| columns(i, half_band, n));
        let ex = Exchange::new(params, partition, 2, |_| 0f64.to_le_bytes());
        let system = Banded::synthetic(n, half_band, params.seed);
        Self { system, ex }
    }

    /// `x`, as its owners see it.
    pub fn x(&self) -> Vec<f64> {
        self.ex.results().map(f64::from_le_bytes).collect()
    }
}

impl Workload for Jacobi {
    fn name(&self) -> &'static str {
        "jacobi"
    }

    fn step(&mut self) -> bool {
        if self.ex.is_over() {
            return false;
        }
        let system = &self.system;
        self.ex.iterate(|ex, gpu, i| {
            let x = system.row(i, |j| f64::from_le_bytes(ex.read(gpu, j)));
            (x.to_le_bytes(), columns(i, system.half_band, system.b.len()).len())
        });
        true
    }

    fn kernels(&self) -> &[Kernel] {
        &self.ex.kernels
    }

    fn memory(&self) -> &[Replica] {
        &self.ex.memory
    }

    fn element_bytes(&self) -> usize {
        8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_gpus_compute_the_sequential_iteration_and_converge() {
        let params = Params { size: 700, iterations: 30, ..Params::default() };
        let mut jacobi = Jacobi::with_half_band(&params, 40);
        let system = jacobi.system.clone();
        let mut x = vec![0.0; 700];
        while jacobi.step() {
            x = (0..700).map(|i| system.row(i, |j| x[j])).collect();
            assert_eq!(jacobi.x(), x);
        }
        let next: Vec<f64> = (0..700).map(|i| system.row(i, |j| x[j])).collect();
        let change =
            |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        let first: Vec<f64> = (0..700).map(|i| system.row(i, |_| 0.0)).collect();
        assert!(change(&x, &next) < change(&first, &vec![0.0; 700]));
    }

    #[test]
    fn only_neighbours_talk() {
        let params = Params { size: 4096, iterations: 1, ..Params::default() };
        let mut jacobi = Jacobi::new(&params);
        jacobi.step();
        for (gpu, kernel) in jacobi.kernels().iter().enumerate() {
            let stores = &kernel.requests[..kernel.requests.len() - 1];
            assert!(stores.iter().all(|r| gpu.abs_diff(r.dest.into()) == 1));
            // 128 values of 8 B to each neighbour, all in full lines.
            let neighbours = if gpu % 3 == 0 { 1 } else { 2 };
            assert_eq!(stores.len(), 8 * neighbours);
            assert!(stores.iter().all(|r| r.mask == u128::MAX));
        }
    }
}
