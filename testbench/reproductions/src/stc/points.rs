//! The machines of the experiment: the paper's with each design, and what its figures change.

use crate::experiment::{Change, Point};

/// CUs of the paper's machine.
pub const CUS: u16 = 8;

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
    // TC-Strong's L1 has at most 8 ways and 64 misses; so have those that it is compared with.
    (
        TCS,
        "stc-8cu",
        "tc-strong",
        &[
            FEW[0],
            FEW[1],
            ("l2.design", "own"),
            ("timestamp.l2_div", "1"),
            // A shorter one is over when the line is at its L1.
            ("timestamp.tc_lease", "400"),
        ],
    ),
    ("mb-8-way", "stc-8cu", "stc-mb", FEW),
    ("src-8-way", "stc-8cu", "src", FEW),
];

/// TC-Strong.
pub const TCS: &str = "tc-strong";
const FEW: Change = &[("l1.ways", "8"), ("l1.misses", "64")];

/// All machines. The L2 is kept between kernels as in the paper.
pub fn all() -> Vec<Point> {
    let point = |&(name, preset, design, change)| Point::with_l1(name, preset, design, change);
    POINTS.iter().map(point).collect()
}
