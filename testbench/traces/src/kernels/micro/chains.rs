//! A chain of dependent loads for each warp, a whole line each: lines under way against rate
//! (`many_chains` of micro.cu, Little's law).

use crate::trace::Record;

use super::{SMS, shuffled};
use crate::kernels::{Device, Knob, Launch, Params, Program, at};

const WARPS: Knob = Knob::new("warps of an SM", 8, 1..=64);
const STEPS: Knob = Knob::new("loads n of each warp: n, then 2 n", 25, 1..=200);

pub const CHAINS_L2: Program = Program {
    name: "micro_chains_l2",
    about: "each warp of all SMs has a chain of dependent loads of lines, in 8 MB",
    size: WARPS,
    iterations: STEPS,
    footprint: "8388608",
};

pub const CHAINS_MEMORY: Program = Program {
    name: "micro_chains_memory",
    about: "each warp of all SMs has a chain of dependent loads of lines, in 1 GB",
    size: WARPS,
    iterations: STEPS,
    footprint: "1073741824",
};

/// Lanes of a warp, which are the words of a line.
const LANES: usize = 32;
/// The generator's first state.
const SEED: u64 = 99;

pub fn in_l2<R: Record>(device: &mut Device<R>, params: &Params) -> Result<(), R::Error> {
    chains(device, params, 1 << 16, true)
}

pub fn in_memory<R: Record>(device: &mut Device<R>, params: &Params) -> Result<(), R::Error> {
    chains(device, params, 1 << 23, false)
}

fn chains<R: Record>(
    device: &mut Device<R>,
    params: &Params,
    lines: usize,
    warm: bool,
) -> Result<(), R::Error> {
    let order = shuffled(lines, SEED ^ (params.seed - 1));
    let memory = device.alloc::<u32>("a", lines * LANES)?;
    let warps = SMS * params.size as usize;
    // A work-group has at most 32 warps.
    let local = LANES * params.size.min(32) as usize;
    let items = SMS * params.size.div_ceil(32) as usize * local;
    // Both halves of the L2 get all lines: the work-groups of the second launch stand in the
    // opposite order.
    for reversed in [false, true].into_iter().filter(|_| warm) {
        let words = lines * LANES;
        device.each(Launch::line("warm", words, 256).read("a", &memory), |it| {
            let word = if reversed { words - 1 - it.x } else { it.x };
            it.load(at(1, 3), &memory, word);
        })?;
    }
    // Each launch has other chains.
    for pass in 0..2 {
        let steps = (pass + 1) * params.iterations as usize;
        device.each(Launch::line("many_chains", items, local).read("a", &memory), |it| {
            let (warp, lane) = (it.x / LANES, it.x % LANES);
            let start = (warp * 2 + pass + 1) * (lines / (2 * warps + 2));
            let mut zero = 0;
            for step in it.turns(0..steps) {
                let word = order[(start + step) % lines] as usize * LANES + lane;
                zero = *it.load(at(1, 1).chain(1), &memory, word + zero as usize);
            }
        })?;
    }
    Ok(())
}
