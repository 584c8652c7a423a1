//! A small convolutional network forward (DNNMark's layers; CPElide table II: convolution, pooling,
//! fully connected, pictures of three colours, batch of 4).

use crate::trace::Record;
use crate::workloads::SplitMix64;

use super::input::floats;
use super::{Buffer, Device, Knob, Launch, Params, Program, at, chunk};

pub const PROGRAM: Program = Program {
    name: "cnn",
    about: "convolution, pooling and a fully connected layer over a batch of 4 pictures",
    size: Knob::new("rows and columns of a picture", 12, 2..=1 << 10),
    iterations: Knob::new("batches", 1, 1..=1000),
    footprint: "about 624 n^2 + 1984",
};

const BATCH: usize = 4;
const COLOURS: usize = 3;
/// Filters of the convolution, and their rows and columns (chosen: the paper does not say).
const FILTERS: usize = 16;
const SIDE: usize = 3;
const WEIGHTS: usize = COLOURS * SIDE * SIDE;
/// Outputs of the fully connected layer (chosen).
const OUTPUTS: usize = 16;
/// Rows and columns of a group.
const TILE: usize = 16;
const HALO: usize = TILE + SIDE - 1;
/// Work-items of a group of the last layer.
const LOCAL: usize = 256;

/// Gives the outputs of the last batch, for each the four pictures'.
pub fn run<R: Record>(device: &mut Device<R>, params: &Params) -> Result<Vec<f32>, R::Error> {
    let n = params.size as usize;
    let rng = &mut SplitMix64::new(params.seed);
    let network = Network::new(n, rng);
    let pooled_side = n / 2;
    let features = FILTERS * pooled_side * pooled_side;
    let input = device.alloc::<f32>("input", BATCH * COLOURS * n * n)?;
    let filters = device.upload("filters", &network.filters)?;
    let layer = device.alloc::<f32>("conv", BATCH * FILTERS * n * n)?;
    let pooled = device.alloc::<f32>("pool", BATCH * features)?;
    let weights = device.upload("weights", &network.weights)?;
    let out = device.alloc::<f32>("fc", OUTPUTS * BATCH)?;
    for _ in 0..params.iterations {
        device.write(&input, &pictures(n, rng))?;
        convolve(device, n, &input, &filters, &layer)?;
        // One of each 2 x 2 points, in planes of a picture and filter.
        let size = [pooled_side, pooled_side, BATCH * FILTERS];
        let of_plane = pooled_side.div_ceil(TILE) * pooled_side.div_ceil(TILE);
        let plane = |cells: usize| move |g: usize| g / of_plane * cells..(g / of_plane + 1) * cells;
        let launch = Launch::new("pool", size, [TILE, TILE, 1])
            .read_part("conv", &layer, plane(n * n))
            .write_part("pool", &pooled, plane(pooled_side * pooled_side));
        device.each(launch, |it| {
            let mut most = f32::MIN;
            for i in it.turns(0..4) {
                let (x, y) = (2 * it.x + i % 2, 2 * it.y + i / 2);
                most = most.max(*it.load(at(1, 5), &layer, (it.z * n + y) * n + x));
            }
            it.store(at(2, 3), &pooled, (it.z * pooled_side + it.y) * pooled_side + it.x, most);
        })?;
        let launch = Launch::line("fc", OUTPUTS * LOCAL, LOCAL)
            .group_memory(size_of::<[[f32; BATCH]; LOCAL]>())
            .read("pool", &pooled)
            .read_part("weights", &weights, chunk(features))
            .write_part("fc", &out, chunk(BATCH));
        device.launch(launch, |group| {
            let mut sums = vec![[0.0; BATCH]; LOCAL];
            group.phase(|it| {
                for k in it.turns((it.id..features).step_by(LOCAL)) {
                    let weight = it.load(at(1, 4), &weights, group.index * features + k);
                    for b in it.turns(0..BATCH) {
                        let value = it.load(at(2, 3), &pooled, b * features + k);
                        sums[it.id][b] += *weight * *value;
                    }
                }
            });
            let mut half = LOCAL / 2;
            while half > 0 {
                group.phase(|it| {
                    if it.id < half {
                        let other = sums[it.id + half];
                        sums[it.id].iter_mut().zip(other).for_each(|(sum, other)| *sum += other);
                        it.work(3 * BATCH);
                    }
                });
                half /= 2;
            }
            group.phase(|it| {
                if it.id < BATCH {
                    it.store(at(3, 3), &out, group.index * BATCH + it.id, sums[0][it.id]);
                }
            });
        })?;
    }
    device.read(&out)
}

/// A group has a tile of a picture for all filters; beyond the picture stand zeros.
fn convolve<R: Record>(
    device: &mut Device<R>,
    n: usize,
    input: &Buffer<f32>,
    filters: &Buffer<f32>,
    layer: &Buffer<f32>,
) -> Result<(), R::Error> {
    let of_picture = n.div_ceil(TILE) * n.div_ceil(TILE);
    let picture = |planes: usize| {
        let cells = planes * n * n;
        move |g: usize| g / of_picture * cells..(g / of_picture + 1) * cells
    };
    let launch = Launch::new("conv", [n, n, BATCH], [TILE, TILE, 1])
        .group_memory(size_of::<f32>() * (COLOURS * HALO * HALO + FILTERS * WEIGHTS))
        .read_part("input", input, picture(COLOURS))
        .read("filters", filters)
        .write_part("conv", layer, picture(FILTERS));
    device.launch(launch, |group| {
        let mut tile = [[[0.0; HALO]; HALO]; COLOURS];
        let mut local = [0.0; FILTERS * WEIGHTS];
        let [left, top, sample] = [group.id[0] * TILE, group.id[1] * TILE, group.id[2]];
        group.phase(|it| {
            for i in it.turns((it.id..COLOURS * HALO * HALO).step_by(TILE * TILE)) {
                let (x, y, colour) = (i % HALO, i / HALO % HALO, i / HALO / HALO);
                let place = |first: usize, at: usize| {
                    (first + at).checked_sub(SIDE / 2).filter(|place| *place < n)
                };
                if let (Some(column), Some(row)) = (place(left, x), place(top, y)) {
                    let cell = ((sample * COLOURS + colour) * n + row) * n + column;
                    tile[colour][y][x] = *it.load(at(1, 14), input, cell);
                }
            }
            for i in it.turns((it.id..FILTERS * WEIGHTS).step_by(TILE * TILE)) {
                local[i] = *it.load(at(2, 4), filters, i);
            }
        });
        group.phase(|it| {
            if it.x >= n || it.y >= n {
                return;
            }
            for filter in it.turns(0..FILTERS) {
                let sum = (0..WEIGHTS).fold(0.0, |sum, k| {
                    let (x, y, colour) = (k % SIDE, k / SIDE % SIDE, k / SIDE / SIDE);
                    sum + local[filter * WEIGHTS + k] * tile[colour][it.ly + y][it.lx + x]
                });
                let cell = ((sample * FILTERS + filter) * n + it.y) * n + it.x;
                it.store(at(3, 3 * WEIGHTS as u32), layer, cell, sum);
            }
        });
    })
}

/// What the layers have learned.
struct Network {
    filters: Vec<f32>,
    /// Output by output.
    weights: Vec<f32>,
}

impl Network {
    fn new(n: usize, rng: &mut SplitMix64) -> Self {
        let mut centred = |n| floats(rng, n).iter().map(|v| v - 0.5).collect();
        let filters = centred(FILTERS * WEIGHTS);
        Self { filters, weights: centred(OUTPUTS * FILTERS * (n / 2) * (n / 2)) }
    }
}

/// A batch, picture by picture and colour by colour.
fn pictures(n: usize, rng: &mut SplitMix64) -> Vec<f32> {
    floats(rng, BATCH * COLOURS * n * n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::shadow::replay;

    /// Outputs of one picture.
    fn forward(network: &Network, picture: &[f32], n: usize) -> Vec<f32> {
        let point = |colour: usize, x: usize, y: usize| match (x.checked_sub(1), y.checked_sub(1)) {
            (Some(x), Some(y)) if x < n && y < n => picture[(colour * n + y) * n + x],
            _ => 0.0,
        };
        let convolved = |filter: usize, x: usize, y: usize| {
            let mut sum = 0.0;
            let mut weights = network.filters[filter * WEIGHTS..].iter();
            for colour in 0..COLOURS {
                for dy in 0..SIDE {
                    for dx in 0..SIDE {
                        sum += weights.next().unwrap() * point(colour, x + dx, y + dy);
                    }
                }
            }
            sum
        };
        let mut features = Vec::new();
        for filter in 0..FILTERS {
            for y in 0..n / 2 {
                for x in 0..n / 2 {
                    let corners = [(0, 0), (1, 0), (0, 1), (1, 1)];
                    let four = corners.map(|(i, j)| convolved(filter, 2 * x + i, 2 * y + j));
                    features.push(four.into_iter().fold(f32::MIN, f32::max));
                }
            }
        }
        let outputs = network.weights.chunks(features.len()).map(|weights| {
            // In the order in which work-items add up.
            let mut sums = vec![0.0; LOCAL];
            for (k, (weight, feature)) in weights.iter().zip(&features).enumerate() {
                sums[k % LOCAL] += weight * feature;
            }
            while sums.len() > 1 {
                let (low, high) = sums.split_at(sums.len() / 2);
                sums = low.iter().zip(high).map(|(a, b)| a + b).collect();
            }
            sums[0]
        });
        outputs.collect()
    }

    #[test]
    fn outputs_equal_those_of_plain_loops() {
        for (size, iterations) in [(2, 1), (7, 2), (18, 1)] {
            let n = size as usize;
            let rng = &mut SplitMix64::new(3);
            let network = Network::new(n, rng);
            let batch = (0..iterations).map(|_| pictures(n, rng)).last().unwrap();
            let each: Vec<_> =
                batch.chunks(COLOURS * n * n).map(|p| forward(&network, p, n)).collect();
            let expected: Vec<f32> =
                (0..OUTPUTS).flat_map(|o| each.iter().map(move |outputs| outputs[o])).collect();
            let result = replay(run, &Params { size, iterations, seed: 3 });
            assert_eq!(result, expected, "size {size}");
        }
    }
}
