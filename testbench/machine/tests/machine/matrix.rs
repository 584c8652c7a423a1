//! Every built-in program under every combination of designs that a user may want, on scaled-down
//! machines. Designs for tests have tests of their own (`seams`, `random`).

use machine::{MemoryModel, System, go_together, has_policy, promises};
use traces::kernels::PROGRAMS;
use traces::trace::Reader;

use super::shape::{all, production};
use super::{accepted, built_in, by_default, passes, system};

/// Runs under every L1 design, L2 design and L2 policy that there are, where they promise the
/// values together and the machine can have them.
pub fn all_protocols(preset: &str, set: &[(&str, &str)], program: &Reader) {
    for l1 in production("l1.design") {
        for l2 in production("l2.design").into_iter().filter(|l2| go_together(&l1, l2)) {
            let policies = all("l2.policy");
            let meant = if has_policy(&l2) { policies.len() } else { 1 };
            for policy in &policies[..meant] {
                let designs = [("l1.design", &l1), ("l2.design", &l2), ("l2.policy", policy)];
                let designs = designs.iter().map(|(key, value)| (*key, value.as_str()));
                let set: Vec<_> = set.iter().copied().chain(designs).collect();
                let Some(system) = accepted(preset, &set) else { continue };
                if promises(&system).unwrap() >= MemoryModel::Rc {
                    report(&system, program);
                }
            }
        }
    }
}

fn report(system: &System, program: &Reader) {
    let outcome = passes(system, program);
    println!(
        "{:<14} {} x {}  {:<14} {:<12} {:<13} {:<15} {:>8} cycles, {:.3} determined",
        program.name(),
        system.machine.gpus,
        system.machine.chiplets,
        system.l1.design,
        system.l2.design,
        system.l2.policy,
        if system.machine.gpus > 1 { &system.egress.design } else { "" },
        outcome.cycles,
        outcome.determined(),
    );
    assert_eq!(outcome.checked.loads, program.totals().loads);
    assert_eq!(outcome.checked.determined, program.totals().loads_determined);
    assert_eq!(outcome.checked.atomics, program.totals().atomics);
}

#[test]
fn every_program_passes_under_every_protocol_on_four_chiplets() {
    for program in PROGRAMS {
        all_protocols("cpelide-4-small", &[], &by_default(program.name));
    }
}

#[test]
fn every_program_passes_under_every_protocol_on_two_gpus_of_two_chiplets() {
    for program in PROGRAMS {
        all_protocols("cpelide-2-small", &[("machine.gpus", "2")], &by_default(program.name));
    }
}

/// Programs that store much, little, with atomics, and from many GPUs into the same lines.
#[test]
fn programs_pass_under_every_egress_design_on_two_and_four_gpus() {
    for name in ["pagerank_push", "jacobi2d", "sssp", "locks"] {
        let mut params = traces::kernels::program::<()>(name).unwrap().params();
        params.iterations = 1;
        let program = built_in(name, &params);
        for gpus in ["2", "4"] {
            for egress in all("egress.design") {
                // The policy means nothing to rec.
                let software = ["private", "home-forward"].map(|policy| ("software", policy));
                for (l2, policy) in software.into_iter().chain([("rec", "private")]) {
                    let set = [
                        ("machine.gpus", gpus),
                        ("egress.design", &egress),
                        ("l2.design", l2),
                        ("l2.policy", policy),
                    ];
                    report(&system("finepack-4gpu-small", &set), &program);
                }
            }
        }
    }
}
