//! The cheapest way through a grid from row to row (Rodinia's PathFinder; CPElide table II): a
//! group computes twenty rows of its columns in local memory, so it begins with twenty columns more
//! on each side.

use crate::trace::Record;
use crate::workloads::SplitMix64;

use super::{Device, Knob, Launch, Params, Program, at};

pub const PROGRAM: Program = Program {
    name: "pathfinder",
    about: "cheapest path through a grid, 20 rows per kernel in local memory (Rodinia)",
    size: Knob::new("columns", 1536, 1..=1 << 22),
    iterations: Knob::new("rows below the first", 24, 1..=10_000),
    footprint: "4 n * iterations + 8 n",
};

const LOCAL: usize = 256;
/// Rows of a kernel: Rodinia's pyramid height, 20 in CPElide table II.
const ROWS: usize = 20;
/// Columns that a group writes.
const INNER: usize = LOCAL - 2 * ROWS;

/// Gives what the cheapest way to each cell of the last row costs.
pub fn run<R: Record>(device: &mut Device<R>, params: &Params) -> Result<Vec<i32>, R::Error> {
    let (n, rows) = (params.size as usize, params.iterations as usize);
    let (wall, first) = input(n, rows, params.seed);
    let wall = device.upload("gpuWall", &wall)?;
    let mut from = device.upload("gpuSrc", &first)?;
    let mut to = device.alloc::<i32>("gpuResults", n)?;
    let tiles = n.div_ceil(INNER);
    for start in (0..rows).step_by(ROWS) {
        let end = rows.min(start + ROWS);
        let seen = |g: usize| (g * INNER).saturating_sub(ROWS)..(g + 1) * INNER + ROWS;
        let launch = Launch::line("dynproc_kernel", tiles * LOCAL, LOCAL)
            .group_memory(2 * size_of::<[i32; LOCAL]>())
            .read_part("gpuWall", &wall, |_| start * n..end * n)
            .read_part("gpuSrc", &from, seen)
            .write_part("gpuResults", &to, |g| g * INNER..(g + 1) * INNER);
        device.launch(launch, |group| {
            // The column of a work-item, where the grid has it.
            let column = |lane: usize| {
                (group.index * INNER + lane).checked_sub(ROWS).filter(|column| *column < n)
            };
            let mut cost = [i32::MAX; LOCAL];
            group.phase(|it| {
                if let Some(column) = column(it.lx) {
                    cost[it.lx] = *it.load(at(1, 14), &from, column);
                }
            });
            for row in group.turns(start..end) {
                let (old, done) = (cost, row - start);
                group.phase(|it| {
                    let lane = it.lx;
                    let Some(column) = column(lane) else { return };
                    if lane <= done || lane + 1 + done >= LOCAL {
                        return;
                    }
                    // Columns that are not there cost most.
                    let least = old[lane - 1].min(old[lane]).min(old[lane + 1]);
                    cost[lane] = least + *it.load(at(2, 12), &wall, row * n + column);
                });
            }
            group.phase(|it| {
                let is_inner = (ROWS..LOCAL - ROWS).contains(&it.lx);
                if let Some(column) = column(it.lx).filter(|_| is_inner) {
                    it.store(at(3, 4), &to, column, cost[it.lx]);
                }
            });
        })?;
        (from, to) = (to, from);
    }
    device.read(&from)
}

/// Costs of the cells below the first row, and of the first row.
fn input(n: usize, rows: usize, seed: u64) -> (Vec<i32>, Vec<i32>) {
    let mut rng = SplitMix64::new(seed);
    let mut costs = |n| (0..n).map(|_| rng.below(10) as i32).collect();
    (costs(n * rows), costs(n))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::shadow::replay;

    #[test]
    fn costs_equal_those_of_plain_loops() {
        for (size, iterations) in [(1, 3), (216, 20), (217, 21), (1000, 45)] {
            let n = size as usize;
            let (wall, mut costs) = input(n, iterations as usize, 5);
            for row in wall.chunks(n) {
                let old = costs;
                let above = |i: usize| old[i.saturating_sub(1)..n.min(i + 2)].iter().min().unwrap();
                costs = row.iter().enumerate().map(|(i, cost)| cost + above(i)).collect();
            }
            let result = replay(run, &Params { size, iterations, seed: 5 });
            assert_eq!(result, costs, "size {size}");
        }
    }
}
