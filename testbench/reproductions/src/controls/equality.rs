//! Designs where nothing of what distinguishes them is used.

use super::programs::{Before, Op, Program, Sweep, Whose};
use super::row::Row;
use super::runner::{Outcome, Runner, Spec};
use super::situations::{Growth, directories, l2_designs, unlimited_entries};
use super::{Control, Kind};

pub const CONTROLS: &[Control] = &[
    control(
        "l2-own-loads",
        "CUs load lines of their own chiplet in one kernel: all L2 designs take the same time",
        own_loads,
    ),
    control(
        "l2-own-stores",
        "CUs store to lines of their own chiplet: all L2 designs take the same time until the last \
         work-group ends",
        own_stores,
    ),
    control(
        "l2-shared-loads",
        "all CUs load the same lines and none stores: an L2 design without a directory is as fast \
         as `none`, a directory with unlimited entries as fast as `ideal`",
        shared_loads,
    ),
    control(
        "l2-no-reuse",
        "kernels load each line once: all L2 designs fetch and transfer the same number of bytes",
        no_reuse,
    ),
    control(
        "l2-one-chiplet",
        "with one chiplet no line is remote, and launches need no decision",
        one_chiplet,
    ),
    control(
        "l2-unlimited-entries",
        "directories that never evict an entry invalidate the same lines as `ideal`",
        enough_entries,
    ),
    control(
        "l1-no-reuse",
        "CUs load each line once and do not store: L1 designs take the same time as `src`",
        l1_no_reuse,
    ),
    control("l1-one-cu", "one CU executes all work: no race is possible", l1_one_cu),
];

pub(super) const fn control(
    name: &'static str,
    about: &'static str,
    rows: fn(&mut Runner) -> Vec<Row>,
) -> Control {
    Control { name, about, kind: Kind::Equality, rows }
}

/// What others are compared with: it does nothing.
const BASE: &str = "none";

/// What walks and releases shift, and turns of arbiters, which follow the numbers of cycles: half a
/// per cent.
pub(super) const SHIFT: f64 = 0.005;

/// A machine, work-groups of each chiplet, pages of each of these: two thirds of an L2, or more.
type Shape = (&'static str, u32, u32);
const TWINS: [Shape; 3] =
    [("cpelide-4-small", 4, 6), ("rec-4gpu-small", 4, 6), ("h100-small", 4, 6)];
const SMALL: [Shape; 4] = [TWINS[0], TWINS[1], TWINS[2], ("cpelide-4", 60, 2)];
const ALL: [Shape; 10] = [
    TWINS[0],
    TWINS[1],
    TWINS[2],
    ("cpelide-2-small", 4, 6),
    ("cpelide-16-small", 4, 6),
    ("finepack-4gpu-small", 5, 6),
    ("cpelide-4", 60, 4),
    ("rec-4gpu", 64, 2),
    ("finepack-4gpu", 80, 4),
    ("h100", 66, 4),
];
/// Those for programs that write, or read again, more than an L2 holds.
const SOME: [Shape; 7] = [ALL[0], ALL[1], ALL[2], ALL[3], ALL[4], ALL[5], ALL[9]];

/// How much longer twice as many pages take, under each L2 design beside a base.
fn beside(
    r: &mut Runner,
    (case, spec, sweep): (&str, &Spec, Sweep),
    designs: &[&'static str],
    base: &str,
    (share, why): (f64, &str),
) -> Vec<Row> {
    let right = Growth::of(r, &spec.clone().l2(base), sweep);
    let designs = designs.iter().filter(|design| **design != base);
    let row = |design: &&str| {
        let own = Growth::of(r, &spec.clone().l2(design), sweep);
        Row::of(case, spec, &Program::Sweep(sweep))
            .designs(format!("{design} / {base}"))
            .why(why)
            .equal(own.cycles(), right.cycles(), share)
            .needs(own.outcomes().into_iter().chain(right.outcomes()))
    };
    designs.map(row).collect()
}

fn own_loads(r: &mut Runner) -> Vec<Row> {
    let mut rows = Vec::new();
    for (name, groups, pages) in r.either(&SMALL, &ALL) {
        let spec = Spec::placed(name).steady();
        // Requests of 66 CUs reach the rows of full DRAM queues in another order when a launch is
        // later by some cycles, which moves the end by up to 50 cycles: the run has 14000.
        let pages = if name == "h100" { 16 * pages } else { pages };
        let sweep = Sweep::own(spec.chiplets(), groups, pages);
        let why = "launch, L2 flush and decision are in both sizes; arbitration order can shift";
        let case = ("additional cycles for twice the lines", &spec, sweep);
        rows.extend(beside(r, case, &l2_designs(), BASE, (SHIFT, why)));
    }
    rows
}

fn own_stores(r: &mut Runner) -> Vec<Row> {
    let mut rows = Vec::new();
    for (name, groups, pages) in r.either(&TWINS, &SOME) {
        let spec = Spec::placed(name).steady();
        // A tenth of the L2 for the largest: what is left there at the end does not matter.
        let spec = if name == "h100" { spec.set("l2.bytes", 2621440) } else { spec };
        // More than an L2 holds, so the release at the end has as much to do in both sizes.
        let l2 = (spec.system().l2.bytes / 4096) as u32;
        let pages = (3 * pages).max(3 * l2 / 2 / groups);
        let sweep = Sweep { op: Op::Store, ..Sweep::own(spec.chiplets(), groups, pages) };
        let why = "launch and flush of a full L2 are in both sizes";
        let case = ("additional cycles for twice the lines", &spec, sweep);
        // A release into DRAM takes as long as rows and turnarounds need, which is not the same in
        // both sizes: `none` has none.
        let is_dram = spec.system().dram().is_some();
        let designs = l2_designs().into_iter().filter(|design| !is_dram || *design != BASE);
        let designs: Vec<_> = designs.collect();
        let base = if is_dram { "software" } else { BASE };
        rows.extend(beside(r, case, &designs, base, (SHIFT, why)));
    }
    rows
}

fn shared_loads(r: &mut Runner) -> Vec<Row> {
    let mut rows = Vec::new();
    for (name, groups, pages) in r.either(&TWINS, &ALL) {
        let spec = Spec::placed(name).steady();
        let chiplets = spec.chiplets();
        let sweep = Sweep { whose: Whose::First, ..Sweep::own(chiplets, groups, pages) };
        let all = l2_designs();
        let plain: Vec<_> = all.into_iter().filter(|name| machine::has_policy(name)).collect();
        let why = "launch, L2 flush and decision are in both sizes; the order of accesses can \
                   shift";
        let case = "additional cycles for twice the lines";
        rows.extend(beside(r, (case, &spec, sweep), &plain, BASE, (SHIFT, why)));
        let spec = unlimited_entries(spec);
        let why = "no entry is evicted and no line written; the order of accesses can shift";
        let at = (case, &spec, sweep);
        rows.extend(beside(r, at, &directories(), "ideal", (SHIFT, why)));
    }
    rows
}

fn no_reuse(r: &mut Runner) -> Vec<Row> {
    let mut rows = Vec::new();
    for (name, groups, pages) in r.either(&TWINS, &SOME) {
        let spec = Spec::placed(name);
        let sweep = Sweep { kernels: 3, ..Sweep::own(spec.chiplets(), groups, pages) };
        let program = Program::Sweep(sweep);
        let right = r.run(&spec.clone().l2(BASE), &program);
        for design in l2_designs().into_iter().filter(|design| *design != BASE) {
            let own = r.run(&spec.clone().l2(design), &program);
            for (case, counter) in [
                ("lines that L2s fetch", "l2.fetches"),
                ("bytes in networks: requests", "traffic.chiplet.request"),
                ("bytes in networks: data", "traffic.chiplet.data"),
            ] {
                rows.push(
                    Row::of(case, &spec, &program)
                        .designs(format!("{design} / {BASE}"))
                        .why("no line is loaded again, so it does not matter which lines L2s keep")
                        .equal(own.count(counter), right.count(counter), 0.0)
                        .needs([&*own, &*right]),
                );
            }
        }
    }
    rows
}

fn one_chiplet(r: &mut Runner) -> Vec<Row> {
    let mut rows = Vec::new();
    // With one CU nobody comes between two accesses, either.
    let names = ["cpelide-4-small", "h100-small"];
    for (name, cus) in names.into_iter().flat_map(|name| [(name, 1), (name, 4)]) {
        let spec = Spec::new(name).steady();
        let spec = spec.set("machine.chiplets", 1).set("machine.cus", cus);
        for op in [Op::Load, Op::Store] {
            let program = Program::Sweep(Sweep { op, ..Sweep::own(1, 4, 6) });
            let right = r.run(&spec.clone().l2(BASE), &program);
            for design in l2_designs().into_iter().filter(|design| *design != BASE) {
                let own = r.run(&spec.clone().l2(design), &program);
                // Where several CUs meet, the order decides which rows of DRAM are open.
                let (share, why) = match spec.system().dram().is_some() && cus > 1 {
                    false => (0.0, "without launch, L2 flush and decision"),
                    true => (SHIFT, "likewise; arbitration order can shift"),
                };
                rows.push(
                    Row::of("cycles in which work-groups run", &spec, &program)
                        .designs(format!("{design} / {BASE}"))
                        .why(why)
                        .equal(own.body(), right.body(), share)
                        .needs([&*own, &*right]),
                );
            }
            let [software, cpelide] =
                ["software", "cpelide"].map(|design| r.run(&spec.clone().l2(design), &program));
            rows.push(
                Row::of("cycles of the program", &spec, &program)
                    .designs("cpelide / software")
                    .why("no other chiplet has a copy: no decision is needed")
                    .at_most(cpelide.cycles, software.cycles, 0.0)
                    .needs([&*software, &*cpelide]),
            );
        }
    }
    rows
}

fn enough_entries(r: &mut Runner) -> Vec<Row> {
    let mut rows = Vec::new();
    let quick = ["reuse", "jacobi2d"];
    let full = ["reuse", "jacobi2d", "bfs", "stream", "gemm", "fft", "pagerank", "rnn"];
    for name in
        r.either(&["cpelide-4-small"], &["cpelide-4-small", "rec-4gpu-small", "h100-small", "h100"])
    {
        let spec = unlimited_entries(Spec::new(name));
        for program in r.either(&quick, &full) {
            let program = Program::BuiltIn(program, 0, 0);
            let right = r.run(&spec.clone().l2("ideal"), &program);
            for design in directories().into_iter().filter(|design| *design != "ideal") {
                let own = r.run(&spec.clone().l2(design), &program);
                let designs = format!("{design} / ideal");
                let row = |case| Row::of(case, &spec, &program).designs(&designs);
                let evicted = own.count("l2.directory.evicted");
                rows.push(
                    row("entries evicted")
                        .why("there are more entries than lines")
                        .equal(evicted, 0.0, 0.0)
                        .needs([&*own]),
                );
                if SHARES_SETS.contains(&design) {
                    continue;
                }
                let lines = |o: &Outcome| o.count("l2.directory.lines_written");
                for (case, value, right_value) in [
                    ("lines invalidated for writes", lines(&own), lines(&right)),
                    ("cycles of the program", own.cycles, right.cycles),
                ] {
                    rows.push(
                        row(case)
                            .why("each line has its own sharers; the order of accesses can shift")
                            .equal(value, right_value, SHIFT)
                            .needs([&*own, &*right]),
                    );
                }
            }
        }
    }
    rows
}

/// Directories in which lines share a set of sharers: a write to one of them invalidates others,
/// however many entries there are.
const SHARES_SETS: [&str; 1] = ["hmg"];

/// L1 designs that may differ from `src` even so.
const OTHER_L1: [&str; 1] = [
    // A CU waits for the check of each load, whoever has written.
    "race-nospec",
];

/// With lines in the L2 of their home only.
fn one_holder(spec: Spec) -> Spec {
    spec.l2("software").with("l2.policy", "home-forward")
}

fn l1_no_reuse(r: &mut Runner) -> Vec<Row> {
    let mut rows = Vec::new();
    let quick = ["stc-8cu-small", "fermi-16sm-small"];
    let full = ["stc-8cu-small", "fermi-16sm-small", "stc-8cu", "fermi-16sm", "h100-small"];
    // Not every design goes with every machine.
    for name in r.either(&quick, &full) {
        // With one holder of each line, as some designs need. Only `src` delivers sectors one after
        // another.
        let spec = Spec::placed(name).steady();
        let spec = match name.starts_with("h100") {
            true => one_holder(spec).set("l1.sector_cycles", 0),
            false => spec,
        };
        let cus = spec.system().machine.cus;
        let sweep = Sweep::own(spec.chiplets(), cus.into(), 8);
        let right = Growth::of(r, &spec.clone().with("l1.design", "src"), sweep);
        let others = machine::names("l1.design").into_iter();
        for design in others.filter(|name| *name != "src" && !OTHER_L1.contains(name)) {
            if !spec.clone().with("l1.design", design).exists() {
                continue;
            }
            let own = Growth::of(r, &spec.clone().with("l1.design", design), sweep);
            let (share, why) = match design {
                "race-ideal" => (2.0 * SHIFT, "banks wait for the next CU's token"),
                _ => (SHIFT, "no line is reused and none is written"),
            };
            rows.push(
                Row::of("additional cycles for twice the lines", &spec, &Program::Sweep(sweep))
                    .designs(format!("{design} / src"))
                    .why(why)
                    .equal(own.cycles(), right.cycles(), share)
                    .needs(own.outcomes().into_iter().chain(right.outcomes())),
            );
        }
    }
    rows
}

fn l1_one_cu(r: &mut Runner) -> Vec<Row> {
    let mut rows = Vec::new();
    let fermi = Spec::new("fermi-16sm-small");
    let (op, before, kernels) = (Op::Store, Before::Load, 3);
    let sweep = Sweep { op, before, kernels, ..Sweep::own(1, 1, 8) };
    for design in machine::names("l1.design").into_iter().filter(|name| name.starts_with("race-")) {
        let program = Program::Sweep(sweep);
        let o = r.run(&fermi.clone().with("l1.design", design), &program);
        rows.push(
            Row::of("races found", &fermi, &program)
                .designs(design)
                .why("there is one work-group; the signatures of other CUs are empty")
                .equal(o.count("l1.race_races"), 0.0, 0.0)
                .needs([&*o]),
        );
    }
    rows
}
