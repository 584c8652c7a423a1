//! The machines of the experiment: one GPU and four with each egress path, and what figures change.
//! All are twins of the paper's, divided by [`SCALE`].

use machine::{Cp, System, systems};

use crate::experiment::{Change, Point};

/// The paper's machine is divided by this, as its preset's twin is.
pub const SCALE: u32 = 16;

const FOUR: &str = "finepack-4gpu-small";
const SIXTEEN: &str = "finepack-16gpu-small";

/// Stores go to all copies, to those of GPUs that read the page, or to those that read the line.
const ALL: &str = "replicated";
const PAGE: &str = "replicated-by-page";
const LINE: &str = "replicated-by-line";

/// PCIe 5.0 and 6.0 (section V), divided; and a quarter of PCIe 4.0: a GPU that computes four times
/// as much for each byte of its link.
const PCIE_5: Change = &[("gpu_link.generation", "5"), ("gpu_link.bytes_per_ns", "4")];
const PCIE_6: Change = &[("gpu_link.generation", "6"), ("gpu_link.bytes_per_ns", "8")];
const QUARTER: Change = &[("gpu_link.bytes_per_ns", "0.5")];

/// A window of 64 bytes holds no longer line (Table II).
const SUB_HEADERS_2: Change = &[("finepack.sub_header_bytes", "2"), ("finepack.line", "64")];

/// Name, preset, where pages have copies, egress path, and what is changed. A copy engine moves
/// whole blocks, here the pages that somebody reads; GPS combines stores by cache line and drops
/// subscriptions by page (section VI-B).
const POINTS: &[(&str, &str, &str, &str, Change)] = &[
    ("one-gpu", FOUR, LINE, "finepack", &[("machine.gpus", "1")]),
    // What the links take is left out: no bytes, the least latency.
    ("infinite", FOUR, LINE, "infinite", &[("gpu_link.latency", "2")]),
    ("p2p", FOUR, LINE, "p2p", &[]),
    ("write-combine", FOUR, LINE, "write-combine", &[]),
    ("finepack", FOUR, LINE, "finepack", &[]),
    ("dma", FOUR, PAGE, "dma", &[]),
    ("config-packet", FOUR, LINE, "config-packet", &[]),
    ("gps", FOUR, PAGE, "write-combine", &[]),
    // What the choice of copies changes.
    ("finepack-page", FOUR, PAGE, "finepack", &[]),
    ("p2p-all", FOUR, ALL, "p2p", &[]),
    ("finepack-all", FOUR, ALL, "finepack", &[]),
    ("dma-all", FOUR, ALL, "dma", &[]),
    ("dma-line", FOUR, LINE, "dma", &[]),
    // What the links' share in a program changes.
    ("p2p-quarter", FOUR, LINE, "p2p", QUARTER),
    ("finepack-quarter", FOUR, LINE, "finepack", QUARTER),
    ("dma-quarter", FOUR, PAGE, "dma", QUARTER),
    ("sub-headers-2", FOUR, LINE, "finepack", SUB_HEADERS_2),
    ("sub-headers-3", FOUR, LINE, "finepack", &[("finepack.sub_header_bytes", "3")]),
    ("sub-headers-4", FOUR, LINE, "finepack", &[("finepack.sub_header_bytes", "4")]),
    ("sub-headers-6", FOUR, LINE, "finepack", &[("finepack.sub_header_bytes", "6")]),
    ("p2p-pcie5", FOUR, LINE, "p2p", PCIE_5),
    ("finepack-pcie5", FOUR, LINE, "finepack", PCIE_5),
    ("dma-pcie5", FOUR, PAGE, "dma", PCIE_5),
    ("p2p-pcie6", FOUR, LINE, "p2p", PCIE_6),
    ("finepack-pcie6", FOUR, LINE, "finepack", PCIE_6),
    ("dma-pcie6", FOUR, PAGE, "dma", PCIE_6),
    ("infinite-16", SIXTEEN, LINE, "infinite", &[("gpu_link.latency", "2")]),
    ("p2p-16", SIXTEEN, LINE, "p2p", &[]),
    ("finepack-16", SIXTEEN, LINE, "finepack", &[]),
    ("dma-16", SIXTEEN, PAGE, "dma", &[]),
];

/// All machines. Panics where one cannot be built: they are constants.
pub fn all() -> Vec<Point> {
    let point = |&(name, preset, placement, egress, change): &(&'static str, _, _, _, Change)| {
        let choice = [("placement.policy", placement), ("egress.design", egress)];
        let mut system = load(preset, &[&choice, change].concat());
        system.name = name.to_string();
        Point { name, system, cp: Cp::Native }
    };
    POINTS.iter().map(point).collect()
}

/// Two GPUs of which each pushes all that it stores to the other.
pub fn pair(egress: &str) -> System {
    load(FOUR, &[("machine.gpus", "2"), ("placement.policy", ALL), ("egress.design", egress)])
}

fn load(preset: &str, set: &[(&str, &str)]) -> System {
    let set: Vec<_> = set.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    let system = systems::load(preset, &set).unwrap_or_else(|e| panic!("{preset} {set:?}: {e}"));
    assert_eq!(system.scale, SCALE);
    system
}
