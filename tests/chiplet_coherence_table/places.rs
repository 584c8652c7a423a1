//! Slots, bases and joins (specification, sections 5.1 step 4, 5.4 and 5.8), by hand.

use hwmodel::cpelide::chiplet_coherence_table::Parameters;

use crate::directed::{Bench, LENGTH, kernel, on_each, place, read, write};
use crate::image::Entry;
use crate::program::Label;

const SMALL: Parameters = Parameters { table_entries: 8, ..Parameters::DEFAULT };

fn slot(bench: &Bench, base: u64) -> usize {
    bench.entry(base).slot
}

#[test]
fn new_entries_take_the_lowest_slots_in_address_order() {
    on_each(Parameters::DEFAULT, |mut bench| {
        bench.runs(&kernel(vec![read(place(2)), read(place(1)), read(place(3))]), 0, 0);
        assert_eq!([1, 2, 3].map(|n| slot(&bench, place(n))), [0, 1, 2]);
        bench.runs(&kernel(vec![read(place(0))]), 0, 0);
        assert_eq!(slot(&bench, place(0)), 3);
    });
}

/// Chiplet 0 is acquired for Z: what only it held goes.
#[test]
fn slots_of_removed_entries_are_taken_again() {
    on_each(Parameters::DEFAULT, |mut bench| {
        let [x, y, z] = [0, 1, 2].map(place);
        bench.runs(&kernel(vec![read(x)]).on(0b01), 0, 0);
        bench.runs(&kernel(vec![read(y)]).on(0b10), 0, 0);
        bench.runs(&kernel(vec![read(z)]).on(0b01), 0, 0);
        bench.runs(&kernel(vec![write(z)]).on(0b10), 0, 0);
        bench.runs(&kernel(vec![read(z)]).on(0b01), 0b10, 0b01);
        assert_eq!((slot(&bench, y), slot(&bench, z), bench.entries().len()), (1, 2, 2));
        bench.runs(&kernel(vec![read(place(3))]), 0, 0);
        assert_eq!(slot(&bench, place(3)), 0);
    });
}

/// The effects of the launch come before its entry: the entry is removed, and made anew.
#[test]
fn entry_that_a_launch_acquires_whole_takes_the_lowest_slot() {
    on_each(Parameters::DEFAULT, |mut bench| {
        let [x, y, z] = [0, 1, 2].map(place);
        bench.runs(&kernel(vec![read(y)]).on(0b10), 0, 0);
        bench.runs(&kernel(vec![read(x)]).on(0b01), 0, 0);
        bench.runs(&kernel(vec![write(x)]).on(0b10), 0, 0);
        bench.runs(&kernel(vec![read(z)]).on(0b10), 0, 0);
        bench.runs(&kernel(vec![write(z)]).on(0b100), 0, 0);
        bench.runs(&kernel(vec![read(z)]).on(0b10), 0b110, 0b10);
        assert_eq!((slot(&bench, x), bench.vector(x)), (1, 0b11));
        bench.runs(&kernel(vec![read(x)]).on(0b01), 0, 0b01);
        assert_eq!((slot(&bench, x), bench.vector(x)), (0, 0b01));
    });
}

#[test]
fn base_is_that_of_the_structure_and_not_of_the_range() {
    on_each(Parameters::DEFAULT, |mut bench| {
        let x = place(0);
        bench.runs(&kernel(vec![read(x).bytes(8192, 8255)]).on(0b01), 0, 0);
        assert_eq!(bench.lines(x, 0), Some((128, 128)));
    });
}

/// The upper structure has slot 0; a label that spans both joins them.
#[test]
fn record_over_two_entries_joins_them_in_the_lower_slot() {
    on_each(Parameters::DEFAULT, |mut bench| {
        let (x, y) = (place(0), place(1));
        bench.runs(&kernel(vec![read(y)]).on(0b01), 0, 0);
        bench.runs(&kernel(vec![write(x)]).on(0b10), 0, 0);
        let both = Label { length: y + LENGTH - x, ..read(x) };
        bench.runs(&kernel(vec![both.bytes(0, y + 63 - x)]).on(0b100), 0b10, 0);
        let entries = bench.entries();
        let [Entry { slot, base, .. }] = entries[..] else { panic!("{entries:?}") };
        assert_eq!((slot, u64::from(base)), (0, x / 4096));
        assert_eq!(bench.vector(x), 0b01_01_01);
        let gap = 4096 / 64;
        assert_eq!(bench.lines(x, 0), Some((32768 + gap, 2 * 32768 + gap - 1)));
        assert_eq!(bench.lines(x, 1), Some((0, 32767)));
        assert_eq!(bench.lines(x, 2), Some((0, 32768 + gap)));
    });
}

/// Chiplet 0 reads part a while chiplet 1 writes part b of what chiplet 0 holds: each alone needs
/// no operation.
#[test]
fn two_records_of_one_entry_are_one() {
    on_each(Parameters::DEFAULT, |mut bench| {
        let x = place(0);
        bench.runs(&kernel(vec![read(x)]).on(0b01), 0, 0);
        let a = Label { ranges: vec![(0, x, x + 63)], ..read(x) };
        let b = Label { ranges: vec![(1, x + 4096, x + 4159)], ..write(x) };
        bench.runs(&kernel(vec![a, b]).on(0b11), 0, 0b01);
        assert_eq!(bench.vector(x), 0b1010);
        assert_eq!(bench.lines(x, 0), Some((0, 0)));
        assert_eq!(bench.entries().len(), 1);
    });
}

/// Disjoint parts with different modes are separate entries.
#[test]
fn disjoint_records_of_one_structure_are_two_entries() {
    on_each(Parameters::DEFAULT, |mut bench| {
        let x = place(0);
        bench.runs(&kernel(vec![write(x).bytes(64, 127), read(x).bytes(0, 63)]).on(0b01), 0, 0);
        let entries = bench.entries();
        let found: Vec<_> = entries.iter().map(|entry| (entry.vector(), entry.writes)).collect();
        assert_eq!(found, [(0b01, false), (0b10, true)]);
        // In one line they are one record.
        let again = vec![write(x).bytes(4096, 4100), read(x).bytes(4101, 4200)];
        bench.runs(&kernel(again).on(0b01), 0, 0);
        assert_eq!(bench.entries().len(), 3);
    });
}

/// Nine entries: the pair with the smallest gap becomes one, of several the lowest.
#[test]
fn full_table_joins_the_nearest() {
    on_each(SMALL, |mut bench| {
        // Gaps in pages, of which 1 is the smallest.
        let mut places = vec![place(0)];
        for gap in [3, 2, 1, 5, 1, 4, 4] {
            places.push(places.last().expect("there is one") + LENGTH + gap * 4096);
        }
        bench.runs(&kernel(places.iter().map(|&base| read(base)).collect()), 0, 0);
        assert_eq!(bench.entries().len(), 8);
        bench.runs(&kernel(vec![read(place(50))]), 0, 0);
        assert_eq!(bench.entries().len(), 8);
        let lines = bench.lines(places[2], 0);
        assert_eq!(lines, Some((0, (2 * LENGTH + 4096) / 64 - 1)));
        // It keeps slot 2; slot 3 is that of the new one.
        assert_eq!((slot(&bench, places[2]), slot(&bench, place(50))), (2, 3));
        assert_eq!(bench.table.counters()[5..7], [8, 1], "occupancy and coarsenings");
    });
}
