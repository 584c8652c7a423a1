//! What stands between a CU and memory: sectors, combined reads, atomics, TLBs, and where a kernel
//! starts. By value.

use traces::trace::FirstUse::{After, Never};

use super::cycles::MISS;
use super::steps::*;
use super::*;

#[test]
fn a_miss_fetches_the_sectors_that_it_needs() {
    // A line has two sectors; the second load reads the other one after the first has come.
    let loads = [load(0, NONE, After(1)), load(32, NONE, Never)];
    let of = |set: &[(&str, &str)]| {
        let set = [&[("memory.granule", "32")], set].concat();
        let machine = machine_of(&set, 1, &loads);
        let of = |name| statistic(&machine, name);
        (of("l1.hits"), of("memory.bytes_read"), of("launch.cycles.kernel"))
    };
    let (hits, bytes, whole) = of(&[]);
    assert_eq!((hits, bytes), (1, 64));
    let (hits, bytes, both) = of(&[("l1.sector", "32"), ("l2.sector", "32")]);
    // The second load misses as well, less its hit.
    assert_eq!((hits, bytes, both - whole), (0, 64, MISS - 4));
    // The L2 fetches the line: the second load of the L1 hits there.
    let (hits, bytes, near) = of(&[("l1.sector", "32")]);
    assert_eq!((hits, bytes), (0, 64));
    assert_eq!(both - near, 2 * 6 + 1 + 30 + 8);
    let one = machine_of(
        &[("memory.granule", "32"), ("l1.sector", "32"), ("l2.sector", "32")],
        1,
        &loads[..1],
    );
    assert_eq!(statistic(&one, "memory.bytes_read"), 32);
    let sectors = ["l1.load_sectors", "l1.sector_hits", "l2.read_sectors"];
    assert_eq!(sectors.map(|name| statistic(&one, name)), [1, 0, 1]);
}

#[test]
fn a_line_keeps_its_sectors_when_another_one_comes() {
    let loads = [0, 32, 0, 36].map(|at| load(at, NONE, After(1)));
    for sectors in [&[("l1.sector", "32")][..], &[("l1.sector", "32"), ("l2.sector", "32")]] {
        let machine = machine_of(sectors, 1, &loads);
        let names = ["l1.load_sectors", "l1.sector_hits", "l1.hits"];
        assert_eq!(names.map(|name| statistic(&machine, name)), [4, 2, 2]);
    }
}

#[test]
fn each_further_sector_of_a_load_that_misses_is_later() {
    let of = |cycles_of: &str, items| {
        let set = [("l1.sector", "32"), ("l1.sector_cycles", cycles_of)];
        cycles(&set, items, &[load(0, NONE, After(1)), load(0, NONE, After(1))])
    };
    // The second load hits. Eight work-items read one sector, nine read two.
    assert_eq!([8, 9, 16].map(|items| of("13", items) - of("0", items)), [0, 13, 13]);
}

#[test]
fn other_sectors_of_a_pending_line_are_requested_at_once() {
    let set = [("l1.sector", "32"), ("l2.sector", "32"), ("memory.granule", "32")];
    let loads = [load(0, NONE, Never), load(32, NONE, Never), load(4, NONE, Never)];
    let one = cycles(&set, 1, &loads[..1]);
    let machine = machine_of(&set, 1, &loads);
    // The misses overlap; the third load waits for the first sector.
    assert!(statistic(&machine, "launch.cycles.kernel") < one + MISS / 4);
    let of = |name| statistic(&machine, name);
    assert_eq!((of("l1.merges"), of("l1.load_sectors"), of("l1.sector_hits")), (1, 3, 1));
    assert_eq!((of("l2.read_sectors"), of("memory.bytes_read")), (2, 64));
}

#[test]
fn stores_make_no_sector_valid_that_was_not_fetched() {
    let set = [("l1.sector", "32"), ("l2.sector", "32"), ("memory.granule", "32")];
    // The store writes the pending sector; later loads find its value.
    let steps =
        [load(0, NONE, Never), store(0, NONE), load(0, NONE, After(1)), load(36, NONE, After(1))];
    machine_of(&set, 8, &steps);
}

#[test]
fn loads_occupy_their_bank() {
    // A round reads four lines of two sectors each; after the first one the L2 has them.
    let of = |cycles_of: &str, rounds: usize| {
        let set = [
            ("l2.banks", "1"),
            ("l2.load_sector", cycles_of),
            ("l1.sector", "32"),
            ("l1.bypass", "true"),
        ];
        let round = [load(0, NONE, After(1)), BARRIER];
        cycles(&set, 64, &round.repeat(rounds))
    };
    let of_a_hit = |cycles_of| of(cycles_of, 3) - of(cycles_of, 2);
    // The last of four lines waits for six sectors.
    assert_eq!(of_a_hit("20") - of_a_hit("10"), 6 * 10);
    assert_eq!(of_a_hit("20.5") - of_a_hit("20"), 6 / 2);
}

#[test]
fn sectors_that_are_stored_in_part_occupy_their_bank() {
    // Eight stores of a sector.
    let of = |cycles_of: &str, items| {
        let set = [("l2.banks", "1"), ("l2.partial_sector", cycles_of)];
        cycles(&set, items, &[store(0, NONE); 8])
    };
    // Before the last one there are seven. Nine work-items write one sector whole, and one in part.
    assert_eq!([7, 8, 9].map(|items| of("60", items) - of("30", items)), [7 * 30, 0, 7 * 30]);
}

#[test]
fn loads_that_bypass_the_l1_do_not_hit() {
    let hits = |bypass: &str| {
        let set = [("l1.bypass", bypass), ("l1.sector", "32")];
        let steps = [load(0, NONE, After(1)), BARRIER, load(0, NONE, After(1))];
        let machine = machine_of(&set, 32, &steps);
        ["l1.loads", "l1.hits", "l2.reads"].map(|name| statistic(&machine, name))
    };
    let [loads, all, reads] = hits("false");
    assert_eq!(hits("true"), [loads, 0, 2 * reads]);
    assert!(all > 0);
}

#[test]
fn atomics_occupy_their_bank() {
    // All lanes on one word: a request each.
    let of = |cycles_of: &str| {
        let set = [("l2.policy", "home-forward"), ("l2.atomic_request", cycles_of)];
        cycles(&set, 32, &[add(0, 0)])
    };
    assert_eq!(of("3") - of("1"), 31 * 2);
    // The last of 32 begins in the cycle in which 31 times 1.5 cycles end.
    assert_eq!(of("1.5") - of("1"), 31 / 2);
    // Lanes on different words of a line are one request.
    let of = |sector: &str| {
        let set = [("l2.policy", "home-forward"), ("l2.atomic_sector", sector)];
        cycles(&set, 32, &[add(0, 4)])
    };
    // Two lines: the second request waits for both sectors of the first.
    assert_eq!(of("20") - of("10"), 2 * 10);
    let of = |latency: &str| {
        let set = [("l2.policy", "home-forward"), ("l2.atomic_latency", latency)];
        cycles(&set, 1, &[add(0, 4)])
    };
    assert_eq!(of("100") - of("30"), 70);
}

/// Four CUs, each with one wave, of which two share a combiner. Each work-group has one work-item.
const PAIRS: [(&str, &str); 4] =
    [("machine.cus", "4"), ("network.combine", "2"), ("cu.waves", "1"), ("l1.sector", "32")];

fn combined(set: &[(&str, &str)], steps: &[Step]) -> [u64; 3] {
    let set = [&PAIRS[..], set].concat();
    let machine = machine_of_kernels(false, &set, ((4, 1), 1), steps);
    let names = ["l1.combined_reads", "l2.reads", "launch.cycles.kernel"];
    names.map(|name| statistic(&machine, name))
}

#[test]
fn reads_of_one_sector_are_combined() {
    // Four CUs read a sector at once: two units send one read each.
    let [combined_reads, reads, cycles] = combined(&[], &[load(0, NONE, Never)]);
    assert_eq!([combined_reads, reads], [2, 2]);
    // The way of a request is as long without them.
    let set = [&PAIRS[..], &[("network.combine", "0")]].concat();
    let plain = machine_of_kernels(false, &set, ((4, 1), 1), &[load(0, NONE, Never)]);
    let plain = statistic(&plain, "launch.cycles.kernel");
    assert!(cycles.abs_diff(plain) <= 2, "{cycles}, {plain}");
}

/// 60 cycles after its first load each CU reads the sector that the next one's first load reads.
/// Two of these share a unit.
#[test]
fn reads_are_combined_within_a_window() {
    let first = load(0, NONE, Never).by_group(32);
    let steps = [first, load(32, arithmetic(20, 20), Never).by_group(32)];
    let of = |window| combined(&[("network.combine_cycles", window)], &steps);
    let [wide, narrow] = ["100", "30"].map(|window| of(window)[..2].to_vec());
    assert_eq!((wide, narrow), (vec![2, 6], vec![0, 8]));
}

/// Both reads of a CU have one MSHR, and so one tag. The second one leaves the CU after the L2 has
/// answered the first one, and before that answer arrives: the L2 has the first sector alone then.
#[test]
fn each_read_gets_the_sector_that_it_waits_for() {
    let steps = [load(0, NONE, Never), load(32, arithmetic(25, 25), Never)];
    let set = [("l2.sector", "32"), ("memory.granule", "32")];
    let [combined_reads, reads, _] = combined(&set, &steps);
    assert_eq!([combined_reads, reads], [4, 4]);
}

/// Each CU changes a word of its own of a sector while a read of all is pending, and reads it.
#[test]
fn a_store_ends_the_combining_with_earlier_reads() {
    let own = |step: Step| step.by_group(4);
    let steps = [own(load(0, NONE, Never)), own(store(0, NONE)), own(load(0, NONE, After(1)))];
    let [combined_reads, ..] = combined(&[], &steps);
    assert!(combined_reads > 0);
    let steps = [own(load(0, NONE, Never)), own(add(0, 0)), own(load(0, NONE, After(1)))];
    combined(&[("l2.policy", "home-forward")], &steps);
}

#[test]
fn a_page_that_no_tlb_has_costs_a_walk() {
    let loads = [load(0, NONE, After(1)), load(8192, NONE, After(1)), load(64, NONE, After(1))];
    let tlb = [
        ("tlb.entries", "8"),
        ("tlb.page", "4096"),
        ("tlb.shared_latency", "50"),
        ("tlb.walk_latency", "300"),
    ];
    let machine = machine_of(&tlb, 1, &loads);
    let plain = cycles(&[], 1, &loads);
    assert_eq!(statistic(&machine, "launch.cycles.kernel") - plain, 2 * 350);
    assert_eq!(["cu.tlb_misses", "cu.tlb_walks"].map(|name| statistic(&machine, name)), [2, 2]);
}

#[test]
fn a_kernel_starts_late_and_cold() {
    let loads = [load(0, NONE, Never)];
    let start = [("command_processor.start_cycles", "700")];
    assert_eq!(cycles(&start, 1, &loads) - cycles(&[], 1, &loads), 700);
    let hits = |cold| {
        let set = [("l2.design", "ideal")];
        statistic(&machine_of_kernels(cold, &set, ((1, 16), 2), &loads), "l2.hits")
    };
    assert_eq!((hits(false), hits(true)), (1, 0));
    // The L3 forgets its lines, too; memory has what was stored.
    let fetches = |cold| {
        let steps = [load(0, NONE, After(1)), store(0, NONE)];
        statistic(&machine_of_kernels(cold, &[], ((1, 16), 2), &steps), "l3.fetches")
    };
    assert_eq!((fetches(false), fetches(true)), (1, 2));
}

#[test]
fn a_machine_may_have_512_parts_of_each_kind() {
    let set = [
        ("l1.design", "src"),
        ("machine.chiplets", "1"),
        ("l2.bytes", "4194304"),
        ("l3.bytes", "4194304"),
        ("l2.banks", "512"),
        ("l3.slices", "512"),
        ("machine.cus", "512"),
    ];
    let mut machine = machine("cpelide-4-small", &set, program("stream", 1 << 15));
    machine.run().unwrap();
}

/// Each of eight work-groups on two chiplets reads its own page, of which the even ones have their
/// home on chiplet 0.
#[test]
fn work_groups_rotate_over_chiplets() {
    let link_bytes = |(rotate, cus), placement| -> u64 {
        let set = [
            ("machine.chiplets", "2"),
            ("machine.cus", cus),
            ("placement.rotate", rotate),
            ("placement.policy", placement),
        ];
        let steps = [load(0, NONE, Never).by_group(4096)];
        let machine = machine_of_kernels(false, &set, ((8, 1), 1), &steps);
        let all = machine.statistics().into_iter();
        all.filter(|(name, _)| name.starts_with("traffic.link.")).map(|(_, bytes)| bytes).sum()
    };
    let of = [("false", "1"), ("true", "1"), ("true", "2")];
    // A request, and an answer with a line, of half of the pages.
    let half = 4 * (8 + 8 + 64);
    assert_eq!(of.map(|machine| link_bytes(machine, "interleave")), [half, 0, half]);
    assert_eq!(of.map(|machine| link_bytes(machine, "first-touch")), [0; 3]);
}
