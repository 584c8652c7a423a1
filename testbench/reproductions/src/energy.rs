//! Energy of the memory system: accesses to caches and to memory, and the networks; and of the
//! GPU's other parts, as far as a thesis tells it.

use crate::experiment::Record;
use crate::race::inputs::INPUTS;

/// What 256 bits cost in the array of a small cache, and a line of memory, pJ, at 28 nm: table 7 of
/// Pérez-Serrano et al., "DNA sequences alignment in multi-GPUs: acceleration and energy payoff",
/// BMC Bioinformatics 19, 2018. Larger caches are made of such arrays; their wires are networks.
const ARRAY: f64 = 50.0;
const MEMORY: f64 = 16_000.0;
/// Of these, in a line of the paper's machine.
const PARTS: f64 = 2.0;
/// What a bit costs between two chiplets, pJ: Poulton et al., "A 0.54 pJ/b 20 Gb/s
/// Ground-Referenced Single-Ended Short-Reach Serial Link in 28 nm CMOS for Advanced Packaging
/// Applications", JSSC 48-12, 2013.
const LINK: f64 = 0.54;
/// What a bit costs for each mm on a chiplet, pJ: Turner et al., "Ground-Referenced Signaling for
/// Intra-Chip and Short-Reach Chip-to-Chip Interconnects", CICC 2018.
const WIRE: f64 = 0.17;
/// How far a message goes on a chiplet, mm (chosen).
const DISTANCE: f64 = 10.0;

/// Lines that memory moves: all cost the same.
pub fn memory_lines(record: &Record) -> f64 {
    record.counter("l3.fetches") + record.counter("memory.writes")
}

/// Of the networks, pJ.
pub fn networks(record: &Record) -> f64 {
    let bits = |group| 8.0 * record.group(group);
    WIRE * DISTANCE * bits("traffic.chiplet.") + LINK * bits("traffic.link.")
}

/// Of the L1s, pJ. One looks at each load, and takes the lines that miss; it passes stores on.
pub fn l1s(record: &Record) -> f64 {
    lines(record, &["l1.loads"])
}

/// Of the L2s, pJ.
pub fn l2s(record: &Record) -> f64 {
    let names = ["reads", "fetches", "writes", "atomics", "write_backs", "released"];
    lines(record, &names.map(|name| format!("l2.{name}")))
}

/// Of the L3s, pJ.
fn l3s(record: &Record) -> f64 {
    lines(record, &["reads", "fetches", "writes", "atomics"].map(|name| format!("l3.{name}")))
}

/// Lines that go into arrays of caches, or come from them, pJ.
fn lines(record: &Record, names: &[impl AsRef<str>]) -> f64 {
    PARTS * ARRAY * names.iter().map(|name| record.counter(name.as_ref())).sum::<f64>()
}

/// Of memory, pJ.
pub fn memory(record: &Record) -> f64 {
    MEMORY * memory_lines(record)
}

/// Of the memory system, pJ.
pub fn all(record: &Record) -> f64 {
    l1s(record) + l2s(record) + l3s(record) + networks(record) + memory(record)
}

/// Of the GPU's other parts, pJ: the mean of the baseline's energy of a cycle in Tabbakh's thesis
/// (tables A.1 and A.16), in each cycle inside kernels, busy or not.
pub fn others(record: &Record) -> f64 {
    const PICOJOULES: f64 = 1e9;
    record.inside() * INPUTS.baseline.energy_of_cycle("") * PICOJOULES
}

/// Of the GPU, pJ.
pub fn gpu(record: &Record) -> f64 {
    others(record) + all(record)
}
