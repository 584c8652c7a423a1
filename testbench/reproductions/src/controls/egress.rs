//! Egress designs where no store, no link or no other GPU lets them differ.

use super::Control;
use super::equality::{SHIFT, control};
use super::programs::{Before, Op, Program, Sweep, Whose};
use super::row::Row;
use super::runner::{Runner, Spec};
use super::situations::{Growth, egress_designs};

pub const CONTROLS: &[Control] = &[
    control("egress-one-gpu", "a machine of one GPU sends nothing to other GPUs", egress_one_gpu),
    control(
        "egress-own-lines",
        "CUs access lines of their own GPU: all egress designs take the same time",
        egress_own_lines,
    ),
    control(
        "egress-remote-loads",
        "CUs load lines of another GPU and none stores: all egress designs take the same time",
        egress_remote_loads,
    ),
    control(
        "egress-unlimited-links",
        "links of unlimited bandwidth: designs that send each store at once are as fast as \
         `infinite`, and no design is faster",
        egress_unlimited_links,
    ),
];

fn egress_one_gpu(r: &mut Runner) -> Vec<Row> {
    let mut rows = Vec::new();
    for name in r.either(&["cpelide-4-small"], &["cpelide-4-small", "h100-small", "h100"]) {
        let spec = Spec::new(name);
        let program = Program::BuiltIn("reuse", 0, 1);
        let right = r.run(&spec.clone().with("egress.design", "p2p"), &program);
        for design in egress_designs().into_iter().filter(|design| *design != "p2p") {
            let own = r.run(&spec.clone().with("egress.design", design), &program);
            rows.push(
                Row::of("cycles of the program", &spec, &program)
                    .designs(format!("{design} / p2p"))
                    .why("there is no egress path")
                    .equal(own.cycles, right.cycles, 0.0)
                    .needs([&*own, &*right]),
            );
        }
    }
    rows
}

/// Egress designs beside `p2p`; where lines are remote, one whose links take no time for bytes may
/// be faster.
fn egress(r: &mut Runner, (case, spec, sweep): (&str, &Spec, Sweep)) -> Vec<Row> {
    let right = Growth::of(r, &spec.clone().with("egress.design", "p2p"), sweep);
    let designs = egress_designs().into_iter().filter(|design| *design != "p2p");
    let row = |design: &str| {
        let own = Growth::of(r, &spec.clone().with("egress.design", design), sweep);
        let row = Row::of(case, spec, &Program::Sweep(sweep))
            .designs(format!("{design} / p2p"))
            .why("the release at the end is in both sizes; arbitration order can shift");
        let row = match design == "infinite" && sweep.whose != Whose::Own {
            true => row.at_most(own.cycles(), right.cycles(), 0.0),
            false => row.equal(own.cycles(), right.cycles(), SHIFT),
        };
        row.needs(own.outcomes().into_iter().chain(right.outcomes()))
    };
    designs.map(row).collect()
}

fn egress_own_lines(r: &mut Runner) -> Vec<Row> {
    let mut rows = Vec::new();
    let names = ["rec-4gpu-small", "finepack-4gpu-small"];
    for name in r.either(&names[..1], &names) {
        let spec = Spec::new(name);
        for (op, pages) in [(Op::Load, 6), (Op::Store, 18)] {
            let sweep = Sweep { op, ..Sweep::own(spec.chiplets(), 4, pages) };
            let case = ("additional cycles for twice the lines", &spec, sweep);
            rows.extend(egress(r, case));
        }
    }
    rows
}

fn egress_remote_loads(r: &mut Runner) -> Vec<Row> {
    let mut rows = Vec::new();
    let names = ["rec-4gpu-small", "finepack-4gpu-small"];
    for name in r.either(&names[..1], &names) {
        let spec = Spec::new(name);
        let own = Sweep::own(spec.chiplets(), 4, 2);
        let sweep = Sweep { whose: Whose::Next(1), before: Before::Place, ..own };
        let case = ("additional cycles for twice the lines", &spec, sweep);
        rows.extend(egress(r, case));
    }
    rows
}

/// Designs that send each store by itself, at once.
const AT_ONCE: [&str; 2] = ["p2p", "config-packet"];

fn egress_unlimited_links(r: &mut Runner) -> Vec<Row> {
    let mut rows = Vec::new();
    let names = ["finepack-4gpu-small", "rec-4gpu-small"];
    for name in r.either(&names[..1], &names) {
        let rate = [("gpu_link.bytes_per_ns", 1024), ("gpu_link.clock_mhz", 16000)];
        let spec = rate.into_iter().fold(Spec::new(name), |spec, (key, to)| spec.set(key, to));
        for program in r.either(&["reuse"], &["reuse", "stream", "jacobi2d", "fft", "bfs"]) {
            let program = Program::BuiltIn(program, 0, 0);
            let right = r.run(&spec.clone().with("egress.design", "infinite"), &program);
            for design in egress_designs().into_iter().filter(|design| *design != "infinite") {
                let own = r.run(&spec.clone().with("egress.design", design), &program);
                let row = Row::of("cycles of the program", &spec, &program)
                    .designs(format!("{design} / infinite"));
                let row = match AT_ONCE.contains(&design) {
                    true => row
                        .why("a line takes a fraction of a cycle; arbitration order can shift")
                        .equal(own.cycles, right.cycles, SHIFT),
                    false => row.why("designs that hold stores back send them later").at_most(
                        right.cycles,
                        own.cycles,
                        0.0,
                    ),
                };
                rows.push(row.needs([&*own, &*right]));
            }
        }
    }
    rows
}
