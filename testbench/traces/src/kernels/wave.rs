//! Wave equation on a grid, all time steps in one kernel (Wave Propagation of Tabbakh's thesis
//! section 4.3.2): each group keeps a band of rows, and before a step polls the flags of its two
//! neighbours, whose rows beside its own it reads.

use crate::trace::Record;
use crate::workloads::SplitMix64;

use super::input::floats;
use super::{Buffer, Device, Knob, Launch, Params, Program, at};

pub const PROGRAM: Program = Program {
    name: "wave",
    about: "wave equation in one kernel: work-groups wait for their neighbours' flags",
    size: Knob::new("rows and columns of the grid", 64, 3..=1 << 12),
    iterations: Knob::new("time steps", 3, 1..=10_000),
    footprint: "8 n^2 + n",
};

const LOCAL: usize = 64;
/// Rows of a group.
const ROWS: usize = 4;
/// Square of the speed.
const SPEED: f32 = 0.25;

/// Gives the grid after the last step and the one after the step before.
pub fn run<R: Record>(device: &mut Device<R>, params: &Params) -> Result<Vec<f32>, R::Error> {
    let (n, steps) = (params.size as usize, params.iterations as usize);
    let start = floats(&mut SplitMix64::new(params.seed), n * n);
    // Step s reads the grid of s % 2 and the group's own rows of the other, which it overwrites. A
    // neighbour that has done s - 1 steps no longer reads those.
    let grids = [device.upload("even", &start)?, device.upload("odd", &start)?];
    let groups = n.div_ceil(ROWS);
    // Steps that each group has done.
    let flags = device.alloc::<u32>("flags", groups)?;
    let launch = Launch::line("wave", groups * LOCAL, LOCAL)
        .write("even", &grids[0])
        .write("odd", &grids[1])
        .write("flags", &flags);
    let mut done = vec![0; groups];
    device.in_turns(launch, params.seed, |group| {
        let (g, step) = (group.index, done[group.index]);
        let mut ready = true;
        group.phase(|it| {
            let neighbour = match it.id {
                0 => g.checked_sub(1),
                1 => Some(g + 1).filter(|g| *g < groups),
                _ => None,
            };
            if let Some(neighbour) = neighbour {
                ready &= *it.load(at(1, 4), &flags, neighbour) as usize >= step;
            }
        });
        if !ready {
            return true;
        }
        let (from, to) = (&grids[step % 2], &grids[(step + 1) % 2]);
        group.phase(|it| {
            for row in it.turns(g * ROWS..n.min((g + 1) * ROWS)) {
                for column in it.turns((it.id..n).step_by(LOCAL)) {
                    if (1..n - 1).contains(&row) && (1..n - 1).contains(&column) {
                        let at_cell = row * n + column;
                        let cell = |site, index, buffer: &Buffer<f32>| it.load(site, buffer, index);
                        let here = cell(at(2, 5), at_cell, from);
                        let sides = [
                            cell(at(3, 1), at_cell - n, from),
                            cell(at(4, 1), at_cell + n, from),
                            cell(at(5, 1), at_cell - 1, from),
                            cell(at(6, 1), at_cell + 1, from),
                        ];
                        let before = cell(at(7, 1), at_cell, to);
                        it.store(at(8, 8), to, at_cell, next(*here, sides.map(|v| *v), *before));
                    }
                }
            }
            it.fence(at(9, 1));
        });
        group.phase(|it| {
            if it.id == 0 {
                it.store(at(10, 2), &flags, g, step as u32 + 1);
            }
        });
        done[g] += 1;
        done[g] < steps
    })?;
    let [last, before] = [&grids[steps % 2], &grids[(steps + 1) % 2]];
    Ok([device.read(last)?, device.read(before)?].concat())
}

fn next(here: f32, sides: [f32; 4], before: f32) -> f32 {
    let [up, down, left, right] = sides;
    2.0 * here - before + SPEED * (up + down + left + right - 4.0 * here)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::shadow::{Shadow, replay};

    fn reference(n: usize, seed: u64, steps: u32) -> Vec<f32> {
        let start = floats(&mut SplitMix64::new(seed), n * n);
        let (mut grid, mut before) = (start.clone(), start);
        for _ in 0..steps {
            let mut after = grid.clone();
            for y in 1..n - 1 {
                for x in 1..n - 1 {
                    let v = |dx: usize, dy: usize| grid[(y + dy - 1) * n + x + dx - 1];
                    let around = v(1, 0) + v(1, 2) + v(0, 1) + v(2, 1) - 4.0 * v(1, 1);
                    after[y * n + x] = 2.0 * v(1, 1) - before[y * n + x] + 0.25 * around;
                }
            }
            (before, grid) = (grid, after);
        }
        [grid, before].concat()
    }

    #[test]
    fn grids_equal_those_of_plain_loops_whatever_the_order_of_the_groups() {
        for (size, iterations) in [(3, 1), (9, 7), (50, 4), (70, 3)] {
            for seed in [6, 7] {
                let result = replay(run, &Params { size, iterations, seed });
                assert_eq!(result, reference(size as usize, seed, iterations), "size {size}");
            }
        }
    }

    #[test]
    fn groups_wait_for_their_neighbours() {
        let polls = |iterations| {
            let mut shadow = Shadow::default();
            let params = Params { size: 64, iterations, seed: 1 };
            run(&mut Device::new(&mut shadow), &params).unwrap();
            // Six loads and a store for each inner cell, a flag stored by each group.
            shadow.accesses - u64::from(iterations) * (7 * 62 * 62 + 16)
        };
        // Both neighbours of 14 groups and one of the two at the border, at least once a step.
        let least = |steps: u64| steps * 30;
        assert!(polls(8) > least(8) && polls(8) < 10 * least(8), "{}", polls(8));
    }
}
