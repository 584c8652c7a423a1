//! CUs with a scoreboard: what waves wait for, by value.

use traces::trace::{Chain, FirstUse, Work};

use super::cycles::MISS;
use super::steps::*;

/// What some work before a load adds to the kernel.
fn added(set: &[(&str, &str)], items: u32, work: Work) -> u64 {
    let of = |work| cycles(set, items, &[load(0, work, FirstUse::Never)]);
    of(work) - of(NONE)
}

#[test]
fn work_takes_its_chain_or_its_issue() {
    assert_eq!(added(&[], 1, arithmetic(10, 2)), 10);
    assert_eq!(added(&[], 1, arithmetic(10, 5)), 15);
    // Where no chain is known, each instruction reads the result of the one before.
    assert_eq!(added(&[], 1, Work::of(10)), 30);
    let chain = Chain { arithmetic: 1, special: 2, local: 1 };
    let work = Work { instructions: 6, special: 3, local: 1, passes: 1, chain };
    assert_eq!(added(&[], 1, work), 3 + 2 * 10 + 7);
    // Three special functions occupy their unit longer than the chain takes.
    let work = Work { special: 9, ..work };
    assert_eq!(added(&[], 1, work), 9 * 4);
}

#[test]
fn waves_of_a_scheduler_share_its_issue() {
    // Two waves, of a scheduler each.
    assert_eq!(added(&[], 64, arithmetic(50, 1)), 50);
    // Of one scheduler: without work the second wave waits for the two lines of the first one.
    assert_eq!(added(&[("pipeline.schedulers", "1")], 64, arithmetic(50, 1)), 100 - 2);
    // Four waves, of which two wait for the four lines of the others.
    assert_eq!(added(&[], 128, arithmetic(50, 1)), 100 - 4);
    // Latencies of several waves overlap.
    assert_eq!(added(&[("pipeline.schedulers", "1")], 128, arithmetic(10, 20)), 60);
}

#[test]
fn conflicts_in_local_memory_occupy_the_load_store_pipeline() {
    let chain = Chain { local: 1, ..Chain::default() };
    let work = |passes| Work { instructions: 1, local: 1, passes, chain, ..Work::default() };
    assert_eq!(added(&[], 1, work(1)), 7);
    assert_eq!(added(&[], 1, work(32)), 32);
    // Of all waves together.
    assert_eq!(added(&[], 64, work(32)), 64);
}

#[test]
fn a_wave_waits_at_the_first_use() {
    let store = |work| store(4096, work);
    let of = |first_use| {
        let steps = [load(0, NONE, first_use), store(arithmetic(6, 0))];
        cycles(&[("pipeline.arithmetic_latency", "1")], 1, &steps)
    };
    // Without a use the store leaves 6 instructions after the load, and is back first.
    let never = of(FirstUse::Never);
    assert_eq!(of(FirstUse::Unknown), never);
    // It is the eighth instruction behind the load: the wave ends before.
    assert_eq!(of(FirstUse::After(8)), never);
    // The store itself reads the value: it leaves when that is there. To the L2 and back.
    let after = MISS + 2 * 10 + 20;
    let start = never - MISS;
    assert_eq!(of(FirstUse::After(7)), start + after);
    // Four of the six instructions wait.
    assert_eq!(of(FirstUse::After(3)), start + after + 4);
    assert_eq!(of(FirstUse::After(1)), start + after + 6);
}

/// A barrier is an instruction: the second one after a load is the store behind it.
#[test]
fn barriers_count_on_the_way_to_the_first_use() {
    let of = |first_use| cycles(&[], 1, &[load(0, NONE, first_use), BARRIER, store(4096, NONE)]);
    let waits = of(FirstUse::After(2));
    assert_eq!(of(FirstUse::After(3)), of(FirstUse::Never));
    // To the L2 and back; the barrier takes the cycle of an instruction that is waited for.
    assert!(waits >= of(FirstUse::Never) + 2 * 10 + 20);
}

#[test]
fn loads_without_a_use_overlap_up_to_their_limit() {
    let loads: Vec<_> = (0..8).map(|n| load(4096 * n, NONE, FirstUse::Never)).collect();
    let one = cycles(&[], 1, &loads[..1]);
    assert_eq!(cycles(&[], 1, &loads), one + 7);
    // Two at a time: four rounds.
    let two = cycles(&[("cu.loads", "2")], 1, &loads);
    assert!((4 * MISS..4 * MISS + 40).contains(&two), "{two}");
    // Each one reads the one before.
    let chain: Vec<_> = (0..8).map(|n| load(4096 * n, NONE, FirstUse::After(1))).collect();
    assert_eq!(cycles(&[], 1, &chain), one + 7 * MISS);
}

#[test]
fn lanes_and_sectors_take_the_load_store_pipeline() {
    // Of one wave a load of one line of 64 bytes, two sectors of 32, then another load.
    let loads = [load(0, NONE, FirstUse::Never), load(8192, NONE, FirstUse::Never)];
    let of = |set: &[(&str, &str)]| cycles(set, 16, &loads);
    let plain = of(&[]);
    assert_eq!(of(&[("pipeline.lanes", "4")]), plain + 2 * 3);
    assert_eq!(of(&[("pipeline.sectors", "1")]), plain + 1);
}

#[test]
fn executed_instructions_are_counted() {
    let machine =
        machine_of(&[], 64, &[load(0, arithmetic(9, 1), FirstUse::Never), store(4096, NONE)]);
    let of = |name| statistic(&machine, name);
    assert_eq!((of("cu.warp_instructions"), of("cu.load_instructions")), (2 * 11, 2));
}
