//! What each level of the memory system could move in a cycle.

use machine::{Ports, System, Traffic};

use crate::Level;

/// All levels of a machine, from the CUs outwards. `count`: its statistics.
pub fn levels(system: &System, traffic: &Traffic, count: impl Fn(&str) -> u64) -> Vec<Level> {
    let m = &system.machine;
    let gpus = f64::from(m.gpus);
    let chiplets = gpus * f64::from(m.chiplets);
    let line = u64::from(m.line);
    let cus = chiplets * f64::from(m.cus);
    let [banks, slices] =
        [system.l2.banks, system.l3.slices].map(|ports| chiplets * f64::from(ports));
    let port = system.network.bytes_per_cycle as f64;
    let links = gpus * f64::from(m.chiplets) * f64::from(m.chiplets - 1);
    let per_cycle = |bytes: u64, cycles: u64| bytes as f64 / cycles as f64;
    let link = per_cycle(system.chiplet_link.bytes, system.chiplet_link.cycles);
    // Bytes in a nanosecond, in a cycle of the GPU's clock.
    let per_ns = system.gpu_link.bytes_per_ns.millionths() as f64 / 1e6;
    let gpu_link = per_ns * 1000.0 / f64::from(m.clock_mhz);
    let accessed = line * count("cu.accesses");
    // Machines that transfer parts of lines count bytes.
    let parts = count("memory.bytes_read") + count("memory.bytes_written");
    let lines = line * (count("l3.fetches") + count("memory.writes"));
    let memory = if parts > 0 { parts } else { lines };
    let (memory_bytes, memory_cycles) = system.memory_rate();
    let between = traffic.chiplets.iter().flatten().sum();
    let level = |name: &str, ports: &str, bytes, possible| Level {
        name: name.to_string(),
        ports: ports.to_string(),
        bytes,
        possible,
    };
    let through = |ports| traffic.through(ports);
    let mut all = vec![
        level("L1", "a line in each cycle and CU", accessed, cus * line as f64),
        level("requests to L2", "ports of L2 banks", through(Ports::CuRequests), banks * port),
        level("answers of L2", "ports of L2 banks", through(Ports::L2Answers), banks * port),
        level("requests to L3", "ports of L3 slices", through(Ports::L2Requests), slices * port),
        level("answers of L3", "ports of L3 slices", through(Ports::L3Answers), slices * port),
        level(
            "DRAM",
            "memory channels, lines read and written",
            memory,
            slices * per_cycle(memory_bytes, memory_cycles),
        ),
        level("links between chiplets", "both directions of all links", between, links * link),
    ];
    if m.gpus > 1 && system.egress.design != "infinite" {
        let wire = count("gpu_link.wire_bytes");
        let ports = "outgoing links of all GPUs, without the reverse links";
        all.push(level("links between GPUs", ports, wire, gpus * gpu_link));
    }
    // A machine with one chiplet has no links between chiplets.
    all.retain(|level| level.possible > 0.0);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::systems;

    #[test]
    fn possible_bytes_follow_from_the_system_file() {
        let set = [
            ("machine.gpus", "2"),
            ("machine.chiplets", "3"),
            ("machine.cus", "5"),
            ("machine.line", "64"),
            ("machine.clock_mhz", "2000"),
            ("l2.banks", "4"),
            ("l3.slices", "2"),
            ("l3.bytes", "294912"),
            ("network.bytes_per_cycle", "32"),
            ("chiplet_link.bytes", "48"),
            ("chiplet_link.cycles", "2"),
            ("memory.bytes", "20"),
            ("memory.cycles", "4"),
            ("gpu_link.bytes_per_ns", "16"),
        ];
        let set: Vec<_> = set.map(|(k, v)| (k.to_string(), v.to_string())).to_vec();
        let system = systems::load("cpelide-4-small", &set).unwrap();
        let chiplets = vec![vec![0, 7], vec![5, 0]];
        let traffic = Traffic { chiplets, ports: [1, 2, 3, 4], ..Traffic::default() };
        let count = |name: &str| match name {
            "cu.accesses" => 10,
            "l3.fetches" => 3,
            "memory.writes" => 2,
            "gpu_link.wire_bytes" => 99,
            _ => 0,
        };
        let all = levels(&system, &traffic, count);
        let all: Vec<_> = all.iter().map(|l| (l.name.as_str(), l.bytes, l.possible)).collect();
        // 6 chiplets: 30 CUs, 24 banks, 12 slices; 2 x 6 links; half a nanosecond in a cycle.
        assert_eq!(
            all,
            [
                ("L1", 640, 30.0 * 64.0),
                ("requests to L2", 1, 24.0 * 32.0),
                ("answers of L2", 2, 24.0 * 32.0),
                ("requests to L3", 3, 12.0 * 32.0),
                ("answers of L3", 4, 12.0 * 32.0),
                ("DRAM", 5 * 64, 12.0 * 5.0),
                ("links between chiplets", 12, 12.0 * 24.0),
                ("links between GPUs", 99, 2.0 * 8.0),
            ]
        );
    }
}
