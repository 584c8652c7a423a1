//! Kernels that use the same arrays again and again (the cache-reuse program of STC section 6),
//! with the work shifted from kernel to kernel, so that another chiplet reads what one has just
//! written.

use crate::trace::Record;
use crate::workloads::SplitMix64;

use super::{Buffer, Device, Knob, Launch, Params, Program, at};

pub const PROGRAM: Program = Program {
    name: "reuse",
    about: "ten kernels over the same arrays, each reading what other work-groups wrote",
    size: Knob::new("elements of an array", 1536, 1..=1 << 26),
    iterations: Knob::new("kernels", 10, 1..=10_000),
    footprint: "12 n",
};

const LOCAL: usize = 64;

/// Gives both arrays that are written, one behind the other.
pub fn run<R: Record>(device: &mut Device<R>, params: &Params) -> Result<Vec<u32>, R::Error> {
    let n = params.size as usize;
    let [constant, start] = input(n, params.seed);
    let constant = device.upload("constant", &constant)?;
    let mut from: Buffer<u32> = device.upload("a", &start)?;
    let mut to = device.alloc::<u32>("b", n)?;
    let groups = n.div_ceil(LOCAL);
    for kernel in 0..params.iterations as usize {
        // Group g works on the part that is `shift` groups further on.
        let shift = shift(kernel, groups);
        let part = |g: usize| (g + shift) % groups * LOCAL..((g + shift) % groups + 1) * LOCAL;
        let launch = Launch::line("mix", n, LOCAL)
            .read_part("constant", &constant, part)
            .read_part("from", &from, part)
            .write_part("to", &to, part);
        device.launch(launch, |group| {
            group.phase(|it| {
                let i = (group.index + shift) % groups * LOCAL + it.lx;
                if i < n {
                    let c = it.load(at(1, 8), &constant, i);
                    let v = it.load(at(2, 1), &from, i);
                    // What stands there is from two kernels ago, or from the host.
                    let before = it.load(at(3, 1), &to, i);
                    it.store(at(4, 4), &to, i, mix(*c, *v, *before));
                }
            });
        })?;
        (from, to) = (to, from);
    }
    Ok([device.read(&from)?, device.read(&to)?].concat())
}

/// Groups by which a kernel's work is shifted: none, then halves, thirds, quarters, fifths of the
/// array and so on, so that chiplets change whatever their number is.
fn shift(kernel: usize, groups: usize) -> usize {
    kernel * groups / (kernel % 8 + 1) % groups
}

fn mix(c: u32, v: u32, before: u32) -> u32 {
    (c ^ v).wrapping_mul(0x9E37_79B1).wrapping_add(before)
}

fn input(n: usize, seed: u64) -> [Vec<u32>; 2] {
    let mut rng = SplitMix64::new(seed);
    [0; 2].map(|_| (0..n).map(|_| rng.bits() as u32).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::shadow::replay;

    #[test]
    fn arrays_equal_those_of_plain_loops() {
        for (size, iterations) in [(1, 10), (65, 3), (1000, 10)] {
            let [constant, mut from] = input(size as usize, 2);
            let mut to = vec![0; size as usize];
            for _ in 0..iterations {
                (0..from.len()).for_each(|i| to[i] = mix(constant[i], from[i], to[i]));
                (from, to) = (to, from);
            }
            let result = replay(run, &Params { size, iterations, seed: 2 });
            assert_eq!(result, [from, to].concat(), "size {size}");
        }
    }

    #[test]
    fn parts_move_to_other_groups() {
        let shifts: Vec<usize> = (0..10).map(|k| shift(k, 24)).collect();
        assert!(shifts.windows(2).filter(|w| w[0] != w[1]).count() >= 8, "{shifts:?}");
    }
}
