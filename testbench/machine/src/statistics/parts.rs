//! The values of statistics that each part of a machine gives, in a fixed order.

use std::array::from_fn;

use hwmodel::finepack::tlp_link;
use ports::finepack::types::flush_cause;

use super::counter_values::CounterValues;
use crate::build::part::Part;
use crate::context::Context;
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

/// Gives the values of a part.
pub fn of_part(part: &Part, ctx: &Context, all: &mut CounterValues) {
    match part {
        Part::Core(core) => {
            let c = &core.counters;
            all.owner("cu.").extend([
                ("instructions", c.instructions),
                ("accesses", c.accesses),
                ("groups", c.groups),
                ("access_cycles", c.access_cycles),
                ("wait_cycles", c.wait_cycles),
            ]);
            if let Some(executed) = core.executed() {
                all.extend([
                    ("warp_instructions", executed.instructions),
                    ("load_instructions", executed.loads),
                ]);
            }
            if let Some(tlb) = core.tlb() {
                all.extend([("tlb_misses", tlb.misses), ("tlb_walks", tlb.walks)]);
            }
            all.owner("").extend(core.cycles(ctx.now));
            core.l1().counters(all.owner("l1."));
        }
        Part::Unit(unit) => unit.counters(all.owner("l1.")),
        Part::Bank(bank) => {
            bank.l1_counters(all.owner("l1."));
            bank.counters(all.owner("l2."));
        }
        Part::Slice(slice) => {
            let c = &slice.counters;
            all.owner("l3.").extend([
                ("reads", c.reads),
                ("fetches", c.fetches),
                ("writes", c.writes),
                ("atomics", c.atomics),
                ("write_back_waits", c.write_back_waits),
            ]);
            all.owner("memory.").push(("writes", c.memory_writes));
            let memory = slice.memory();
            if memory.has_parts() {
                let [read, written] = memory.bytes();
                all.extend([("bytes_read", read), ("bytes_written", written)]);
            }
            if let Some(dram) = memory.dram() {
                dram.counters(ctx.now, all.owner("dram."));
            }
        }
        Part::Global(global) => {
            let c = &global.counters;
            all.owner("launch.").extend([
                ("packets", c.packets),
                ("barriers", c.barriers),
                ("releases", c.releases),
                ("acquires", c.acquires),
                ("idle_releases", c.idle_releases),
                ("idle_acquires", c.idle_acquires),
                ("lines_written_back", c.lines_written_back),
                ("launch_cycles", c.launch_cycles),
                ("sync_cycles", c.sync_cycles),
                ("kernel_cycles", c.kernel_cycles),
                ("release_cycles", c.release_cycles),
                ("errors", c.errors),
            ]);
            let phases = global.phases(ctx.now);
            let phases: [_; PHASES.len()] = from_fn(|at| (PHASES[at].0, phases[at]));
            all.owner("launch.cycles.").extend(phases);
            let firmware = global.firmware_counters();
            let counted = FIRMWARE.map(|(number, name)| (name, firmware[number].into()));
            all.owner("firmware.").extend(counted);
        }
        Part::Gate(gate) => {
            for (c, link) in gate.counters(ctx.now) {
                of_gate(&c, &link, all);
            }
        }
        Part::Local(local) => local.scheduler_counters(all.owner("scheduler.")),
        Part::Combiner(combiner) => {
            all.owner("l1.").push(("combined_reads", combiner.combined));
            if combiner.combines_stores() {
                all.push(("combined_stores", combiner.combined_stores));
            }
        }
        Part::Link(_) => {}
        #[cfg(test)]
        Part::Nothing => {}
    }
}

/// Gives the values of a GPU's side of the gate.
fn of_gate(c: &gate::Counters, link: &tlp_link::Counters, all: &mut CounterValues) {
    all.owner("egress.").extend([
        ("stores", c.stores),
        ("loads", c.loads),
        ("staged_loads", c.staged_loads),
        ("atomics", c.atomics),
        ("releases", c.releases),
    ]);
    for (name, flushes) in flush_cause::NAMES.iter().zip(c.flushes).skip(1) {
        all.owner("egress.flush_").push((name, flushes));
    }
    all.owner("egress.").extend([
        ("stall_bank", c.stalls[0]),
        ("stall_order_queue", c.stalls[1]),
        ("held", c.held[0]),
        ("held_by_link", c.held[1]),
    ]);
    all.owner("ingress.").extend([
        ("held", c.arriving_held[0]),
        ("held_accesses", c.arriving_held[1]),
        ("stores", c.arrived_stores),
        ("loads", c.arrived_loads),
        ("atomics", c.arrived_atomics),
    ]);
    all.owner("gpu_link.").extend([
        ("tlps", link.tlps),
        ("packets", link.packets),
        ("store_tlps", link.store_tlps),
        ("small_writes", link.small_writes),
        ("wire_bytes", link.wire_bytes()),
        ("store_wire_bytes", link.store_wire_bytes()),
        ("data_bytes", link.data_bytes),
        ("header_bytes", link.header_bytes),
        ("subheader_bytes", link.subheader_bytes),
        ("padding_bytes", link.padding_bytes),
        ("framing_bytes", link.framing_bytes()),
        ("completion_bytes", c.completion_bytes),
        ("coherence_messages", c.coherence_messages),
        ("coherence_bytes", c.coherence_bytes),
    ]);
    all.owner("gpu_link.design.").push_classes(&c.design_bytes);
    all.owner("gpu_link.").push(("busy_cycles", link.busy_cycles));
}
