//! Training of a neural network with one hidden layer (Rodinia's Backprop; CPElide table II): one
//! kernel takes the weighted sums of the hidden layer, one adjusts the weights of the inputs. The
//! host has the second layer. In place of the sigmoid stands a rational function of its form.

use crate::trace::Record;
use crate::workloads::SplitMix64;

use super::input::floats;
use super::{Device, Knob, Launch, Params, Program, at, chunk};

pub const PROGRAM: Program = Program {
    name: "backprop",
    about: "a training step of a network with 16 hidden units: forward, adjust (Rodinia)",
    size: Knob::new("units of the input", 512, 1..=1 << 22),
    iterations: Knob::new("training steps", 1, 1..=1000),
    footprint: "144 n",
};

/// Hidden units, and input units of a work-group.
const HIDDEN: usize = 16;
/// Weights of a unit: one more, the first of which is unused, as in Rodinia.
const ROW: usize = HIDDEN + 1;
const RATE: f32 = 0.3;
const MOMENTUM: f32 = 0.3;
const TARGET: f32 = 0.1;

/// Gives the weights of the inputs after the last step, unit by unit; first those of the bias.
pub fn run<R: Record>(device: &mut Device<R>, params: &Params) -> Result<Vec<f32>, R::Error> {
    let n = params.size as usize;
    let Network { units, mut weights, mut second } = Network::new(n, params.seed);
    let groups = n.div_ceil(HIDDEN);
    let input = device.upload("input", &units)?;
    let w = device.alloc::<f32>("input_hidden", weights.len())?;
    let partial = device.alloc::<f32>("partial_sum", groups * HIDDEN)?;
    let delta = device.alloc::<f32>("hidden_delta", ROW)?;
    let previous = device.alloc::<f32>("input_prev_weights", weights.len())?;
    // The units of a group begin behind the bias.
    let units_of = |g: usize| g * HIDDEN + 1..(g + 1) * HIDDEN + 1;
    let weights_of = |g: usize| units_of(g).start * ROW..units_of(g).end * ROW;
    // The first group has the bias, too.
    let adjusted = |g: usize| if g == 0 { 0 } else { weights_of(g).start }..weights_of(g).end;
    for _ in 0..params.iterations {
        device.write(&w, &weights)?;
        let launch = Launch::new("layerforward", [HIDDEN, n, 1], [HIDDEN, HIDDEN, 1])
            .group_memory(size_of::<[[f32; HIDDEN]; HIDDEN + 1]>())
            .read_part("input", &input, units_of)
            .write_part("input_hidden", &w, weights_of)
            .write_part("partial_sum", &partial, chunk(HIDDEN));
        device.launch(launch, |group| {
            let mut unit = [0.0; HIDDEN];
            let mut products = [[0.0; HIDDEN]; HIDDEN];
            group.phase(|it| {
                if it.lx == 0 && it.y < n {
                    unit[it.ly] = *it.load(at(1, 8), &input, it.y + 1);
                }
            });
            group.phase(|it| {
                if it.y < n {
                    let weight = it.load(at(2, 6), &w, (it.y + 1) * ROW + it.lx + 1);
                    products[it.ly][it.lx] = *weight * unit[it.ly];
                }
            });
            for half in [1, 2, 4, 8] {
                group.phase(|it| {
                    if it.ly % (2 * half) == 0 {
                        products[it.ly][it.lx] += products[it.ly + half][it.lx];
                    }
                    it.work(6);
                });
            }
            // Rodinia leaves what it has added up where the weights were.
            group.phase(|it| {
                if it.y < n {
                    let sum = products[it.ly][it.lx];
                    it.store(at(3, 3), &w, (it.y + 1) * ROW + it.lx + 1, sum);
                }
            });
            group.phase(|it| {
                if it.lx == 0 {
                    let place = group.index * HIDDEN + it.ly;
                    it.store(at(4, 4), &partial, place, products[0][it.ly]);
                }
            });
        })?;
        let sums = device.read(&partial)?;
        let deltas = second.train(&sums, &weights);
        device.write(&delta, &deltas)?;
        device.write(&w, &weights)?;
        let launch = Launch::new("adjust_weights", [HIDDEN, n, 1], [HIDDEN, HIDDEN, 1])
            .read("hidden_delta", &delta)
            .read_part("input", &input, units_of)
            .write_part("input_hidden", &w, adjusted)
            .write_part("input_prev_weights", &previous, adjusted);
        device.launch(launch, |group| {
            group.phase(|it| {
                if it.y < n {
                    let at_weight = (it.y + 1) * ROW + it.lx + 1;
                    let gradient = it.load(at(1, 10), &delta, it.lx + 1);
                    let unit = it.load(at(2, 1), &input, it.y + 1);
                    let before = it.load(at(3, 2), &previous, at_weight);
                    let old = it.load(at(4, 1), &w, at_weight);
                    let change = RATE * *gradient * *unit + MOMENTUM * *before;
                    it.store(at(5, 4), &w, at_weight, *old + change);
                    it.store(at(6, 1), &previous, at_weight, change);
                }
            });
            group.phase(|it| {
                if it.y == 0 {
                    let gradient = it.load(at(7, 4), &delta, it.lx + 1);
                    let before = it.load(at(8, 2), &previous, it.lx + 1);
                    let old = it.load(at(9, 1), &w, it.lx + 1);
                    let change = RATE * *gradient + MOMENTUM * *before;
                    it.store(at(10, 4), &w, it.lx + 1, *old + change);
                    it.store(at(11, 1), &previous, it.lx + 1, change);
                }
            });
        })?;
        weights = device.read(&w)?;
    }
    Ok(weights)
}

/// What the host begins with.
struct Network {
    /// Inputs behind the bias, which is 1.
    units: Vec<f32>,
    /// Row by row of [`ROW`], first that of the bias.
    weights: Vec<f32>,
    second: Second,
}

impl Network {
    fn new(n: usize, seed: u64) -> Self {
        let rng = &mut SplitMix64::new(seed);
        let mut units = floats(rng, n + 1);
        units[0] = 1.0;
        // So small that sums over all inputs are about 1.
        let scale = 4.0 / n as f32;
        let weights = floats(rng, (n + 1) * ROW).iter().map(|v| scale * (v - 0.4)).collect();
        let weights_out = floats(rng, ROW);
        Self { units, weights, second: Second { weights: weights_out, previous: vec![0.0; ROW] } }
    }
}

/// The layer of one output, on the host.
struct Second {
    weights: Vec<f32>,
    previous: Vec<f32>,
}

impl Second {
    /// From the sums of the groups and the weights of the bias: how far each hidden unit, from 1
    /// on, is to change. Its own weights are adjusted.
    fn train(&mut self, sums: &[f32], weights: &[f32]) -> Vec<f32> {
        let mut hidden = [1.0; ROW];
        for j in 1..ROW {
            let of_groups = sums.iter().skip(j - 1).step_by(HIDDEN);
            hidden[j] = squash(of_groups.fold(0.0, |sum, v| sum + v) + weights[j]);
        }
        let output = squash(hidden.iter().zip(&self.weights).map(|(h, w)| h * w).sum());
        let error = output * (1.0 - output) * (TARGET - output);
        let mut deltas = vec![0.0; ROW];
        for j in 1..ROW {
            deltas[j] = hidden[j] * (1.0 - hidden[j]) * error * self.weights[j];
        }
        for (j, hidden) in hidden.iter().enumerate() {
            let change = RATE * error * hidden + MOMENTUM * self.previous[j];
            self.weights[j] += change;
            self.previous[j] = change;
        }
        deltas
    }
}

fn squash(v: f32) -> f32 {
    0.5 + 0.5 * v / (1.0 + v.abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::shadow::replay;

    fn reference(n: usize, seed: u64, steps: u32) -> Vec<f32> {
        let Network { units, mut weights, mut second } = Network::new(n, seed);
        let mut previous = vec![0.0; weights.len()];
        for _ in 0..steps {
            let mut sums = Vec::new();
            for first in (1..=n).step_by(HIDDEN) {
                for j in 1..ROW {
                    let product = |i| if i <= n { weights[i * ROW + j] * units[i] } else { 0.0 };
                    let mut level: Vec<f32> = (first..first + HIDDEN).map(product).collect();
                    while level.len() > 1 {
                        level = level.chunks(2).map(|pair| pair[0] + pair[1]).collect();
                    }
                    sums.push(level[0]);
                }
            }
            let deltas = second.train(&sums, &weights);
            for i in 0..=n {
                for j in 1..ROW {
                    let change = RATE * deltas[j] * units[i] + MOMENTUM * previous[i * ROW + j];
                    weights[i * ROW + j] += change;
                    previous[i * ROW + j] = change;
                }
            }
        }
        weights
    }

    #[test]
    fn weights_equal_those_of_plain_loops() {
        for (size, iterations) in [(1, 1), (16, 2), (50, 3)] {
            let expected = reference(size as usize, 7, iterations);
            let before = Network::new(size as usize, 7).weights;
            assert!(before.iter().zip(&expected).any(|(a, b)| a != b), "nothing is learned");
            assert_eq!(replay(run, &Params { size, iterations, seed: 7 }), expected, "size {size}");
        }
    }
}
