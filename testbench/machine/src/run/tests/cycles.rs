//! What CUs do in each cycle, of programs whose cycles follow from the system file.

use traces::workloads::program::{Kernel, Labels, Place, Program, Step, What, Who};

use super::*;

/// The values of `cu.cycles.*`: issue, compute, L1, L2, remote, barrier, fence, launch.
pub fn of(machine: &Machine) -> [u64; 8] {
    let all: BTreeMap<_, _> = machine.statistics().into_iter().collect();
    ["issue", "compute", "l1", "l2", "remote", "barrier", "fence", "launch"]
        .map(|name| all[&format!("cu.cycles.{name}")])
}

/// One CU of each chiplet. Nothing takes longer for its bytes than a cycle.
pub const SET: [(&str, &str); 17] = [
    ("l1.design", "src"),
    ("l1.hit_latency", "4"),
    ("machine.gpus", "1"),
    ("machine.cus", "1"),
    ("cu.loads", "1"),
    ("cu.gap_cycles", "1"),
    ("network.latency", "10"),
    ("network.memory_latency", "6"),
    ("network.bytes_per_cycle", "128"),
    ("l2.latency", "20"),
    ("l3.latency", "8"),
    ("memory.bytes", "64"),
    ("memory.cycles", "1"),
    ("memory.latency", "30"),
    ("chiplet_link.round_trip", "40"),
    ("chiplet_link.bytes", "128"),
    ("chiplet_link.cycles", "1"),
];
/// A load that misses everywhere: to the L2 and back, to the L3 and back, the channel's transfer,
/// memory, and the arrays of L3 and L2.
pub const MISS: u64 = 2 * 10 + 2 * 6 + 1 + 30 + 8 + 20;

pub fn access(what: What, who: Who, (page, offset): (u64, u64), gap: u32) -> Step {
    let place = Place { page, offset, per_item: 0, per_group: 0, page_by_group: false };
    Step::Access { what, who, place, size: 4, aligned: true, gap }
}

pub fn program(items: u32, steps: Vec<Step>) -> Program {
    let writes = vec![(0, 8192)];
    Program(vec![Kernel { labels: Labels::None, writes, groups: 1, items, steps, read: false }])
}

/// What the CUs of a machine have done, without the cycles in which they had no work-group: those
/// are what remains.
pub fn spent(chiplets: &str, set: &[(&str, &str)], program: &Program) -> [u64; 7] {
    let set = [&SET, set, &[("machine.chiplets", chiplets)]].concat();
    let mut machine = machine("cpelide-4-small", &set, program.record());
    machine.run().unwrap();
    let all = of(&machine);
    let cus: u64 = chiplets.parse().unwrap();
    assert_eq!(all.iter().sum::<u64>(), cus * machine.cycle());
    *all.first_chunk().unwrap()
}

/// Five instructions, a load that misses, the same load again, which hits, two instructions, a
/// store, and a fence that waits for it. Each access is issued in a cycle, in which nothing else
/// is counted, so a wait is a cycle shorter than the latency.
#[test]
fn cycles_of_one_wave_are_its_latencies() {
    let item = Who::Item(0);
    let steps = vec![
        access(What::Load, item, (0, 0), 5),
        access(What::Load, item, (0, 0), 0),
        access(What::Store, item, (0, 64), 2),
        Step::Fence,
    ];
    let hit = 4;
    // To the L2 and back, and its array.
    let store = 2 * 10 + 20;
    assert_eq!(
        spent("1", &[], &program(64, steps)),
        [3, 5 + 2, hit - 1, MISS - 1, 0, 0, store - 1]
    );
}

/// One wave waits at a barrier while the other loads; the wave that comes last lets both go on in
/// the next cycle.
#[test]
fn cycles_at_a_barrier_are_those_of_the_load_that_it_waits_for() {
    let steps = vec![access(What::Load, Who::Item(64), (0, 0), 0), Step::Barrier];
    assert_eq!(spent("1", &[], &program(128, steps)), [1, 1, 0, 0, 0, MISS - 1, 0]);
}

/// A line of another chiplet: the link's round trip longer, whether the request goes there or the
/// own L2 fetches it.
#[test]
fn cycles_of_a_load_over_a_link_are_remote() {
    for policy in ["private", "home-forward"] {
        let set = [("l2.policy", policy), ("placement.policy", "interleave")];
        // Pages take turns: of two neighbours one is the other chiplet's.
        let mut both = [0, 1].map(|page| {
            let steps = vec![access(What::Load, Who::Item(0), (page, 0), 0)];
            spent("2", &set, &program(64, steps))
        });
        both.sort();
        let [far, near] = both;
        assert_eq!(near, [1, 0, 0, MISS - 1, 0, 0, 0], "{policy}");
        assert_eq!(far, [1, 0, 0, 0, MISS + 40 - 1, 0, 0], "{policy}");
    }
}

/// All transactions of the CU are taken: it waits for an answer, not for the L1.
#[test]
fn cycles_without_a_free_transaction_wait_for_an_answer() {
    let load = |page| access(What::Load, Who::Item(0), (page, 0), 0);
    let set = [("cu.transactions", "1"), ("cu.loads", "4")];
    let spent = spent("1", &set, &program(64, vec![load(0), load(1)]));
    // The second load issues when the first is answered, and the wave ends when both are.
    assert_eq!(spent, [2, 0, 0, 2 * (MISS - 1), 0, 0, 0]);
}

/// Idle CUs are skipped, and caught up with, in any design: visited in each cycle they count the
/// same.
#[test]
fn cycles_do_not_depend_on_visits() {
    for (preset, set) in [
        ("cpelide-4-small", [("machine.gpus", "2"), ("l2.design", "hmg")]),
        ("fermi-15sm-small", [("l1.design", "gtsc-sc"), ("l2.design", "own")]),
        ("fermi-15sm-small", [("l1.design", "tc-strong"), ("l2.design", "own")]),
        ("stc-8cu-small", [("l1.design", "stc-mb"), ("machine.cus", "2")]),
        ("fermi-15sm-small", [("l1.design", "race-spec"), ("l2.design", "software")]),
        ("rec-4gpu-small", [("l2.design", "rec"), ("machine.cus", "2")]),
        ("h100-small", [("machine.cus", "2"), ("network.combine", "2")]),
    ] {
        let run = |visit_all| {
            let mut machine = machine(preset, &set, super::program("bfs", 64));
            machine.options.visit_all = visit_all;
            machine.run().unwrap();
            of(&machine)
        };
        let spent = run(false);
        assert_eq!(spent, run(true), "{preset}, {set:?}");
        assert!(spent[0] > 0 && spent[7] > 0, "{preset}, {set:?}: {spent:?}");
    }
}
