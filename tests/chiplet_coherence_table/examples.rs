//! The worked examples of the specification's section 10, but for number 10, which is about timing.
//! Four chiplets; chunk i is that of chiplet i unless stated. Vectors are two bits for each
//! chiplet, chiplet 0 lowest: V 01, D 10, S 11.

use hwmodel::cpelide::chiplet_coherence_table::{Parameters, SyncMode};

use crate::directed::{CHUNK, LENGTH, kernel, on_each, place, read, write};
use crate::program::{Label, Labels};

const ALL: u16 = 0b1111;
const LAUNCHES: u32 = 5;

#[test]
fn example_1_square_needs_operations_at_the_end_only() {
    on_each(Parameters::DEFAULT, |mut bench| {
        let (a, c) = (place(0), place(1));
        let square = kernel(vec![read(a).chunks(0), write(c).chunks(0)]);
        for _ in 0..LAUNCHES {
            bench.runs(&square, 0, 0);
            assert_eq!((bench.vector(a), bench.vector(c)), (0x55, 0xaa));
            assert_eq!(bench.lines(a, 1), Some((8192, 16383)));
            assert_eq!(bench.lines(c, 1), Some((8192, 16383)));
        }
        // Launches; acquires sent and elided; releases sent and elided.
        let elided = 4 * LAUNCHES;
        assert_eq!(bench.table.counters()[..5], [LAUNCHES, 0, elided, 0, elided]);
        bench.program_ends(ALL);
        assert_eq!(bench.table.counters()[..5], [LAUNCHES, 4, elided - 4, 4, elided - 4]);
    });
}

#[test]
fn example_1_square_with_baseline_needs_them_at_each_launch() {
    on_each(Parameters { sync_mode: SyncMode::Baseline, ..Parameters::DEFAULT }, |mut bench| {
        let square = kernel(vec![read(place(0)).chunks(0), write(place(1)).chunks(0)]);
        for _ in 0..LAUNCHES {
            let tag = bench.starts(&square, 0, ALL);
            bench.ends(tag, ALL);
        }
        let sent = 4 * LAUNCHES;
        assert_eq!(bench.table.counters()[..5], [LAUNCHES, sent, 0, sent, 0]);
    });
}

#[test]
fn example_2_one_chiplet_for_each_kernel() {
    on_each(Parameters::DEFAULT, |mut bench| {
        let (x, y, z) = (place(0), place(1), place(2));
        bench.runs(&kernel(vec![read(y)]).on(0b01), 0, 0);
        bench.runs(&kernel(vec![write(x)]).on(0b01), 0, 0);
        assert_eq!(bench.vector(x), 0b0010);
        bench.runs(&kernel(vec![read(x)]).on(0b10), 0b01, 0);
        assert_eq!(bench.vector(x), 0b0101);
        bench.runs(&kernel(vec![read(x)]).on(0b01), 0, 0);
        bench.runs(&kernel(vec![write(x)]).on(0b10), 0, 0);
        assert_eq!(bench.vector(x), 0b1011);
        bench.runs(&kernel(vec![write(z)]).on(0b01), 0, 0);
        // Z is D on chiplet 0: released first, because of the acquire.
        bench.runs(&kernel(vec![read(x)]).on(0b01), 0b11, 0b01);
        assert_eq!(bench.vector(x), 0b0101);
        assert_eq!(bench.entries().len(), 1, "Y and Z are not present any more");
        assert_eq!(bench.table.counters()[9], 1, "implied releases");
    });
}

#[test]
fn example_2_without_another_dirty_entry() {
    on_each(Parameters::DEFAULT, |mut bench| {
        let x = place(0);
        bench.runs(&kernel(vec![write(x)]).on(0b01), 0, 0);
        bench.runs(&kernel(vec![read(x)]).on(0b10), 0b01, 0);
        bench.runs(&kernel(vec![write(x)]).on(0b10), 0, 0);
        bench.runs(&kernel(vec![read(x)]).on(0b01), 0b10, 0b01);
        assert_eq!(bench.vector(x), 0b0101);
    });
}

#[test]
fn example_3_shift() {
    on_each(Parameters::DEFAULT, |mut bench| {
        let x = place(0);
        bench.runs(&kernel(vec![write(x).chunks(0)]), 0, 0);
        bench.runs(&kernel(vec![read(x).chunks(1)]), ALL, 0);
        assert_eq!(bench.vector(x), 0x55);
        let whole = (0, 4 * 8192 - 1);
        let lines = |from: u64, to: u64| Some((from * 8192, to * 8192 - 1));
        let found: Vec<_> = (0..4).map(|i| bench.lines(x, i)).collect();
        assert_eq!(found, [lines(0, 2), lines(1, 3), lines(2, 4), Some(whole)]);
        assert_eq!(bench.table.counters()[11], 4, "hull growths");
        bench.runs(&kernel(vec![write(x).chunks(0)]), 0, ALL);
        assert_eq!(bench.vector(x), 0xaa);
        let found: Vec<_> = (0..4).map(|i| bench.lines(x, i)).collect();
        assert_eq!(found, [lines(0, 1), lines(1, 2), lines(2, 3), lines(3, 4)]);
        bench.runs(&kernel(vec![read(x).chunks(0)]), 0, 0);
    });
}

#[test]
fn example_4_read_and_written_everywhere() {
    on_each(Parameters::DEFAULT, |mut bench| {
        let x = place(0);
        bench.runs(&kernel(vec![write(x)]), 0, 0);
        assert!(bench.entry(x).mixed);
        bench.runs(&kernel(vec![read(x)]), ALL, ALL);
        assert!(!bench.entry(x).mixed);
        assert_eq!(bench.table.counters()[10], 1, "mixed resolutions");
        bench.runs(&kernel(vec![read(x)]), 0, 0);
    });
}

#[test]
fn example_5_read_everywhere() {
    on_each(Parameters::DEFAULT, |mut bench| {
        for _ in 0..LAUNCHES {
            bench.runs(&kernel(vec![read(place(0))]), 0, 0);
            assert_eq!(bench.vector(place(0)), 0x55);
        }
    });
}

#[test]
fn example_6_nine_structures() {
    on_each(Parameters::DEFAULT, |mut bench| {
        // Two pages lie between the others, none between S3 and S4.
        let place = |n: u64| 0x4000_0000 + n * (LENGTH + 8192) - if n > 3 { 8192 } else { 0 };
        let structures = (0..9).map(|n| if n == 4 { write(place(n)) } else { read(place(n)) });
        bench.runs(&kernel(structures.collect()).on(0b01), 0, 0);
        assert_eq!(bench.entries().len(), 8);
        assert_eq!(bench.lines(place(3), 0), Some((0, 2 * LENGTH / 64 - 1)));
        assert!(bench.entry(place(3)).writes && bench.vector(place(3)) == 0b10);
        assert_eq!(bench.entries().iter().filter(|entry| entry.writes).count(), 1);
        assert_eq!(bench.table.counters()[6], 1, "coarsenings");
    });
}

/// P and Q are joined because the table is full.
#[test]
fn example_7_join_of_dirty_and_stale() {
    on_each(Parameters { table_entries: 8, ..Parameters::DEFAULT }, |mut bench| {
        let p = place(0);
        let q = p + LENGTH;
        bench.runs(&kernel(vec![read(q)]).on(0b001), 0, 0);
        bench.runs(&kernel(vec![write(q)]).on(0b010), 0, 0);
        bench.runs(&kernel(vec![read(q)]).on(0b100), 0b010, 0);
        assert_eq!(bench.vector(q), 0b01_01_11);
        bench.runs(&kernel(vec![write(p)]).on(0b001), 0, 0);
        assert_eq!(bench.vector(p), 0b10);
        bench.runs(&kernel((2..9).map(|n| read(place(n))).collect()).on(0b100), 0, 0);
        assert_eq!(bench.entries().len(), 8);
        assert!(bench.entry(p).mixed);
        assert_eq!(bench.vector(p), 0b01_01_10);
        bench.runs(&kernel(vec![read(p)]).on(0b001), 0b001, 0b001);
    });
}

#[test]
fn example_8_no_labels() {
    on_each(Parameters::DEFAULT, |mut bench| {
        bench.runs(&kernel(vec![write(place(0)).chunks(0)]), 0, 0);
        bench.runs(&kernel(Vec::new()).labelled(Labels::NoExtension), ALL, ALL);
        assert_eq!(bench.entries(), []);
        assert_eq!(bench.table.counters()[7], 1, "conservative launches");
    });
}

/// A chunk ends at byte 31 of a line.
#[test]
fn example_9_boundary_in_mid_line() {
    on_each(Parameters::DEFAULT, |mut bench| {
        let x = place(0);
        let end = CHUNK + 31;
        let ranges = vec![(0, x, x + end), (1, x + end + 1, x + LENGTH - 1)];
        let halves = |label: Label| Label { ranges: ranges.clone(), ..label };
        bench.runs(&kernel(vec![halves(write(x))]).on(0b11), 0, 0);
        assert!(bench.entry(x).mixed);
        assert_eq!(bench.lines(x, 0), Some((0, 8192)));
        assert_eq!(bench.lines(x, 1), Some((8192, 32767)));
        bench.runs(&kernel(vec![halves(read(x))]).on(0b11), 0b11, 0b11);
    });
}

#[test]
fn example_11_two_streams() {
    on_each(Parameters::DEFAULT, |mut bench| {
        let (x, y, z) = (place(0), place(1), place(2));
        bench.runs(&kernel(vec![read(y)]).on(0b01), 0, 0);
        bench.runs(&kernel(vec![read(z)]).on(0b01), 0, 0);
        bench.runs(&kernel(vec![write(z)]).on(0b10), 0, 0);
        assert_eq!(bench.vector(z), 0b1011);
        let running = bench.starts(&kernel(vec![write(x)]).on(0b01), 0, 0);
        bench.runs(&kernel(vec![read(z)]).on(0b01), 0b11, 0b01);
        assert_eq!(bench.vector(z), 0b0101);
        assert_eq!(bench.vector(x), 0b10);
        assert_eq!(bench.entries().len(), 2, "Y is not present any more");
        bench.ends(running, 0);
    });
}
