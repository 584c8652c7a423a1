//! More of a resource does not cost time.

use super::programs::Program;
use super::row::Row;
use super::runner::{Runner, Spec};
use super::{Control, Kind};

pub const CONTROLS: &[Control] = &[Control {
    name: "monotonicity",
    about: "more of a resource slows no program by more than 1 %; a row compares cycles with and \
            without the multiplied resource for the worst program",
    kind: Kind::Monotonicity,
    rows,
}];

/// A program may be so much slower: an order of accesses may shift.
const SLOWER: f64 = 0.01;
/// With more registers of L1s so much: waves that load at the same time compute at the same time,
/// those that wait for a register do not.
const STAGGERED: f64 = 0.03;

/// Most miss registers that a system may have.
const MOST_MISSES: f64 = 1024.0;
/// Most ways of an L1.
const MOST_WAYS_OF_L1: f64 = 64.0;
/// Most ways of a directory.
const MOST_WAYS: f64 = 16.0;

/// A field, and what it is multiplied by and divided by.
#[derive(Clone, Copy)]
struct Resource {
    field: &'static str,
    times: u32,
    over: u32,
}

const fn more(field: &'static str) -> Resource {
    Resource { field, times: 4, over: 1 }
}

const fn less(field: &'static str) -> Resource {
    Resource { field, times: 1, over: 2 }
}

const COMMON: [Resource; 13] = [
    more("l1.bytes"),
    more("l1.misses"),
    // Ways are at most 64.
    Resource { field: "l2.bytes", times: 2, over: 1 },
    more("l2.misses"),
    more("l3.misses"),
    more("memory.bytes"),
    more("network.bytes_per_cycle"),
    more("network.queue"),
    less("l1.hit_latency"),
    less("l2.latency"),
    less("l3.latency"),
    less("memory.latency"),
    less("network.latency"),
];
const CHIPLETS: [Resource; 4] = [
    more("l3.bytes"),
    more("chiplet_link.bytes"),
    more("chiplet_link.queue"),
    less("chiplet_link.round_trip"),
];
const GPUS: [Resource; 2] = [more("gpu_link.bytes_per_ns"), less("gpu_link.latency")];
const DIRECTORY: [Resource; 2] = [more("directory.entries"), more("directory.ways")];

/// A field of a system.
pub(super) fn value(spec: &Spec, field: &str) -> f64 {
    let table = toml::Table::try_from(spec.system()).expect("a system is a table");
    let (section, key) = field.split_once('.').expect("section and key");
    let value = table.get(section).and_then(|section| section.get(key));
    let value = value.and_then(|v| v.as_float().or(v.as_integer().map(|whole| whole as f64)));
    value.unwrap_or_else(|| panic!("{field} is no number"))
}

/// Without and with more of a resource, and what is kept from it.
fn with(spec: &Spec, resource: Resource) -> (Spec, Spec, &'static str) {
    let Resource { field, times, over } = resource;
    let before = value(spec, field);
    let changed = before * f64::from(times) / f64::from(over);
    // A number that was whole stays so.
    let changed = if before.fract() == 0.0 { changed.floor().max(1.0) } else { changed };
    let own = spec.clone();
    match field {
        "l1.misses" => {
            let [base, own] = [before, changed].map(|misses| {
                let ways = value(spec, "l1.ways");
                let more = (ways * f64::from(times)).min(MOST_WAYS_OF_L1);
                let bytes = value(spec, "l1.bytes") / ways * more;
                let own = own.clone().with("l1.ways", more);
                own.set("l1.bytes", bytes).set(field, misses.min(MOST_MISSES))
            });
            (
                base,
                own,
                "larger L1s, because pending fills occupy ways; waves that load at the \
                         same time compute at the same time",
            )
        }
        "l2.bytes" => {
            let ways = value(spec, "l2.ways") * f64::from(times);
            (
                spec.clone(),
                own.with("l2.ways", ways).set(field, changed),
                "the same number of sets \
                                                                           to flush",
            )
        }
        "directory.ways" => {
            let changed = changed.min(MOST_WAYS);
            let entries = value(spec, "directory.entries") / before * changed;
            (spec.clone(), own.with("directory.entries", entries).set(field, changed), "")
        }
        _ if field.ends_with(".misses") => {
            (spec.clone(), own.set(field, changed.min(MOST_MISSES)), "")
        }
        _ => (spec.clone(), own.set(field, changed), ""),
    }
}

const SOME: [&str; 1] = ["reuse"];
const MOST: [&str; 7] = ["reuse", "jacobi2d", "stream", "bfs", "gemm", "fft", "pagerank"];

fn rows(r: &mut Runner) -> Vec<Row> {
    let mut rows = Vec::new();
    let quick = [("cpelide-4-small", "cpelide"), ("rec-4gpu-small", "rec")];
    let full = [
        ("cpelide-4-small", "cpelide"),
        ("cpelide-4-small", "software"),
        ("cpelide-4-small", "hmg"),
        ("rec-4gpu-small", "directory"),
        ("rec-4gpu-small", "rec"),
        ("rec-4gpu-small", "software"),
        ("h100-small", "ideal"),
        ("h100", "ideal"),
    ];
    for (name, design) in r.either(&quick, &full) {
        let spec = Spec::new(name).l2(design);
        let system = spec.system();
        let mut resources = COMMON.to_vec();
        resources.extend(if system.machine.gpus > 1 { GPUS.to_vec() } else { CHIPLETS.to_vec() });
        if !machine::has_policy(design) {
            resources.extend(DIRECTORY);
        }
        // Without an L3, or with DRAM, some fields have no effect.
        resources.retain(|resource| value(&spec, resource.field) > 0.0);
        if system.memory.model == "dram" {
            resources.retain(|resource| resource.field != "memory.bytes");
        }
        let programs = r.either(&SOME, &MOST);
        for resource in resources {
            let (base, changed, kept) = with(&spec, resource);
            let mut runs = Vec::new();
            for program in &programs {
                let program = Program::BuiltIn(program, 0, 0);
                let (base, own) = (r.run(&base, &program), r.run(&changed, &program));
                runs.push((program, base, own));
            }
            let slower = |at: &usize| runs[*at].2.cycles / runs[*at].1.cycles;
            let worst = (0..runs.len()).max_by(|a, b| slower(a).total_cmp(&slower(b)));
            let (program, without, with) = &runs[worst.expect("there are programs")];
            let field = resource.field;
            let slower = if field == "l1.misses" { STAGGERED } else { SLOWER };
            let kept = if kept.is_empty() { String::new() } else { format!("; {kept}") };
            let amount = format!("{field} {} to {}", value(&spec, field), value(&changed, field));
            rows.push(
                Row::of(&amount, &base, program)
                    .designs(design)
                    .why(format!("worst of {}{kept}", runs.len()))
                    .at_most(with.cycles, without.cycles, slower)
                    .needs(runs.iter().flat_map(|(_, base, own)| [&**base, &**own])),
            );
        }
    }
    rows
}
