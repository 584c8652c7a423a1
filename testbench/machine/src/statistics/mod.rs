//! What is counted: names, units and meanings. `values` collects it.

mod counter_values;
mod parts;
pub mod probe;
pub mod recording;
pub mod spans;
pub mod traffic;
mod values;

use std::sync::LazyLock;

pub use counter_values::CounterValues;
pub use values::Names;
#[cfg(test)]
pub use values::by_name;

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
    "cu.instructions" "instructions" "memory instructions that waves issued",
    "cu.warp_instructions" "instructions" "with `cu.issue = scoreboard`: instructions that waves \
        executed, those that access memory among them",
    "cu.load_instructions" "instructions" "with `cu.issue = scoreboard`: loads among them",
    "cu.tlb_misses" "requests" "with `tlb.entries`: requests whose page the CU's TLB did not have",
    "cu.tlb_walks" "requests" "of these, requests whose page the shared TLB did not have",
    "cu.accesses" "accesses" "accesses of CUs to lines, after coalescing",
    "cu.groups" "work-groups" "work-groups started",
    "cu.access_cycles" "cycles" "sum, over all accesses, of the cycles from issue to completion",
    "cu.wait_cycles" "cycles" "cycles in which a CU with a work-group issued nothing because each \
        wave waited for an answer",
    "cu.cycles.issue" "cycles" "cycles in which a CU handed a line of an instruction to its L1; \
        all `cu.cycles.*` together are the cycles of the run times CUs, each cycle of a CU counts \
        once",
    "cu.cycles.compute" "cycles" "cycles without an issue in which a wave executed instructions \
        that access no memory",
    "cu.cycles.l1" "cycles" "cycles in which the L1 did not accept a line or held a wave, or the \
        CU waited for a hit",
    "cu.cycles.l2" "cycles" "cycles in which the CU waited for an answer that came from its own \
        chiplet: from the L2, or through the L2 from the L3 and memory",
    "cu.cycles.remote" "cycles" "cycles in which the CU waited for an answer that passed a link \
        between chiplets or GPUs",
    "cu.cycles.barrier" "cycles" "cycles in which no wave could issue and at least one waited at a \
        barrier",
    "cu.cycles.fence" "cycles" "cycles in which no wave could issue, none waited at a barrier, and \
        at least one waited at a fence",
    "cu.cycles.launch" "cycles" "cycles in which the CU had no work-group: between launches, and \
        while other CUs still ran",
    "l1.*" "events" "further counters of an L1 design, summed over CUs, units of GPUs and L2 bank \
        hooks; of `most_*` the maximum",
    "l2.reads" "requests" "reads answered by L2 banks",
    "l2.hits" "requests" "reads that hit",
    "l2.merges" "requests" "reads that joined a pending fill (secondary misses)",
    "l2.misses" "requests" "reads that started a fetch (primary misses)",
    "l2.fetches" "lines" "lines that L2 banks requested from L3 slices",
    "l2.writes" "requests" "writes that L2 banks accepted",
    "l2.read_sectors" "sectors" "with `l2.sector`: sectors of reads that arrived, in units of \
        `network.sector_bytes`; a read that another chiplet's bank serves counts in both",
    "l2.write_sectors" "sectors" "with `l2.sector`: sectors of writes that arrived",
    "l2.atomic_sectors" "sectors" "with `l2.sector`: sectors of atomics that arrived",
    "l2.atomics" "requests" "atomics that L2 banks performed or forwarded",
    "l2.dirtied" "lines" "lines that changed from clean to dirty",
    "l2.overwritten" "lines" "lines that changed from dirty to clean because later stores wrote \
        all their dirty bytes through",
    "l2.dirty_lines" "lines" "lines that are dirty at the end",
    "l2.written_for_atomics" "lines" "dirty lines written back before an L3 slice performs an \
        atomic on them",
    "l2.pushes" "requests" "stores sent to the copies of their page on other GPUs",
    "l2.write_backs" "lines" "dirty lines written back by evictions",
    "l2.released" "lines" "dirty lines written back by releases",
    "l2.invalidated" "lines" "clean lines invalidated by acquires",
    "l2.own_reads" "requests" "directory designs: reads answered to CUs of the bank's own chiplet",
    "l2.read_cycles" "cycles" "sum, over the reads in `l2.own_reads`, of the cycles from leaving \
        the CU to the answer's leaving the bank",
    "l2.remote_fetches" "lines" "lines requested from banks of other chiplets",
    "l2.fetches_again" "lines" "fetches of a line that the bank had fetched before",
    "l2.remote_fetches_again" "lines" "fetches of another chiplet's line that the bank had fetched \
        before",
    "l2.writes_through" "requests" "writes forwarded to the home of their line",
    "l2.inv_hit_write" "lines" "copies that invalidations for writes removed",
    "l2.inv_hit_evict" "lines" "copies that invalidations for evicted directory entries removed",
    "l2.inv_miss" "messages" "invalidations that found no copy",
    "l2.inv_false" "messages" "invalidations of a line because another line of its directory entry \
        was written",
    "l2.directory.requests" "requests" "reads and writes that directories processed",
    "l2.directory.allocated" "entries" "directory entries allocated",
    "l2.directory.evicted" "entries" "directory entries evicted",
    "l2.directory.lines_written" "lines" "lines invalidated because of a write",
    "l2.directory.lines_evicted" "lines" "lines invalidated because their entry was evicted",
    "l2.directory.messages_written" "messages" "invalidation messages to sharers because of a \
        write",
    "l2.directory.messages_evicted" "messages" "invalidation messages to sharers because an entry \
        was evicted",
    "l2.directory.waits" "cycles" "cycles, after the initial sweep, in which a directory accepted \
        no request",
    "l2.*" "events" "further counters of an L2 design, summed over banks",
    "l3.reads" "requests" "reads answered by L3 slices",
    "l3.fetches" "lines" "lines that L3 slices read from memory",
    "l3.writes" "requests" "writes that L3 slices accepted",
    "l3.atomics" "requests" "atomics that L3 slices performed",
    "l3.write_back_waits" "lines" "evictions in L3 slices that waited for the memory channel",
    "l3.traffic.*" "bytes" "bytes between L2 banks and L3 slices by message class; a part of \
        `traffic.chiplet`",
    "memory.writes" "lines" "lines written to memory",
    "memory.bytes_read" "bytes" "bytes read from memory; with `memory.granule` > 0 or \
        `memory.model` = `dram`",
    "memory.bytes_written" "bytes" "bytes written to memory; with `memory.granule` > 0 or \
        `memory.model` = `dram`",
    "dram.reads" "bursts" "reads that DRAM channels issued",
    "dram.writes" "bursts" "writes that DRAM channels issued",
    "dram.row_hits" "bursts" "bursts of a row that an earlier burst had opened",
    "dram.row_misses" "bursts" "bursts for which a row was opened in a closed bank",
    "dram.row_conflicts" "bursts" "bursts for which another row was closed first",
    "dram.refreshes" "refreshes" "refreshes that were due, of a bank or a rank",
    "launch.packets" "packets" "packets that command processors processed: kernels and barriers",
    "launch.barriers" "packets" "barrier packets that command processors processed",
    "launch.releases" "chiplets" "L2 releases sent",
    "launch.acquires" "chiplets" "L2 acquires sent",
    "launch.idle_releases" "chiplets" "L2 releases that wrote nothing back",
    "launch.idle_acquires" "chiplets" "L2 acquires that invalidated no line",
    "launch.lines_written_back" "lines" "lines that releases wrote back, from their \
        acknowledgements",
    "launch.cycles.kernel" "cycles" "cycles in which work-groups ran: from the first work-group's \
        dispatch to the last one's end; all `launch.cycles.*` together are the cycles of the run \
        times GPUs, each cycle of a GPU counts once, for the first that applies",
    "launch.cycles.sync" "cycles" "cycles in which an L2 release or acquire was in progress, from \
        its request to its acknowledgement, or stores had to arrive at other GPUs",
    "launch.cycles.firmware" "cycles" "cycles in which only the firmware could continue: it read \
        packets and labels, and decided, also for the next packet before it completed this one",
    "launch.cycles.latency" "cycles" "cycles from an enabled launch to the first work-group's \
        dispatch, with the invalidation of L1s, and from the last one's end to the report",
    "launch.cycles.idle" "cycles" "cycles without a packet: other GPUs still worked",
    "launch.launch_cycles" "cycles" "sum over packets: cycles from the packet's arrival, or the \
        completion of the one before in its stream, to the enabled launch",
    "launch.sync_cycles" "cycles" "launches with L2 operations: cycles from the first request to \
        an L2 to the start on all chiplets",
    "launch.kernel_cycles" "cycles" "sum over packets: cycles from the enabled launch to the \
        kernel's end on the last chiplet",
    "launch.release_cycles" "cycles" "sum over packets: cycles from the kernel's end on the last \
        chiplet (barriers: from the packet's arrival) to the completion that the host sees; \
        includes decisions for the next packet that delay it",
    "launch.errors" "errors" "error codes that command processors reported",
    "firmware.acquires_elided" "chiplets" "L2 acquires that the baseline sends and the firmware \
        elides",
    "firmware.releases_elided" "chiplets" "L2 releases that the baseline sends and the firmware \
        elides",
    "firmware.max_entries" "entries" "peak number of entries in the chiplet coherence table, \
        summed over GPUs",
    "firmware.coarsenings" "joins" "records or entries merged because a limit was exceeded",
    "firmware.conservative" "launches" "launches without usable labels",
    "firmware.cycles" "cycles" "cycles of the processor's clock in steps 1 to 7 of launches; 0 if \
        the firmware is called directly",
    "firmware.implied_releases" "chiplets" "L2 releases sent only because an acquire would have \
        lost dirty lines",
    "firmware.mixed_resolutions" "entries" "entries whose mixed bit was resolved",
    "firmware.range_growths" "ranges" "ranges of entries that were extended",
    "egress.stores" "requests" "stores of lines from CUs to other GPUs",
    "egress.loads" "requests" "loads of lines by CUs from other GPUs",
    "egress.staged_loads" "requests" "loads that found all their bytes staged, and so did not \
        leave the GPU",
    "egress.atomics" "requests" "atomics of CUs on lines of other GPUs",
    "egress.releases" "releases" "system-scope releases that waited for the arrival of stores at \
        other GPUs",
    "egress.flush_window" "flushes" "partitions of remote write queues flushed because a store was \
        outside the window",
    "egress.flush_payload" "flushes" "partitions flushed because a store would exceed the maximum \
        payload",
    "egress.flush_entries" "flushes" "partitions flushed because all entries were in use",
    "egress.flush_load" "flushes" "partitions flushed because a load read bytes that they held",
    "egress.flush_atomic" "flushes" "partitions flushed because an atomic accessed bytes that they \
        held",
    "egress.flush_release" "flushes" "partitions flushed by a release",
    "egress.flush_timeout" "flushes" "partitions flushed by the timeout after their last store",
    "egress.stall_bank" "link cycles" "cycles in which a remote write queue waited for a bank",
    "egress.stall_order_queue" "link cycles" "cycles in which a remote write queue waited for a \
        free order queue entry",
    "egress.held" "link cycles" "cycles in which an egress path did not accept an offered request",
    "egress.held_by_link" "link cycles" "cycles in which a link did not accept a TLP beat",
    "ingress.held" "link cycles" "cycles in which a de-packetizer did not accept a TLP beat",
    "ingress.held_accesses" "link cycles" "cycles in which an access that a de-packetizer offered \
        was not accepted",
    "ingress.stores" "requests" "stores of lines that arrived from other GPUs",
    "ingress.loads" "requests" "loads of lines that arrived from other GPUs",
    "ingress.atomics" "requests" "atomics that arrived from other GPUs",
    "gpu_link.tlps" "TLPs" "TLPs sent between GPUs",
    "gpu_link.packets" "TLPs" "FinePack packets sent between GPUs",
    "gpu_link.store_tlps" "TLPs" "TLPs with stores: FinePack packets and plain writes",
    "gpu_link.small_writes" "TLPs" "plain writes of fewer than 32 bytes",
    "gpu_link.wire_bytes" "bytes" "all bytes on the forward links: the sum of data, headers, \
        sub-headers, padding and framing",
    "gpu_link.store_wire_bytes" "bytes" "bytes on the forward links of TLPs with stores and of \
        configuration packets",
    "gpu_link.data_bytes" "bytes" "stored bytes and operands",
    "gpu_link.header_bytes" "bytes" "outer headers",
    "gpu_link.subheader_bytes" "bytes" "sub-headers",
    "gpu_link.padding_bytes" "bytes" "padding, and disabled bytes of plain writes",
    "gpu_link.framing_bytes" "bytes" "framing, sequence numbers, CRCs and flit overhead",
    "gpu_link.completion_bytes" "bytes" "completions on the reverse links",
    "gpu_link.coherence_messages" "messages" "invalidations and markers between L2s, on the \
        reverse links",
    "gpu_link.coherence_bytes" "bytes" "bytes of the messages in `gpu_link.coherence_messages`",
    "gpu_link.design.*" "bytes" "bytes that an L1 design sends to other GPUs on the reverse links, \
        by message class",
    "gpu_link.busy_cycles" "link cycles" "cycles in which a link transfers a byte, summed over \
        links",
    "traffic.chiplet.*" "bytes" "bytes that components send into the network of their chiplet, by \
        message class",
    "traffic.link.*" "bytes" "bytes on links between chiplets, by message class",
    "traffic.unit.*" "bytes" "bytes to and from the GPU-wide units of L1 designs, by message class",
    "traffic.launch.*" "bytes" "bytes between command processors, CUs and L2 banks, by message \
        class",
};
