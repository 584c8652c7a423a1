//! The table in `docs/systems.md` is what the presets are.

use std::path::Path;

use machine::System;
use machine::systems;

use super::latency::measure;
use super::preset;

const BEGIN: &str = "<!-- table: begin -->\n";
const END: &str = "<!-- table: end -->\n";

/// Tenths of a GB/s of so many links or channels.
fn rate(system: &System, bytes: u64, cycles: u64, count: u64) -> String {
    let tenths = bytes * count * u64::from(system.machine.clock_mhz) / (cycles * 100);
    format!("{}.{}", tenths / 10, tenths % 10)
}

fn size(bytes: u64) -> String {
    match bytes {
        0 => "-".to_string(),
        _ if bytes.is_multiple_of(1 << 20) => format!("{} MB", bytes >> 20),
        _ => format!("{} KB", bytes / 1024),
    }
}

fn row(name: &str) -> String {
    let s = preset(name);
    let m = &s.machine;
    let channels = u64::from(s.l3.slices) * u64::from(m.chiplets);
    let link = match m.chiplets {
        1 => "-".to_string(),
        _ => rate(&s, s.chiplet_link.bytes, s.chiplet_link.cycles, 1),
    };
    let gpus = if m.gpus == 1 { "-".to_string() } else { s.gpu_link.bytes_per_ns.to_string() };
    let (bytes, cycles) = s.memory_rate();
    let memory = rate(&s, bytes, cycles, channels);
    let l = measure(&s);
    let or_none = |v: Option<u64>| v.map_or("-".to_string(), |v| v.to_string());
    let cells = [
        format!("`{name}`"),
        s.scale.to_string(),
        format!("{} x {} x {}", m.gpus, m.chiplets, m.cus),
        m.clock_mhz.to_string(),
        m.line.to_string(),
        size(s.l1.bytes.into()),
        format!("{} / {}", size(s.l2.bytes), s.l2.banks),
        size(s.l3.bytes),
        format!("{memory} / {channels}"),
        link,
        gpus,
        format!("{} / {} / {}", l.l1, l.l2, or_none(l.remote_l2)),
        or_none(l.coherent),
        format!("{} / {}", or_none(l.l3), l.memory),
    ];
    format!("| {} |\n", cells.join(" | "))
}

fn table() -> String {
    let heads = [
        "preset",
        "scale",
        "GPUs x chiplets x CUs",
        "MHz",
        "line",
        "L1 of a CU",
        "L2 of a chiplet / banks",
        "L3 of a GPU",
        "memory of a GPU, GB/s / channels",
        "chiplet link, GB/s",
        "GPU link, GB/s",
        "L1 / L2 / remote L2, cycles",
        "remote L2 under a directory",
        "L3 / memory, cycles",
    ];
    let mut text = format!("| {} |\n|{}\n", heads.join(" | "), " --- |".repeat(heads.len()));
    systems::names().iter().for_each(|name| text += &row(name));
    text
}

#[test]
fn documented_table_is_that_of_the_presets() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/systems.md");
    let text = std::fs::read_to_string(&file).unwrap();
    let (_, rest) = text.split_once(BEGIN).expect("the table begins");
    let (shown, _) = rest.split_once(END).expect("the table ends");
    let real = table();
    assert!(shown == real, "docs/systems.md must show, between its marks:\n{real}");
}
