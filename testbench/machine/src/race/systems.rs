//! The systems of race detection, and the designs as the paper ran them.

use crate::config::registry::registered;
use crate::config::systems::{Preset, Variant, kept, with_chiplets};

inventory::submit! { registered(Preset {
        about: "Tabbakh's thesis (table 4.1): 16 SMs like a GTX 480",
        twin: 4,
        text: include_str!("../../systems/fermi-16sm.toml"),
        grows: with_chiplets,
        members: &[("fermi-16sm", 1)],
        variants: VARIANTS,
}) }

/// Bits of a signature, bytes of a granule.
const SIGNATURE: [(&str, &str); 2] = [("race_detection.m", "8192"), ("race_detection.gran", "128")];

/// Tabbakh's thesis, chapter 4.
const VARIANTS: &[Variant] = &[
    Variant::new(
        "race-base",
        "no race detection",
        "what the thesis's figures are normalised to",
        kept!(("l1.design", "race-base")),
    ),
    Variant::new(
        "race-nospec",
        "a CU waits for each check",
        "the thesis compares with it",
        kept!(("l1.design", "race-nospec"), SIGNATURE[0], SIGNATURE[1]),
    ),
    Variant::new(
        "race-spec",
        "loads that hit continue speculatively during the check",
        "the thesis: 5.8 % more time than without checks, `race-nospec` 19.3 %",
        kept!(("l1.design", "race-spec"), SIGNATURE[0], SIGNATURE[1]),
    ),
    Variant::new(
        "race-ideal",
        "checks take no time",
        "the thesis's upper bound",
        kept!(("l1.design", "race-ideal"), SIGNATURE[0], SIGNATURE[1]),
    ),
];
