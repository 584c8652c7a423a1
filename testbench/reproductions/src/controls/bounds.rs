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

/// The programs to run.
fn programs(r: &Runner) -> Vec<&'static str> {
    let all: Vec<_> = kernels::PROGRAMS.iter().map(|program| program.name).collect();
    r.either(&QUICK, &all)
}

/// One design that is the bound of others, by a field of the system.
fn bound(
    r: &mut Runner,
    spec: &Spec,
    (field, best): (&str, &str),
    others: &[&'static str],
    program: fn(&'static str) -> Program,
) -> Vec<Row> {
    let mut rows = Vec::new();
    for name in programs(r) {
        let program = program(name);
        let least = r.run(&spec.clone().with(field, best), &program);
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
        // With one holder of each line no kernel needs more; the host would.
        let spec = Spec::new(name).set("l2.policy", "home-forward");
        let best = ("l2.design", "none");
        rows.extend(bound(r, &spec, best, &["software", "cpelide"], Program::Unread));
    }
    rows
}

fn ideal(r: &mut Runner) -> Vec<Row> {
    let mut rows = Vec::new();
    for name in r.either(&["rec-4gpu-small"], &["rec-4gpu-small", "cpelide-4-small"]) {
        let best = ("l2.design", "ideal");
        rows.extend(bound(r, &Spec::new(name), best, &directories(), built_in));
    }
    rows
}

fn infinite(r: &mut Runner) -> Vec<Row> {
    let mut rows = Vec::new();
    for name in r.either(&["finepack-4gpu-small"], &["finepack-4gpu-small", "rec-4gpu-small"]) {
        let (best, designs) = (("egress.design", "infinite"), egress_designs());
        rows.extend(bound(r, &Spec::new(name), best, &designs, built_in));
    }
    rows
}

fn race_ideal(r: &mut Runner) -> Vec<Row> {
    let spec = Spec::new("fermi-16sm-small");
    let best = ("l1.design", "race-ideal");
    bound(r, &spec, best, &["race-spec", "race-nospec"], built_in)
}

fn built_in(name: &'static str) -> Program {
    Program::BuiltIn(name, 0, 0)
}
