//! The values of statistics that each part of a machine gives, in a fixed order.

use hwmodel::finepack::tlp_link;
use ports::finepack::types::flush_cause;

use super::CounterValues;
use crate::build::part::Part;
use crate::context::Context;
use crate::context::message::CLASSES;
use crate::gate;
use crate::launch::PHASES;

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

/// Takes the values of statistics, always in the same order.
pub trait Values {
    /// A value; the name is that of its owner, with a dot, and its own.
    fn add(&mut self, owner: &'static str, name: &'static str, value: u64);

    /// Bytes by class.
    fn add_classes(&mut self, owner: &'static str, bytes: &[u64; CLASSES]);

    /// Values of an owner.
    fn add_all(&mut self, owner: &'static str, values: &[(&'static str, u64)]) {
        values.iter().for_each(|&(name, value)| self.add(owner, name, value));
    }
}

/// Gives the values of a part. `counted` is storage that every call uses again.
pub fn of_part(part: &Part, ctx: &Context, all: &mut impl Values, counted: &mut CounterValues) {
    counted.clear();
    match part {
        Part::Core(core) => {
            let c = &core.counters;
            let own = [
                ("instructions", c.instructions),
                ("accesses", c.accesses),
                ("groups", c.groups),
                ("access_cycles", c.access_cycles),
                ("wait_cycles", c.wait_cycles),
            ];
            all.add_all("cu.", &own);
            if let Some(executed) = core.executed() {
                let own = [
                    ("warp_instructions", executed.instructions),
                    ("load_instructions", executed.loads),
                ];
                all.add_all("cu.", &own);
            }
            if let Some(tlb) = core.tlb() {
                all.add_all("cu.", &[("tlb_misses", tlb.misses), ("tlb_walks", tlb.walks)]);
            }
            core.cycles(ctx.now).for_each(|(name, cycles)| all.add("", name, cycles));
            core.l1().counters(counted);
            all.add_all("l1.", counted);
        }
        Part::Unit(unit) => {
            unit.counters(counted);
            all.add_all("l1.", counted);
        }
        Part::Bank(bank) => {
            bank.l1_counters(counted);
            all.add_all("l1.", counted);
            counted.clear();
            bank.counters(counted);
            all.add_all("l2.", counted);
        }
        Part::Slice(slice) => {
            let c = &slice.counters;
            all.add("l3.", "reads", c.reads);
            all.add("l3.", "fetches", c.fetches);
            all.add("l3.", "writes", c.writes);
            all.add("l3.", "atomics", c.atomics);
            all.add("l3.", "write_back_waits", c.write_back_waits);
            all.add("memory.", "writes", c.memory_writes);
            let memory = slice.memory();
            if memory.has_parts() {
                let [read, written] = memory.bytes();
                all.add("memory.", "bytes_read", read);
                all.add("memory.", "bytes_written", written);
            }
            if let Some(dram) = memory.dram() {
                dram.counters(ctx.now, counted);
                all.add_all("dram.", counted);
            }
        }
        Part::Global(global) => {
            let c = &global.counters;
            all.add("launch.", "packets", c.packets);
            all.add("launch.", "barriers", c.barriers);
            all.add("launch.", "releases", c.releases);
            all.add("launch.", "acquires", c.acquires);
            all.add("launch.", "idle_releases", c.idle_releases);
            all.add("launch.", "idle_acquires", c.idle_acquires);
            all.add("launch.", "lines_written_back", c.lines_written_back);
            all.add("launch.", "launch_cycles", c.launch_cycles);
            all.add("launch.", "sync_cycles", c.sync_cycles);
            all.add("launch.", "kernel_cycles", c.kernel_cycles);
            all.add("launch.", "release_cycles", c.release_cycles);
            all.add("launch.", "errors", c.errors);
            for ((name, _), cycles) in PHASES.iter().zip(global.phases(ctx.now)) {
                all.add("launch.cycles.", name, cycles);
            }
            let firmware = global.firmware_counters();
            for (number, name) in FIRMWARE {
                all.add("firmware.", name, firmware[number].into());
            }
        }
        Part::Gate(gate) => {
            for (c, link) in gate.counters(ctx.now) {
                of_gate(&c, &link, all);
            }
        }
        Part::Local(local) => {
            local.scheduler_counters(counted);
            all.add_all("scheduler.", counted);
        }
        Part::Combiner(combiner) => {
            all.add("l1.", "combined_reads", combiner.combined);
            if combiner.combines_stores() {
                all.add("l1.", "combined_stores", combiner.combined_stores);
            }
        }
        Part::Link(_) => {}
        #[cfg(test)]
        Part::Nothing => {}
    }
}

/// Gives the values of a GPU's side of the gate.
fn of_gate(c: &gate::Counters, link: &tlp_link::Counters, all: &mut impl Values) {
    all.add("egress.", "stores", c.stores);
    all.add("egress.", "loads", c.loads);
    all.add("egress.", "staged_loads", c.staged_loads);
    all.add("egress.", "atomics", c.atomics);
    all.add("egress.", "releases", c.releases);
    for (name, flushes) in flush_cause::NAMES.iter().zip(c.flushes).skip(1) {
        all.add("egress.flush_", name, flushes);
    }
    all.add("egress.", "stall_bank", c.stalls[0]);
    all.add("egress.", "stall_order_queue", c.stalls[1]);
    all.add("egress.", "held", c.held[0]);
    all.add("egress.", "held_by_link", c.held[1]);
    all.add("ingress.", "held", c.arriving_held[0]);
    all.add("ingress.", "held_accesses", c.arriving_held[1]);
    all.add("ingress.", "stores", c.arrived_stores);
    all.add("ingress.", "loads", c.arrived_loads);
    all.add("ingress.", "atomics", c.arrived_atomics);
    all.add("gpu_link.", "tlps", link.tlps);
    all.add("gpu_link.", "packets", link.packets);
    all.add("gpu_link.", "store_tlps", link.store_tlps);
    all.add("gpu_link.", "small_writes", link.small_writes);
    all.add("gpu_link.", "wire_bytes", link.wire_bytes());
    all.add("gpu_link.", "store_wire_bytes", link.store_wire_bytes());
    all.add("gpu_link.", "data_bytes", link.data_bytes);
    all.add("gpu_link.", "header_bytes", link.header_bytes);
    all.add("gpu_link.", "subheader_bytes", link.subheader_bytes);
    all.add("gpu_link.", "padding_bytes", link.padding_bytes);
    all.add("gpu_link.", "framing_bytes", link.framing_bytes());
    all.add("gpu_link.", "completion_bytes", c.completion_bytes);
    all.add("gpu_link.", "coherence_messages", c.coherence_messages);
    all.add("gpu_link.", "coherence_bytes", c.coherence_bytes);
    all.add_classes("gpu_link.design.", &c.design_bytes);
    all.add("gpu_link.", "busy_cycles", link.busy_cycles);
}
