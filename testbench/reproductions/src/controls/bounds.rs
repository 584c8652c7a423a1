//! A design with an advantage that nobody else has is not slower than those without.

use std::sync::Arc;

use traces::kernels;

use super::programs::Program;
use super::row::Row;
use super::runner::{Outcome, Runner, Spec};
use super::situations::{directories, egress_designs};
use super::{Control, Kind};

pub const CONTROLS: &[Control] = &[
    control(
        "bound-none",
        "L2s without releases and acquires are not slower than L2s with them",
        nothing_done,
    ),
    control(
        "bound-ideal",
        "a directory that never evicts an entry is not slower than others",
        ideal,
    ),
    control(
        "bound-infinite",
        "egress without a link is not slower than egress with a \
                               link",
        infinite,
    ),
    control(
        "bound-race-ideal",
        "race detection whose checks take no time is not slower than other race detection",
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

/// Orders of accesses over which cycles are averaged, where the order decides more than the limit.
const ORDERS: u64 = 8;

/// One design that is the bound of others, by a field of the system. `orders`: over so many is
/// averaged where one alone is beyond the limit.
fn bound(
    r: &mut Runner,
    spec: &Spec,
    (field, best): (&str, &str),
    others: &[&'static str],
    (programs, orders): (Vec<Program>, u64),
) -> Vec<Row> {
    let mut rows = Vec::new();
    for program in programs {
        let mut run = |design: &str, order: Option<u64>| {
            let spec = spec.clone().with(field, design);
            r.run(&order.into_iter().fold(spec, Spec::in_order), &program)
        };
        for other in others.iter().filter(|other| **other != best) {
            let mut runs = [best, other].map(|design| vec![run(design, None)]);
            let row = |[least, own]: &[Vec<Arc<Outcome>>; 2]| {
                let case = match least.len() {
                    1 => "cycles of the program".to_string(),
                    orders => format!("cycles of the program, mean of {orders} orders"),
                };
                Row::of(&case, spec, &program)
                    .designs(format!("{best} / {other}"))
                    .why("the order of accesses can shift")
                    .at_most(mean(least), mean(own), SLOWER)
                    .needs(least.iter().chain(own).map(|outcome| &**outcome))
            };
            if orders > 1 && mean(&runs[0]) > mean(&runs[1]) * (1.0 + SLOWER) {
                let in_orders = |design| (1..=orders).map(|seed| run(design, Some(seed))).collect();
                runs = [best, other].map(in_orders);
            }
            rows.push(row(&runs));
        }
    }
    rows
}

/// The order decides which rows of DRAM are open.
fn orders(spec: &Spec) -> u64 {
    if spec.system().dram().is_some() { ORDERS } else { 1 }
}

fn mean(outcomes: &[Arc<Outcome>]) -> f64 {
    outcomes.iter().map(|outcome| outcome.cycles).sum::<f64>() / outcomes.len() as f64
}

/// All programs, as they are.
fn all_built_in(r: &Runner) -> Vec<Program> {
    programs(r).into_iter().map(built_in).collect()
}

fn nothing_done(r: &mut Runner) -> Vec<Row> {
    let mut rows = Vec::new();
    let all = ["cpelide-4-small", "cpelide-2-small", "h100-small", "h100"];
    for name in r.either(&all[..1], &all) {
        // With one holder of each line no kernel needs more. The host does: it reads what L2s hold,
        // which is left out, and what it writes beside a copy, no kernel would see.
        let spec = Spec::new(name).set("l2.policy", "home-forward");
        let best = ("l2.design", "none");
        let mut all: Vec<_> = programs(r).into_iter().map(Program::Unread).collect();
        all.retain(|program| !r.facts(program).rewrites);
        rows.extend(bound(r, &spec, best, &["software", "cpelide"], (all, orders(&spec))));
    }
    rows
}

fn ideal(r: &mut Runner) -> Vec<Row> {
    let mut rows = Vec::new();
    for name in
        r.either(&["rec-4gpu-small"], &["rec-4gpu-small", "cpelide-4-small", "h100-small", "h100"])
    {
        let best = ("l2.design", "ideal");
        let all = all_built_in(r);
        let spec = Spec::new(name);
        rows.extend(bound(r, &spec, best, &directories(), (all, orders(&spec))));
    }
    rows
}

fn infinite(r: &mut Runner) -> Vec<Row> {
    let mut rows = Vec::new();
    for name in r.either(&["finepack-4gpu-small"], &["finepack-4gpu-small", "rec-4gpu-small"]) {
        let (best, designs) = (("egress.design", "infinite"), egress_designs());
        let all = all_built_in(r);
        rows.extend(bound(r, &Spec::new(name), best, &designs, (all, 1)));
    }
    rows
}

/// A race that is detected empties an L1, and which ones are depends on the order of accesses: so
/// much that one order says little of a short program.
fn race_ideal(r: &mut Runner) -> Vec<Row> {
    let spec = Spec::new("fermi-16sm-small");
    let best = ("l1.design", "race-ideal");
    let all = all_built_in(r);
    bound(r, &spec, best, &["race-spec", "race-nospec"], (all, ORDERS))
}

fn built_in(name: &'static str) -> Program {
    Program::BuiltIn(name, 0, 0)
}
