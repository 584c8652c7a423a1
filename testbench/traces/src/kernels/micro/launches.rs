//! What a fence, and what a launch takes.

use crate::trace::Record;

use crate::kernels::{Device, Knob, Launch, Params, Program, at};

pub const FENCES: Program = Program {
    name: "micro_store_fence",
    about: "fences of one work-item, each behind stores to different lines",
    size: Knob::new("stores before each fence", 1, 0..=1024),
    iterations: Knob::new("fences n: n, then 2 n", 20, 1..=1 << 16),
    footprint: "128 n",
};

pub const EMPTY: Program = Program {
    name: "micro_empty",
    about: "launches of a kernel without an access",
    size: Knob::new("work-groups of 256 work-items", 1056, 1..=1 << 20),
    iterations: Knob::new("launches", 4, 1..=10_000),
    footprint: "4",
};

pub const STORES: Program = Program {
    name: "micro_store",
    about: "launches of a kernel that stores a word for each work-item",
    size: Knob::new("words", 65536, 256..=1 << 26),
    iterations: Knob::new("launches", 4, 1..=10_000),
    footprint: "4 n",
};

/// `store_fence`.
pub fn fences<R: Record>(device: &mut Device<R>, params: &Params) -> Result<(), R::Error> {
    let stores = params.size as usize;
    let memory = device.alloc::<u32>("a", 32 * stores.max(1))?;
    // The first launch fills the L2.
    for number in [1, 1, 2] {
        let steps = number * params.iterations as usize;
        device.each(Launch::line("store_fence", 1, 1).write("a", &memory), |it| {
            for step in it.turns(0..steps) {
                for store in it.turns(0..stores) {
                    it.store(at(1, 1).chain(1), &memory, 32 * store, step as u32);
                }
                it.fence(at(2, 1));
            }
        })?;
    }
    Ok(())
}

/// `empty`.
pub fn empty<R: Record>(device: &mut Device<R>, params: &Params) -> Result<(), R::Error> {
    let memory = device.alloc::<u32>("a", 1)?;
    let items = params.size as usize * 256;
    (0..params.iterations)
        .try_for_each(|_| device.each(Launch::line("empty", items, 256).read("a", &memory), |_| {}))
}

/// `store_all`.
pub fn stores<R: Record>(device: &mut Device<R>, params: &Params) -> Result<(), R::Error> {
    let words = params.size as usize;
    let memory = device.alloc::<u32>("a", words)?;
    (0..params.iterations).try_for_each(|_| {
        let launch = Launch::line("store_all", words, 256).write("a", &memory);
        device.each(launch, |it| it.store(at(1, 3).chain(2), &memory, it.x, it.x as u32))
    })
}
