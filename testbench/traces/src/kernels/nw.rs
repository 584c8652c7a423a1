//! Alignment of two sequences (Rodinia's Needleman-Wunsch; CPElide table II): tiles of 16 along a
//! diagonal are a kernel, first the diagonals up to the longest, then those behind it. A tile is
//! computed in local memory, diagonal by diagonal too.

use crate::trace::Record;
use crate::workloads::SplitMix64;

use super::{Buffer, Device, Group, Knob, Launch, Params, Program, at};

pub const PROGRAM: Program = Program {
    name: "nw",
    about: "alignment of two sequences, a kernel for each diagonal of tiles (Rodinia)",
    size: Knob::new("letters of a sequence", 128, 1..=1 << 14),
    iterations: Knob::new("alignments, one after another", 1, 1..=1000),
    footprint: "8 (n + 1)^2",
};

/// Rows and columns of a tile.
const TILE: usize = 16;
/// What a letter without partner costs: 10 in CPElide table II.
const PENALTY: i32 = 10;
/// Letters: as many as rows of the score matrix BLOSUM62.
const LETTERS: usize = 24;

/// Gives the scores of all beginnings of the last two sequences, from which the host traces the
/// alignment back.
pub fn run<R: Record>(device: &mut Device<R>, params: &Params) -> Result<Vec<i32>, R::Error> {
    let columns = params.size as usize + 1;
    let rng = &mut SplitMix64::new(params.seed);
    let scores = device.alloc::<i32>("reference", columns * columns)?;
    let matrix = device.alloc::<i32>("input_itemsets", columns * columns)?;
    let table = Table { scores, matrix, columns };
    let tiles = params.size.div_ceil(TILE as u32) as usize;
    for _ in 0..params.iterations {
        device.write(&table.scores, &input(columns, rng))?;
        device.write(&table.matrix, &borders(columns))?;
        for diagonal in 0..tiles {
            table.wave(device, "needle_cuda_shared_1", diagonal + 1, |g| [g, diagonal - g])?;
        }
        for left in (1..tiles).rev() {
            let first = tiles - left;
            table.wave(device, "needle_cuda_shared_2", left, |g| [first + g, tiles - 1 - g])?;
        }
    }
    device.read(&table.matrix)
}

/// What the kernels work on: row by row, a row and a column more than there are letters.
struct Table {
    /// What each pair of letters scores.
    scores: Buffer<i32>,
    matrix: Buffer<i32>,
    columns: usize,
}

impl Table {
    /// A kernel for so many tiles; `tile`: column and row of that of a group.
    fn wave<R: Record>(
        &self,
        device: &mut Device<R>,
        name: &str,
        tiles: usize,
        tile: impl Fn(usize) -> [usize; 2],
    ) -> Result<(), R::Error> {
        let n = self.columns;
        let rows = |g: usize| (tile(g)[1] * TILE + 1) * n..((tile(g)[1] + 1) * TILE + 1) * n;
        let launch = Launch::line(name, tiles * TILE, TILE)
            .group_memory(
                size_of::<[[i32; TILE + 1]; TILE + 1]>() + size_of::<[[i32; TILE]; TILE]>(),
            )
            .read_part("reference", &self.scores, rows)
            // It reads the row above its own.
            .write_part("input_itemsets", &self.matrix, |g| rows(g).start - n..rows(g).end);
        device.launch(launch, |group| self.tile(group, tile(group.index)))
    }

    fn tile(&self, group: &Group, [left, top]: [usize; 2]) {
        // Place of a cell of the tile in the matrix; the tile's row and column 0 are its
        // neighbours'.
        let place = |x: usize, y: usize| {
            let (column, row) = (left * TILE + x, top * TILE + y);
            (column < self.columns && row < self.columns).then_some(row * self.columns + column)
        };
        let mut temp = [[0; TILE + 1]; TILE + 1];
        let mut scores = [[0; TILE]; TILE];
        group.phase(|it| {
            if it.lx == 0 {
                temp[0][0] = *it.load(at(1, 10), &self.matrix, place(0, 0).expect("it is there"));
            }
            for y in it.turns(0..TILE) {
                if let Some(cell) = place(it.lx + 1, y + 1) {
                    scores[y][it.lx] = *it.load(at(2, 4), &self.scores, cell);
                }
            }
        });
        group.phase(|it| {
            if let Some(cell) = place(0, it.lx + 1) {
                temp[it.lx + 1][0] = *it.load(at(3, 4), &self.matrix, cell);
            }
        });
        group.phase(|it| {
            if let Some(cell) = place(it.lx + 1, 0) {
                temp[0][it.lx + 1] = *it.load(at(4, 4), &self.matrix, cell);
            }
        });
        for diagonal in 0..2 * TILE - 1 {
            group.phase(|it| {
                let x = it.lx;
                if let Some(y) = diagonal.checked_sub(x).filter(|y| *y < TILE) {
                    let pair = temp[y][x] + scores[y][x];
                    temp[y + 1][x + 1] =
                        pair.max(temp[y + 1][x] - PENALTY).max(temp[y][x + 1] - PENALTY);
                    it.work(20);
                }
            });
        }
        group.phase(|it| {
            for y in it.turns(0..TILE) {
                if let Some(cell) = place(it.lx + 1, y + 1) {
                    it.store(at(5, 4), &self.matrix, cell, temp[y + 1][it.lx + 1]);
                }
            }
        });
    }
}

/// What each pair of letters of two sequences scores, -4 to 9 as in BLOSUM62.
fn input(columns: usize, rng: &mut SplitMix64) -> Vec<i32> {
    let mut score = [[0; LETTERS]; LETTERS];
    for (a, b) in (0..LETTERS).flat_map(|a| (0..=a).map(move |b| (a, b))) {
        score[a][b] = rng.below(if a == b { 10 } else { 7 }) as i32 - 4;
        score[b][a] = score[a][b];
    }
    let mut sequence =
        || (0..columns).map(|_| rng.below(LETTERS as u64) as usize).collect::<Vec<_>>();
    let (first, second) = (sequence(), sequence());
    let pairs = first.iter().flat_map(|a| second.iter().map(|b| score[*a][*b]));
    pairs.collect()
}

/// The first row and column: letters without partners.
fn borders(columns: usize) -> Vec<i32> {
    let mut matrix = vec![0; columns * columns];
    for i in 1..columns {
        matrix[i] = -(i as i32) * PENALTY;
        matrix[i * columns] = matrix[i];
    }
    matrix
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::shadow::replay;

    #[test]
    fn scores_equal_those_of_plain_loops() {
        for (size, iterations) in [(1, 1), (16, 1), (17, 2), (50, 1)] {
            let n = size as usize + 1;
            let rng = &mut SplitMix64::new(8);
            let scores = (0..iterations).map(|_| input(n, rng)).last().unwrap();
            let mut best = vec![0; n * n];
            for (i, score) in scores.iter().enumerate() {
                let (x, y) = (i % n, i / n);
                best[i] = match (x, y) {
                    (0, _) | (_, 0) => -PENALTY * (x + y) as i32,
                    _ => (best[i - n - 1] + score).max(best[i - 1].max(best[i - n]) - PENALTY),
                };
            }
            let result = replay(run, &Params { size, iterations, seed: 8 });
            assert_eq!(result, best, "size {size}");
        }
    }
}
