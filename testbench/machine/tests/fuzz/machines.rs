//! Machines that the checks accept run: random ones over all fields, designs and sections, and
//! those at the limits. Only a wrong value of a design that promises nothing, and a run that is
//! not over after some cycles, are as good as a pass; a program may need more lines than a
//! directory tracks.

use machine::config::Described;
use machine::{Bodies, Machine, MemoryModel, Options, RunError, System, own_sections, systems};
use ports::{Field, Limit};
use traces::trace::Reader;
use traces::workloads::SplitMix64;
use traces::workloads::program::{Kernel, Labels, Place, Program, Step, What, Who};

use super::{Came, pick};

/// Most cycles of a run.
const MOST_CYCLES: u64 = 1_000_000;
/// Units of a machine, bytes of its caches and lines of its directories: for speed alone.
const MOST_UNITS: u64 = 48;
const MOST_BYTES: u64 = 1 << 21;
const MOST_LINES: u64 = 1 << 18;
/// Fields that say how large caches are, with those whose product divides them.
const CAPACITIES: [(&str, &[&str]); 4] = [
    ("l1.bytes", &["l1.ways", "machine.line"]),
    ("l2.bytes", &["l2.ways", "machine.line", "l2.banks"]),
    ("l3.bytes", &["l3.ways", "machine.line", "l3.slices", "machine.chiplets"]),
    ("directory.entries", &["directory.ways", "l2.banks"]),
];

/// Two kernels of work-groups of one wave: each stores, loads what it and others have stored, and
/// adds to one word.
fn program() -> Reader {
    let place = |offset, per_item, per_group| Place {
        page: 0,
        offset,
        per_item,
        per_group,
        page_by_group: true,
    };
    let step =
        |what, place| Step::Access { what, who: Who::All, place, size: 4, aligned: true, gap: 1 };
    let add = What::Atomic(traces::trace::AtomicOp::Add);
    let steps = vec![
        step(What::Store, place(0, 4, 64)),
        Step::Barrier,
        step(What::Load, place(0, 4, 64)),
        step(add, place(192, 0, 0)),
        step(What::Load, place(128, 4, 0)),
    ];
    let labels = Labels::Ranges;
    let kernel = Kernel { labels, writes: vec![(0, 64)], groups: 5, items: 16, steps, read: true };
    Program(vec![kernel.clone(), kernel]).record()
}

/// What a field may say: now and then an end of its limit.
fn draw(random: &mut SplitMix64, limit: &Limit) -> toml::Value {
    let between = |random: &mut SplitMix64, least: u64, most: u64| match random.below(32) {
        0 => least,
        1 => most,
        // Small numbers are drawn as often as large ones.
        _ => {
            let bits = random.below(u64::from((most - least + 1).ilog2()) + 1);
            least + random.below(1 << bits)
        }
    };
    let number = |number: u64| toml::Value::Integer(number as i64);
    match *limit {
        Limit::Range(least, most) => number(between(random, least, most)),
        Limit::PowerOfTwo(least, most) => {
            number(1 << between(random, least.ilog2().into(), most.ilog2().into()))
        }
        Limit::OneOf(numbers) => number(*pick(random, numbers)),
        Limit::Millionths(least, most) => {
            toml::Value::Float(between(random, least, most) as f64 / 1e6)
        }
        Limit::Names(names) => toml::Value::String(pick(random, &names()).clone()),
        Limit::Switch => toml::Value::Boolean(random.below(2) == 1),
        Limit::Text => toml::Value::String("random".into()),
    }
}

fn number(table: &toml::Table, path: &str) -> u64 {
    let (section, key) = path.split_once('.').unwrap();
    table[section][key].as_integer().unwrap() as u64
}

fn set(table: &mut toml::Table, section: &str, key: &str, value: toml::Value) {
    let section = table.entry(section).or_insert_with(|| toml::Table::new().into());
    section.as_table_mut().unwrap().insert(key.into(), value);
}

fn is_small(table: &toml::Table) -> bool {
    let of = |path: &str| number(table, path);
    let chiplets = of("machine.gpus") * of("machine.chiplets");
    let units = of("machine.cus") + of("l2.banks") + of("l3.slices");
    let bytes = of("machine.cus") * of("l1.bytes") + of("l2.bytes") + of("l3.bytes");
    let lines = of("directory.entries") + of("directory.ideal_lines") * of("l2.banks");
    chiplets * units <= MOST_UNITS
        && chiplets * bytes <= MOST_BYTES
        && chiplets * lines <= MOST_LINES
}

/// The system, if the checks accept it.
fn accepted(table: &toml::Table) -> Option<System> {
    let system: System = table.clone().try_into().ok()?;
    system.check().is_ok().then_some(system)
}

/// A machine that the checks accept: a preset in which one field after another has changed, where
/// that is legal.
fn machine(random: &mut SplitMix64) -> System {
    let presets = ["cpelide-2-small", "rec-4gpu-small", "stc-8cu-small", "fermi-16sm-small"];
    let base = systems::load(presets[random.below(4) as usize], &[]).unwrap();
    let mut table = toml::Table::try_from(&base).unwrap();
    for (key, value) in [("machine.cus", 1), ("l3.bytes", 0), ("directory.ideal_lines", 64)] {
        let (section, key) = key.split_once('.').unwrap();
        set(&mut table, section, key, toml::Value::Integer(value));
    }
    for (path, of) in CAPACITIES {
        let (section, key) = path.split_once('.').unwrap();
        let granule: u64 = of.iter().map(|path| number(&table, path)).product();
        let bytes = granule * if path.starts_with("l3") { 0 } else { 4 };
        set(&mut table, section, key, toml::Value::Integer(bytes as i64));
    }
    let mut system = accepted(&table).expect("a small preset");
    assert!(is_small(&table));
    let own = System::OWN.iter();
    let mut fields: Vec<(&str, &Field)> =
        own.flat_map(|Described { name, fields, .. }| fields.iter().map(|f| (*name, f))).collect();
    // Each has its turn twice: what the first change of a field forbids another may allow.
    fields = fields.repeat(2);
    let mut left = fields.len();
    while left > 0 {
        let (section, field) = fields.swap_remove(random.below(left as u64) as usize);
        left -= 1;
        let mut changed = table.clone();
        set(&mut changed, section, field.key, draw(random, &field.limit));
        if field.key == "design" && section == "l1" {
            // It may bring its L2, and need one L2 for each line.
            let l1 = changed["l1"]["design"].as_str().unwrap().to_string();
            let own = machine::go_together(&l1, "own");
            let l2 = if own { "own" } else { "cpelide" };
            set(&mut changed, "l2", "design", toml::Value::String(l2.into()));
            set(&mut changed, "l2", "policy", toml::Value::String("home-forward".into()));
        }
        for (path, of) in CAPACITIES {
            let granule: u64 = of.iter().map(|path| number(&changed, path)).product();
            let (section, key) = path.split_once('.').unwrap();
            let parts = 1 << random.below(3);
            let bytes = granule * if path.starts_with("l3") { random.below(3) } else { parts };
            set(&mut changed, section, key, toml::Value::Integer(bytes as i64));
        }
        if let Some(other) = accepted(&changed).filter(|_| is_small(&changed)) {
            (table, system) = (changed, other);
        }
    }
    for section in own_sections(&system) {
        for field in section.free().filter(|field| field.key != "without") {
            let mut changed = table.clone();
            set(&mut changed, section.name, field.key, draw(random, &field.limit));
            if random.below(4) == 0
                && let Some(other) = accepted(&changed)
            {
                (table, system) = (changed, other);
            }
        }
    }
    system
}

/// Runs the program; what is not accepted ends the test.
fn runs(system: &System, program: &Reader) -> Came {
    let text = || toml::to_string(system).unwrap();
    // The gate has a tick in each cycle of its links.
    let links = system.gpu_link.clock_mhz.div_ceil(system.machine.clock_mhz);
    let max_cycles = MOST_CYCLES / u64::from(links);
    let options = Options { max_cycles, ..Options::default() };
    let machine = Machine::new(system, &Bodies::default(), program.reopen().unwrap(), options);
    let mut machine = machine.unwrap_or_else(|e| panic!("{e}\n{}", text()));
    let promised = machine::promises(system).unwrap();
    match machine.run() {
        Ok(_) => Came::Accepted,
        Err(RunError::CycleLimit(_) | RunError::Limit(_)) => Came::Refused,
        Err(RunError::Wrong(..)) if promised == MemoryModel::None => Came::Accepted,
        Err(e) => panic!("{e}\n{}", text()),
    }
}

/// A random machine runs the program.
pub fn try_one(random: &mut SplitMix64) -> Came {
    runs(&machine(random), &program())
}

fn load(name: &str, set: &[(&str, &str)]) -> System {
    let set: Vec<_> = set.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
    systems::load(name, &set).unwrap()
}

/// All GPUs, chiplets and units that there can be, and the designs that have most networks.
#[test]
fn the_largest_machines_run() {
    let largest: &[(&str, &str)] = &[
        ("machine.gpus", "16"),
        ("machine.cus", "77"),
        ("l2.banks", "32"),
        ("l2.bytes", "65536"),
        ("l3.slices", "1"),
        ("l1.bytes", "1024"),
        ("l1.misses", "1"),
        ("l2.policy", "home-forward"),
        ("placement.policy", "replicated"),
    ];
    // Of all chiplets that a directory knows.
    let coherent: &[(&str, &str)] = &[
        ("machine.gpus", "16"),
        ("machine.cus", "92"),
        ("l2.banks", "32"),
        ("l2.bytes", "65536"),
        ("l3.slices", "1"),
        ("l1.bytes", "1024"),
        ("l1.misses", "1"),
        ("l2.design", "hmg"),
    ];
    for (name, set) in [("cpelide-16-small", largest), ("rec-4gpu-small", coherent)] {
        assert!(runs(&load(name, set), &program()) == Came::Accepted, "{name}");
    }
}

/// Of a fast link so many messages may be under way that their number has more than 32 bits.
#[test]
fn a_link_of_the_highest_rate_is_no_slower_than_others() {
    let cycles = |bytes: &str| {
        let set = [
            ("chiplet_link.bytes", bytes),
            ("chiplet_link.cycles", "1"),
            ("chiplet_link.round_trip", "4096"),
            ("chiplet_link.queue", "1"),
            ("network.latency", "2048"),
            ("network.header_bytes", "1"),
            ("placement.policy", "interleave"),
        ];
        let options = Options { max_cycles: MOST_CYCLES, ..Options::default() };
        let system = load("cpelide-2-small", &set);
        Machine::new(&system, &Bodies::default(), program(), options).unwrap().run().unwrap()
    };
    assert_eq!(cycles("1048576"), cycles("65536"));
}
