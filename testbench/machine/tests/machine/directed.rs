//! Bugs that random programs found, each as the least program and machine that showed it.

use machine::systems::Shape;
use machine::{Options, Order, has_policy};
use traces::trace::AtomicOp;
use traces::workloads::program::{Kernel, Labels, Place, Program, Step, What, Who};

use super::{all, run};

fn step(what: What, page: u64, offset: u64, size: u64) -> Step {
    let place = Place { page, offset, per_item: size, per_group: size, page_by_group: false };
    Step::Access { what, who: Who::All, place, size, aligned: true, gap: 0 }
}

fn program(groups: u32, items: u32, steps: &[Step]) -> Program {
    let steps = steps.to_vec();
    Program(vec![Kernel {
        labels: Labels::None,
        writes: Vec::new(),
        groups,
        items,
        steps,
        read: true,
    }])
}

/// A GPU's home acknowledged another GPU's store when its L2 had it. The last release could then be
/// over while the write-through was still on its way to the L3, which the host reads.
#[test]
fn store_of_another_gpu_is_acknowledged_when_memory_shows_it() {
    let shape = Shape {
        gpus: 2,
        line: 128,
        waves: 3,
        loads: 1,
        transactions: 1,
        l1: ("none".into(), 1, 1, 1, 1),
        l2: ("home-forward".into(), 1, 1, 1, 1, 1),
        l3: (0, 1, 1, 1, 3),
        memory: (64, 3, 1),
        network: (2, 5, 4, 1),
        chiplet_link: (2, 4, 1, 1),
        gpu_link: (2, 8, 2),
        egress: ("p2p".into(), "paper".into(), 0),
        command_processor: (2, 2, 0),
        placement: "first-touch".into(),
        ..Shape::default()
    };
    let place =
        |per_item| Place { page: 0, offset: 0, per_item, per_group: 0, page_by_group: false };
    let access = |what, who, per_item| {
        let place = place(per_item);
        Step::Access { what, who, place, size: 4, aligned: false, gap: 0 }
    };
    let steps = [access(What::Store, Who::All, 8), access(What::Load, Who::Group(3), 0)];
    let mut program = program(7, 5, &steps);
    program.0[0].read = false;
    run(&shape.system(), &program.record(), Options::default()).unwrap();
}

/// A gate that had slept served a message in the middle of a link's cycle.
#[test]
fn links_that_slept_wake_at_the_start_of_their_cycle() {
    for clock in [1000, 1801, 2500, 3333] {
        let shape = Shape { gpus: 2, clock, gpu_link: (2, 1, 2), ..Shape::default() };
        let program = program(2, 1, &[step(What::Load, 0, 0, 4), step(What::Store, 1, 0, 4)]);
        let (system, trace) = (shape.system(), program.record());
        let plain = run(&system, &trace, Options::default()).unwrap();
        let options = Options { visit_all: true, ..Options::default() };
        assert_eq!(plain, run(&system, &trace, options).unwrap(), "{clock} MHz");
    }
}

/// A producer that found its channel full in the cycle of the consumer's pop, after the pop, was
/// not woken before the next one.
#[test]
fn producer_refused_after_the_pop_is_woken() {
    let shape = Shape {
        gpus: 2,
        clock: 2500,
        l1: ("none".into(), 1, 1, 1, 1),
        l2: ("home-forward".into(), 1, 2, 1, 1, 3),
        l3: (0, 1, 2, 1, 3),
        memory: (64, 3, 1),
        network: (11, 2, 16, 1),
        gpu_link: (2, 8, 2),
        ..Shape::default()
    };
    let steps = [
        step(What::Store, 0, 0, 16),
        step(What::Atomic(AtomicOp::Add), 0, 192, 8),
        step(What::Load, 1, 0, 4),
        step(What::Load, 1, 0, 4),
    ];
    let (system, trace) = (shape.system(), program(6, 2, &steps).record());
    let plain = run(&system, &trace, Options::default()).unwrap();
    for seed in 1..20 {
        let order = Order::Shuffled(seed);
        let other = run(&system, &trace, Options { order, ..Options::default() }).unwrap();
        assert_eq!(plain, other, "{order:?}");
    }
}

/// A racy load of a part of a location that atomics change was compared with the location's range,
/// made of bytes that the load had not asked for.
#[test]
fn part_of_an_atomics_location_may_be_loaded() {
    let shape = Shape { gpus: 2, line: 32, ..Shape::default() };
    let byte = |offset| step(What::Load, 0, offset, 1);
    let steps = [step(What::Atomic(AtomicOp::Add), 0, 192, 8), byte(192), byte(195)];
    run(&shape.system(), &program(2, 33, &steps).record(), Options::default()).unwrap();
}

/// A line that is on its way to an L1 when its own CU stores to it is old when it comes.
#[test]
fn load_behind_a_store_to_a_line_on_its_way_sees_the_store() {
    let own = |what, offset| {
        let place = Place { page: 0, offset, per_item: 0, per_group: 0, page_by_group: false };
        Step::Access { what, who: Who::One(0, 0), place, size: 4, aligned: true, gap: 0 }
    };
    let shape = Shape { loads: 4, memory: (32, 1, 100), ..Shape::default() };
    for change in [What::Store, What::Atomic(AtomicOp::Add)] {
        let last = own(What::Load, 128);
        let steps = [last, own(change, 128), last, own(What::Load, 132), Step::Fence, last];
        run(&shape.system(), &program(1, 1, &steps).record(), Options::default()).unwrap();
    }
}

/// A bank did nothing else while what had waited for a line could not leave for its home. Two homes
/// with more atomics for each other than the way holds waited for each other for ever, between
/// chiplets and between GPUs.
#[test]
fn banks_serve_each_other_while_what_waited_cannot_leave() {
    // Two groups, each with the other's page: the line comes, then all atomics that have waited for
    // it go to its home.
    let place = Place { page: 1, offset: 128, per_item: 0, per_group: 0, page_by_group: true };
    let all_items = |what| {
        let who = Who::All;
        Step::Access { what, who, place, size: 4, aligned: true, gap: 0 }
    };
    let steps = [all_items(What::Load), all_items(What::Atomic(AtomicOp::Add))];
    let trace = program(2, 32, &steps).record();
    let mut failed = Vec::new();
    for design in all("l2.design").into_iter().filter(|design| !has_policy(design)) {
        for (gpus, chiplets) in [(1, 2), (2, 1)] {
            let shape = Shape {
                gpus,
                chiplets,
                transactions: 64,
                l2_design: design.clone(),
                l2: ("private".into(), 1, 2, 1, 2, 2),
                egress: ("infinite".into(), "paper".into(), 0),
                ..Shape::default()
            };
            if let Err(error) = run(&shape.system(), &trace, Options::default()) {
                failed.push(format!("{design} on {gpus} GPUs of {chiplets} chiplets: {error}"));
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
