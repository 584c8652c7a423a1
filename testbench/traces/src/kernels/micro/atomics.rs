//! Atomic additions: their rate by the number of words, and the latency of one.

use crate::trace::Record;

use super::SMS;
use crate::kernels::{Device, Knob, Launch, Params, Program, at};

const EACH: Knob = Knob::new("additions n of each work-item: n, then 2 n", 4, 1..=64);

pub const WORDS: Program = Program {
    name: "micro_atomics",
    about: "all SMs add to words that follow one another, without a result",
    size: Knob::new("words", 32, 1..=1 << 22),
    iterations: EACH,
    footprint: "4 n",
};

pub const LINES: Program = Program {
    name: "micro_atomics_lines",
    about: "all SMs add to a word of each of some lines, without a result",
    size: Knob::new("lines", 256, 1..=1 << 22),
    iterations: EACH,
    footprint: "128 n",
};

pub const CHAIN: Program = Program {
    name: "micro_atomic_chain",
    about: "atomic additions of one work-item, the result of each is the address of the next",
    size: Knob::new("words", 1, 1..=1),
    iterations: Knob::new("additions n: n, then 2 n", 100, 1..=1 << 20),
    footprint: "4 n",
};

pub fn words<R: Record>(device: &mut Device<R>, params: &Params) -> Result<(), R::Error> {
    add(device, params, 1)
}

pub fn lines<R: Record>(device: &mut Device<R>, params: &Params) -> Result<(), R::Error> {
    add(device, params, 32)
}

/// `atomics`, on words that are `stride` apart.
fn add<R: Record>(device: &mut Device<R>, params: &Params, stride: usize) -> Result<(), R::Error> {
    let words = params.size as usize;
    let memory = device.alloc::<u32>("a", (words - 1) * stride + 1)?;
    // The first launch fills the L2.
    for number in [1, 1, 2] {
        let each = number * params.iterations as usize;
        let launch = Launch::line("atomics", SMS * 4 * 256, 256).write("a", &memory);
        device.each(launch, |it| {
            for i in it.turns(0..each) {
                let word = (it.x + i * 7919) % words;
                it.atomic_add(at(1, 4).chain(3), &memory, word * stride, 1);
            }
        })?;
    }
    Ok(())
}

/// `atomic_chain`.
pub fn chain<R: Record>(device: &mut Device<R>, params: &Params) -> Result<(), R::Error> {
    let memory = device.alloc::<u32>("a", params.size as usize)?;
    for number in [1, 1, 2] {
        let steps = number * params.iterations as usize;
        device.each(Launch::line("atomic_chain", 1, 1).write("a", &memory), |it| {
            let mut word = 0;
            for _ in it.turns(0..steps) {
                word = *it.atomic_add(at(1, 1).chain(1), &memory, word as usize, 0);
            }
        })?;
    }
    Ok(())
}
