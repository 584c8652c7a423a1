//! The machines of the experiment: the paper's with what its figures change, each divided by
//! [`SCALE`]; or at full size those that the figures of the directories' designs need.

use machine::systems;
use machine::{Cp, System};

use crate::experiment::Point;

/// The paper's machine is divided by this (chosen): the built-in programs' footprints are about as
/// much smaller than the paper's.
pub const SCALE: u32 = 64;

/// Sets of the paper's directory, 8192 entries in 8 ways.
const SETS: u32 = 1024;

type Change = fn(&mut System);

/// Name, L2 design, and what is changed in the paper's machine.
const POINTS: &[(&str, &str, Change)] = &[
    ("no-caching", "software", |_| {}),
    ("baseline", "directory", |_| {}),
    ("baseline-2x", "directory", |s| entries(s, 8, 2 * SETS)),
    ("hmg", "hmg", |_| {}),
    ("rec", "rec", |_| {}),
    ("ideal", "ideal", |_| {}),
    ("rec-128", "rec", |s| s.directory.range = 128),
    ("rec-256", "rec", |s| s.directory.range = 256),
    ("rec-4k", "rec", |s| s.directory.range = 4096),
    ("rec-fifo", "rec", |s| s.directory.replacement = "fifo".into()),
    // Specification 7: not every multiple of 8K entries has a power of 2 of sets in 8 ways.
    ("baseline-6x", "directory", |s| entries(s, 12, 4 * SETS)),
    ("baseline-12x", "directory", |s| entries(s, 12, 8 * SETS)),
    ("rec-2k-entries", "rec", |s| entries(s, 8, SETS / 4)),
    ("rec-4k-entries", "rec", |s| entries(s, 8, SETS / 2)),
    ("rec-16k-entries", "rec", |s| entries(s, 8, 2 * SETS)),
    ("rec-32k-entries", "rec", |s| entries(s, 8, 4 * SETS)),
    ("baseline-half-mb", "directory", |s| s.l2.bytes /= 4),
    ("rec-half-mb", "rec", |s| s.l2.bytes /= 4),
    ("baseline-8mb", "directory", |s| s.l2.bytes *= 4),
    ("rec-8mb", "rec", |s| s.l2.bytes *= 4),
    ("baseline-2x-cus", "directory", |s| s.machine.cus *= 2),
    ("rec-2x-cus", "rec", |s| s.machine.cus *= 2),
    ("baseline-8gpu", "directory", |s| s.machine.gpus = 8),
    ("baseline-3x-8gpu", "directory", |s| more(s, 8, 12, 2 * SETS)),
    ("rec-8gpu", "rec", |s| s.machine.gpus = 8),
    ("baseline-16gpu", "directory", |s| s.machine.gpus = 16),
    ("baseline-5x-16gpu", "directory", |s| more(s, 16, 10, 4 * SETS)),
    ("rec-16gpu", "rec", |s| s.machine.gpus = 16),
    ("baseline-nvidia", "directory", nvidia),
    ("rec-nvidia", "rec", nvidia),
];

fn entries(system: &mut System, ways: u32, sets: u32) {
    (system.directory.entries, system.directory.ways) = (ways * sets, ways);
}

fn more(system: &mut System, gpus: u16, ways: u32, sets: u32) {
    system.machine.gpus = gpus;
    entries(system, ways, sets);
}

/// Section 5.4: 128 CUs with 128 kB of L1 each, 72 MB of L2, lines of 128 bytes, ranges of 2 kB.
fn nvidia(system: &mut System) {
    system.machine.cus = 128;
    system.machine.line = 128;
    system.l1.bytes = 128 << 10;
    system.l2.bytes = 72 << 20;
    // What moves a line stays as many lines wide.
    system.network.bytes_per_cycle += 64;
    system.directory.range = 2048;
}

/// Machines that run at full size.
const FULL: [&str; 6] = ["no-caching", "baseline", "baseline-2x", "hmg", "rec", "ideal"];

/// All machines at a scale. Panics where one cannot be built: they are constants.
pub fn all(scale: u32) -> Vec<Point> {
    let mut full = systems::load("rec-4gpu", &[]).expect("it is a preset");
    // The largest range of all.
    full.l2.interleave = 4096;
    let point = |&(name, design, change): &(&'static str, &str, Change)| {
        let mut full = full.clone();
        full.l2.design = design.to_string();
        change(&mut full);
        let mut system = if scale > 1 { systems::twin(&full, scale) } else { full };
        system.name = name.to_string();
        system.check().unwrap_or_else(|e| panic!("{name}: {e}"));
        Point { name, system, cp: Cp::Native }
    };
    let of_scale = |(name, ..): &&(&str, &str, Change)| scale > 1 || FULL.contains(name);
    POINTS.iter().filter(of_scale).map(point).collect()
}
