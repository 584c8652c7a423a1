//! A recurrent cell over time (GRU; CPElide table II): each step multiplies the weights, which all
//! steps share, by input and state, and then forms the new state element by element. In place of
//! tanh and the sigmoid stand rational and piecewise linear functions of the same form.

use crate::trace::Record;
use crate::workloads::SplitMix64;

use super::input::floats;
use super::{Device, Knob, Launch, Params, Program, at, chunk};

pub const PROGRAM: Program = Program {
    name: "rnn",
    about: "GRU cell over time steps, batch of 4: matrix-vector products, then pointwise gates",
    size: Knob::new("elements of the state and of an input", 64, 1..=1 << 13),
    iterations: Knob::new("time steps", 2, 1..=10_000),
    footprint: "24 n^2 + 112 n + 32 n * iterations",
};

const LOCAL: usize = 64;
const BATCH: usize = 4;

/// Gives the state after each step, sample by sample.
pub fn run<R: Record>(device: &mut Device<R>, params: &Params) -> Result<Vec<f32>, R::Error> {
    let (h, steps) = (params.size as usize, params.iterations as usize);
    let host = Input::new(h, steps, params.seed);
    // Row k of W and U: what element k adds to each of the 3 h gate sums.
    let w = device.upload("w", &host.w)?;
    let u = device.upload("u", &host.u)?;
    let x = device.upload("x", &host.x)?;
    let state = device.alloc::<f32>("state", BATCH * h)?;
    let from_x = device.alloc::<f32>("from_x", BATCH * 3 * h)?;
    let from_h = device.alloc::<f32>("from_h", BATCH * 3 * h)?;
    let out = device.alloc::<f32>("out", steps * BATCH * h)?;
    for t in 0..steps {
        let step = t * BATCH * h..(t + 1) * BATCH * h;
        let launch = Launch::line("gru_gemv", 3 * h, LOCAL)
            .read("w", &w)
            .read("u", &u)
            .read_part("x", &x, |_| step.clone())
            .read("state", &state)
            .write("from_x", &from_x)
            .write("from_h", &from_h);
        let (mut local_x, mut local_h) = (vec![0.0; BATCH * h], vec![0.0; BATCH * h]);
        device.launch(launch, |group| {
            group.phase(|it| {
                for i in it.turns((it.id..BATCH * h).step_by(LOCAL)) {
                    local_x[i] = it.load(at(1, 3), &x, step.start + i);
                    local_h[i] = it.load(at(2, 2), &state, i);
                }
            });
            group.phase(|it| {
                let row = it.x;
                if row >= 3 * h {
                    return;
                }
                let (mut sum_x, mut sum_h) = ([0.0; BATCH], [0.0; BATCH]);
                for k in it.turns(0..h) {
                    let w = it.load(at(3, 3 * BATCH as u32), &w, k * 3 * h + row);
                    let u = it.load(at(4, 3 * BATCH as u32), &u, k * 3 * h + row);
                    for b in 0..BATCH {
                        sum_x[b] += w * local_x[b * h + k];
                        sum_h[b] += u * local_h[b * h + k];
                    }
                }
                for b in it.turns(0..BATCH) {
                    it.store(at(5, 3), &from_x, b * 3 * h + row, sum_x[b]);
                    it.store(at(6, 2), &from_h, b * 3 * h + row, sum_h[b]);
                }
            });
        })?;
        let part = chunk(LOCAL);
        let launch = Launch::line("gru_pointwise", BATCH * h, LOCAL)
            .read("from_x", &from_x)
            .read("from_h", &from_h)
            .write_part("state", &state, &part)
            .write_part("out", &out, |g| {
                let own = part(g);
                step.start + own.start..step.start + own.end.min(BATCH * h)
            });
        device.each(launch, |it| {
            let sums = it.x / h * 3 * h + it.x % h;
            let [mut x, mut r] = [[0.0; 3]; 2];
            for gate in it.turns(0..3) {
                x[gate] = it.load(at(1, 6), &from_x, sums + gate * h);
                r[gate] = it.load(at(2, 1), &from_h, sums + gate * h);
            }
            let old = it.load(at(3, 2), &state, it.x);
            let new = gates(x, r, old);
            it.store(at(4, 18), &state, it.x, new);
            it.store(at(5, 2), &out, step.start + it.x, new);
        })?;
    }
    device.read(&out)
}

/// The new state of one element, from the sums over input and state for update, reset and
/// candidate.
fn gates(x: [f32; 3], h: [f32; 3], old: f32) -> f32 {
    let sigmoid = |v: f32| (0.25 * v + 0.5).clamp(0.0, 1.0);
    let update = sigmoid(x[0] + h[0]);
    let reset = sigmoid(x[1] + h[1]);
    let sum = x[2] + reset * h[2];
    let candidate = sum / (1.0 + sum.abs());
    update * old + (1.0 - update) * candidate
}

struct Input {
    w: Vec<f32>,
    u: Vec<f32>,
    x: Vec<f32>,
}

impl Input {
    fn new(h: usize, steps: usize, seed: u64) -> Self {
        let mut rng = SplitMix64::new(seed);
        let mut centred = |n, scale: f32| {
            floats(&mut rng, n).iter().map(|v| scale * (v - 0.5)).collect::<Vec<_>>()
        };
        let weight = 4.0 / h as f32;
        let (w, u) = (centred(3 * h * h, weight), centred(3 * h * h, weight));
        Self { w, u, x: centred(steps * BATCH * h, 4.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::shadow::replay;

    fn reference(h: usize, steps: usize, seed: u64) -> Vec<f32> {
        let Input { w, u, x } = Input::new(h, steps, seed);
        let mut out = vec![0.0; steps * BATCH * h];
        let mut states = [vec![0.0; h], vec![0.0; h], vec![0.0; h], vec![0.0; h]];
        for t in 0..steps {
            for (b, state) in states.iter_mut().enumerate() {
                let first = (t * BATCH + b) * h;
                let input = &x[first..first + h];
                let dot = |m: &[f32], v: &[f32], row: usize| {
                    v.iter().enumerate().fold(0.0, |s, (k, v)| s + m[k * 3 * h + row] * v)
                };
                *state = (0..h)
                    .map(|i| {
                        let rows = [i, i + h, i + 2 * h];
                        let from_h = rows.map(|row| dot(&u, state, row));
                        gates(rows.map(|row| dot(&w, input, row)), from_h, state[i])
                    })
                    .collect();
                out[first..first + h].copy_from_slice(state);
            }
        }
        out
    }

    #[test]
    fn states_equal_those_of_plain_loops() {
        for (size, iterations) in [(1, 1), (13, 4), (65, 2)] {
            let expected = reference(size as usize, iterations as usize, 7);
            assert!(expected.iter().any(|v| v.abs() > 0.01), "nothing happens");
            assert_eq!(replay(run, &Params { size, iterations, seed: 7 }), expected, "size {size}");
        }
    }
}
