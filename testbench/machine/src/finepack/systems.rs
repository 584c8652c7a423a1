//! The systems of FinePack, and the designs as the paper ran them.

use crate::config::registry::registered;
use crate::config::systems::{Preset, Variant, with_gpus};

inventory::submit! { registered(Preset {
        about: "FinePack (HPCA'23, table III): 4 GPUs of 80 SMs on PCIe 4.0, 16 on PCIe 6.0",
        twin: 16,
        text: include_str!("../../systems/finepack-4gpu.toml"),
        grows: with_gpus,
        members: &[("finepack-4gpu", 4), ("finepack-16gpu", 16)],
        variants: VARIANTS,
}) }

const LINE: (&str, &str) = ("placement.policy", "replicated-by-line");
const PAGE: (&str, &str) = ("placement.policy", "replicated-by-page");

/// FinePack, section V: pages have a copy on each GPU that reads them.
const VARIANTS: &[Variant] = &[
    Variant::new(
        "p2p",
        "each store leaves at once as a TLP of its own",
        "FinePack's baseline",
        &[LINE, ("egress.design", "p2p")],
    ),
    Variant::new(
        "write-combine",
        "a combining buffer of 64 lines; one TLP for each run of bytes",
        "FinePack compares with it",
        &[LINE, ("egress.design", "write-combine")],
    ),
    Variant::new(
        "finepack",
        "stores to one window are packed into one TLP with sub-headers",
        "FinePack: programs with small remote stores; 3x over P2P, 1.4x over DMA",
        &[LINE, ("egress.design", "finepack")],
    ),
    Variant::new(
        "dma",
        "whole pages are copied when a kernel ends",
        "FinePack compares with it",
        &[PAGE, ("egress.design", "dma")],
    ),
    Variant::new(
        "gps",
        "stores are combined by line and sent to GPUs that subscribe to the page",
        "GPS; FinePack compares with it (section VI-B)",
        &[PAGE, ("egress.design", "write-combine")],
    ),
    Variant::new(
        "config-packet",
        "a packet announces the window of the stores after it",
        "FinePack's alternative (section VI-B)",
        &[LINE, ("egress.design", "config-packet")],
    ),
    Variant::new(
        "infinite",
        "links take no time for bytes",
        "FinePack's upper bound",
        &[LINE, ("egress.design", "infinite"), ("gpu_link.latency", "2")],
    ),
];
