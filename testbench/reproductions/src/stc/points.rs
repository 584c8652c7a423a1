//! The machines of the experiment: the paper's with each design, and what its figures change.

use machine::{Cp, systems};

use crate::experiment::Point;

/// CUs of the paper's machine.
pub const CUS: u16 = 8;

/// The L2 is one for all CUs, so nothing is written back or dropped between kernels but what the
/// host asks for, as in the paper; the decision takes no time.
const KEPT_L2: [(&str, &str); 2] =
    [("l2.design", "cpelide"), ("command_processor.elide_cycles", "0")];

type Change = &'static [(&'static str, &'static str)];

/// The coalescer "blocks requests to an address when there are older outstanding ones" (STC,
/// section 4.2), as it must under STC.
const LINES: Change = &[("cu.exclusive_lines", "true")];

/// Name, preset, L1 design, and what is changed.
const POINTS: &[(&str, &str, &str, Change)] = &[
    ("src", "stc-8cu", "src", &[]),
    ("src-lines", "stc-8cu", "src", LINES),
    ("none", "stc-8cu", "none", &[]),
    ("none-lines", "stc-8cu", "none", LINES),
    ("nv", "stc-8cu", "stc-nv", &[]),
    ("es", "stc-8cu", "stc-es", &[]),
    ("ab", "stc-8cu", "stc-ab", &[]),
    ("mb", "stc-8cu", "stc-mb", &[]),
    ("mb-50", "stc-8cu", "stc-mb", &[("stc.wakeup", "50")]),
    ("mb-150", "stc-8cu", "stc-mb", &[("stc.wakeup", "150")]),
    ("mb-200", "stc-8cu", "stc-mb", &[("stc.wakeup", "200")]),
    ("mb-300", "stc-8cu", "stc-mb", &[("stc.wakeup", "300")]),
    ("mb-450", "stc-8cu", "stc-mb", &[("stc.wakeup", "450")]),
    ("mb-8-epochs", "stc-8cu", "stc-mb", &[("stc.band_bits", "3")]),
    ("mb-32-epochs", "stc-8cu", "stc-mb", &[("stc.band_bits", "5")]),
    ("lines-16k", "stc-8cu", "src", &[("l1.bytes", "16384"), LINES[0]]),
    ("mb-16k", "stc-8cu", "stc-mb", &[("l1.bytes", "16384")]),
    ("mb-bsq-64", "stc-8cu", "stc-mb", &[("stc.bsq_n", "64")]),
    ("mb-bsq-128", "stc-8cu", "stc-mb", &[("stc.bsq_n", "128")]),
    ("lines-16cu", "stc-16cu", "src", LINES),
    ("mb-16cu", "stc-16cu", "stc-mb", &[]),
    ("lines-32cu", "stc-32cu", "src", LINES),
    ("mb-32cu", "stc-32cu", "stc-mb", &[]),
    // What may be the reason of a difference, alone: where the bits that say a band begin, more
    // work between accesses, and an L2 that each kernel drops.
    ("mb-bit-14", "stc-8cu", "stc-mb", &[("stc.seb_init", "14")]),
    ("mb-bit-16", "stc-8cu", "stc-mb", &[("stc.seb_init", "16")]),
    ("mb-bit-18", "stc-8cu", "stc-mb", &[("stc.seb_init", "18")]),
    ("lines-work", "stc-8cu", "src", &[("cu.gap_cycles", "16"), LINES[0]]),
    ("mb-work", "stc-8cu", "stc-mb", &[("cu.gap_cycles", "16")]),
    ("lines-dropped-l2", "stc-8cu", "src", &[("l2.design", "software"), LINES[0]]),
    ("mb-dropped-l2", "stc-8cu", "stc-mb", &[("l2.design", "software")]),
];

/// All machines. Panics where one cannot be built: they are constants.
pub fn all() -> Vec<Point> {
    let point = |&(name, preset, design, change): &(&'static str, &str, &str, Change)| {
        let all = [("l1.design", design)].into_iter().chain(KEPT_L2);
        // What comes later counts.
        let mut set: Vec<(String, String)> = Vec::new();
        for (key, value) in all.chain(change.iter().copied()) {
            set.retain(|(other, _)| other != key);
            set.push((key.to_string(), value.to_string()));
        }
        let mut system = systems::load(preset, &set).unwrap_or_else(|e| panic!("{name}: {e}"));
        system.name = name.to_string();
        Point { name, system, cp: Cp::Native }
    };
    POINTS.iter().map(point).collect()
}
