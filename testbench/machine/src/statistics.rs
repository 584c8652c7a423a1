//! What is counted: names, units and meanings, and how the values are collected.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use ports::common::finepack_types::flush_cause;

use super::context::Context;
use super::engine::ComponentId;
use super::message::{CLASSES, Class};
use super::part::Part;

/// How a statistic behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It only grows.
    Count,
}

/// A statistic. `name` may end in `.*` where the last word names one of several alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statistic {
    /// Dotted name.
    pub name: &'static str,
    /// Unit.
    pub unit: &'static str,
    /// Meaning.
    pub meaning: &'static str,
    /// Behaviour.
    pub kind: Kind,
}

/// Statistics that a design counts, in a table with those of the machine once they are submitted:
/// `inventory::submit! { Counted(&statistics! { "l1.name" "unit" "meaning" }) }`.
pub struct Counted(pub &'static [Statistic]);

inventory::collect!(Counted);

/// All statistics, those of an owner together.
pub static STATISTICS: LazyLock<Vec<Statistic>> = LazyLock::new(|| {
    let mut all = MACHINE.to_vec();
    let mut tables: Vec<_> = inventory::iter::<Counted>().map(|Counted(table)| *table).collect();
    tables.sort_by_key(|table| table.first().map(|statistic| statistic.name));
    for statistic in tables.into_iter().flatten() {
        // Before the name that stands for all others of the owner.
        let stands_for =
            |s: &Statistic| s.name.strip_suffix('*').is_some_and(|p| statistic.name.starts_with(p));
        let at = all.iter().position(stands_for).unwrap_or(all.len());
        all.insert(at, *statistic);
    }
    all
});

/// Statistics as an array: name, unit and meaning of each.
#[macro_export]
macro_rules! statistics {
    ($($name:literal $unit:literal $meaning:literal),* $(,)?) => {
        [$($crate::Statistic {
            name: $name,
            unit: $unit,
            meaning: $meaning,
            kind: $crate::Kind::Count,
        }),*]
    };
}

const MACHINE: &[Statistic] = &statistics! {
    "cu.instructions" "instructions" "memory instructions of waves",
    "cu.accesses" "accesses" "coalesced line accesses of CUs",
    "cu.groups" "work-groups" "work-groups started",
    "cu.access_cycles" "cycles" "of all accesses, from their issue to their end, together",
    "cu.wait_cycles" "cycles" "in which a CU with a work-group issued nothing, and could not \
                               before an answer",
    "l1.*" "events" "what another L1 design counts, summed over CUs, units of GPUs and hooks in \
                     L2 banks; of `most_*` the greatest",
    "l2.reads" "requests" "reads answered by L2 banks",
    "l2.hits" "requests" "of these reads, answered at once",
    "l2.merges" "requests" "those that waited for a line under way",
    "l2.misses" "requests" "those with a fetch of their own",
    "l2.fetches" "lines" "lines that L2 banks asked the L3 for",
    "l2.writes" "requests" "writes taken by L2 banks",
    "l2.atomics" "requests" "atomics done by, or passed on by, L2 banks",
    "l2.dirtied" "lines" "clean lines that became dirty",
    "l2.overwritten" "lines" "dirty lines that are clean again, as all their dirty bytes were \
                             written through",
    "l2.dirty_lines" "lines" "dirty lines that are held",
    "l2.written_for_atomics" "lines" "dirty lines written back before an atomic that the L3 does",
    "l2.pushes" "requests" "where pages have copies: stores sent to those of other GPUs",
    "l2.write_backs" "lines" "dirty lines written back to make room",
    "l2.released" "lines" "dirty lines written back by releases",
    "l2.invalidated" "lines" "clean lines dropped by acquires",
    "l2.own_reads" "requests" "of a directory design: reads answered to CUs of the bank's chiplet",
    "l2.read_cycles" "cycles" "from these reads' leaving their CUs to their answers' leaving the \
                               bank, together",
    "l2.remote_fetches" "lines" "lines asked of banks of other chiplets",
    "l2.fetches_again" "lines" "of all fetched lines, those that the bank had fetched before",
    "l2.remote_fetches_again" "lines" "of these, lines of other chiplets",
    "l2.writes_through" "requests" "writes sent on to the home of their line",
    "l2.inv_hit_write" "lines" "copies that invalidations found, for writes",
    "l2.inv_hit_evict" "lines" "copies that invalidations found, for evicted entries",
    "l2.inv_miss" "messages" "invalidations that found no copy",
    "l2.inv_false" "messages" "invalidations sent for a write to another line of the entry",
    "l2.directory.requests" "requests" "reads and writes shown to directories",
    "l2.directory.allocated" "entries" "entries allocated",
    "l2.directory.evicted" "entries" "entries evicted",
    "l2.directory.lines_written" "lines" "lines invalidated for writes",
    "l2.directory.lines_evicted" "lines" "lines invalidated for evicted entries",
    "l2.directory.messages_written" "messages" "their messages to sharers: for writes",
    "l2.directory.messages_evicted" "messages" "and for evicted entries",
    "l2.directory.waits" "cycles" "after the initial sweep in which a directory took no request",
    "l2.*" "events" "what another L2 design counts beside these, summed over banks",
    "l3.reads" "requests" "reads answered by L3 slices",
    "l3.fetches" "lines" "lines read from memory",
    "l3.writes" "requests" "writes taken by L3 slices",
    "l3.atomics" "requests" "atomics done by L3 slices",
    "l3.write_back_waits" "lines" "evictions of L3 slices that waited for the memory channel",
    "l3.traffic.*" "bytes" "bytes between L2 banks and L3 slices, part of `traffic.chiplet`, by \
                            class",
    "memory.writes" "lines" "lines written to memory",
    "launch.packets" "packets" "packets taken by command processors: of kernels, and barriers",
    "launch.barriers" "packets" "of these, barriers",
    "launch.releases" "chiplets" "L2 releases sent",
    "launch.acquires" "chiplets" "L2 acquires sent",
    "launch.idle_releases" "chiplets" "of these releases, those that wrote nothing back",
    "launch.idle_acquires" "chiplets" "of these acquires, those that dropped no line",
    "launch.lines_written_back" "lines" "lines that releases wrote back, as acknowledged",
    "launch.launch_cycles" "cycles" "from packet to enabling the launch: what is left of the \
                                     decision, the L2s' releases and acquires before the kernel",
    "launch.sync_cycles" "cycles" "of launches with operations: from the first request to an L2 to \
                                   the start at all chiplets",
    "launch.kernel_cycles" "cycles" "from enabling the launch to its end on the last chiplet",
    "launch.release_cycles" "cycles" "from that end to where the host sees the completion: L2s \
                                      write back, fences of directories, arrival of stores at \
                                      other GPUs; of barriers from the packet on",
    "launch.errors" "errors" "error codes of the command processor",
    "firmware.acquires_elided" "chiplets" "L2 acquires that the baseline would have sent besides",
    "firmware.releases_elided" "chiplets" "L2 releases that the baseline would have sent besides",
    "firmware.max_entries" "entries" "most entries of the chiplet coherence table, summed over \
                                      GPUs",
    "firmware.coarsenings" "joins" "records or entries joined because there were too many",
    "firmware.conservative" "launches" "launches without usable labels",
    "firmware.cycles" "cycles" "of the processor's clock in steps 1 to 7 of launches; 0 where the \
                                firmware is called directly",
    "firmware.implied_releases" "chiplets" "releases only because an acquire would have lost dirty \
        lines",
    "firmware.mixed_resolutions" "entries" "entries whose mixed bit was resolved",
    "firmware.range_growths" "ranges" "ranges that grew",
    "egress.stores" "requests" "line stores of CUs to other GPUs",
    "egress.loads" "requests" "line loads of CUs from other GPUs",
    "egress.staged_loads" "requests" "those that found all their bytes staged, and did not leave",
    "egress.atomics" "requests" "line atomics of CUs on other GPUs",
    "egress.releases" "releases" "system releases that let stores to other GPUs arrive",
    "egress.flush_window" "flushes" "partitions of remote write queues that were flushed: by a \
                                     store to another window",
    "egress.flush_payload" "flushes" "by a store that the payload had no room for",
    "egress.flush_entries" "flushes" "by a store that there was no entry for",
    "egress.flush_load" "flushes" "by a load of bytes that they held",
    "egress.flush_atomic" "flushes" "by an atomic on bytes that they held",
    "egress.flush_release" "flushes" "by a release",
    "egress.flush_timeout" "flushes" "as no store had come for so long",
    "egress.stall_bank" "link cycles" "cycles in which a remote write queue waited for a bank",
    "egress.stall_order_queue" "link cycles" "and for a place in an order queue",
    "egress.held" "link cycles" "cycles in which an egress path took no request that was offered",
    "egress.held_by_link" "link cycles" "cycles in which a link took no beat of a TLP",
    "ingress.held" "link cycles" "cycles in which a de-packetizer took no beat of a TLP",
    "ingress.held_accesses" "link cycles" "cycles in which nobody took what it gave",
    "ingress.stores" "requests" "line stores that arrive from other GPUs",
    "ingress.loads" "requests" "line loads that arrive from other GPUs",
    "ingress.atomics" "requests" "atomics that arrive from other GPUs",
    "gpu_link.tlps" "TLPs" "TLPs sent between GPUs",
    "gpu_link.packets" "TLPs" "of these, FinePack packets",
    "gpu_link.store_tlps" "TLPs" "TLPs with stores: FinePack packets and plain writes",
    "gpu_link.small_writes" "TLPs" "plain writes of fewer than 32 bytes",
    "gpu_link.wire_bytes" "bytes" "all bytes on the forward links: the parts below together",
    "gpu_link.store_wire_bytes" "bytes" "of these, of TLPs with stores and of configuration \
        packets",
    "gpu_link.data_bytes" "bytes" "stored bytes and operands",
    "gpu_link.header_bytes" "bytes" "outer headers",
    "gpu_link.subheader_bytes" "bytes" "sub-headers",
    "gpu_link.padding_bytes" "bytes" "padding, and disabled bytes of plain writes",
    "gpu_link.framing_bytes" "bytes" "framing, sequence numbers, CRCs and flit overhead",
    "gpu_link.completion_bytes" "bytes" "completions on the reverse links",
    "gpu_link.coherence_messages" "messages" "invalidations and markers between L2s, on the \
        reverse links",
    "gpu_link.coherence_bytes" "bytes" "their bytes there",
    "gpu_link.design.*" "bytes" "what the L1 design says to other GPUs, on the reverse links, by \
        class",
    "gpu_link.busy_cycles" "link cycles" "cycles with a byte on the wire, summed over links",
    "traffic.chiplet.*" "bytes" "bytes that units put into the networks of their chiplet, by class",
    "traffic.link.*" "bytes" "bytes on links between chiplets, by class",
    "traffic.unit.*" "bytes" "bytes to and from the L1 design's units of GPUs, by class",
    "traffic.launch.*" "bytes" "bytes between command processors, CUs and L2 banks, by class",
};

/// Counters of the firmware (CPElide specification 9); launches and operations sent are counted
/// outside.
const FIRMWARE: [(usize, &str); 9] = [
    (2, "acquires_elided"),
    (4, "releases_elided"),
    (5, "max_entries"),
    (6, "coarsenings"),
    (7, "conservative"),
    (8, "cycles"),
    (9, "implied_releases"),
    (10, "mixed_resolutions"),
    (11, "range_growths"),
];

/// In the name of what has a greatest value and no sum.
const MOST: &str = ".most_";

/// Adds a value to those of the same name.
fn add(all: &mut BTreeMap<String, u64>, name: &str, value: u64) {
    let all = all.entry(name.to_string()).or_insert(0);
    *all = if name.contains(MOST) { value.max(*all) } else { value + *all };
}

/// The values of two shards of a machine together.
pub fn join(own: Vec<(String, u64)>, other: &[(String, u64)]) -> Vec<(String, u64)> {
    let mut all = own.into_iter().collect();
    other.iter().for_each(|(name, value)| add(&mut all, name, *value));
    all.into_iter().collect()
}

/// All values of the parts that this thread has, by name.
pub fn collect(parts: &[Part], ctx: &Context) -> Vec<(String, u64)> {
    let mut all = BTreeMap::new();
    let mut add = |name: &str, value: u64| add(&mut all, name, value);
    let has = |(id, part)| ctx.has_component(ComponentId(id)).then_some(part);
    for part in (0..).zip(parts).filter_map(has) {
        match part {
            Part::Core(core) => {
                add("cu.instructions", core.counters.instructions);
                add("cu.accesses", core.counters.accesses);
                add("cu.groups", core.counters.groups);
                add("cu.access_cycles", core.counters.access_cycles);
                add("cu.wait_cycles", core.counters.wait_cycles);
                core.l1().counters().iter().for_each(|(name, v)| add(&format!("l1.{name}"), *v));
            }
            Part::Unit(unit) => {
                unit.counters().iter().for_each(|(name, v)| add(&format!("l1.{name}"), *v));
            }
            Part::Bank(bank) => {
                bank.l1_counters().iter().for_each(|(name, v)| add(&format!("l1.{name}"), *v));
                bank.counters().iter().for_each(|(name, v)| add(&format!("l2.{name}"), *v));
            }
            Part::Slice(slice) => {
                let c = &slice.counters;
                add("l3.reads", c.reads);
                add("l3.fetches", c.fetches);
                add("l3.writes", c.writes);
                add("l3.atomics", c.atomics);
                add("l3.write_back_waits", c.write_back_waits);
                add("memory.writes", c.memory_writes);
            }
            Part::Global(global) => {
                let c = &global.counters;
                add("launch.packets", c.packets);
                add("launch.barriers", c.barriers);
                add("launch.releases", c.releases);
                add("launch.acquires", c.acquires);
                add("launch.idle_releases", c.idle_releases);
                add("launch.idle_acquires", c.idle_acquires);
                add("launch.lines_written_back", c.lines_written_back);
                add("launch.launch_cycles", c.launch_cycles);
                add("launch.sync_cycles", c.sync_cycles);
                add("launch.kernel_cycles", c.kernel_cycles);
                add("launch.release_cycles", c.release_cycles);
                add("launch.errors", c.errors);
                let firmware = global.firmware_counters();
                for (number, name) in FIRMWARE {
                    add(&format!("firmware.{name}"), firmware[number].into());
                }
            }
            Part::Gate(gate) => {
                for (c, link) in gate.counters() {
                    add("egress.stores", c.stores);
                    add("egress.loads", c.loads);
                    add("egress.staged_loads", c.staged_loads);
                    add("egress.atomics", c.atomics);
                    add("egress.releases", c.releases);
                    for (name, flushes) in flush_cause::NAMES.iter().zip(c.flushes).skip(1) {
                        add(&format!("egress.flush_{name}"), flushes);
                    }
                    add("egress.stall_bank", c.stalls[0]);
                    add("egress.stall_order_queue", c.stalls[1]);
                    add("egress.held", c.held[0]);
                    add("egress.held_by_link", c.held[1]);
                    add("ingress.held", c.arriving_held[0]);
                    add("ingress.held_accesses", c.arriving_held[1]);
                    add("ingress.stores", c.arrived_stores);
                    add("ingress.loads", c.arrived_loads);
                    add("ingress.atomics", c.arrived_atomics);
                    add("gpu_link.tlps", link.tlps);
                    add("gpu_link.packets", link.packets);
                    add("gpu_link.store_tlps", link.store_tlps);
                    add("gpu_link.small_writes", link.small_writes);
                    add("gpu_link.wire_bytes", link.wire_bytes());
                    add("gpu_link.store_wire_bytes", link.store_wire_bytes());
                    add("gpu_link.data_bytes", link.data_bytes);
                    add("gpu_link.header_bytes", link.header_bytes);
                    add("gpu_link.subheader_bytes", link.subheader_bytes);
                    add("gpu_link.padding_bytes", link.padding_bytes);
                    add("gpu_link.framing_bytes", link.framing_bytes());
                    add("gpu_link.completion_bytes", c.completion_bytes);
                    add("gpu_link.coherence_messages", c.coherence_messages);
                    add("gpu_link.coherence_bytes", c.coherence_bytes);
                    add_classes("gpu_link.design", &c.design_bytes, &mut add);
                    add("gpu_link.busy_cycles", link.busy_cycles);
                }
            }
            Part::Local(local) => {
                let counters = local.scheduler_counters();
                counters.iter().for_each(|(name, v)| add(&format!("scheduler.{name}"), *v));
            }
            Part::Link(_) => {}
            #[cfg(test)]
            Part::Nothing => {}
        }
    }
    for (spec, bytes) in ctx.network.iter() {
        let group = match spec.name.as_str() {
            name if name.starts_with("link.") => "link",
            name if name.contains(".unit.") => "unit",
            name if is_network(name) => "chiplet",
            _ => "launch",
        };
        add_classes(&format!("traffic.{group}"), bytes, &mut add);
        if group == "chiplet" && (spec.name.ends_with(".memory") || spec.name.contains("l3.slice"))
        {
            add_classes("l3.traffic", bytes, &mut add);
        }
    }
    all.into_iter().collect()
}

/// Bytes by class, of those classes that have some.
fn add_classes(name: &str, bytes: &[u64; CLASSES], add: &mut impl FnMut(&str, u64)) {
    for class in Class::ALL.into_iter().filter(|&class| bytes[class as usize] > 0) {
        add(&format!("{name}.{}", class.name()), bytes[class as usize]);
    }
}

fn is_network(name: &str) -> bool {
    ["request", "answer", "memory", "peer"].iter().any(|net| name.ends_with(&format!(".{net}")))
}
