//! Machines that follow from a preset: other numbers of chiplets, CUs or GPUs, and smaller twins.

use super::SMALL;
use crate::System;
use crate::config::decimal::in_lowest_terms;
use crate::gate::load_bytes;
use crate::l3::DRAM;

/// The same machine with another number of chiplets. L3 and memory are the GPU's: in all they stay
/// as they are, but for an L3 that has no whole sets then, which loses the rest.
pub fn with_chiplets(mut system: System, name: &str, chiplets: u16) -> System {
    let m = &mut system.memory;
    (m.bytes, m.cycles) = in_lowest_terms(
        m.bytes * u64::from(system.machine.chiplets),
        m.cycles * u64::from(chiplets),
    );
    system.name = name.to_string();
    system.machine.chiplets = chiplets;
    let parts = u64::from(system.l3.slices) * u64::from(chiplets);
    let set = u64::from(system.l3.ways) * u64::from(system.machine.line) * parts;
    system.l3.bytes -= system.l3.bytes % set;
    system
}

/// The same machine with another number of CUs, each with its L1; all else stays as it is.
pub fn with_cus(mut system: System, name: &str, cus: u16) -> System {
    system.name = name.to_string();
    system.machine.cus = cus;
    system
}

/// The same GPU, so many times, on links of PCIe 6.0, 128 GB/s, where the first machine has other
/// GPUs on PCIe 4.0 (FinePack, sections V and VI-B). The clock of links and blocks is as much
/// faster, so that a block takes as many stores for each byte of its link.
pub fn with_gpus(mut system: System, name: &str, gpus: u16) -> System {
    let link = &mut system.gpu_link;
    if gpus != system.machine.gpus {
        (link.generation, link.bytes_per_ns) = (6, 128.into());
        link.clock_mhz *= 4;
    }
    system.name = name.to_string();
    system.machine.gpus = gpus;
    system
}

/// The twin of a machine: divided by `by`, for programs whose footprint is so much smaller.
///
/// 1. What a machine has in all is divided: CUs (and with them L1s and waves), capacity of L2 and
///    L3, banks, slices, miss registers, bandwidth of networks, links and memory.
/// 2. Where units are divided, each stays as it is. Units of which no whole number is left are
///    rounded, at least 1, and what rounding added is taken from each unit: miss registers, bytes
///    in a cycle. A directory has a power of 2 of sets, rounded down.
/// 3. Lines, ways (but for caches smaller than one set), GPUs, chiplets, clock and queues stay.
/// 4. Latencies stay: a load on the idle machine takes exactly as long. What a line takes longer
///    through narrower ports is taken off the latency behind them.
pub fn twin(full: &System, by: u32) -> System {
    let mut s = full.clone();
    let factor = u64::from(by);
    s.name += SMALL;
    s.scale *= by;
    s.machine.cus = share(full.machine.cus, by);
    s.l2.banks = share(full.l2.banks, by);
    s.l3.slices = share(full.l3.slices, by);
    // The greatest number of CUs that divides those that are left.
    let combine = (1..=full.network.combine).rev().find(|&n| s.machine.cus.is_multiple_of(n));
    s.network.combine = combine.unwrap_or(0);
    let (banks, slices) = (u64::from(full.l2.banks), u64::from(full.l3.slices));
    let (banks_left, slices_left) =
        (u64::from(s.l2.banks) * factor, u64::from(s.l3.slices) * factor);

    let line = u64::from(full.machine.line);
    (s.l2.bytes, s.l2.ways) =
        fit(full.l2.bytes / factor, full.l2.ways, line * u64::from(s.l2.banks));
    let slice_lines = line * u64::from(s.l3.slices) * u64::from(s.machine.chiplets);
    if full.l3.bytes > 0 {
        (s.l3.bytes, s.l3.ways) = fit(full.l3.bytes / factor, full.l3.ways, slice_lines);
    }
    s.directory.entries =
        sets(full.directory.entries / full.directory.ways, by) * full.directory.ways;
    let registers =
        |each: u32, units: u64, left: u64| (divide(u64::from(each) * units, left) as u32).min(each);
    s.l2.misses = registers(full.l2.misses, banks, banks_left);
    s.l3.misses = registers(full.l3.misses, slices, slices_left);

    let port = full.network.bytes_per_cycle;
    s.network.bytes_per_cycle = divide(port * banks, banks_left).min(port);
    let (memory, link) = (&full.memory, &full.chiplet_link);
    (s.memory.bytes, s.memory.cycles) =
        in_lowest_terms(memory.bytes * slices, memory.cycles * slices_left);
    (s.chiplet_link.bytes, s.chiplet_link.cycles) =
        in_lowest_terms(link.bytes, link.cycles * factor);
    s.gpu_link.bytes_per_ns = full.gpu_link.bytes_per_ns.divided(factor);

    let header = u64::from(full.network.header_bytes);
    let (ways, times) = ([header, header + line], 2);
    // Cycles that a header, or a line with its header, takes longer.
    let longer = |from: (u64, u64), to: (u64, u64), bytes: u64| {
        let time = |(b, c): (u64, u64)| (bytes * c).div_ceil(b);
        (time(to) - time(from)) as u32
    };
    let (before, after) = ((port, 1), (s.network.bytes_per_cycle, 1));
    let hops: u32 = ways.iter().map(|&bytes| times * longer(before, after, bytes)).sum();
    s.l2.latency = off(full.l2.latency, hops);
    s.l3.latency = off(full.l3.latency, hops);
    let memory_rates = ((memory.bytes, memory.cycles), (s.memory.bytes, s.memory.cycles));
    let transfer = match full.memory.model == DRAM {
        true => 0,
        false => longer(memory_rates.0, memory_rates.1, line),
    };
    // What the slice's own latency cannot give, the memory behind it does.
    let rest = hops - (full.l3.latency - s.l3.latency);
    s.memory.latency = off(full.memory.latency, transfer + rest);
    let link_rates = ((link.bytes, link.cycles), (s.chiplet_link.bytes, s.chiplet_link.cycles));
    let over_link: u32 = ways.iter().map(|&b| longer(link_rates.0, link_rates.1, b)).sum();
    s.chiplet_link.round_trip = off(link.round_trip - 1, over_link) + 1;
    let gpu_link = |s: &System| {
        let (bytes, cycles) = s.gpu_link.rate();
        (bytes.into(), cycles.into())
    };
    let (before, after) = (gpu_link(full), gpu_link(&s));
    let [request, answer] = load_bytes(full);
    let cycles = longer(before, after, request) + longer(before, after, answer);
    // There and back.
    let ns = cycles * 1000 / full.gpu_link.clock_mhz / 2;
    s.gpu_link.latency = off(full.gpu_link.latency - 1, ns) + 1;
    s
}

/// Units left of `units`.
fn share(units: u16, by: u32) -> u16 {
    divide(units.into(), by.into()) as u16
}

/// Rounded to the nearest, at least 1.
fn divide(value: u64, by: u64) -> u64 {
    ((value + by / 2) / by).max(1)
}

/// A latency less some cycles, at least 1.
fn off(latency: u32, cycles: u32) -> u32 {
    latency.saturating_sub(cycles).max(1)
}

/// Capacity and ways near `bytes`, in whole sets of lines of `line` bytes (of all parts together).
fn fit(bytes: u64, ways: u32, line: u64) -> (u64, u32) {
    let lines = (bytes / line).max(1);
    let ways = ways.min(lines as u32);
    (lines / u64::from(ways) * u64::from(ways) * line, ways)
}

/// Sets of a directory left of `sets`: a power of 2.
fn sets(sets: u32, by: u32) -> u32 {
    1 << (sets / by).max(1).ilog2()
}
