//! The systems of G-TSC and TC, and the designs as the paper ran them.

use crate::config::registry::registered;
use crate::config::systems::{KEPT, Preset, Variant, kept, with_chiplets};

inventory::submit! { registered(Preset {
        about: "Tabbakh's thesis (table 3.3): as `fermi-16sm`, with eight memory partitions",
        twin: 4,
        text: include_str!("../../systems/fermi-16sm-8p.toml"),
        grows: with_chiplets,
        members: &[("fermi-16sm-8p", 1)],
        variants: VARIANTS,
}) }

const OWN: [(&str, &str); 2] = [("l2.design", "own"), KEPT[1]];
const LEASE: (&str, &str) = ("timestamp.tc_lease", "400");

/// Tabbakh's thesis, chapter 3.
const VARIANTS: &[Variant] = &[
    Variant::new(
        "none",
        "no L1: every access goes to the L2",
        "what the thesis's figures are normalised to",
        kept!(("l1.design", "none")),
    ),
    Variant::new(
        "src",
        "L1s are invalidated at kernel boundaries only: not coherent inside a kernel",
        "the thesis compares programs without sharing with it",
        kept!(("l1.design", "src")),
    ),
    Variant::new(
        "tc-strong",
        "leases in physical time; a write waits for the leases of its line",
        "TC; the thesis compares with it",
        &[OWN[0], OWN[1], ("l1.design", "tc-strong"), LEASE],
    ),
    Variant::new(
        "tc-weak",
        "leases in physical time; a fence waits for the leases of written lines",
        "TC; the thesis compares with it",
        &[OWN[0], OWN[1], ("l1.design", "tc-weak"), LEASE],
    ),
    Variant::new(
        "gtsc-sc",
        "leases in logical time; a wave issues an access when the one before has ended",
        "G-TSC: programs that share data inside a kernel; 26 % over `tc-weak`",
        &[OWN[0], OWN[1], ("l1.design", "gtsc-sc")],
    ),
    Variant::new(
        "gtsc-rc",
        "leases in logical time; fences order a wave's accesses",
        "G-TSC: programs that share data inside a kernel; 38 % over `tc-weak`",
        &[OWN[0], OWN[1], ("l1.design", "gtsc-rc")],
    ),
];
