//! A recurrent cell with a memory of its own over time (LSTM; CPElide table II): as `rnn`, with a
//! fourth gate and the cell's memory beside the state.

use crate::trace::Record;

use super::recurrent::{BATCH, Cell, Input, LOCAL, bounded, sigmoid};
use super::{Device, Knob, Launch, Params, Program, at, chunk};

pub const PROGRAM: Program = Program {
    name: "lstm",
    about: "LSTM cell over time steps, batch of 4: matrix-vector products, then pointwise gates",
    size: Knob::new("elements of the state and of an input", 56, 1..=1 << 13),
    iterations: Knob::new("time steps", 2, 1..=10_000),
    footprint: "32 n^2 + 160 n + 32 n * iterations",
};

/// Input, forget, output and candidate.
const GATES: usize = 4;

/// Gives the state after each step, sample by sample.
pub fn run<R: Record>(device: &mut Device<R>, params: &Params) -> Result<Vec<f32>, R::Error> {
    let (h, steps) = (params.size as usize, params.iterations as usize);
    let host = Input::new(GATES, h, steps, params.seed);
    let cell = &Cell::<GATES>::new(device, h, steps, &host)?;
    let memory = device.alloc::<f32>("memory", BATCH * h)?;
    for t in 0..steps {
        cell.multiply(device, "lstm_gemv", t)?;
        let launch = Launch::line("lstm_pointwise", BATCH * h, LOCAL)
            .read("from_x", &cell.from_x)
            .read("from_h", &cell.from_h)
            .write_part("memory", &memory, chunk(LOCAL))
            .write_part("state", &cell.state, chunk(LOCAL))
            .write_part("out", &cell.out, cell.step_of_group(t));
        device.each(launch, |it| {
            let sums = it.x / h * GATES * h + it.x % h;
            let mut sum = [0.0; GATES];
            for gate in it.turns(0..GATES) {
                let from_x = it.load(at(1, 6), &cell.from_x, sums + gate * h);
                let from_h = it.load(at(2, 1), &cell.from_h, sums + gate * h);
                sum[gate] = *from_x + *from_h;
            }
            let old = it.load(at(3, 2), &memory, it.x);
            let (kept, new) = gates(sum, *old);
            it.store(at(4, 20), &memory, it.x, kept);
            it.store(at(5, 6), &cell.state, it.x, new);
            it.store(at(6, 2), &cell.out, t * BATCH * h + it.x, new);
        })?;
    }
    device.read(&cell.out)
}

/// New memory and new state of one element, from the sums over input and state.
fn gates(sum: [f32; GATES], old: f32) -> (f32, f32) {
    let [input, forget, output] = [0, 1, 2].map(|gate| sigmoid(sum[gate]));
    let memory = forget * old + input * bounded(sum[3]);
    (memory, output * bounded(memory))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::shadow::replay;

    fn reference(h: usize, steps: usize, seed: u64) -> Vec<f32> {
        let host = Input::new(GATES, h, steps, seed);
        let mut out = Vec::new();
        let mut cells = vec![(vec![0.0; h], vec![0.0; h]); BATCH];
        for step in host.x.chunks(BATCH * h) {
            for ((memory, state), input) in cells.iter_mut().zip(step.chunks(h)) {
                let sums = |i| {
                    let [x, r] = host.sums::<GATES>(input, state, i);
                    [0, 1, 2, 3].map(|gate| x[gate] + r[gate])
                };
                let new = (0..h).map(|i| gates(sums(i), memory[i]));
                (*memory, *state) = new.collect();
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
