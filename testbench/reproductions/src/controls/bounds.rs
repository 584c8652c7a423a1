//! A design with an advantage that nobody else has is not slower than those without.

use traces::kernels;

use super::programs::Program;
use super::row::Row;
use super::runner::{Runner, Spec};
use super::situations::{directories, egress_designs};
use super::{Control, Kind};

pub const CONTROLS: &[Control] = &[
    control(
        "bound-none",
        "L2s that nobody releases or acquires are not slower than those that somebody does",
        nothing_done,
    ),
    control(
        "bound-ideal",
        "a directory that never evicts an entry is not slower than others",
        ideal,
    ),
    control("bound-infinite", "egress without a link is not slower than with one", infinite),
    control(
        "bound-race-ideal",
        "race detection that takes no time is not slower than one that does",
        race_ideal,
    ),
];

const fn control(
    name: &'static str,
    about: &'static str,
    rows: fn(&mut Runner) -> Vec<Row>,
) -> Control {
    Control { name, about, kind: Kind::Bound, rows }
}

/// A program may be so much slower: an order of accesses may shift.
const SLOWER: f64 = 0.01;

const QUICK: [&str; 2] = ["reuse", "jacobi2d"];

/// The programs to run, each once round in the small set.
fn programs(r: &Runner) -> Vec<Program> {
    let all: Vec<_> = kernels::PROGRAMS.iter().map(|program| program.name).collect();
    let iterations = u32::from(r.quick());
    let names = r.either(&QUICK, &all);
    names.into_iter().map(|name| Program::BuiltIn(name, 0, iterations)).collect()
}

/// One design that is the bound of others, by a field of the system.
fn bound(
    r: &mut Runner,
    spec: &Spec,
    (field, best): (&str, &str),
    others: &[&'static str],
) -> Vec<Row> {
    let mut rows = Vec::new();
    for program in programs(r) {
        let least = r.run(&spec.clone().with(field, best), &program);
        // Where it promises less than the program needs it is no bound.
        let is_wrong = least.error.as_ref().is_some_and(|error| error.starts_with("wrong value"));
        if is_wrong {
            continue;
        }
        for other in others.iter().filter(|other| **other != best) {
            let own = r.run(&spec.clone().with(field, other), &program);
            rows.push(
                Row::of("cycles of the program", spec, &program)
                    .designs(format!("{best} / {other}"))
                    .why("an order of accesses may shift")
                    .at_most(least.cycles, own.cycles, SLOWER)
                    .needs([&*least, &*own]),
            );
        }
    }
    rows
}

fn nothing_done(r: &mut Runner) -> Vec<Row> {
    let mut rows = Vec::new();
    let all = ["cpelide-4-small", "cpelide-2-small"];
    for name in r.either(&all[..1], &all) {
        // With one holder of each line no program needs more.
        let spec = Spec::new(name).set("l2.policy", "home-forward");
        rows.extend(bound(r, &spec, ("l2.design", "none"), &["software", "cpelide"]));
    }
    rows
}

fn ideal(r: &mut Runner) -> Vec<Row> {
    let mut rows = Vec::new();
    for name in r.either(&["rec-4gpu-small"], &["rec-4gpu-small", "cpelide-4-small"]) {
        rows.extend(bound(r, &Spec::new(name), ("l2.design", "ideal"), &directories()));
    }
    rows
}

fn infinite(r: &mut Runner) -> Vec<Row> {
    let mut rows = Vec::new();
    for name in r.either(&["finepack-4gpu-small"], &["finepack-4gpu-small", "rec-4gpu-small"]) {
        let designs = egress_designs();
        rows.extend(bound(r, &Spec::new(name), ("egress.design", "infinite"), &designs));
    }
    rows
}

fn race_ideal(r: &mut Runner) -> Vec<Row> {
    let spec = Spec::new("fermi-16sm-small");
    bound(r, &spec, ("l1.design", "race-ideal"), &["race-spec", "race-nospec"])
}
