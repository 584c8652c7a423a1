//! A table of each work-item's own that its registers do not hold: private memory (a GPU's local
//! memory), beside an input that neighbouring work-groups share (Tabbakh's thesis, section 2.4).

use crate::trace::Record;
use crate::workloads::SplitMix64;

use super::{Device, Knob, Launch, Params, Program, at};

pub const PROGRAM: Program = Program {
    name: "spills",
    about: "each work-item counts the values of a window in a table of private memory",
    size: Knob::new("work-items, and values", 512, 1..=1 << 24),
    iterations: Knob::new("kernels, of one seed each", 2, 1..=10_000),
    footprint: "40 n",
};

const LOCAL: usize = 64;
/// Values that a work-item looks at: its window ends where that of the next work-group begins, and
/// beyond.
const WINDOW: usize = 24;
/// Entries of its table.
const BINS: usize = 8;
/// Work-items between those that look at the same values: a window's step.
const STEP: usize = 8;

/// Gives the greatest entry of each work-item's table, and which it is.
pub fn run<R: Record>(device: &mut Device<R>, params: &Params) -> Result<Vec<u32>, R::Error> {
    let n = params.size as usize;
    let items = n.next_multiple_of(LOCAL);
    let values = device.upload("values", &input(n, params.seed))?;
    let most = device.alloc::<u32>("most", n)?;
    let table = device.alloc_private::<u32>("table", BINS, items)?;
    for kernel in 0..params.iterations as usize {
        let launch = Launch::line("spills", n, LOCAL)
            .read("values", &values)
            .write_part("most", &most, super::chunk(LOCAL))
            .write("table", &table)
            .plain("salt");
        device.each(launch, |it| {
            for bin in it.turns(0..BINS) {
                it.store(at(1, 2), &table, bin * items + it.x, 0);
            }
            for k in it.turns(0..WINDOW) {
                let value = it.load(at(2, 4), &values, place(it.x, k, n));
                let entry = bin(*value, kernel) * items + it.x;
                let count = it.load(at(3, 3), &table, entry);
                it.store(at(4, 1), &table, entry, *count + 1);
            }
            let mut best = 0;
            for bin in it.turns(0..BINS) {
                let count = it.load(at(5, 2), &table, bin * items + it.x);
                best = best.max(*count << 8 | bin as u32);
            }
            it.store(at(6, 2), &most, it.x, best);
        })?;
    }
    device.read(&most)
}

/// Where the k-th value of a work-item's window stands.
fn place(item: usize, k: usize, n: usize) -> usize {
    (item + k * STEP) % n
}

/// The entry that counts a value.
fn bin(value: u32, salt: usize) -> usize {
    (value ^ salt as u32) as usize % BINS
}

fn input(n: usize, seed: u64) -> Vec<u32> {
    let mut rng = SplitMix64::new(seed);
    (0..n).map(|_| rng.bits() as u32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::shadow::replay;

    #[test]
    fn tables_equal_those_of_plain_loops() {
        for (size, iterations) in [(1, 1), (65, 2), (1000, 3)] {
            let n = size as usize;
            let values = input(n, 2);
            let most = (0..n).map(|item| {
                let mut table = [0; BINS];
                for k in 0..WINDOW {
                    table[bin(values[place(item, k, n)], iterations as usize - 1)] += 1;
                }
                let entries = table.iter().zip(0..).map(|(count, bin)| count << 8 | bin);
                entries.max().unwrap_or(0)
            });
            let result = replay(run, &Params { size, iterations, seed: 2 });
            assert_eq!(result, most.collect::<Vec<u32>>(), "size {size}");
        }
    }
}
