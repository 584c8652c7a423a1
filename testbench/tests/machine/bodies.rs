//! The FinePack blocks of a machine as RTL and in lockstep: the same run.
#![cfg(feature = "rtl")]

use cosim::body::BodyKind;
use testbench::machine::{BLOCKS, Bodies, Options};

use super::{built_in, run_on, system};

#[test]
fn blocks_as_rtl_and_in_lockstep_give_the_models_run() {
    for (name, size) in [("pagerank_push", 256), ("locks", 64)] {
        let params = testbench::kernels::program::<()>(name).unwrap().params();
        let params = testbench::kernels::Params { size, iterations: 1, ..params };
        let program = built_in(name, &params);
        let system = system("finepack-4gpu-small", &[("gpu_link.latency", "50")]);
        let run = |bodies: &Bodies| run_on(&system, bodies, &program, Options::default()).unwrap();
        let model = run(&Bodies::default());
        for kind in [BodyKind::Rtl, BodyKind::Lockstep] {
            for block in BLOCKS {
                let mut bodies = Bodies::default();
                assert!(bodies.choose(block, kind), "{block}");
                assert_eq!(run(&bodies), model, "{name}: {block} as {}", kind.name());
            }
            assert_eq!(run(&Bodies::all(kind)), model, "{name}: all as {}", kind.name());
        }
    }
}
