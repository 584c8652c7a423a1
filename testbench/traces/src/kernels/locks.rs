//! Sharing under locks (fg-share of STC section 6, with a lock for each bucket in place of one):
//! work-items add to a bucket's count and sum, which only its lock protects. The record shows the
//! order in which the sequential run took the locks; any other order gives the same buckets.

use crate::trace::Record;
use crate::workloads::SplitMix64;

use super::{Device, Knob, Launch, Params, Program, at, chunk};

pub const PROGRAM: Program = Program {
    name: "locks",
    about: "counts and sums of buckets, each under a compare-and-swap lock",
    size: Knob::new("buckets; 16 work-items for each", 256, 1..=1 << 18),
    iterations: Knob::new("updates of each work-item", 2, 1..=64),
    footprint: "12 n + 64 n * iterations",
};

const LOCAL: usize = 64;
const ITEMS_PER_BUCKET: usize = 16;

/// Gives the counts, then the sums.
pub fn run<R: Record>(device: &mut Device<R>, params: &Params) -> Result<Vec<u32>, R::Error> {
    let (buckets, updates) = (params.size as usize, params.iterations as usize);
    let items = ITEMS_PER_BUCKET * buckets;
    let keys = device.upload("keys", &input(items * updates, params.seed))?;
    let locks = device.alloc::<u32>("locks", buckets)?;
    let counts = device.alloc::<u32>("counts", buckets)?;
    let sums = device.alloc::<u32>("sums", buckets)?;
    let launch = Launch::line("update", items, LOCAL)
        .read_part("keys", &keys, chunk(LOCAL * updates))
        .write("locks", &locks)
        .write("counts", &counts)
        .write("sums", &sums);
    device.each(launch, |it| {
        for k in it.turns(0..updates) {
            let key = it.load(at(1, 4), &keys, it.x * updates + k);
            let bucket = *key as usize % buckets;
            for _ in it.turns(0..) {
                if *it.cas(at(2, 8), &locks, bucket, 0, 1) == 0 {
                    break;
                }
            }
            let count = it.load(at(3, 2), &counts, bucket);
            it.store(at(4, 1), &counts, bucket, *count + 1);
            let sum = it.load(at(5, 1), &sums, bucket);
            it.store(at(6, 1), &sums, bucket, sum.wrapping_add(*key));
            it.exchange(at(7, 1), &locks, bucket, 0);
        }
    })?;
    Ok([device.read(&counts)?, device.read(&sums)?].concat())
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
    fn buckets_equal_those_of_a_plain_loop() {
        for (size, iterations) in [(1, 1), (7, 3), (100, 2)] {
            let n = size as usize;
            let (mut counts, mut sums) = (vec![0; n], vec![0u32; n]);
            for key in input(ITEMS_PER_BUCKET * n * iterations as usize, 2) {
                counts[key as usize % n] += 1;
                sums[key as usize % n] = sums[key as usize % n].wrapping_add(key);
            }
            let result = replay(run, &Params { size, iterations, seed: 2 });
            assert_eq!(result, [counts, sums].concat(), "size {size}");
        }
    }
}
