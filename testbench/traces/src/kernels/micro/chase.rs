//! Dependent loads of one work-item: latency of each cache level (`chase` of micro.cu).

use crate::trace::Record;

use super::shuffled;
use crate::kernels::{Device, Knob, Launch, Params, Program, at};

pub const CHASE: Program = Program {
    name: "micro_chase",
    about: "dependent loads of one work-item, a random line each, behind a warm-up pass",
    size: Knob::new("kilobytes", 64, 1..=1 << 20),
    iterations: Knob::new("loads n behind the warm-up pass: n, then 2 n", 2000, 1..=1 << 20),
    footprint: "1024 n",
};

/// Words of a line.
const LINE: usize = 32;
/// Most loads of a warm-up pass.
const WARM: usize = 600_000;
/// The generator's first state.
const SEED: u64 = 88_172_645_463_325_252;

/// The last launch takes n loads more than the one before it. The first fills the L2, if that can
/// hold so much.
pub fn chase<R: Record>(device: &mut Device<R>, params: &Params) -> Result<(), R::Error> {
    let lines = params.size as usize * 8;
    let order = shuffled(lines, SEED ^ (params.seed - 1));
    let mut start = order.iter().position(|line| *line == 0).expect("it is a permutation");
    let memory = device.alloc::<u32>("a", lines * LINE)?;
    let first = if lines < WARM { 0 } else { 1 };
    for number in first..=2 {
        let loads = lines.min(WARM) + number * params.iterations as usize;
        device.each(Launch::line("chase", 1, 1).read("a", &memory), |it| {
            // The address is a multiplication and an addition, which one instruction does.
            let mut zero = 0;
            for step in it.turns(0..loads) {
                let line = order[(start + step) % lines] as usize;
                zero = *it.load(at(1, 1).chain(1), &memory, line * LINE + zero as usize);
            }
        })?;
        // The next launch goes on, as one of all loads would.
        start += loads;
    }
    Ok(())
}
