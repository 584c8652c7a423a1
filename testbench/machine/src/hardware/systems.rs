//! Real GPUs as systems, each value with its source: published, or fitted to a microbenchmark.

use crate::config::registry::registered;
use crate::config::systems::Preset;

inventory::submit! { registered(Preset {
    about: "NVIDIA H100 SXM5 (duet correlate): 132 SMs, two L2 partitions, HBM3",
    twin: 66,
    text: include_str!("../../systems/h100.toml"),
    grows: |system, _, _| system,
    members: &[("h100", 1)],
    variants: &[],
}) }

inventory::submit! { registered(Preset {
    about: "NVIDIA H200 SXM5: 132 SMs, 60 MB of L2, HBM3E; from microbenchmarks",
    twin: 66,
    text: include_str!("../../systems/h200.toml"),
    grows: |system, _, _| system,
    members: &[("h200", 1)],
    variants: &[],
}) }
