//! What is counted adds up.

use machine::System;

use super::programs::{Op, Program, Sweep};
use super::row::Row;
use super::runner::{Outcome, Runner, Spec};
use super::situations::{egress_designs, l2_designs};
use super::{Control, Kind};

pub const CONTROLS: &[Control] = &[
    Control {
        name: "conservation",
        about: "the receiver counts each message that a component sends, summed over all runs of a \
                design",
        kind: Kind::Conservation,
        rows: conserved,
    },
    Control {
        name: "conservation-links",
        about: "all bytes that leave a GPU arrive",
        kind: Kind::Conservation,
        rows: links,
    },
    Control {
        name: "conservation-lines",
        about: "each line that a program stores to is written back once",
        kind: Kind::Conservation,
        rows: lines,
    },
];

/// Two counts that must be equal.
struct Law {
    name: &'static str,
    /// Where it holds.
    holds: fn(&System) -> bool,
    sides: fn(&System, &Outcome) -> (f64, f64),
    why: &'static str,
}

fn always(_: &System) -> bool {
    true
}

fn alone(s: &System) -> bool {
    s.machine.gpus == 1
}

fn has_directory(s: &System) -> bool {
    !machine::has_policy(&s.l2.design)
}

fn without_directory(s: &System) -> bool {
    alone(s) && !has_directory(s)
}

fn header(s: &System) -> f64 {
    s.network.header_bytes.into()
}

fn sum(o: &Outcome, names: &[&str]) -> f64 {
    names.iter().map(|name| o.count(name)).sum()
}

const LAWS: &[Law] = &[
    Law {
        name: "accesses of CUs = accesses that L1s count",
        holds: always,
        sides: |_, o| {
            let parts = ["l1.loads", "l1.stores", "l1.atomics", "l1.uncached_loads"];
            (o.count("cu.accesses"), sum(o, &parts))
        },
        why: "",
    },
    Law {
        name: "loads of L1s = hits + merges + combined + reads of their L2s",
        holds: alone,
        sides: |s, o| {
            let reads = if has_directory(s) { "l2.own_reads" } else { "l2.reads" };
            let served = ["l1.hits", "l1.merges", "l1.combined_reads", reads];
            (sum(o, &["l1.loads", "l1.uncached_loads"]), sum(o, &served))
        },
        why: "one GPU: there is no other reader",
    },
    Law {
        name: "reads of L2s = hits + merges + misses",
        holds: always,
        sides: |_, o| (o.count("l2.reads"), sum(o, &["l2.hits", "l2.merges", "l2.misses"])),
        why: "",
    },
    Law {
        name: "lines dirtied = written back + overwritten + still dirty",
        holds: always,
        sides: |_, o| {
            let written = ["l2.write_backs", "l2.released", "l2.written_for_atomics"];
            let others = ["l2.overwritten", "l2.dirty_lines"];
            (o.count("l2.dirtied"), sum(o, &written) + sum(o, &others))
        },
        why: "",
    },
    Law {
        name: "lines that L2s fetch = reads of L3s",
        holds: alone,
        sides: |_, o| (o.count("l2.fetches"), o.count("l3.reads")),
        why: "one GPU: there is no other reader",
    },
    Law {
        name: "lines that L2s write = writes of L3s",
        holds: |s| without_directory(s) && s.l2.policy == "private",
        sides: |_, o| (sum(o, &["l2.write_backs", "l2.released"]), o.count("l3.writes")),
        why: "one GPU, nothing is written through",
    },
    Law {
        name: "bytes of acknowledgements = writes x a header",
        holds: |s| without_directory(s) && s.l2.policy == "private",
        sides: |s, o| {
            let writes = o.count("l2.writes") + o.count("l3.writes");
            (o.count("traffic.chiplet.acknowledgement"), header(s) * writes)
        },
        why: "",
    },
    Law {
        name: "bytes of requests without atomics = reads x a header",
        holds: |s| without_directory(s) && s.l2.policy == "private",
        sides: |s, o| {
            let reads = o.count("l2.reads") + o.count("l3.reads");
            match o.count("l1.atomics") > 0.0 {
                true => (0.0, 0.0),
                false => (o.count("traffic.chiplet.request"), header(s) * reads),
            }
        },
        why: "only programs without atomics",
    },
    Law {
        name: "messages of directories = invalidations that L2s receive",
        holds: has_directory,
        sides: |_, o| {
            let sent = ["l2.directory.messages_written", "l2.directory.messages_evicted"];
            let got = ["l2.inv_hit_write", "l2.inv_hit_evict", "l2.inv_miss"];
            (sum(o, &sent), sum(o, &got))
        },
        why: "",
    },
    Law {
        name: "loads that leave GPUs = loads that arrive",
        holds: always,
        sides: |_, o| (o.count("egress.loads"), o.count("ingress.loads")),
        why: "",
    },
];

/// All laws over some programs on a machine: their sums, of which the first program that breaks one
/// is named.
fn check(r: &mut Runner, spec: &Spec, designs: &str, programs: &[Program]) -> Vec<Row> {
    let system = spec.system();
    let outcomes: Vec<_> = programs.iter().map(|p| (p, r.run(spec, p))).collect();
    let laws = LAWS.iter().filter(|law| (law.holds)(&system));
    let row = |law: &Law| {
        let (mut left, mut right, mut broken) = (0.0, 0.0, None);
        for (program, outcome) in &outcomes {
            let (a, b) = (law.sides)(&system, outcome);
            (left, right) = (left + a, right + b);
            broken = broken.or((a != b).then_some(*program));
        }
        let programs = match broken {
            None => format!("{} programs", outcomes.len()),
            Some(program) => format!("{} programs, first {program}", outcomes.len()),
        };
        let mut row = Row::of(law.name, spec, &programs).designs(designs).why(law.why);
        row = row.equal(left, right, 0.0);
        row.passed &= broken.is_none();
        row.needs(outcomes.iter().map(|(_, outcome)| &**outcome))
    };
    laws.map(row).collect()
}

/// Built-in programs by name, of half or less of their own size.
fn built_in(names: &[&'static str]) -> Vec<Program> {
    names.iter().map(|name| Program::BuiltIn(name, 0, 0)).collect()
}

const SOME: [&str; 3] = ["reuse", "bfs", "pagerank_push"];
const MOST: [&str; 9] =
    ["reuse", "bfs", "pagerank_push", "stream", "gemm", "fft", "rnn", "locks", "kmeans"];

fn conserved(r: &mut Runner) -> Vec<Row> {
    let mut rows = Vec::new();
    for name in r
        .either(&["cpelide-4-small"], &["cpelide-4-small", "cpelide-2-small", "h100-small", "h100"])
    {
        for design in l2_designs().into_iter().filter(|design| *design != "none") {
            let programs = built_in(&r.either(&SOME, &MOST));
            let spec = Spec::new(name).l2(design);
            rows.extend(check(r, &spec, design, &programs));
        }
    }
    rows
}

fn links(r: &mut Runner) -> Vec<Row> {
    let mut rows = Vec::new();
    for name in r.either(&["rec-4gpu-small"], &["rec-4gpu-small", "finepack-4gpu-small"]) {
        let base = Spec::new(name);
        let programs = built_in(&r.either(&["reuse"], &MOST[..6]));
        let mut specs: Vec<_> = egress_designs()
            .into_iter()
            .map(|design| (design, base.clone().with("egress.design", design)))
            .collect();
        let l2 = r.either(&["hmg"], &["directory", "hmg", "rec", "ideal"]);
        specs.extend(l2.into_iter().map(|design| (design, base.clone().l2(design))));
        for (design, spec) in specs {
            let system = spec.system();
            rows.extend(check(r, &spec, design, &programs));
            for program in &programs {
                let o = r.run(&spec, program);
                let rate = system.gpu_link.bytes_per_ns.to_f64();
                // Each packet may leave a part of its last cycle.
                let (busy, bytes) =
                    (o.count("gpu_link.busy_cycles"), o.count("gpu_link.wire_bytes"));
                rows.push(
                    Row::of("bytes on links, at most busy cycles x bandwidth", &spec, program)
                        .designs(design)
                        .why("")
                        .at_most(bytes, busy * rate, 0.0)
                        .needs([&*o]),
                );
            }
        }
    }
    rows
}

fn lines(r: &mut Runner) -> Vec<Row> {
    let mut rows = Vec::new();
    for name in
        r.either(&["cpelide-4-small"], &["cpelide-4-small", "rec-4gpu-small", "h100-small", "h100"])
    {
        let base = Spec::placed(name);
        for design in l2_designs().into_iter().filter(|design| *design != "none") {
            let spec = base.clone().l2(design);
            let sweep = Sweep { op: Op::Store, ..Sweep::own(spec.chiplets(), 4, 24) };
            let program = Program::Sweep(sweep);
            let o = r.run(&spec, &program);
            let lines = sweep.bytes() / f64::from(spec.system().machine.line);
            let counts = [
                ("stores of lines that L2s accept", o.count("l2.writes")),
                ("lines evicted or released", o.count("l2.write_backs") + o.count("l2.released")),
                ("writes that L3s accept", o.count("l3.writes")),
            ];
            for (case, count) in counts {
                rows.push(
                    Row::of(case, &spec, &program)
                        .designs(design)
                        .why("each line is stored to once, by its own chiplet, and released")
                        .equal(count, lines, 0.0)
                        .needs([&*o]),
                );
            }
        }
    }
    rows
}
