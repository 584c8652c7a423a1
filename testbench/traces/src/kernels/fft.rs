//! Fast Fourier transform of n1 n2 complex numbers in four steps: transforms of rows in local
//! memory between transposes, in which every work-group reads what all the others wrote.

use crate::trace::Record;
use crate::workloads::SplitMix64;

use super::input::floats;
use super::{Buffer, Device, Knob, Launch, Params, Program, at, chunk};

pub const PROGRAM: Program = Program {
    name: "fft",
    about: "four-step complex FFT: row transforms in local memory between transposes",
    size: Knob::new("log2 of the number of points", 12, 2..=22),
    iterations: Knob::new("transforms, each of the last one's result", 1, 1..=1000),
    footprint: "24 * 2^n",
};

/// Rows and columns of a transpose's tile.
const TILE: usize = 16;
/// Real and imaginary part.
type Complex = [f32; 2];

/// Gives the transform, divided by the square root of the number of points.
pub fn run<R: Record>(device: &mut Device<R>, params: &Params) -> Result<Vec<Complex>, R::Error> {
    let (n, n1) = (1 << params.size, 1 << (params.size / 2));
    let n2 = n / n1;
    let mut a = device.upload("a", &input(n, params.seed))?;
    let mut b = device.alloc::<Complex>("b", n)?;
    let roots = device.upload("roots", &roots(n))?;
    for _ in 0..params.iterations {
        transpose(device, &a, &b, n1, n2, None)?;
        rows(device, &b, &roots, n1)?;
        transpose(device, &b, &a, n2, n1, Some(&roots))?;
        rows(device, &a, &roots, n2)?;
        transpose(device, &a, &b, n1, n2, None)?;
        (a, b) = (b, a);
    }
    device.read(&a)
}

/// Writes the `height` x `width` matrix transposed; with roots, the element in row i and column j
/// is multiplied by the i j-th root on the way.
fn transpose<R: Record>(
    device: &mut Device<R>,
    from: &Buffer<Complex>,
    to: &Buffer<Complex>,
    height: usize,
    width: usize,
    roots: Option<&Buffer<Complex>>,
) -> Result<(), R::Error> {
    let across = width.div_ceil(TILE);
    let launch = Launch::plane("transpose", [width, height], [TILE; 2])
        .group_memory(size_of::<[[Complex; TILE]; TILE]>())
        .read_part("from", from, |g| g / across * TILE * width..(g / across + 1) * TILE * width)
        .write_part("to", to, |g| g % across * TILE * height..(g % across + 1) * TILE * height);
    let launch = match roots {
        Some(roots) => launch.read("roots", roots),
        None => launch,
    };
    device.launch(launch, |group| {
        let mut tile = [[Complex::default(); TILE]; TILE];
        let (column, row) = (group.id[0] * TILE, group.id[1] * TILE);
        group.phase(|it| {
            if it.x < width && it.y < height {
                let value = it.load(at(1, 7), from, it.y * width + it.x);
                tile[it.ly][it.lx] = match roots {
                    None => *value,
                    Some(roots) => {
                        let root = it.load(at(2, 2), roots, it.y * it.x);
                        let product = times(*value, *root);
                        it.work(6);
                        product
                    }
                };
            }
        });
        group.phase(|it| {
            let (x, y) = (row + it.lx, column + it.ly);
            if x < height && y < width {
                it.store(at(3, 7), to, y * height + x, tile[it.lx][it.ly]);
            }
        });
    })
}

/// Transforms each row of `width` elements, a power of 2: one work-group a row, one work-item a
/// butterfly.
fn rows<R: Record>(
    device: &mut Device<R>,
    data: &Buffer<Complex>,
    roots: &Buffer<Complex>,
    width: usize,
) -> Result<(), R::Error> {
    let (n, half) = (data.len(), width / 2);
    let launch = Launch::line("fft_rows", n / 2, half)
        .group_memory(width * size_of::<Complex>())
        .write_part("data", data, chunk(width))
        .read("roots", roots);
    let reversed = |i: usize| i.reverse_bits() >> (usize::BITS - width.ilog2());
    let scale = 1.0 / (width as f32).sqrt();
    let mut row = vec![Complex::default(); width];
    device.launch(launch, |group| {
        let first = group.index * width;
        group.phase(|it| {
            for i in it.turns([it.lx, it.lx + half]) {
                row[reversed(i)] = *it.load(at(1, 5), data, first + i);
            }
        });
        let spans = (0..width.ilog2()).map(|stage| 1 << stage);
        for span in group.turns(spans) {
            group.phase(|it| {
                let k = it.lx % span;
                let i = 2 * (it.lx - k) + k;
                let root = it.load(at(2, 6), roots, n / (2 * span) * k);
                let (u, v) = (row[i], times(row[i + span], *root));
                row[i] = [u[0] + v[0], u[1] + v[1]];
                row[i + span] = [u[0] - v[0], u[1] - v[1]];
                it.work(14);
            });
        }
        group.phase(|it| {
            for i in it.turns([it.lx, it.lx + half]) {
                it.store(at(3, 4), data, first + i, row[i].map(|v| scale * v));
            }
        });
    })
}

fn times([a, b]: Complex, [c, d]: Complex) -> Complex {
    [a * c - b * d, a * d + b * c]
}

fn input(n: usize, seed: u64) -> Vec<Complex> {
    floats(&mut SplitMix64::new(seed), 2 * n).chunks_exact(2).map(|c| [c[0], c[1]]).collect()
}

/// The n-th roots of unity, clockwise, n a power of 2 from 4. By halving angles: square roots are
/// exact everywhere, sines are not.
fn roots(n: usize) -> Vec<Complex> {
    let times = |a: [f64; 2], b: [f64; 2]| [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]];
    let mut all = vec![[1.0, 0.0], [0.0, -1.0], [-1.0, 0.0], [0.0, 1.0]];
    let mut step: [f64; 2] = all[1];
    while all.len() < n {
        let cosine = ((1.0 + step[0]) / 2.0).sqrt();
        step = [cosine, step[1] / (2.0 * cosine)];
        all = all.into_iter().flat_map(|root| [root, times(root, step)]).collect();
    }
    all.into_iter().map(|[re, im]| [re as f32, im as f32]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::shadow::replay;

    /// The definition, in doubles.
    fn reference(x: &[Complex]) -> Vec<[f64; 2]> {
        let n = x.len();
        let term = |sum: [f64; 2], j: usize, k: usize| {
            let (sin, cos) = (-std::f64::consts::TAU * (j * k % n) as f64 / n as f64).sin_cos();
            let [re, im] = x[j].map(f64::from);
            [sum[0] + re * cos - im * sin, sum[1] + re * sin + im * cos]
        };
        let sum = |k| (0..n).fold([0.0; 2], |sum, j| term(sum, j, k));
        (0..n).map(sum).map(|v| v.map(|v| v / (n as f64).sqrt())).collect()
    }

    #[test]
    fn transform_is_close_to_the_definition() {
        for size in [2, 3, 6, 9] {
            let expected = reference(&input(1 << size, 5));
            let result = replay(run, &Params { size, iterations: 1, seed: 5 });
            for (seen, expected) in result.iter().flatten().zip(expected.iter().flatten()) {
                let error = (f64::from(*seen) - expected).abs();
                assert!(error < 1e-4, "size {size}: {seen} {expected}");
            }
        }
    }

    #[test]
    fn four_transforms_give_the_input_back() {
        let result = replay(run, &Params { size: 7, iterations: 4, seed: 5 });
        for (seen, before) in result.iter().flatten().zip(input(1 << 7, 5).iter().flatten()) {
            assert!((seen - before).abs() < 1e-4, "{seen} {before}");
        }
    }
}
