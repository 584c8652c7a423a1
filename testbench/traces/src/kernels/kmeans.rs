//! K-means clustering (Rodinia's, with the centres found on the GPU): work-items find the nearest
//! centre and add their point to its sums by integer atomics, in fixed point, so that the order of
//! the additions changes nothing.

use crate::trace::Record;
use crate::workloads::SplitMix64;

use super::input::floats;
use super::{Device, Knob, Launch, Params, Program, at, chunk};

pub const PROGRAM: Program = Program {
    name: "kmeans",
    about: "k-means: nearest of 5 centres, integer atomic counts and fixed-point sums",
    size: Knob::new("points, of 8 features each", 512, 1..=1 << 24),
    iterations: Knob::new("rounds of assigning and moving", 2, 1..=10_000),
    footprint: "36 n + 500",
};

const LOCAL: usize = 64;
const CENTRES: usize = 5;
const FEATURES: usize = 8;
/// One in fixed point.
const ONE: f32 = 65536.0;

/// Gives the centres, one behind the other.
pub fn run<R: Record>(device: &mut Device<R>, params: &Params) -> Result<Vec<f32>, R::Error> {
    let n = params.size as usize;
    let points = floats(&mut SplitMix64::new(params.seed), FEATURES * n);
    let centres = device.upload("centres", &first_centres(&points))?;
    // Feature by feature, so that neighbouring work-items read neighbouring values.
    let points = device.upload("points", &points)?;
    let nearest = device.alloc::<u32>("nearest", n)?;
    let counts = device.alloc::<u32>("counts", CENTRES)?;
    let sums = device.alloc::<i64>("sums", CENTRES * FEATURES)?;
    for _ in 0..params.iterations {
        let launch = Launch::line("assign", n, LOCAL)
            .read("points", &points)
            .read("centres", &centres)
            .write_part("nearest", &nearest, chunk(LOCAL))
            .write("counts", &counts)
            .write("sums", &sums);
        device.each(launch, |it| {
            let features = it.turns(0..FEATURES);
            let point: Vec<_> =
                features.map(|f| it.load(at(1, 3), &points, f * n + it.x)).collect();
            let (mut best, mut least) = (0, f32::INFINITY);
            for c in it.turns(0..CENTRES) {
                let mut distance = 0.0;
                for f in it.turns(0..FEATURES) {
                    let centre = it.load(at(2, 4), &centres, c * FEATURES + f);
                    let d = *point[f] - *centre;
                    distance += d * d;
                }
                if distance < least {
                    (best, least) = (c, distance);
                }
                it.work(3);
            }
            it.store(at(3, 2), &nearest, it.x, best as u32);
            it.atomic_add(at(4, 1), &counts, best, 1);
            for f in it.turns(0..FEATURES) {
                it.atomic_add(at(5, 4), &sums, best * FEATURES + f, fixed(*point[f]));
            }
        })?;
        // One work-item for each feature of each centre, in one group: the counts are cleared when
        // all have read them.
        let launch = Launch::line("move", CENTRES * FEATURES, CENTRES * FEATURES)
            .write("counts", &counts)
            .write("sums", &sums)
            .write("centres", &centres);
        device.launch(launch, |group| {
            group.phase(|it| {
                let count = it.load(at(1, 5), &counts, it.x / FEATURES);
                // A centre without points stays.
                if *count > 0 {
                    let sum = it.load(at(2, 2), &sums, it.x);
                    it.store(at(3, 12), &centres, it.x, mean(*sum, *count));
                    it.store(at(4, 1), &sums, it.x, 0);
                }
            });
            group.phase(|it| {
                if it.x < CENTRES {
                    it.store(at(5, 2), &counts, it.x, 0);
                }
            });
        })?;
    }
    device.read(&centres)
}

/// The first points, round and round when there are fewer than centres.
fn first_centres(points: &[f32]) -> Vec<f32> {
    let n = points.len() / FEATURES;
    (0..CENTRES * FEATURES).map(|i| points[i % FEATURES * n + i / FEATURES % n]).collect()
}

fn fixed(value: f32) -> i64 {
    (value * ONE) as i64
}

fn mean(sum: i64, count: u32) -> f32 {
    sum as f32 / ONE / count as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::shadow::replay;

    fn reference(n: usize, seed: u64, rounds: u32) -> Vec<f32> {
        let points = floats(&mut SplitMix64::new(seed), FEATURES * n);
        let mut centres = first_centres(&points);
        for _ in 0..rounds {
            let mut members = vec![Vec::new(); CENTRES];
            for p in 0..n {
                let distance = |c: usize| {
                    let d = |f: usize| points[f * n + p] - centres[c * FEATURES + f];
                    (0..FEATURES).fold(0.0, |s, f| s + d(f) * d(f))
                };
                let best = (0..CENTRES).min_by(|&a, &b| distance(a).total_cmp(&distance(b)));
                members[best.unwrap()].push(p);
            }
            for (i, centre) in centres.iter_mut().enumerate() {
                let members = &members[i / FEATURES];
                if !members.is_empty() {
                    let sum = members.iter().map(|p| fixed(points[i % FEATURES * n + p])).sum();
                    *centre = mean(sum, members.len() as u32);
                }
            }
        }
        centres
    }

    #[test]
    fn centres_equal_those_of_plain_loops() {
        for (size, iterations) in [(1, 1), (3, 2), (100, 3), (515, 2)] {
            let result = replay(run, &Params { size, iterations, seed: 11 });
            assert_eq!(result, reference(size as usize, 11, iterations), "size {size}");
        }
    }
}
