//! What GPUs do in each cycle, of programs whose cycles follow from the system file.

use traces::workloads::program::{Kernel, Labels, Place, Program, Step, What, Who};

use super::*;

/// One CU; an L2 of two sets, whose first one has the line that the program accesses.
const SET: [(&str, &str); 20] = [
    ("l1.design", "src"),
    ("machine.gpus", "1"),
    ("machine.chiplets", "1"),
    ("machine.cus", "1"),
    ("cu.gap_cycles", "1"),
    ("network.latency", "10"),
    ("network.memory_latency", "100"),
    ("network.bytes_per_cycle", "128"),
    ("l2.banks", "1"),
    ("l2.bytes", "4096"),
    ("l2.latency", "20"),
    ("l3.slices", "1"),
    ("l3.latency", "8"),
    ("memory.bytes", "64"),
    ("memory.cycles", "1"),
    ("memory.latency", "30"),
    ("command_processor.host", "native"),
    ("command_processor.packet_cycles", "500"),
    ("command_processor.unicast_latency", "10"),
    ("command_processor.elide_cycles", "0"),
];

/// From the request's departure to its acknowledgement: across the crossbar (10) to the head of
/// the queue (1), to the dispatcher (1), to the bank a cycle later (2), a set in each cycle (2),
/// back to the dispatcher (1) and the command processor (1), which answers a cycle later (1),
/// across the crossbar (10).
const OPERATION: u64 = 29;

/// Kernels of one work-group, whose only item does one access. The host writes before the first.
fn program(kernels: usize, what: What) -> Program {
    let place = Place { page: 0, offset: 0, per_item: 0, per_group: 0, page_by_group: false };
    let step = Step::Access { what, who: Who::Item(0), place, size: 4, aligned: true, gap: 0 };
    let (labels, writes, steps) = (Labels::None, Vec::new(), vec![step]);
    let kernel = Kernel { labels, writes, groups: 1, items: 1, steps, read: false };
    let mut all = vec![kernel; kernels];
    all[0].writes.push((0, 8192));
    Program(all)
}

/// Cycles of kernels, L2 operations, firmware, launch latency, and without a packet; those from
/// the ends of kernels to the completions of their packets.
fn counted(set: &[(&str, &str)], program: &Program) -> ([u64; 5], u64) {
    let set = [&SET, set].concat();
    let mut machine = machine("cpelide-4-small", &set, program.record());
    machine.run().unwrap();
    let all: BTreeMap<_, _> = machine.statistics().into_iter().collect();
    let own = launch::PHASES.map(|(name, _)| all[&format!("launch.cycles.{name}")]);
    assert_eq!(own.iter().sum::<u64>(), machine.cycle());
    (own, all["launch.release_cycles"])
}

#[test]
fn cycles_of_a_kernel_are_its_latencies() {
    // Dispatch to the CU and the report of the end (2 each); to the bank and back, and its array.
    let store = 4 + 2 * 10 + 20;
    // Besides to the slice and back, its array, the channel and memory.
    let load = store + 2 * 100 + 8 + 1 + 30;
    // The packet arrives (1) and is taken (1), messages leave: the launch as the third, or after
    // the acknowledgement. After the end, and after an acknowledgement, one cycle passes.
    let firmware = 500 + 5;
    // Across the crossbar to the head (11), L1s are invalidated as an L2 is (5, without sets), the
    // first work-group follows (1); the end is reported (1) across the crossbar (10).
    let latency = 11 + 5 + 1 + 1 + 10;
    let by = |design, what| counted(&[("l2.design", design)], &program(1, what)).0;
    assert_eq!(by("none", What::Load), [load, 0, firmware, latency, 0]);
    // An acquire before the kernel and a release after it, which write nothing back.
    let none_dirty = 2 * OPERATION;
    assert_eq!(by("software", What::Load), [load, none_dirty, firmware, latency, 0]);
    // The release waits for the way of a line to the slice and back, and its array, not for sets.
    let dirty = none_dirty - 2 + (2 * 100 + 8);
    assert_eq!(by("software", What::Store), [store, dirty, firmware, latency, 0]);
}

/// The firmware is still busy with the next packets when a short kernel ends.
#[test]
fn decisions_for_the_next_packet_are_neither_release_nor_kernel() {
    let by = |ahead| {
        let set = [
            ("machine.chiplets", "2"),
            ("l2.design", "cpelide"),
            ("command_processor.ahead", ahead),
            ("command_processor.host", "core"),
            ("command_processor.clock_on", "1"),
            ("command_processor.clock_of", "1"),
        ];
        counted(&set, &program(3, What::Store))
    };
    let (([kernel, sync, _, latency, _], behind), (ahead, behind_ahead)) =
        (by("false"), by("true"));
    assert_eq!(ahead, [kernel, sync, ahead[2], latency, 0]);
    // What follows the kernels takes far longer, which no L2 does.
    assert!(behind_ahead > 2 * behind && behind_ahead > 5 * sync, "{behind}, {behind_ahead}");
}

/// A packet that is submitted ahead waits for the one before, which is no part of its own launch.
#[test]
fn the_turn_of_a_packet_comes_with_the_end_of_the_one_before() {
    for ahead in ["true", "false"] {
        let set = [&SET[..], &[("command_processor.ahead", ahead)]].concat();
        let mut machine = machine("cpelide-4-small", &set, program(3, What::Store).record());
        let packets = std::rc::Rc::new(std::cell::RefCell::new(Vec::new()));
        let seen = packets.clone();
        machine.on_packet(move |audited| seen.borrow_mut().push(audited.packet.clone()));
        machine.run().unwrap();
        let packets = packets.borrow();
        assert_eq!((packets.len(), packets[0].turn), (3, packets[0].submitted), "{ahead}");
        for pair in packets.windows(2) {
            assert_eq!(pair[1].turn, pair[0].completed, "{ahead}");
            assert_eq!(pair[1].submitted < pair[1].turn, ahead == "true", "{pair:?}");
        }
    }
}
