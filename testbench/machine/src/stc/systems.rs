//! The systems of STC, and the designs as the paper ran them.

use crate::config::registry::registered;
use crate::config::systems::{Preset, Variant, kept, with_cus};

inventory::submit! { registered(Preset {
        about: "STC (table 3, section 7.4): 8 to 32 CUs with large L1s",
        twin: 4,
        text: include_str!("../../systems/stc-8cu.toml"),
        grows: with_cus,
        members: &[("stc-8cu", 8), ("stc-16cu", 16), ("stc-32cu", 32)],
        variants: VARIANTS,
}) }

/// STC, section 7.
const VARIANTS: &[Variant] = &[
    Variant::new(
        "none",
        "no L1: every access goes to the L2",
        "STC compares with it",
        kept!(("l1.design", "none"), ("cu.exclusive_lines", "true")),
    ),
    Variant::new(
        "src",
        "L1s are invalidated when a kernel begins",
        "STC's baseline",
        kept!(("l1.design", "src"), ("cu.exclusive_lines", "true")),
    ),
    Variant::new(
        "stc-nv",
        "epochs in a fixed order; an L1 keeps lines outside the granted epoch",
        "STC, figure 7",
        kept!(("l1.design", "stc-nv")),
    ),
    Variant::new(
        "stc-es",
        "epochs without a demand are skipped",
        "STC, figure 7",
        kept!(("l1.design", "stc-es")),
    ),
    Variant::new(
        "stc-ab",
        "conflicts move the address bits that select the epoch",
        "STC, figure 7",
        kept!(("l1.design", "stc-ab")),
    ),
    Variant::new(
        "stc-mb",
        "several epochs are granted at once",
        "STC: reuse across kernels; 7.13 % less time than `src`, 1.63 % over all",
        kept!(("l1.design", "stc-mb")),
    ),
];
