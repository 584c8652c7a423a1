//! The blocks of a machine as RTL and in lockstep: the same run.

use cosim::body::BodyKind;
use hwmodel::Model;
use hwmodel::directory::coherence_directory::CoherenceDirectory;
use machine::{Bodies, Cp, Options, has_policy, names, plan};
use traces::kernels::PROGRAMS;

use super::cover::{covering, product};
use super::{built_in, by_default, run_on, system};

#[test]
fn blocks_as_rtl_and_in_lockstep_give_the_models_run() {
    for (name, size) in [("pagerank_push", 256), ("locks", 64)] {
        let params = traces::kernels::program::<()>(name).unwrap().params();
        let params = traces::kernels::Params { size, iterations: 1, ..params };
        let program = built_in(name, &params);
        let system = system("finepack-4gpu-small", &[("gpu_link.latency", "50")]);
        let run = |bodies: &Bodies| run_on(&system, bodies, &program, Options::default()).unwrap();
        let model = run(&Bodies::default());
        for kind in [BodyKind::Rtl, BodyKind::Lockstep] {
            let sockets = plan(&system, &Bodies::default()).unwrap();
            for number in sockets.first_of_each() {
                let block = sockets.block(number).name;
                let bodies = Bodies::default().with(block, kind);
                assert_eq!(run(&bodies), model, "{name}: {block} as {}", kind.name());
            }
            assert_eq!(run(&Bodies::all(kind)), model, "{name}: all as {}", kind.name());
        }
    }
}

#[test]
fn directories_as_rtl_and_in_lockstep_give_the_models_run() {
    let programs: Vec<_> = PROGRAMS.iter().map(|program| by_default(program.name)).collect();
    let designs = names("l2.design").into_iter().filter(|design| !has_policy(design));
    let designs: Vec<_> = designs.collect();
    let presets = ["rec-4gpu-small", "cpelide-4-small"];
    let kinds = [BodyKind::Rtl, BodyKind::Lockstep];
    let all = product(&[programs.len(), designs.len(), presets.len(), kinds.len()]);
    for row in covering(all) {
        let (program, design) = (&programs[row[0]], designs[row[1]]);
        let (preset, kind) = (presets[row[2]], kinds[row[3]]);
        let system = system(preset, &[("l2.design", design)]);
        let run = |kind| {
            let bodies = Bodies::default().with(CoherenceDirectory::NAME, kind);
            run_on(&system, &bodies, program, Options::default()).unwrap()
        };
        let name = kind.name();
        assert_eq!(run(kind), run(BodyKind::Model), "{} {preset} {design} {name}", program.name());
    }
}

/// The firmware's image in the simulator, on the core and on both: the same cycles. Called directly
/// it takes other times, and all values are right too.
#[test]
fn hosts_of_the_firmware_give_the_same_run() {
    if firmware::image::ELVES.is_empty() || bodies::ready("command_processor").is_err() {
        return eprintln!("skipped: no firmware image, or no RTL of the core");
    }
    for (name, size) in [("stream", 4096), ("jacobi2d", 64), ("pagerank_push", 256)] {
        let params = traces::kernels::program::<()>(name).unwrap().params();
        let params = traces::kernels::Params { size, iterations: 2, ..params };
        let program = built_in(name, &params);
        for (preset, policy) in
            [("cpelide-2-small", "private"), ("cpelide-4-small", "home-forward")]
        {
            let system = system(preset, &[("l2.design", "cpelide"), ("l2.policy", policy)]);
            let run = |cp| {
                let bodies = Bodies::default().with_cp(cp);
                run_on(&system, &bodies, &program, Options::default()).unwrap()
            };
            run(Cp::Native);
            let simulated = run(Cp::Core(BodyKind::Model));
            for kind in [BodyKind::Rtl, BodyKind::Lockstep] {
                assert_eq!(run(Cp::Core(kind)), simulated, "{name} {preset} {}", kind.name());
            }
        }
    }
}
