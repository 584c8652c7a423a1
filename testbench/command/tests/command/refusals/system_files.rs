//! System files: each number below and above its limits, other types, names that there are not,
//! what is missing, what is too much.

use super::{Case, case};

/// A good one, of one GPU with one chiplet.
pub const GOOD: &str = include_str!("../../../../machine/systems/stc-8cu.toml");

/// Fields, values that they cannot have, and the limit that the message names.
const NUMBERS: &[(&str, &[&str], &str)] = &[
    ("scale", &["0", "1048577"], "is not 1 to 1048576"),
    ("machine.gpus", &["0", "17"], "is not 1 to 16"),
    ("machine.chiplets", &["0", "17"], "is not 1 to 16"),
    ("machine.cus", &["0", "513"], "is not 1 to 512"),
    ("machine.line", &["16", "256"], "is not a power of 2, 32 to 128"),
    ("machine.line", &["96"], "is not a power of 2, 32 to 128"),
    ("machine.clock_mhz", &["0", "100001"], "is not 1 to 100000"),
    ("cu.waves", &["0", "65"], "is not 1 to 64"),
    ("cu.lanes", &["0", "16", "128"], "is not 32 or 64"),
    ("cu.loads", &["0", "65"], "is not 1 to 64"),
    ("cu.transactions", &["0", "4097"], "is not 1 to 4096"),
    ("cu.gap_cycles", &["1001"], "is not 0 to 1000"),
    ("l1.bytes", &["0", "1048577"], "is not 1 to 1048576"),
    ("l1.bytes", &["65535"], "must be a multiple of l1.ways x machine.line, where l1.ways = 64"),
    ("l1.ways", &["0", "65"], "is not 1 to 64"),
    ("l1.misses", &["0", "1025"], "is not 1 to 1024"),
    ("l1.hit_latency", &["0", "10001"], "is not 1 to 10000"),
    ("l2.bytes", &["0", "268435457"], "is not 1 to 268435456"),
    ("l2.bytes", &["4097"], "must be a multiple of l2.ways x machine.line x l2.banks"),
    ("l2.ways", &["0", "65"], "is not 1 to 64"),
    ("l2.banks", &["0", "513"], "is not 1 to 512"),
    ("l2.interleave", &["32"], "must be at least machine.line, where machine.line = 64"),
    ("l2.interleave", &["96", "8192"], "is not a power of 2, 32 to 4096"),
    ("l2.misses", &["0", "1025"], "is not 1 to 1024"),
    ("l2.latency", &["0", "10001"], "is not 1 to 10000"),
    ("l3.bytes", &["1073741825"], "is not 0 to 1073741824"),
    ("l3.bytes", &["1000"], "must be a multiple of l3.ways x machine.line x l3.slices"),
    ("l3.ways", &["0", "65"], "is not 1 to 64"),
    ("l3.slices", &["0", "513"], "is not 1 to 512"),
    ("l3.misses", &["0", "1025"], "is not 1 to 1024"),
    ("l3.latency", &["0", "10001"], "is not 1 to 10000"),
    ("memory.bytes", &["0", "1048577"], "is not 1 to 1048576"),
    ("memory.cycles", &["0", "1048577"], "is not 1 to 1048576"),
    ("memory.latency", &["0", "10001"], "is not 1 to 10000"),
    ("memory.model", &["\"dran\""], "none of simple, dram"),
    ("network.latency", &["1", "10001"], "is not 2 to 10000"),
    ("network.memory_latency", &["1", "10001"], "is not 2 to 10000"),
    ("network.bytes_per_cycle", &["0", "65537"], "is not 1 to 65536"),
    ("network.header_bytes", &["0", "257"], "is not 1 to 256"),
    ("network.sector_bytes", &["128"], "must be at most machine.line, where machine.line = 64"),
    ("network.sector_bytes", &["2", "24"], "is not a power of 2, 4 to 128"),
    ("network.queue", &["0", "4097"], "is not 1 to 4096"),
    ("chiplet_link.round_trip", &["1", "10001"], "is not 2 to 10000"),
    ("chiplet_link.bytes", &["0", "1048577"], "is not 1 to 1048576"),
    ("chiplet_link.cycles", &["0", "1048577"], "is not 1 to 1048576"),
    ("chiplet_link.queue", &["0", "4097"], "is not 1 to 4096"),
    ("gpu_link.generation", &["1", "7"], "is not 2 to 6"),
    ("gpu_link.bytes_per_ns", &["0.0009", "1024.1"], "is not 0.001 to 1024"),
    ("gpu_link.bytes_per_ns", &["0.0010001", "-1.5"], "negative or has more than six decimals"),
    ("gpu_link.clock_mhz", &["0", "100001"], "is not 1 to 100000"),
    ("gpu_link.latency", &["1", "100001"], "is not 2 to 100000"),
    ("egress.timeout", &["65536", "-1"], "a whole number, 0 to 65535"),
    ("command_processor.packet_cycles", &["1000001"], "is not 0 to 1000000"),
    ("command_processor.elide_cycles", &["1000001"], "is not 0 to 1000000"),
    ("command_processor.unicast_latency", &["0", "256"], "is not 1 to 255"),
    ("command_processor.broadcast_latency", &["0", "256"], "is not 1 to 255"),
    ("command_processor.private_latency", &["0", "256"], "is not 1 to 255"),
    ("command_processor.clock_of", &["0", "17"], "is not 1 to 16"),
    ("command_processor.clock_on", &["0"], "is not 1 to 16"),
    ("command_processor.clock_on", &["7"], "must be at most command_processor.clock_of"),
    ("command_processor.table_entries", &["7", "257"], "is not 8 to 256"),
    ("command_processor.max_structs", &["0", "17"], "is not 1 to 16"),
];

/// The same in a machine whose four chiplets have a directory.
const DIRECTORY: &[(&str, &[&str], &str)] = &[
    ("directory.entries", &["4095", "6"], "must be"),
    ("directory.ways", &["0", "17"], "is not 1 to 16"),
    ("directory.range", &["32", "96"], "must be"),
    ("directory.jobs", &["1", "65"], "is not 2 to 64"),
    ("directory.responses", &["2", "17"], "is not 3 to 16"),
    ("directory.replacement", &["\"random\""], "none of lru, fifo"),
    ("machine.chiplets", &["16"], "must be 1 to 16"),
    ("l2.interleave", &["512"], "must be at least 1024"),
    ("l2.ways", &["1"], "must be at least 2"),
];

/// Names that there are not, and one that there is instead, or the command that shows all.
const NAMES: &[(&str, &str)] = &[
    ("l1.design", "(duet systems reference shows"),
    ("l2.design", "software"),
    ("l2.policy", "home-forward"),
    ("cu.scheduler", "(duet systems reference shows"),
    ("placement.policy", "first-touch"),
    ("egress.design", "write-combine"),
];

/// Fields with a value of another type, and what the message asks for.
const TYPES: &[(&str, &str, &str)] = &[
    ("name", "7", "expected a string"),
    ("scale", "\"4\"", "expected a whole number"),
    ("machine.gpus", "\"one\"", "expected a whole number, 0 to 65535"),
    ("machine.cus", "8.5", "expected a whole number, 0 to 65535"),
    ("machine.line", "-64", "expected a whole number, 0 to 4294967295"),
    ("cu.waves", "true", "expected a whole number"),
    ("cu.gap_cycles", "-1", "expected a whole number, 0 to 4294967295"),
    ("cu.exclusive_lines", "1", "expected a boolean"),
    ("command_processor.home_aware", "1", "expected a boolean"),
    ("l1.design", "1", "expected a string"),
    ("l2.bytes", "[1]", "expected a whole number"),
    ("l2.policy", "false", "expected a string"),
    ("l3.bytes", "-1", "expected a whole number"),
    ("memory.bytes", "9223372036854775808", "is not 1 to 1048576"),
    ("memory.cycles", "18446744073709551616", "`18446744073709551616`, expected a whole number"),
    ("memory.latency", "4294967296", "expected a whole number, 0 to 4294967295"),
    ("gpu_link.bytes_per_ns", "\"32\"", "a number was expected"),
    ("gpu_link.bytes_per_ns", "nan", "negative or has more than six decimals"),
    ("finepack", "3", "is no section"),
];

/// Changes of the whole text: what is there, what stands in its place, and the message.
const TEXTS: &[(&str, &str, &str)] = &[
    ("[machine]", "[machine", "TOML parse error at line 7"),
    ("gpus = 1", "gpus = ", "TOML parse error at line 8"),
    ("gpus = 1", "gpus = 1\ngpus = 1", "duplicate key"),
    ("[cu]", "[machine]", "duplicate key"),
    ("name = \"stc-8cu\"", "name = \"stc-8cu", "TOML parse error at line 4"),
    ("gpus = 1", "gpu = 1", "unknown field `gpu`"),
    ("waves = 40", "waves = 40\nwarps = 40", "unknown field `warps`"),
    ("hit_latency = 4", "hit_latency = 4\nmiss_latency = 4", "unknown field `miss_latency`"),
    ("interleave = 64", "inter_leave = 64", "unknown field `inter_leave`"),
    ("ideal_lines = 65536", "real_lines = 3", "unknown field `real_lines`"),
    ("slices = 2", "slice = 2", "unknown field `slice`"),
    ("header_bytes = 8", "head_bytes = 8", "unknown field `head_bytes`"),
    ("round_trip = 2", "one_way = 1", "unknown field `one_way`"),
    ("bytes_per_ns = 32", "bytes_per_cycle = 32", "unknown field `bytes_per_cycle`"),
    ("timeout = 0", "time_out = 0", "unknown field `time_out`"),
    ("packet_cycles = 2000", "cycles = 2000", "unknown field `cycles`"),
    ("policy = \"first-touch\"", "policies = \"first-touch\"", "unknown field `policies`"),
    ("name = \"stc-8cu\"", "title = 3\nname = \"x\"", "title: there is no such section"),
    ("[memory]", "[dram]", "missing field `memory`"),
    ("cus = 8 ", "# ", "missing field `cus`"),
    ("loads = 4 ", "# ", "missing field `loads`"),
    ("design = \"src\"", "# ", "missing field `design`"),
    ("policy = \"home-forward\"", "# ", "missing field `policy`"),
    ("entries = 8192", "# ", "missing field `entries`"),
    ("slices = 2 ", "# ", "missing field `slices`"),
    ("latency = 75 ", "# ", "missing field `latency`"),
    ("queue = 8 ", "# ", "missing field `queue`"),
    ("round_trip = 2", "# ", "missing field `round_trip`"),
    ("generation = 4", "# ", "missing field `generation`"),
    ("timeout = 0", "# ", "missing field `timeout`"),
    ("elide_cycles = 6000", "# ", "missing field `elide_cycles`"),
    ("policy = \"first-touch\"", "# ", "missing field `policy`"),
    ("scale = 1", "# ", "missing field `scale`"),
    ("name = \"stc-8cu\"", "# ", "missing field `name`"),
    ("[l1]", "[stc]\nx = 1\n[l1]", "stc: this section requires l1.design = stc-ab"),
    ("[l1]", "[race_detection]\nx = 1\n[l1]", "race_detection: this section requires l1.design"),
    ("[l1]", "[nothing]\nx = 1\n[l1]", "there is no such section; sections of designs:"),
    ("[l1]", "[finepack]\nbeats = 8\n[l1]", "finepack.beats: there is no such field"),
    ("[l1]", "[finepack]\nbeat = \"x\"\n[l1]", "is no integer"),
];

/// Sections whose headings go, so that their fields stand in the section before or nowhere.
const SECTIONS: &[&str] = &[
    "l1",
    "l2",
    "l3",
    "network",
    "chiplet_link",
    "gpu_link",
    "egress",
    "command_processor",
    "placement",
];

/// The text with another value of a field.
fn with(text: &str, field: &str, value: &str) -> String {
    let (section, name) = field.rsplit_once('.').unwrap_or(("", field));
    let (mut now, mut done) = (String::new(), false);
    let mut lines = Vec::new();
    for line in text.lines() {
        if let Some(heading) = line.strip_prefix('[') {
            now = heading.split(']').next().unwrap().to_string();
        }
        let is_it = now == section && line.split('=').next().unwrap().trim() == name;
        done |= is_it;
        lines.push(if is_it { format!("{name} = {value}") } else { line.to_string() });
    }
    if !done && section.is_empty() {
        lines.insert(0, format!("{name} = {value}"));
    } else if !done {
        let heading = format!("[{section}]");
        match lines.iter().position(|line| line.starts_with(&heading)) {
            Some(at) => lines.insert(at + 1, format!("{name} = {value}")),
            None => lines.extend([heading, format!("{name} = {value}")]),
        }
    }
    lines.join("\n") + "\n"
}

fn file(text: String, message: &[&str]) -> Case {
    case(2, "run --system %.toml --workload copy", message).file(".toml", text)
}

pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let numbers = |text: &str, fields: &[(&str, &[&str], &str)], cases: &mut Vec<Case>| {
        for (field, values, limit) in fields {
            let values = values.iter();
            // The parser names the line, a check the field.
            let name = field.rsplit('.').next().unwrap();
            cases.extend(values.map(|value| file(with(text, field, value), &[name, limit])));
        }
    };
    numbers(GOOD, NUMBERS, &mut cases);
    let four = with(&with(GOOD, "machine.chiplets", "4"), "l2.design", "\"rec\"");
    let four = with(&four, "l2.interleave", "1024");
    let sixteen = with(&four, "machine.gpus", "2");
    numbers(&four, &DIRECTORY[..6], &mut cases);
    numbers(&sixteen, &DIRECTORY[6..7], &mut cases);
    numbers(&four, &DIRECTORY[7..], &mut cases);
    for (field, known) in NAMES {
        cases.push(file(with(GOOD, field, "\"nothing\""), &[field, "nothing", known]));
    }
    for (l1, l2, field) in [("nothing", "lru", "sharing.l1"), ("lru", "nothing", "sharing.l2")] {
        let text = format!("{GOOD}[sharing]\nl1 = {l1:?}\nl2 = {l2:?}\n");
        cases.push(file(text, &[field, "nothing", "lru"]));
    }
    let two = with(GOOD, "machine.gpus", "2");
    cases.push(file(with(&two, "egress.config", "\"nothing\""), &["egress.config", "paper"]));
    let blocks: &[(&str, &str)] = &[
        ("entries", "1 is not a power of 2, 2 to 64"),
        ("line", "8 is not a power of 2, 16 to 128"),
        ("banks", "3 is not 1 or 2"),
        ("sub_header_bytes", "7 is not 2 to 6"),
        ("max_payload", "1 is not 28 to 4096"),
        ("beat", "12 is not 8, 16, 32, 64 or 128"),
        ("order_queue_depth", "17 is not 2 to 16"),
        ("output_depth", "1 is not 2 to 64"),
        ("ecrc", "2 is not 0 or 1"),
    ];
    for (name, limit) in blocks {
        let field = format!("finepack.{name}");
        let value = limit.split(' ').next().unwrap();
        cases.push(file(with(&two, &field, value), &[&format!("{field}: {limit}")]));
    }
    for (field, value, expected) in TYPES {
        cases.push(file(with(GOOD, field, value), &[expected]));
    }
    for (before, after, message) in TEXTS {
        assert!(GOOD.contains(before), "{before}");
        cases.push(file(GOOD.replacen(before, after, 1), &[message]));
    }
    for section in SECTIONS {
        let heading = format!("[{section}]");
        let renamed = GOOD.replacen(&heading, &format!("[x{section}]"), 1);
        cases.push(file(renamed, &[&format!("missing field `{section}`")]));
    }
    // Sums of several fields.
    let wide = with(&with(GOOD, "machine.cus", "200"), "l2.banks", "64");
    let wide = with(&with(&wide, "machine.chiplets", "16"), "machine.gpus", "16");
    let together = "CUs, L2 banks and L3 slices together are at most 65519";
    cases.push(file(wide, &[together, "machine.cus: 200"]));
    let large = with(&with(GOOD, "l2.bytes", "268435456"), "machine.chiplets", "16");
    let large = with(&large, "machine.gpus", "16");
    cases.push(file(large, &["machine.gpus: 16", "all caches together hold at most 2^32 bytes"]));
    let own = with(GOOD, "l2.design", "\"own\"");
    cases.push(file(own, &["l2.design", "src brings no L2"]));
    cases.push(file(String::new(), &["is empty", "duet systems new"]));
    cases.push(file("#".repeat((1 << 20) + 1), &["1048577 bytes; at most 1048576"]));
    let words = "run --system %.toml --workload copy";
    cases.push(case(2, words, &["valid UTF-8"]).file(".toml", b"name = \"\xff\xfe\""));
    cases
}
