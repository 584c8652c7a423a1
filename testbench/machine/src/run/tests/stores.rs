//! Stores that combiners send one after another, and that are combined while they wait. By value:
//! what a load or memory shows is compared with the program, and a wave ends when each of its
//! stores is acknowledged.

use traces::trace::FirstUse::After;
use traces::workloads::program::{self, Place, What, Who};

use super::cycles::{SET, access, program as kernel};
use super::steps::*;
use super::*;

/// Bytes from one line to the next.
const LINE: u64 = 64;

/// One CU with a combiner of its own, which is busy with a store for 20 cycles.
const SLOW: [(&str, &str); 4] = [
    ("network.combine", "1"),
    ("network.combine_store_cycles", "20"),
    ("l1.sector", "32"),
    ("l2.sector", "32"),
];

/// Stores of L1s, those that have joined others, writes of L2s and their sectors.
fn counted(machine: &Machine) -> [u64; 4] {
    ["l1.stores", "l1.combined_stores", "l2.writes", "l2.write_sectors"]
        .map(|name| statistic(machine, name))
}

/// Work-groups of one work-item, each a wave, on CUs of four waves.
fn by_waves(set: &[(&str, &str)], groups: u32, steps: &[Step]) -> [u64; 4] {
    let set = [&SLOW[..], &[("cu.waves", "4")], set].concat();
    counted(&machine_of_kernels(false, &set, ((groups, 1), 1), steps))
}

#[test]
fn stores_of_waves_to_one_sector_become_one_while_they_wait() {
    // The first store of four waves leaves at once; the last three are one.
    let own_words = [store(0, NONE).by_group(4)];
    assert_eq!(by_waves(&[], 4, &own_words), [4, 2, 2, 2]);
    // Each wave writes a sector of its own.
    assert_eq!(by_waves(&[], 4, &[store(0, NONE).by_group(32)]), [4, 0, 4, 4]);
}

#[test]
fn stores_are_combined_only_where_they_wait() {
    let own_words = [store(0, NONE).by_group(4)];
    // A store leaves before the next one comes.
    assert_eq!(by_waves(&[("network.combine_store_cycles", "0.5")], 4, &own_words), [4, 0, 4, 4]);
    let set = [&SLOW[..], &[("cu.waves", "4"), ("network.combine_store_cycles", "0")]].concat();
    let machine = machine_of_kernels(false, &set, ((4, 1), 1), &own_words);
    assert_eq!(["l1.stores", "l2.writes"].map(|name| statistic(&machine, name)), [4, 4]);
    let all: BTreeMap<_, _> = machine.statistics().into_iter().collect();
    assert!(!all.contains_key("l1.combined_stores"));
}

/// The card combines no stores of several CUs: those of `scatter` meet in every sector.
#[test]
fn stores_of_two_cus_are_not_combined() {
    let pair = [("machine.cus", "2"), ("network.combine", "2")];
    // Each CU sends its first store, and then the other three as one.
    assert_eq!(by_waves(&pair, 8, &[store(0, NONE).by_group(4)]), [8, 4, 4, 4]);
}

/// Each store inverts the word. Memory would have the value of the first one, if that stayed.
#[test]
fn the_later_of_two_combined_stores_to_a_word_stays() {
    let steps = [store(LINE, NONE), store(0, NONE), store(0, NONE)];
    assert_eq!(by_waves(&[], 1, &steps), [3, 1, 2, 2]);
}

/// A machine that has run a kernel of one work-group.
fn machine_of_program(interval: &str, items: u32, steps: Vec<program::Step>) -> Machine {
    let last = [("machine.chiplets", "1"), ("network.combine_store_cycles", interval)];
    let set = [&SET[..], &SLOW, &last].concat();
    let mut machine = machine("cpelide-4-small", &set, kernel(items, steps).record());
    machine.run().unwrap();
    machine
}

/// Of two stores to a line that wait the younger one writes both sectors. A third one may not join
/// the older one: its word would be lost.
#[test]
fn a_store_joins_the_youngest_store_to_its_line() {
    let word = |offset| access(What::Store, Who::Item(0), (0, offset), 0);
    let place = Place { page: 0, offset: 0, per_item: 4, per_group: 0, page_by_group: false };
    let (what, who) = (What::Store, Who::All);
    let line = program::Step::Access { what, who, place, size: 4, aligned: true, gap: 0 };
    let machine = machine_of_program("20", 16, vec![word(LINE), word(0), line, word(0)]);
    assert_eq!(counted(&machine), [4, 1, 3, 4]);
}

#[test]
fn accesses_behind_a_store_of_their_cu_see_it() {
    let before = [store(LINE, NONE), store(0, NONE)];
    let of = |at, interval| {
        let set = [&SLOW[..], &[("network.combine_store_cycles", interval)]].concat();
        cycles(&set, 1, &[&before[..], &[load(at, NONE, After(1)), store(3 * LINE, NONE)]].concat())
    };
    // The second store leaves after the interval, and the load of its line behind it.
    assert_eq!(of(0, "40") - of(0, "20"), 20);
    // A load of another line overtakes it.
    assert_eq!(of(2 * LINE, "40"), of(2 * LINE, "20"));
    let steps = [&before[..], &[add(0, 0), store(0, NONE)]].concat();
    assert_eq!(by_waves(&[("l2.policy", "home-forward")], 1, &steps)[..3], [3, 0, 3]);
}

/// The second wave's store waits, and the first wave's second one joins it. What the first wave
/// does behind its fence takes longest.
#[test]
fn a_fence_waits_for_a_store_that_has_joined_another_one() {
    let store = |item, offset, gap| access(What::Store, Who::Item(item), (0, offset), gap);
    let of = |interval| {
        let before = [store(0, LINE, 0), store(64, 4, 0), store(0, 0, 0)];
        let behind = [program::Step::Fence, store(0, 2 * LINE, 500)];
        let machine = machine_of_program(interval, 128, [&before[..], &behind].concat());
        assert_eq!(counted(&machine), [4, 1, 3, 3]);
        statistic(&machine, "launch.cycles.kernel")
    };
    assert_eq!(of("50") - of("20"), 30);
}

/// The third store waits in the network while the second one has the only place, and the load stays
/// behind it.
#[test]
fn a_store_without_a_place_stops_what_is_behind_it() {
    let stores = [LINE, 2 * LINE, 0].map(|at| store(at, NONE));
    let behind = [load(3 * LINE, NONE, After(1)), store(4 * LINE, NONE)];
    let of = |queue, interval| {
        let last = [("network.queue", queue), ("network.combine_store_cycles", interval)];
        cycles(&[&SLOW[..], &last].concat(), 1, &[&stores[..], &behind].concat())
    };
    assert_eq!(["1", "2"].map(|queue| of(queue, "30") - of(queue, "20")), [10, 0]);
}

/// More stores than may wait, and of the second preset some to other GPUs. What each load finds is
/// compared with the program.
#[test]
fn stores_that_find_no_place_wait_in_the_network() {
    for (preset, queue) in [("h100-small", "1"), ("h100-small", "3"), ("rec-4gpu-small", "3")] {
        let set = [
            ("network.combine", "1"),
            ("network.combine_store_cycles", "7.5"),
            ("network.queue", queue),
        ];
        for (name, size) in [("stream", 1024), ("bfs", 1024), ("fft", 10), ("locks", 64)] {
            let mut machine = machine(preset, &set, super::program(name, size));
            machine.run().unwrap();
            assert!(statistic(&machine, "l1.stores") > 0, "{preset}, {name}");
        }
    }
}
