//! A recurrent cell over time (GRU; CPElide table II): each step multiplies the weights, which all
//! steps share, by input and state, and then forms the new state element by element. In place of
//! tanh and the sigmoid stand rational and piecewise linear functions of the same form.

use crate::trace::Record;

use super::recurrent::{BATCH, Cell, Input, LOCAL, bounded, sigmoid};
use super::{Device, Knob, Launch, Params, Program, at, chunk};

pub const PROGRAM: Program = Program {
    name: "rnn",
    about: "GRU cell over time steps, batch of 4: matrix-vector products, then pointwise gates",
    size: Knob::new("elements of the state and of an input", 64, 1..=1 << 13),
    iterations: Knob::new("time steps", 2, 1..=10_000),
    footprint: "24 n^2 + 112 n + 32 n * iterations",
};

/// Update, reset and candidate.
const GATES: usize = 3;

/// Gives the state after each step, sample by sample.
pub fn run<R: Record>(device: &mut Device<R>, params: &Params) -> Result<Vec<f32>, R::Error> {
    let (h, steps) = (params.size as usize, params.iterations as usize);
    let host = Input::new(GATES, h, steps, params.seed);
    let cell = &Cell::<GATES>::new(device, h, steps, &host)?;
    for t in 0..steps {
        cell.multiply(device, "gru_gemv", t)?;
        let launch = Launch::line("gru_pointwise", BATCH * h, LOCAL)
            .read("from_x", &cell.from_x)
            .read("from_h", &cell.from_h)
            .write_part("state", &cell.state, chunk(LOCAL))
            .write_part("out", &cell.out, cell.step_of_group(t));
        device.each(launch, |it| {
            let sums = it.x / h * GATES * h + it.x % h;
            let pairs = it.turns(0..GATES).map(|gate| {
                let x = it.load(at(1, 6), &cell.from_x, sums + gate * h);
                (x, it.load(at(2, 1), &cell.from_h, sums + gate * h))
            });
            let pairs: Vec<_> = pairs.collect();
            let old = it.load(at(3, 2), &cell.state, it.x);
            let x = std::array::from_fn(|gate| *pairs[gate].0);
            let r = std::array::from_fn(|gate| *pairs[gate].1);
            let new = gates(x, r, *old);
            it.store(at(4, 18), &cell.state, it.x, new);
            it.store(at(5, 2), &cell.out, t * BATCH * h + it.x, new);
        })?;
    }
    device.read(&cell.out)
}

/// The new state of one element, from the sums over input and state.
fn gates(x: [f32; GATES], h: [f32; GATES], old: f32) -> f32 {
    let update = sigmoid(x[0] + h[0]);
    let reset = sigmoid(x[1] + h[1]);
    let candidate = bounded(x[2] + reset * h[2]);
    update * old + (1.0 - update) * candidate
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::shadow::replay;

    fn reference(h: usize, steps: usize, seed: u64) -> Vec<f32> {
        let host = Input::new(GATES, h, steps, seed);
        let mut out = Vec::new();
        let mut states = vec![vec![0.0; h]; BATCH];
        for step in host.x.chunks(BATCH * h) {
            for (state, input) in states.iter_mut().zip(step.chunks(h)) {
                let new = |i| {
                    let [x, r] = host.sums(input, state, i);
                    gates(x, r, state[i])
                };
                *state = (0..h).map(new).collect();
                out.extend_from_slice(state);
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
