//! Transforms of a square field along its rows, then along its columns (HIT of Tartan, FinePack
//! section V): each pass transposes what it writes, so that the next one finds rows; all GPUs read
//! of all others. A transform is log n steps in local memory, as a Fourier transform's, in which
//! each value meets one at a distance; without factors, so values are exact on every machine.

use crate::trace::Record;
use crate::workloads::SplitMix64;

use super::input::floats;
use super::{Device, Knob, Launch, Params, Program, at};

pub const PROGRAM: Program = Program {
    name: "turbulence",
    about: "transforms of a field's rows and columns, transposed between them",
    size: Knob::new("rows and columns of the field", 96, 2..=1 << 13),
    iterations: Knob::new("transforms of rows and columns", 1, 1..=10_000),
    footprint: "8 n^2",
};

/// Work-items of a group.
const LOCAL: usize = 256;
/// Rows of a group.
const ROWS: usize = 16;

/// Gives the field after the last transform.
pub fn run<R: Record>(device: &mut Device<R>, params: &Params) -> Result<Vec<f32>, R::Error> {
    let n = params.size as usize;
    let start = floats(&mut SplitMix64::new(params.seed), n * n);
    let mut from = device.upload("field", &start)?;
    let mut to = device.alloc::<f32>("transposed", n * n)?;
    for _ in 0..2 * params.iterations {
        let launch = Launch::line("turbulence", n.div_ceil(ROWS) * LOCAL, LOCAL)
            .group_memory(ROWS * n * size_of::<f32>())
            .read_part("field", &from, |g| g * ROWS * n..(g + 1) * ROWS * n)
            .write("transposed", &to);
        device.launch(launch, |group| {
            let rows = group.index * ROWS..((group.index + 1) * ROWS).min(n);
            let mut tile = vec![vec![0.0; n]; rows.len()];
            group.phase(|it| {
                for (row, y) in it.turns(tile.iter_mut().zip(rows.clone())) {
                    for x in it.turns((it.id..n).step_by(LOCAL)) {
                        row[x] = *it.load(at(1, 3), &from, y * n + x);
                    }
                }
            });
            group.phase(|it| {
                // The first work-item does the arithmetic of all; each takes its time.
                let steps = n.next_power_of_two().ilog2() as usize;
                it.work(6 * steps * (rows.len() * n).div_ceil(LOCAL));
                if it.id == 0 {
                    tile.iter_mut().for_each(|row| transform(row));
                }
            });
            group.phase(|it| {
                let (y, first) = (it.id % ROWS, it.id / ROWS);
                for x in it.turns((first..n).step_by(LOCAL / ROWS)) {
                    if y < rows.len() {
                        it.store(at(2, 3), &to, x * n + rows.start + y, tile[y][x]);
                    }
                }
            });
        })?;
        (from, to) = (to, from);
    }
    device.read(&from)
}

/// In each step a value meets the one at twice the distance of the step before.
fn transform(row: &mut [f32]) {
    let n = row.len();
    for step in 0..n.next_power_of_two().ilog2() {
        let old = row.to_vec();
        row.iter_mut().enumerate().for_each(|(x, v)| *v = 0.5 * (*v + old[(x + (1 << step)) % n]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::shadow::replay;

    fn reference(n: usize, seed: u64, iterations: u32) -> Vec<f32> {
        let mut field = floats(&mut SplitMix64::new(seed), n * n);
        for _ in 0..2 * iterations {
            field.chunks_exact_mut(n).for_each(transform);
            field = (0..n * n).map(|i| field[i % n * n + i / n]).collect();
        }
        field
    }

    #[test]
    fn field_equals_that_of_plain_loops() {
        for (size, iterations) in [(2, 1), (17, 2), (70, 1)] {
            let result = replay(run, &Params { size, iterations, seed: 6 });
            assert_eq!(result, reference(size as usize, 6, iterations), "size {size}");
        }
    }
}
