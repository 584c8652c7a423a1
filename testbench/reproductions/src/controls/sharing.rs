//! Schedulers of work-groups and policies of caches where they have nothing to choose.

use super::equality::control;
use super::programs::{Before, Program, Sweep, Whose};
use super::row::Row;
use super::runner::{Runner, Spec};
use super::{Control, situations};

pub const CONTROLS: &[Control] = &[
    control(
        "scheduler-one-cu",
        "one CU that runs one work-group at a time: all schedulers with a block take the same time",
        one_cu,
    ),
    control(
        "policy-room",
        "all lines fit into the caches: policies of L1s and L2s change nothing",
        all_fit,
    ),
    control(
        "policy-no-reuse",
        "CUs load each line once: policies do not change the number of lines from memory",
        no_reuse,
    ),
];

/// Schedulers with a block, but for the first.
const BASE: &str = "rr_block";

/// Machines whose caches the policies' blocks can serve.
const MACHINES: [&str; 3] = ["fermi-15sm-small", "fermi-16sm-8p-small", "kepler-15sm-small"];

fn one_cu(r: &mut Runner) -> Vec<Row> {
    let mut rows = Vec::new();
    let full = [&MACHINES[..], &["h100-small", "h100"]].concat();
    for name in r.either(&["fermi-15sm-small", "h100-small"], &full) {
        let spec = Spec::new(name);
        let spec = if name.starts_with("h100") {
            spec.set("machine.chiplets", 1).with("network.combine", 1)
        } else {
            spec
        };
        let spec = spec.set("machine.cus", 1).set("cu.groups", 1);
        for program in r.either(&["jacobi2d"], &["jacobi2d", "gemm", "srad", "backprop"]) {
            let program = Program::BuiltIn(program, 0, 0);
            let of = |scheduler| spec.clone().with("cu.scheduler", scheduler);
            let right = r.run(&of(BASE), &program);
            let others = machine::names("cu.scheduler").into_iter();
            for scheduler in others.filter(|name| !["rr", BASE].contains(name)) {
                let own = r.run(&of(scheduler), &program);
                rows.push(
                    Row::of("cycles", &spec, &program)
                        .designs(format!("{scheduler} / {BASE}"))
                        .why("work-groups run one after another in the order of their numbers")
                        .equal(own.cycles, right.cycles, 0.0)
                        .needs([&*own, &*right]),
                );
            }
        }
    }
    rows
}

/// With both policies' blocks, which are on or off in L1s and in L2s.
fn managed(spec: &Spec, [l1, l2]: [u32; 2]) -> Spec {
    let spec = ["l1", "l2"]
        .into_iter()
        .fold(spec.clone(), |spec, cache| spec.with(&format!("sharing.{cache}"), "sharing-aware"));
    spec.with("sharing_aware.l1_mgt", l1).with("sharing_aware.l2_mgt", l2)
}

const ON: [[u32; 2]; 3] = [[1, 0], [0, 1], [1, 1]];

fn named([l1, l2]: [u32; 2]) -> String {
    let on = match (l1, l2) {
        (1, 1) => "L1, L2",
        (1, _) => "L1",
        _ => "L2",
    };
    format!("{on} / off")
}

fn all_fit(r: &mut Runner) -> Vec<Row> {
    let mut rows = Vec::new();
    for name in r.either(&MACHINES[..1], &MACHINES) {
        let spec = Spec::new(name);
        let groups = spec.system().machine.cus.into();
        // A quarter of an L1 for each work-group, half of one for all.
        for (whose, pages) in [(Whose::Own, 1), (Whose::First, 2)] {
            let own = Sweep::own(1, groups, pages);
            let program = Program::Sweep(Sweep { whose, before: Before::Load, ..own });
            let right = r.run(&managed(&spec, [0, 0]), &program);
            for on in ON {
                let own = r.run(&managed(&spec, on), &program);
                rows.push(
                    Row::of("cycles", &spec, &program)
                        .designs(named(on))
                        .why("no line is evicted")
                        .equal(own.cycles, right.cycles, 0.0)
                        .needs([&*own, &*right]),
                );
            }
        }
    }
    rows
}

fn no_reuse(r: &mut Runner) -> Vec<Row> {
    let mut rows = Vec::new();
    for name in r.either(&MACHINES[..1], &MACHINES) {
        let spec = Spec::new(name);
        let groups = spec.system().machine.cus.into();
        for design in r.either(&["cpelide"], &situations::l2_designs()) {
            let spec = spec.clone().l2(design);
            // Twice an L2.
            let pages = (spec.system().l2.bytes / 2048) as u32 / groups;
            let program = Program::Sweep(Sweep::own(1, groups, pages));
            let right = r.run(&managed(&spec, [0, 0]), &program);
            for on in ON {
                let own = r.run(&managed(&spec, on), &program);
                rows.push(
                    Row::of("lines from memory", &spec, &program)
                        .designs(format!("{design}, {}", named(on)))
                        .why("each line is loaded once")
                        .equal(own.count("l3.fetches"), right.count("l3.fetches"), 0.0)
                        .needs([&*own, &*right]),
                );
            }
        }
    }
    rows
}
