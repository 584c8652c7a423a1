//! Energy of what CPElide spares: accesses to memory, and the networks.

use crate::experiment::Record;

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
