//! A store is performed for a release when the level that the release must reach has acknowledged
//! it, wherever the line's home is: with one slow level at a time, under each design that forwards.

use std::collections::BTreeSet;

use machine::{Options, System, go_together, has_policy};
use traces::trace::{AtomicOp, Reader};
use traces::workloads::program::{Area, Kernel, Labels, Place, Program, Step, What, Who};

use super::{accepted, all, production, run};

/// Chiplets of a GPU.
const CHIPLETS: u32 = 2;
/// Words of a line, and lines of a page that a kernel changes.
const WORDS: u32 = 16;
const LINES: u64 = 8;

/// Every level fast, but for the one that a test slows down.
const FAST: [(&str, &str); 22] = [
    ("machine.chiplets", "2"),
    ("machine.cus", "2"),
    ("l1.hit_latency", "1"),
    ("l1.ways", "4"),
    ("l1.misses", "16"),
    ("l2.latency", "1"),
    ("l2.ways", "4"),
    ("l2.misses", "16"),
    ("l2.bytes", "8192"),
    ("l3.latency", "1"),
    ("l3.bytes", "131072"),
    ("memory.latency", "1"),
    ("network.latency", "2"),
    ("network.memory_latency", "2"),
    ("network.bytes_per_cycle", "1024"),
    ("chiplet_link.round_trip", "2"),
    ("gpu_link.latency", "2"),
    ("command_processor.packet_cycles", "0"),
    ("command_processor.elide_cycles", "0"),
    ("command_processor.unicast_latency", "1"),
    ("command_processor.broadcast_latency", "1"),
    ("command_processor.private_latency", "1"),
];

/// A level, and how slow it is.
const SLOW: [(&str, &str); 12] = [
    ("l1.hit_latency", "3000"),
    ("l2.latency", "3000"),
    ("l3.latency", "3000"),
    ("memory.latency", "3000"),
    ("memory.cycles", "1000"),
    ("network.latency", "3000"),
    ("network.memory_latency", "3000"),
    ("network.bytes_per_cycle", "1"),
    ("chiplet_link.round_trip", "3000"),
    ("gpu_link.latency", "3000"),
    ("gpu_link.bytes_per_ns", "0.1"),
    ("gpu_link.clock_mhz", "20"),
];

/// One work-group changes one page in each kernel, so that the table has no other chiplet to
/// release. The last kernel loads all.
fn program(chiplets: u32) -> Reader {
    let kernel = |who: Who, what: What, pages: std::ops::Range<u32>| Kernel {
        labels: Labels::Ranges,
        writes: Vec::new(),
        groups: chiplets,
        items: WORDS,
        steps: pages.flat_map(|page| lines(page, what, who)).collect(),
        read: false,
    };
    let mut kernels = Vec::new();
    for group in 0..chiplets {
        for page in 0..chiplets {
            let who = Who::Group(group);
            kernels.push(kernel(who, What::Store, page..page + 1));
            kernels.push(kernel(who, What::Atomic(AtomicOp::Add), page..page + 1));
        }
    }
    kernels.push(kernel(Who::All, What::Load, 0..chiplets));
    // Words that atomics change are a quarter of a window.
    let window = 4 * LINES * u64::from(WORDS) * 4;
    Program(kernels).record_over(Area { pages: chiplets.into(), window, ..Area::default() })
}

/// Accesses of each line of a page.
fn lines(page: u32, what: What, who: Who) -> impl Iterator<Item = Step> {
    (0..LINES).map(move |line| {
        let offset = line * u64::from(WORDS) * 4;
        let (page, per_item) = (page.into(), 4);
        let place = Place { page, offset, per_item, per_group: 0, page_by_group: false };
        Step::Access { what, who, place, size: 4, aligned: true, gap: 0 }
    })
}

/// Machines of every L2 design, policy and placement; of the L1 designs one that goes with each,
/// and those that bring their own L2.
fn machines(gpus: &str, own: &[(&str, &str)]) -> Vec<System> {
    let mut machines = Vec::new();
    let l1s =
        production("l1.design").into_iter().filter(|l1| l1 == "src" || go_together(l1, "own"));
    for l1 in l1s {
        for l2 in production("l2.design").iter().filter(|l2| *l2 != "none") {
            for policy in all("l2.policy") {
                let idle = !has_policy(l2) && policy != all("l2.policy")[0];
                if idle || !go_together(&l1, l2) {
                    continue;
                }
                // A packet for each store to a copy delays those behind it; `dma` puts a release
                // before the stores that have not entered the path.
                let replicated = ["p2p", "dma"].map(|egress| ("replicated", egress));
                for (placement, egress) in
                    [("interleave", "finepack")].into_iter().chain(replicated)
                {
                    let designs = [
                        ("machine.gpus", gpus),
                        ("l1.design", &l1),
                        ("l2.design", l2),
                        ("l2.policy", &policy),
                        ("placement.policy", placement),
                        ("egress.design", egress),
                    ];
                    machines
                        .extend(accepted("cpelide-2-small", &[&FAST[..], &designs, own].concat()));
                }
            }
        }
    }
    machines
}

fn all_pass(gpus: u32) {
    let program = program(gpus * CHIPLETS);
    let mut failed = Vec::new();
    let (mut tried, mut l2s) = (0, BTreeSet::new());
    for slow in SLOW {
        for system in machines(&gpus.to_string(), &[slow]) {
            tried += 1;
            l2s.insert((slow, system.l2.design.clone()));
            if let Err(error) = run(&system, &program, Options::default()) {
                let (l1, l2) = (&system.l1.design, &system.l2.design);
                let (policy, placement) = (&system.l2.policy, &system.placement.policy);
                failed.push(format!("{slow:?}, {l1}, {l2}, {policy}, {placement}: {error}"));
            }
        }
    }
    // Every L2 design has met every slow level: `accepted` may refuse a combination.
    let designs = production("l2.design").len() - 1;
    assert_eq!(l2s.len(), designs * SLOW.len(), "{l2s:?}");
    assert!(failed.is_empty(), "{} of {tried}:\n{}", failed.len(), failed.join("\n"));
}

#[test]
fn releases_wait_for_the_slowest_level_between_chiplets() {
    all_pass(1);
}

#[test]
fn releases_wait_for_the_slowest_level_between_gpus() {
    all_pass(2);
}
