//! What recurrent cells share: a step multiplies the weights, which all steps share, by input and
//! state, for a batch of samples.

use crate::trace::Record;
use crate::workloads::SplitMix64;

use super::input::floats;
use super::{Buffer, Device, Launch, at};

/// Samples.
pub const BATCH: usize = 4;
/// Work-items of a group.
pub const LOCAL: usize = 64;

/// What the host begins with.
pub struct Input {
    /// Row k: what element k of the input adds to each gate sum, gate by gate.
    pub w: Vec<f32>,
    /// Likewise of the state.
    pub u: Vec<f32>,
    /// Inputs of all steps, sample by sample.
    pub x: Vec<f32>,
}

impl Input {
    /// For so many gates, elements of the state and steps.
    pub fn new(gates: usize, h: usize, steps: usize, seed: u64) -> Self {
        let mut rng = SplitMix64::new(seed);
        let mut centred = |n, scale: f32| {
            floats(&mut rng, n).iter().map(|v| scale * (v - 0.5)).collect::<Vec<_>>()
        };
        let weight = 4.0 / h as f32;
        let (w, u) = (centred(gates * h * h, weight), centred(gates * h * h, weight));
        Self { w, u, x: centred(steps * BATCH * h, 4.0) }
    }

    /// The sums of a sample over input and state, from element `i` of each gate.
    #[cfg(test)]
    pub fn sums<const GATES: usize>(
        &self,
        input: &[f32],
        state: &[f32],
        i: usize,
    ) -> [[f32; GATES]; 2] {
        let h = state.len();
        let dot = |m: &[f32], v: &[f32], row: usize| {
            v.iter().enumerate().fold(0.0, |s, (k, v)| s + m[k * GATES * h + row] * v)
        };
        let rows: [usize; GATES] = std::array::from_fn(|gate| gate * h + i);
        [rows.map(|row| dot(&self.w, input, row)), rows.map(|row| dot(&self.u, state, row))]
    }
}

/// A cell of `GATES` gates in device memory.
pub struct Cell<const GATES: usize> {
    /// Elements of the state.
    pub h: usize,
    w: Buffer<f32>,
    u: Buffer<f32>,
    x: Buffer<f32>,
    /// The state of each sample.
    pub state: Buffer<f32>,
    /// Gate sums over the input, sample by sample.
    pub from_x: Buffer<f32>,
    /// Gate sums over the state.
    pub from_h: Buffer<f32>,
    /// States of all steps.
    pub out: Buffer<f32>,
}

impl<const GATES: usize> Cell<GATES> {
    /// With its input there.
    pub fn new<R: Record>(
        device: &mut Device<R>,
        h: usize,
        steps: usize,
        host: &Input,
    ) -> Result<Self, R::Error> {
        let w = device.upload("w", &host.w)?;
        let u = device.upload("u", &host.u)?;
        let x = device.upload("x", &host.x)?;
        let state = device.alloc::<f32>("state", BATCH * h)?;
        let from_x = device.alloc::<f32>("from_x", BATCH * GATES * h)?;
        let from_h = device.alloc::<f32>("from_h", BATCH * GATES * h)?;
        let out = device.alloc::<f32>("out", steps * BATCH * h)?;
        Ok(Self { h, w, u, x, state, from_x, from_h, out })
    }

    /// The kernel that takes the gate sums of step `t`.
    pub fn multiply<R: Record>(
        &self,
        device: &mut Device<R>,
        name: &str,
        t: usize,
    ) -> Result<(), R::Error> {
        let (h, rows) = (self.h, GATES * self.h);
        let step = t * BATCH * h..(t + 1) * BATCH * h;
        let launch = Launch::line(name, rows, LOCAL)
            .group_memory(2 * BATCH * h * size_of::<f32>())
            .read("w", &self.w)
            .read("u", &self.u)
            .read_part("x", &self.x, |_| step.clone())
            .read("state", &self.state)
            .write("from_x", &self.from_x)
            .write("from_h", &self.from_h);
        let (mut local_x, mut local_h) = (vec![0.0; BATCH * h], vec![0.0; BATCH * h]);
        device.launch(launch, |group| {
            group.phase(|it| {
                for i in it.turns((it.id..BATCH * h).step_by(LOCAL)) {
                    let x = it.load(at(1, 3), &self.x, step.start + i);
                    let h = it.load(at(2, 2), &self.state, i);
                    (local_x[i], local_h[i]) = (*x, *h);
                }
            });
            group.phase(|it| {
                let row = it.x;
                if row >= rows {
                    return;
                }
                let (mut sum_x, mut sum_h) = ([0.0; BATCH], [0.0; BATCH]);
                for k in it.turns(0..h) {
                    let w = it.load(at(3, 3 * BATCH as u32), &self.w, k * rows + row);
                    let u = it.load(at(4, 3 * BATCH as u32), &self.u, k * rows + row);
                    for b in 0..BATCH {
                        sum_x[b] += *w * local_x[b * h + k];
                        sum_h[b] += *u * local_h[b * h + k];
                    }
                }
                for b in it.turns(0..BATCH) {
                    it.store(at(5, 3), &self.from_x, b * rows + row, sum_x[b]);
                    it.store(at(6, 2), &self.from_h, b * rows + row, sum_h[b]);
                }
            });
        })
    }

    /// The part of `out` that a group of the pointwise kernel of step `t` writes.
    pub fn step_of_group(&self, t: usize) -> impl Fn(usize) -> std::ops::Range<usize> {
        let all = BATCH * self.h;
        move |g| t * all + g * LOCAL..t * all + ((g + 1) * LOCAL).min(all)
    }
}

/// In place of the sigmoid: piecewise linear.
pub fn sigmoid(v: f32) -> f32 {
    (0.25 * v + 0.5).clamp(0.0, 1.0)
}

/// In place of tanh: rational.
pub fn bounded(v: f32) -> f32 {
    v / (1.0 + v.abs())
}
