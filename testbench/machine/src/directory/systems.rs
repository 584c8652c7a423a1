//! The systems of REC, and the designs as the paper ran them.

use crate::config::registry::registered;
use crate::config::systems::{Preset, Variant, with_chiplets};

inventory::submit! { registered(Preset {
        about: "REC (JSA 2025, table 2): 4 GPUs of 64 CUs, links of 150 GB/s",
        twin: 16,
        text: include_str!("../../systems/rec-4gpu.toml"),
        grows: with_chiplets,
        members: &[("rec-4gpu", 1)],
        variants: VARIANTS,
}) }

/// REC, section 5.
const VARIANTS: &[Variant] = &[
    Variant::new(
        "no-caching",
        "remote lines are fetched again in each kernel",
        "what REC's figures are normalised to",
        &[("l2.design", "software")],
    ),
    Variant::new(
        "baseline",
        "L2s cache remote lines; the home's directory has an entry for each line",
        "REC's baseline",
        &[("l2.design", "directory")],
    ),
    Variant::new(
        "hmg",
        "an entry covers four lines with one set of sharers",
        "HMG; REC compares with it",
        &[("l2.design", "hmg")],
    ),
    Variant::new(
        "rec",
        "an entry covers a range of lines, each with its own sharers",
        "REC: shared lines exceed the directory's capacity; 32.7 % over the baseline",
        &[("l2.design", "rec")],
    ),
    Variant::new(
        "ideal",
        "the directory never evicts an entry",
        "REC's upper bound",
        &[("l2.design", "ideal")],
    ),
];
