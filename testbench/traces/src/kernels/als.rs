//! Alternating least squares (FinePack section V): the factors of all users from those of the items
//! that they rated, then the other way round. A work-item gathers rows of 8 by index, sums up a
//! small system of equations and solves it by Cholesky's method.

use crate::trace::Record;
use crate::workloads::SplitMix64;

use super::input::{Csr, floats};
use super::{Buffer, Device, Knob, Launch, Params, Program, at, chunk};

pub const PROGRAM: Program = Program {
    name: "als",
    about: "alternating least squares: rows gathered by index, an 8 x 8 system for each",
    size: Knob::new("users; half as many items", 320, 1..=1 << 22),
    iterations: Knob::new("rounds of solving for users and items", 1, 1..=10_000),
    footprint: "about 300 n: 16 for each of 16 n ratings, 36 for each user and item",
};

const LOCAL: usize = 64;
/// Factors of a user or an item, held as two vectors of four.
const K: usize = 8;
const REGULARISATION: f32 = 0.125;
type Half = [f32; 4];

/// Gives the factors of the users, then of the items.
pub fn run<R: Record>(device: &mut Device<R>, params: &Params) -> Result<Vec<Half>, R::Error> {
    let input = Input::new(params.size as usize, params.seed);
    let by_user = Ratings::upload(device, "by_user", &input.by_user)?;
    let by_item = Ratings::upload(device, "by_item", &input.by_item)?;
    let users = device.alloc::<Half>("users", 2 * input.by_user.len())?;
    let items = device.upload("items", &input.items)?;
    for _ in 0..params.iterations {
        solve_all(device, "solve_users", &by_user, &items, &users)?;
        solve_all(device, "solve_items", &by_item, &users, &items)?;
    }
    Ok([device.read(&users)?, device.read(&items)?].concat())
}

/// Ratings in device memory, row by row.
struct Ratings<'a> {
    host: &'a Csr,
    starts: Buffer<u32>,
    others: Buffer<u32>,
    stars: Buffer<f32>,
}

impl<'a> Ratings<'a> {
    fn upload<R: Record>(
        device: &mut Device<R>,
        name: &str,
        host: &'a Csr,
    ) -> Result<Self, R::Error> {
        let stars: Vec<f32> = host.weights.iter().map(|w| *w as f32).collect();
        Ok(Self {
            host,
            starts: device.upload(&format!("{name}.starts"), &host.starts)?,
            others: device.upload(&format!("{name}.others"), &host.ends)?,
            stars: device.upload(&format!("{name}.stars"), &stars)?,
        })
    }
}

/// New factors for each row of `ratings` from the `fixed` ones of the other side.
fn solve_all<R: Record>(
    device: &mut Device<R>,
    name: &str,
    ratings: &Ratings,
    fixed: &Buffer<Half>,
    to: &Buffer<Half>,
) -> Result<(), R::Error> {
    let (n, local) = (ratings.host.len(), LOCAL);
    let entries = ratings.host.edges_of_group(local);
    let launch = Launch::line(name, n, LOCAL)
        .read_part("starts", &ratings.starts, |g| g * local..(g + 1) * local + 1)
        .read_part("others", &ratings.others, &entries)
        .read_part("stars", &ratings.stars, &entries)
        .read("fixed", fixed)
        .write_part("to", to, chunk(2 * local));
    device.each(launch, |it| {
        let first = it.load(at(1, 4), &ratings.starts, it.x);
        let end = it.load(at(2, 1), &ratings.starts, it.x + 1);
        let mut system = System::default();
        for e in it.turns(*first as usize..*end as usize) {
            let other = it.load(at(3, 3), &ratings.others, e);
            let stars = it.load(at(4, 1), &ratings.stars, e);
            let other = *other as usize;
            let low = it.load(at(5, 2), fixed, 2 * other);
            let high = it.load(at(6, 1), fixed, 2 * other + 1);
            system.add(*low, *high, *stars);
            it.work(K * (K + 1) / 2 + K);
        }
        let [low, high] = system.solve();
        it.work(K * K * K / 3 + 3 * K * K);
        it.store(at(7, 2), to, 2 * it.x, low);
        it.store(at(8, 1), to, 2 * it.x + 1, high);
    })
}

/// Normal equations: a symmetric matrix, its lower half used, and the right side.
struct System {
    matrix: [[f32; K]; K],
    right: [f32; K],
}

impl Default for System {
    fn default() -> Self {
        let mut matrix = [[0.0; K]; K];
        (0..K).for_each(|i| matrix[i][i] = REGULARISATION);
        Self { matrix, right: [0.0; K] }
    }
}

impl System {
    fn add(&mut self, low: Half, high: Half, stars: f32) {
        let row = |i: usize| if i < 4 { low[i] } else { high[i - 4] };
        for i in 0..K {
            (0..=i).for_each(|j| self.matrix[i][j] += row(i) * row(j));
            self.right[i] += stars * row(i);
        }
    }

    fn solve(self) -> [Half; 2] {
        let Self { matrix: mut l, right: mut x } = self;
        for i in 0..K {
            for j in 0..=i {
                let sum = (0..j).fold(l[i][j], |s, k| s - l[i][k] * l[j][k]);
                l[i][j] = if i == j { sum.sqrt() } else { sum / l[j][j] };
            }
        }
        for i in 0..K {
            x[i] = (0..i).fold(x[i], |s, k| s - l[i][k] * x[k]) / l[i][i];
        }
        for i in (0..K).rev() {
            x[i] = (i + 1..K).fold(x[i], |s, k| s - l[k][i] * x[k]) / l[i][i];
        }
        [[x[0], x[1], x[2], x[3]], [x[4], x[5], x[6], x[7]]]
    }
}

struct Input {
    by_user: Csr,
    by_item: Csr,
    items: Vec<Half>,
}

impl Input {
    /// Each user has rated 1 to 31 times, with 1 to 5 stars; each item was rated by at least one.
    fn new(users: usize, seed: u64) -> Self {
        let (mut rng, items) = (SplitMix64::new(seed), users.div_ceil(2));
        let mut list = Vec::new();
        for user in 0..users {
            let count = 1 + rng.below(31);
            for k in 0..count {
                let any = rng.below(items as u64) as u32;
                let item = if k == 0 { (user % items) as u32 } else { any };
                list.push((user as u32, item, 1 + rng.below(5) as u32));
            }
        }
        let by_user = Csr::new(users, &list);
        list.iter_mut().for_each(|(user, item, _)| std::mem::swap(user, item));
        list.sort_unstable();
        let half = |v: &[f32]| [v[0], v[1], v[2], v[3]];
        let factors = floats(&mut rng, K * items).chunks_exact(4).map(half).collect();
        Self { by_user, by_item: Csr::new(items, &list), items: factors }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::*;
    use crate::kernels::shadow::replay;

    fn rows(of: &[Half]) -> Vec<[f64; K]> {
        let row = |h: &[Half]| std::array::from_fn(|i| f64::from(h[i / 4][i % 4]));
        of.chunks_exact(2).map(row).collect()
    }

    /// Gauss-Jordan elimination, in doubles.
    fn reference(ratings: &Csr, fixed: &[[f64; K]]) -> Vec<[f64; K]> {
        let solve = |entries: Range<usize>| {
            let mut m = [[0.0; K + 1]; K];
            (0..K).for_each(|i| m[i][i] = f64::from(REGULARISATION));
            for e in entries {
                let row = fixed[ratings.ends[e] as usize];
                for i in 0..K {
                    (0..K).for_each(|j| m[i][j] += row[i] * row[j]);
                    m[i][K] += row[i] * f64::from(ratings.weights[e]);
                }
            }
            for p in 0..K {
                let pivot = m[p].map(|v| v / m[p][p]);
                for (i, row) in m.iter_mut().enumerate() {
                    let factor = row[p];
                    if i == p {
                        *row = pivot;
                    } else {
                        row.iter_mut().zip(pivot).for_each(|(v, p)| *v -= factor * p);
                    }
                }
            }
            m.map(|row| row[K])
        };
        (0..ratings.len()).map(|v| solve(ratings.edges(v))).collect()
    }

    #[test]
    fn factors_are_close_to_those_of_plain_elimination() {
        for (size, iterations) in [(1, 1), (3, 2), (65, 1), (130, 2)] {
            let input = Input::new(size as usize, 3);
            let (mut users, mut items) = (Vec::new(), rows(&input.items));
            for _ in 0..iterations {
                users = reference(&input.by_user, &items);
                items = reference(&input.by_item, &users);
            }
            let result = rows(&replay(run, &Params { size, iterations, seed: 3 }));
            let expected = users.iter().chain(&items).flatten();
            for (seen, expected) in result.iter().flatten().zip(expected) {
                assert!((seen - expected).abs() < 2e-3, "size {size}: {seen}, not {expected}");
            }
        }
    }
}
