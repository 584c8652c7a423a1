//! The worked examples of specification section 10, on each host.

use cosim::cpelide::packet::{Access, Labels};
use cosim::cpelide::{Conf, SyncMode};
use duet_tests::firmware::Host;
use duet_tests::firmware::driver::{
    Driver, LINE, MACHINE, NONE, Operations, chunks, kernel, labels, operations, ranges,
};

use super::hosts::each;

const X: u64 = 0x10_0000;
const Y: u64 = 0x80_0000;
const ALL: u16 = 15;
const MIB2: u64 = 32768;

fn square() -> Labels {
    let mut labels = Labels::new(4);
    let (a, c) = (chunks(X, MIB2, 4), chunks(Y, MIB2, 4));
    labels.set_access_mode_range(X, MIB2 * LINE, Access::Read, &a);
    labels.set_access_mode_range(Y, MIB2 * LINE, Access::ReadWrite, &c);
    labels
}

#[test]
fn example_1_square_needs_nothing_but_the_end() {
    each(&MACHINE, |driver| {
        for _ in 0..5 {
            assert_eq!(driver.run(&square()), NONE);
        }
        let (a, c) = (driver.entry(0), driver.entry(1));
        assert_eq!((a.vector, c.vector), (0x55, 0xaa));
        assert_eq!((a.ranges[1], c.ranges[1]), ((8192, 16383), (8192, 16383)));
        assert_eq!((a.write, c.write), (false, true));
        assert_eq!(driver.finish(), operations(ALL, ALL));
    });
    each(&Conf { sync_mode: SyncMode::Baseline, ..MACHINE }, |driver| {
        for _ in 0..3 {
            let (before, tag) = driver.launch(&kernel(), Some(&square()));
            assert_eq!(before, operations(0, ALL));
            assert_eq!(driver.end(tag), operations(ALL, 0));
        }
        let counters = driver.host.counters();
        assert_eq!(counters[..5], [3, 12, 0, 12, 0]);
    });
}

/// One chiplet touches all of a structure.
fn one(driver: &mut Driver<&mut dyn Host>, chiplet: usize, access: Access) -> Operations {
    let mut lines = [None; 4];
    lines[chiplet] = Some((0, 63));
    driver.run(&labels(X, 64, access, &ranges(X, &lines)))
}

#[test]
fn example_2_one_chiplet_per_kernel() {
    each(&MACHINE, |driver| {
        assert_eq!(one(driver, 0, Access::ReadWrite), NONE);
        assert_eq!(one(driver, 1, Access::Read), operations(1, 0));
        assert_eq!(driver.entry(0).vector, 0b0101);
        assert_eq!(one(driver, 0, Access::Read), NONE);
        assert_eq!(one(driver, 1, Access::ReadWrite), NONE);
        assert_eq!(driver.entry(0).vector, 0b1011);
        // Another structure that chiplet 0 has read and written: released, then gone.
        let other = labels(Y, 64, Access::ReadWrite, &ranges(Y, &[Some((0, 63))]));
        assert_eq!(driver.run(&other), NONE);
        assert_eq!(one(driver, 0, Access::Read), operations(0b11, 0b01));
        assert_eq!(driver.entry(0).vector, 0b0101);
        assert_eq!(driver.entry(1).base, 0);
    });
}

#[test]
fn example_3_shift() {
    each(&MACHINE, |driver| {
        let chunk = |i: u64| Some((i * 64, i * 64 + 63));
        let own = ranges(X, &[chunk(0), chunk(1), chunk(2), chunk(3)]);
        let next = ranges(X, &[chunk(1), chunk(2), chunk(3), chunk(0)]);
        let write = |ranges| labels(X, 256, Access::ReadWrite, ranges);
        let read = |ranges| labels(X, 256, Access::Read, ranges);
        assert_eq!(driver.run(&write(&own)), NONE);
        assert_eq!(driver.run(&read(&next)), operations(ALL, 0));
        assert_eq!(driver.entry(0).vector, 0x55);
        assert_eq!(driver.entry(0).ranges, [(0, 127), (64, 191), (128, 255), (0, 255)]);
        assert_eq!(driver.run(&write(&own)), operations(0, ALL));
        assert_eq!(driver.entry(0).vector, 0xaa);
        assert_eq!(driver.entry(0).ranges, [(0, 63), (64, 127), (128, 191), (192, 255)]);
        assert_eq!(driver.run(&read(&own)), NONE);
    });
}

#[test]
fn examples_4_and_5_modes_only() {
    each(&MACHINE, |driver| {
        let write = labels(X, 64, Access::ReadWrite, &[]);
        let read = labels(X, 64, Access::Read, &[]);
        assert_eq!(driver.run(&write), NONE);
        assert!(driver.entry(0).mixed);
        assert_eq!(driver.run(&read), operations(ALL, ALL));
        for _ in 0..3 {
            assert_eq!(driver.run(&read), NONE);
        }
    });
}

#[test]
fn example_6_nine_structures_of_which_the_neighbours_merge() {
    each(&MACHINE, |driver| {
        let mut labels = Labels::new(4);
        for i in 0..9u64 {
            // The fourth ends where the fifth begins; the others lie a page apart.
            let page = 0x100 + 4 * i - if i > 3 { 1 } else { 0 };
            let access = if i == 4 { Access::ReadWrite } else { Access::Read };
            let lines: &[_] = &[Some((0, 191))];
            let ranges = ranges(page << 12, lines);
            labels.set_access_mode_range(page << 12, 3 << 12, access, &ranges);
        }
        assert_eq!(driver.run(&labels), NONE);
        assert_eq!(driver.host.counters()[6], 1);
        let merged = driver.entry(3);
        assert_eq!((merged.base, merged.ranges[0], merged.write), (0x10c, (0, 383), true));
        assert_eq!(driver.entry(7).base, 0x100 + 4 * 8 - 1);
        assert_eq!(driver.entry(8).base, 0);
    });
}

#[test]
fn example_7_a_join_of_dirty_and_stale_is_mixed() {
    each(&MACHINE, |driver| {
        let on = |(i, first, last): (usize, u64, u64), access| {
            let mut lines = [None; 4];
            lines[i] = Some((first, last));
            labels(X, 256, access, &ranges(X, &lines))
        };
        // Q: read by chiplet 0, written by chiplet 1.
        assert_eq!(driver.run(&on((0, 64, 127), Access::Read)), NONE);
        assert_eq!(driver.run(&on((1, 64, 127), Access::ReadWrite)), NONE);
        // P: written by chiplet 0.
        assert_eq!(driver.run(&on((0, 0, 31), Access::ReadWrite)), NONE);
        // Both are read by chiplet 2: joined. Chiplet 0 is mixed, and that is resolved at once.
        assert_eq!(driver.run(&on((2, 0, 127), Access::Read)), operations(0b11, 0));
        assert_eq!(driver.run(&on((0, 0, 31), Access::Read)), operations(0, 1));
    });
}

#[test]
fn example_8_no_labels_are_the_baseline_and_an_empty_table() {
    each(&MACHINE, |driver| {
        assert_eq!(driver.run(&square()), NONE);
        let (before, tag) = driver.launch(&kernel(), None);
        assert_eq!(before, operations(ALL, ALL));
        assert_eq!(driver.end(tag), NONE);
        assert!(driver.host.private().iter().all(|&word| word == 0));
        assert_eq!(driver.host.counters()[7], 1);
        // The next one that says what it touches sees to what the other may have left.
        assert_eq!(driver.run(&square()), operations(ALL, ALL));
        assert_eq!(driver.run(&square()), NONE);
    });
}

#[test]
fn example_9_a_boundary_in_mid_line_costs_what_the_baseline_costs() {
    each(&MACHINE, |driver| {
        let mut ranges = chunks(X, 256, 4);
        for i in 0..3 {
            ranges[i].end += 32;
            ranges[i + 1].start += 32;
        }
        let labels = labels(X, 256, Access::ReadWrite, &ranges);
        assert_eq!(driver.run(&labels), NONE);
        assert!(driver.entry(0).mixed);
        assert_eq!(driver.run(&labels), operations(ALL, ALL));
    });
}

#[test]
fn example_11_what_a_running_kernel_uses_stays() {
    each(&MACHINE, |driver| {
        let z = 0x100_0000;
        let on = |base, access, i| {
            let mut lines = [None; 4];
            lines[i] = Some((0, 63));
            labels(base, 64, access, &ranges(base, &lines))
        };
        // Z is stale on chiplet 0, Y is idle there.
        assert_eq!(driver.run(&on(z, Access::Read, 0)), NONE);
        assert_eq!(driver.run(&on(z, Access::ReadWrite, 1)), NONE);
        assert_eq!(driver.run(&on(Y, Access::Read, 0)), NONE);
        // A kernel of another stream runs on chiplet 0 and writes X.
        let x = on(X, Access::ReadWrite, 0);
        let (before, tag) = driver.launch_on(&kernel(), Some(&x), 1, ALL);
        assert_eq!(before, NONE);
        assert_eq!(driver.run(&on(z, Access::Read, 0)), operations(0b11, 0b01));
        let of = |base: u64| {
            let mut entries = (0..4).map(|slot| driver.entry(slot));
            let found = entries.find(|entry| u64::from(entry.base) << 12 == base);
            found.map(|entry| entry.vector)
        };
        assert_eq!((of(z), of(Y), of(X)), (Some(0b0101), None, Some(0b10)));
        assert_eq!(driver.end(tag), NONE);
    });
}
