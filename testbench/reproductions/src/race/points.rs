//! The machines of the experiment: the thesis's with each design, and what may be the reason of a
//! difference.

use machine::System;

use crate::experiment::{Change, Point};

/// Signature bits, in the order of all lists by size.
pub const SIZES: [u32; 5] = [1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14];

/// How figures call them.
pub const SIZE_NAMES: [&str; 5] = ["1K", "2K", "4K", "8K", "16K"];

/// A design or granularity, with each size of signature.
pub struct Family {
    /// As the thesis's tables call it.
    pub name: &'static str,
    design: &'static str,
    /// Bytes of a granule; the thesis does not say those of the first two.
    gran: &'static str,
    /// Its machines, by size.
    pub machines: [&'static str; 5],
}

macro_rules! family {
    ($name:literal, $design:literal, $gran:literal) => {
        Family {
            name: $name,
            design: $design,
            gran: $gran,
            machines: [
                concat!($name, "-1k"),
                concat!($name, "-2k"),
                concat!($name, "-4k"),
                concat!($name, "-8k"),
                concat!($name, "-16k"),
            ],
        }
    };
}

pub const IDEAL: Family = family!("ideal", "race-ideal", "128");
pub const NOSPEC: Family = family!("nospec", "race-nospec", "128");
pub const BYTE: Family = family!("byte", "race-spec", "1");
pub const WORD: Family = family!("word", "race-spec", "4");
pub const BLOCK: Family = family!("block", "race-spec", "128");
pub const HALF: Family = family!("half", "race-spec", "512");
const FAMILIES: [&Family; 6] = [&IDEAL, &NOSPEC, &BYTE, &WORD, &BLOCK, &HALF];

/// What may be the reason of a difference, alone: machines without checks, ideal, with and without
/// speculation that have it, tracked by block in signatures of 8K.
pub struct Cause {
    /// As the figure is called.
    pub name: &'static str,
    /// base, ideal, block, nospec.
    pub machines: [&'static str; 4],
    change: Change,
}

/// More work between accesses: a wave's instruction takes 48 cycles, as where a CU's 48 waves take
/// turns with one scheduler. The machine has no schedulers, so its waves start one each in a cycle.
const WORK: (&str, &str) = ("cu.gap_cycles", "48");

/// L2s nearby: what waits for an answer waits less.
const NEAR: [(&str, &str); 2] = [("network.latency", "2"), ("l2.latency", "1")];

macro_rules! cause {
    ($name:literal, $change:expr) => {
        Cause {
            name: $name,
            machines: [
                concat!("base-", $name),
                concat!("ideal-", $name),
                concat!("block-", $name),
                concat!("nospec-", $name),
            ],
            change: $change,
        }
    };
}

pub const CAUSES: [Cause; 7] = [
    cause!("work", &[WORK]),
    cause!("work-1k", &[WORK, ("race_detection.m", "1024")]),
    cause!("near", &NEAR),
    cause!("near-work", &[NEAR[0], NEAR[1], WORK]),
    cause!("hits", &[("race_detection.hits", "7")]),
    cause!(
        "queues",
        &[
            ("race_detection.rq_n", "64"),
            ("race_detection.places", "255"),
            ("race_detection.slq_n", "256"),
            ("race_detection.v_lanes", "8"),
        ]
    ),
    cause!("L2", &[("l2.design", "software")]),
];

/// Granules that the unit checks in a cycle: more; and any number, in no time. Signatures of 8K.
const LANES: [(&str, &str, Change); 4] = [
    ("byte-lanes", "race-spec", &[("race_detection.gran", "1"), ("race_detection.lanes", "8")]),
    ("word-lanes", "race-spec", &[("race_detection.gran", "4"), ("race_detection.lanes", "8")]),
    ("byte-ideal", "race-ideal", &[("race_detection.gran", "1")]),
    ("word-ideal", "race-ideal", &[("race_detection.gran", "4")]),
];

/// G-TSC with SC, whose banks act in each cycle, as those of the other machines do.
pub const GTSC_SC: &str = "gtsc-sc";
const GTSC: Change = &[("l2.design", "own"), ("timestamp.l2_div", "1")];

/// The machine of Table 4.1 with a design.
fn point(name: &'static str, design: &str, change: &[(&str, &str)]) -> Point {
    Point::with_l1(name, "fermi-16sm", design, change)
}

/// The machine without checks, which all results are normalised to.
pub fn base() -> System {
    point("base", "race-base", &[]).system
}

/// All machines.
pub fn all() -> Vec<Point> {
    let mut points = vec![point("base", "race-base", &[])];
    for family in FAMILIES {
        for (name, m) in family.machines.into_iter().zip(SIZES) {
            let change =
                [("race_detection.m", &*m.to_string()), ("race_detection.gran", family.gran)];
            points.push(point(name, family.design, &change));
        }
    }
    for Cause { machines, change, .. } in CAUSES {
        let designs = ["race-base", "race-ideal", "race-spec", "race-nospec"];
        points.extend(machines.into_iter().zip(designs).map(|(name, d)| point(name, d, change)));
    }
    points.push(point(GTSC_SC, GTSC_SC, GTSC));
    points.extend(LANES.map(|(name, design, change)| point(name, design, change)));
    points
}
