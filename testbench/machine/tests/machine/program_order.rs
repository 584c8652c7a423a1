//! What a work-item's own accesses promise each other, and what a fence promises to others.

use machine::systems::Shape;
use machine::{Bodies, Machine, Options, System};
use traces::trace::{AtomicOp, Reader};
use traces::workloads::program::{Kernel, Labels, Place, Program, Step, What, Who};

use super::passes;

/// The first byte of the buffer.
const BASE: u64 = 0x10_0000;
const PAGE: u64 = 4096;

fn access(what: What, who: Who, page: u64, offset: u64) -> Step {
    let place = Place { page, offset, per_item: 0, per_group: 0, page_by_group: false };
    Step::Access { what, who, place, size: 4, aligned: true, gap: 0 }
}

/// One work-item for each group; the host writes all that is used.
fn program(groups: u32, steps: Vec<Step>) -> Program {
    let writes = vec![(0, 128), (PAGE, 128)];
    Program(vec![Kernel { labels: Labels::None, writes, groups, items: 1, steps, read: true }])
}

/// Two chiplets, pages 0 and 2 on the first; the last group runs on the second.
fn two_chiplets(round_trip: u32) -> Shape {
    Shape {
        chiplets: 2,
        loads: 16,
        transactions: 64,
        l1: ("none".into(), 1, 1, 1, 1),
        l2: ("home-forward".into(), 4, 4, 1, 8, 2),
        network: (2, 2, 64, 16),
        chiplet_link: (round_trip, 64, 1, 16),
        ..Shape::default()
    }
}

#[test]
fn fence_waits_for_the_accesses_before_it() {
    let round_trip = 400;
    let system = two_chiplets(round_trip).system();
    for what in [What::Store, What::Load, What::Atomic(AtomicOp::Add)] {
        let fences = 5;
        let accesses = (0..=fences).map(|i| access(what, Who::All, 0, 128 + 4 * i));
        let plain: Vec<_> = accesses.collect();
        let fenced: Vec<_> = plain.iter().flat_map(|&step| [step, Step::Fence]).collect();
        let cycles = |steps| passes(&system, &program(1, steps).record()).cycles;
        let (plain, fenced) = (cycles(plain), cycles(fenced));
        // The last fence waits for what the end of the kernel waits for anyway.
        let longer = fenced - plain;
        assert!(longer >= fences * u64::from(round_trip), "{what:?}: {plain} and {fenced}");
        assert!(plain < 4 * u64::from(round_trip), "{what:?}: accesses wait without fences");
    }
}

/// Values of a byte that came back to a CU, in their order: runs the program with that byte
/// watched.
fn values_seen(system: &System, trace: &Reader, addr: u64, by: &str) -> Vec<u8> {
    let options = Options { watch: Some(addr), max_cycles: 1 << 20, ..Options::default() };
    let program = trace.reopen().unwrap();
    let mut machine = Machine::new(system, &Bodies::default(), program, options).unwrap();
    machine.run().unwrap();
    let value = |line: &str| {
        let answer = line.split_once("answered 0x")?.1;
        let (value, way) = answer.split_once(": ")?;
        way.ends_with(&format!("-> {by}")).then(|| u8::from_str_radix(value, 16).unwrap())
    };
    machine.life().lines().filter_map(value).collect()
}

/// One work-item stores data and then a flag, another loads the flag and then the data. The data's
/// way is congested by stores before it: without a fence the flag is there first.
#[test]
fn flag_stored_behind_a_fence_is_never_seen_before_the_data() {
    let shape = Shape { chiplet_link: (20, 4, 1, 1), loads: 1, ..two_chiplets(20) };
    let system = shape.system();
    let (writer, reader) = (Who::Group(0), Who::Group(1));
    let pairs = |fence: bool| {
        let mut steps = vec![access(What::Store, writer, 1, 64); 10];
        // The reader looks before anything is stored.
        if let Step::Access { gap, .. } = &mut steps[0] {
            *gap = 60;
        }
        steps.push(access(What::Store, writer, 1, 0));
        steps.extend(fence.then_some(Step::Fence));
        steps.push(access(What::Store, writer, 0, 0));
        for _ in 0..12 {
            steps.push(access(What::Load, reader, 0, 0));
            steps.push(access(What::Load, reader, 1, 0));
        }
        let trace = program(2, steps).record();
        let seen = |addr| values_seen(&system, &trace, addr, "gpu0.chiplet1.cu0");
        let (flags, data) = (seen(BASE), seen(BASE + PAGE));
        assert_eq!((flags.len(), data.len()), (12, 12));
        let is_new = |values: &[u8]| -> Vec<bool> {
            assert_ne!(
                values[0], values[11],
                "the first load comes too late or the last too early"
            );
            values.iter().map(|value| *value != values[0]).collect()
        };
        is_new(&flags).into_iter().zip(is_new(&data)).collect::<Vec<_>>()
    };
    let broken = (true, false);
    let (with, without) = (pairs(true), pairs(false));
    assert!(!with.contains(&broken), "{with:?}");
    assert!(without.contains(&broken), "the fence has nothing to do: {without:?}");
}

/// With egress `dma` stores to another GPU stay at home until a load asks for the line; that load
/// waits in the path for the copy. A load of another line waits behind it: what is stored to that
/// line afterwards must not be copied before it.
#[test]
fn load_before_a_staged_store_sees_the_old_value_and_one_after_it_the_new() {
    let shape = Shape {
        gpus: 2,
        loads: 16,
        l1: ("none".into(), 1, 1, 1, 1),
        egress: ("dma".into(), "paper".into(), 0),
        ..Shape::default()
    };
    let system = shape.system();
    // The only work-item runs on the last GPU; page 0 lies on the first.
    let own = |what, offset| access(what, Who::All, 0, offset);
    for last in [What::Load, What::Atomic(AtomicOp::Add)] {
        let waits = [What::Store, What::Load].map(|what| own(what, 0));
        let steps = waits.into_iter().chain([What::Load, What::Store, last].map(|w| own(w, 128)));
        let outcome = passes(&system, &program(1, steps.collect()).record());
        assert_eq!(outcome.determined(), 1.0);
    }
}
