//! More of a resource does not cost time.

use super::programs::Program;
use super::row::{Row, number};
use super::runner::{Runner, Spec};
use super::{Control, Kind};

pub const CONTROLS: &[Control] = &[Control {
    name: "monotonicity",
    about: "no program is more than 1 % slower with more of a resource: cycles with the resource \
            multiplied, of those without; the worst program",
    kind: Kind::Monotonicity,
    rows,
}];

/// A program may be so much slower: an order of accesses may shift.
const SLOWER: f64 = 0.01;

/// Most miss registers that a system may have.
const MOST_MISSES: u64 = 1024;
/// Most ways of a directory.
const MOST_WAYS: u64 = 16;

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
    more("l2.bytes"),
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
fn value(spec: &Spec, field: &str) -> u64 {
    let table = toml::Table::try_from(spec.system()).expect("a system is a table");
    let (section, key) = field.split_once('.').expect("section and key");
    let value = table.get(section).and_then(|section| section.get(key));
    let value = value.and_then(toml::Value::as_integer);
    value.unwrap_or_else(|| panic!("{field} is no number")) as u64
}

/// With another amount of it.
fn with(spec: &Spec, resource: Resource) -> Spec {
    let Resource { field, times, over } = resource;
    let changed = (value(spec, field) * u64::from(times) / u64::from(over)).max(1);
    let changed = if field.ends_with(".misses") { changed.min(MOST_MISSES) } else { changed };
    match field {
        // As many sets of more ways.
        "directory.ways" => {
            let (ways, entries) = (value(spec, field), value(spec, "directory.entries"));
            let changed = changed.min(MOST_WAYS);
            spec.clone().with("directory.entries", entries / ways * changed).set(field, changed)
        }
        _ => spec.clone().set(field, changed),
    }
}

/// Sets of an L2 bank.
fn sets(spec: &Spec) -> f64 {
    let s = spec.system();
    let set = u64::from(s.l2.ways) * u64::from(s.machine.line) * u64::from(s.l2.banks);
    (s.l2.bytes / set) as f64
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
    ];
    for (name, design) in r.either(&quick, &full) {
        let spec = Spec::new(name).l2(design);
        let system = spec.system();
        let mut resources = COMMON.to_vec();
        resources.extend(if system.machine.gpus > 1 { GPUS.to_vec() } else { CHIPLETS.to_vec() });
        if !machine::has_policy(design) {
            resources.extend(DIRECTORY);
        }
        let programs = r.either(&SOME, &MOST);
        for resource in resources {
            let changed = with(&spec, resource);
            let mut runs = Vec::new();
            for program in &programs {
                let program = Program::BuiltIn(program, 0, 0);
                let (base, own) = (r.run(&spec, &program), r.run(&changed, &program));
                runs.push((program, base, own));
            }
            let slower = |at: &usize| runs[*at].2.cycles / runs[*at].1.cycles;
            let worst = (0..runs.len()).max_by(|a, b| slower(a).total_cmp(&slower(b)));
            let (program, base, own) = &runs[worst.expect("there are programs")];
            let (field, mut why) = (resource.field, format!("worst of {}", runs.len()));
            // A walk of a release or an acquire takes a cycle for each set, whatever is there.
            let mut walks = 0.0;
            if field == "l2.bytes" {
                let syncs = base.count("launch.releases") + base.count("launch.acquires");
                let each = syncs / f64::from(spec.chiplets());
                walks = each * (sets(&changed) - sets(&spec));
                why += &format!("; less {} cycles of {} walks", number(walks), number(each));
            }
            let amount = format!("{field} {} to {}", value(&spec, field), value(&changed, field));
            rows.push(
                Row::of(&amount, &spec, program)
                    .designs(design)
                    .why(why)
                    .at_most(own.cycles - walks, base.cycles, SLOWER)
                    .needs(runs.iter().flat_map(|(_, base, own)| [&**base, &**own])),
            );
        }
    }
    rows
}
