//! What `duet list` shows beside the blocks: name and one line each.

/// Whole systems.
pub const SYSTEMS: &[(&str, &str)] = &[(
    "finepack-egress",
    "4 GPUs whose remote stores meet on PCIe links: remote stores only, no caches",
)];

/// Egress paths between GPUs.
pub const PROTOCOLS: &[(&str, &str)] = &[
    ("p2p", "each store at once, one write TLP for each run of bytes"),
    ("write-combine", "a 64-entry combining buffer, one write TLP for each run of bytes"),
    ("finepack", "remote write queue and packetizer"),
    ("dma", "whole blocks copied at the end of a kernel"),
    ("infinite", "no link"),
    ("config-packet", "the stateful alternative of FinePack section VI-B"),
];

/// Programs whose remote stores are run for real.
pub const WORKLOADS: &[(&str, &str)] = &[
    ("pagerank", "PageRank over a cage-like matrix, ranks pushed to replicas"),
    ("jacobi", "Jacobi over a banded system, boundary values pushed to neighbours"),
    ("sssp", "Bellman-Ford shortest paths over a web-like graph, distances pushed to replicas"),
];
