//! The systems of sharing-aware caches, and the designs as the paper ran them.

use crate::config::registry::registered;
use crate::config::systems::{KEPT, Preset, Variant, with_chiplets};

inventory::submit! { registered(Preset {
        about: "Tabbakh's thesis (table 2.1): as `fermi-16sm`, with 15 SMs of up to 8 CTAs",
        twin: 3,
        text: include_str!("../../systems/fermi-15sm.toml"),
        grows: with_chiplets,
        members: &[("fermi-15sm", 1)],
        variants: VARIANTS,
}) }

inventory::submit! { registered(Preset {
        about: "Tabbakh's thesis (section 2.6.4): like a Kepler, with an L2 of 2 MB",
        twin: 5,
        text: include_str!("../../systems/kepler-15sm.toml"),
        grows: with_chiplets,
        members: &[("kepler-15sm", 1)],
        variants: VARIANTS,
}) }

macro_rules! sharing {
    ($scheduler:literal, $l1:literal, $l2:literal) => {
        &[
            KEPT[0],
            KEPT[1],
            ("l1.design", "src"),
            ("cu.scheduler", $scheduler),
            ("sharing.l1", "sharing-aware"),
            ("sharing.l2", "sharing-aware"),
            ("sharing_aware.l1_mgt", $l1),
            ("sharing_aware.l2_mgt", $l2),
        ]
    };
}

/// Tabbakh's thesis, chapter 2. Where a policy is off, its block gives the least recently used way.
const VARIANTS: &[Variant] = &[
    Variant::new(
        "base",
        "work-groups round-robin, caches with LRU replacement",
        "the thesis's baseline",
        sharing!("rr_block", "0", "0"),
    ),
    Variant::new(
        "bcs",
        "pairs of consecutive work-groups to a CU",
        "BCS; the thesis compares with it",
        sharing!("bcs", "0", "0"),
    ),
    Variant::new(
        "qx_adpt",
        "a row of work-groups to a CU, the last ones singly",
        "the thesis: programs whose neighbouring work-groups share lines",
        sharing!("qx_adpt", "0", "0"),
    ),
    Variant::new(
        "sharing-aware",
        "`qx_adpt`, and caches that evict private lines first",
        "the thesis: neighbouring work-groups share lines; 7 % less time than `base`",
        sharing!("qx_adpt", "1", "1"),
    ),
];
