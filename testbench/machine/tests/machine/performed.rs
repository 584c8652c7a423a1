//! A store is performed for a release when the level that the release must reach has acknowledged
//! it, wherever the line's home is: with one slow level at a time, under each design that forwards.

use machine::{Options, System, go_together, has_policy};
use traces::trace::{AtomicOp, Reader};
use traces::workloads::program::{Area, Kernel, Labels, Place, Program, Step, What, Who};

use super::{accepted, all, production, run};

/// Chiplets of a GPU.
const CHIPLETS: u32 = 2;
/// Words of a page that a kernel changes.
const WORDS: u32 = 16;

/// Every level fast, but for the one that a test slows down.
const FAST: [(&str, &str); 18] = [
    ("machine.chiplets", "2"),
    ("machine.cus", "2"),
    ("l1.hit_latency", "1"),
    ("l2.latency", "1"),
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
const SLOW: [(&str, &str); 11] = [
    ("l1.hit_latency", "3000"),
    ("l2.latency", "3000"),
    ("l3.latency", "3000"),
    ("memory.latency", "3000"),
    ("memory.cycles", "3000"),
    ("network.latency", "3000"),
    ("network.memory_latency", "3000"),
    ("network.bytes_per_cycle", "1"),
    ("chiplet_link.round_trip", "3000"),
    ("gpu_link.latency", "3000"),
    ("gpu_link.bytes_per_ns", "0.001"),
];

/// One work-group changes one page in each kernel, first that of the other chiplet of its GPU, then
/// one of each other GPU: the table has no other chiplet to release. The last kernel loads all.
fn program(chiplets: u32) -> Reader {
    let step = |what, group, page| {
        let place = Place { page, offset: 0, per_item: 4, per_group: 0, page_by_group: false };
        Step::Access { what, who: Who::Group(group), place, size: 4, aligned: true, gap: 0 }
    };
    let kernel = |steps| Kernel {
        labels: Labels::Ranges,
        writes: Vec::new(),
        groups: chiplets,
        items: WORDS,
        steps,
        read: false,
    };
    let mut kernels = Vec::new();
    for group in 0..chiplets {
        for page in 0..chiplets {
            for what in [What::Store, What::Atomic(AtomicOp::Add)] {
                kernels.push(kernel(vec![step(what, group, page.into())]));
            }
        }
    }
    let loads = (0..chiplets).map(|page| {
        let place =
            Place { page: page.into(), offset: 0, per_item: 4, per_group: 0, page_by_group: false };
        let what = What::Load;
        Step::Access { what, who: Who::All, place, size: 4, aligned: true, gap: 0 }
    });
    kernels.push(kernel(loads.collect()));
    let area = Area { pages: chiplets.into(), ..Area::default() };
    Program(kernels).record_over(area)
}

/// Machines of every pair of designs that go together and every policy and placement.
fn machines(gpus: &str, own: &[(&str, &str)]) -> Vec<System> {
    let mut machines = Vec::new();
    for l1 in production("l1.design") {
        for l2 in production("l2.design").iter().filter(|l2| *l2 != "none") {
            for policy in all("l2.policy") {
                let idle = !has_policy(l2) && policy != all("l2.policy")[0];
                if idle || !go_together(&l1, l2) {
                    continue;
                }
                for placement in ["interleave", "replicated"] {
                    let designs = [
                        ("machine.gpus", gpus),
                        ("l1.design", &l1),
                        ("l2.design", l2),
                        ("l2.policy", &policy),
                        ("placement.policy", placement),
                        ("egress.design", "finepack"),
                    ];
                    machines.extend(accepted("cpelide-2-small", &[&FAST[..], &designs, own].concat()));
                }
            }
        }
    }
    machines
}

fn all_pass(gpus: u32) {
    let program = program(gpus * CHIPLETS);
    let mut failed = Vec::new();
    let mut tried = 0;
    for slow in SLOW {
        for system in machines(&gpus.to_string(), &[slow]) {
            tried += 1;
            if let Err(error) = run(&system, &program, Options::default()) {
                let (l1, l2) = (&system.l1.design, &system.l2.design);
                let (policy, placement) = (&system.l2.policy, &system.placement.policy);
                failed.push(format!("{slow:?}, {l1}, {l2}, {policy}, {placement}: {error}"));
            }
        }
    }
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
