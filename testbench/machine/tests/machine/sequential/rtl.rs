//! Random programs with RTL in the sockets of race detection: what is seen is the models' run to
//! the cycle, and sequentially consistent.

use cosim::body::BodyKind;
use machine::Bodies;
use traces::workloads::SplitMix64;

use super::harness::Machine;
use super::{KEEP, KERNELS, cases, random, seed};

const BLOCKS: [&str; 3] =
    ["race_detection_unit", "access_validation_unit", "speculative_load_queue"];

/// Four SMs, so that the blocks are those of their configurations `small` and `small-word`.
const CUS: usize = 4;

/// All RTL, one block as RTL beside models of the others, and the same the other way round.
fn mixes() -> Vec<Bodies> {
    let with = |rtl: &dyn Fn(usize) -> bool| {
        BLOCKS.iter().enumerate().fold(Bodies::default(), |bodies, (k, block)| {
            bodies.with(block, if rtl(k) { BodyKind::Rtl } else { BodyKind::Model })
        })
    };
    let one = (0..BLOCKS.len()).flat_map(|only| [with(&|k| k == only), with(&|k| k != only)]);
    [with(&|_| true)].into_iter().chain(one).collect()
}

#[test]
fn rtl_runs_are_those_of_the_models_and_sequentially_consistent() {
    if bodies::ready(BLOCKS[0]).is_err() {
        return eprintln!("skipped: no Verilator");
    }
    let mixes = mixes();
    for seed in seed()..seed() + cases() {
        let mut random = SplitMix64::new(seed);
        let trace = random::program(KERNELS, CUS, &mut random).record();
        for (gran, n_sat) in [("128", "32"), ("4", "32")] {
            let set = [
                ("l1.bytes", "1024"),
                ("l1.ways", "2"),
                ("race_detection.m", "256"),
                ("race_detection.n_sat", n_sat),
                ("race_detection.gran", gran),
                ("race_detection.hits", "2"),
                ("race_detection.epoch_w", "3"),
                ("race_detection.slq_n", "4"),
                ("race_detection.rq_n", "2"),
                ("race_detection.lanes", "1"),
                ("race_detection.v_lanes", "1"),
            ];
            let machine = Machine::with("race-spec", CUS, &mut random, &set);
            let models = machine.run(&trace, KEEP).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
            let mix = &mixes[seed as usize % mixes.len()];
            for bodies in [&mixes[0], mix] {
                let run = machine.run_with(bodies, &trace, KEEP);
                let run = run.unwrap_or_else(|e| panic!("seed {seed}, {bodies:?}: {e}"));
                assert!(run == models, "seed {seed}, {bodies:?}: another run");
            }
        }
    }
}
