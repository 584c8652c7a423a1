//! HOME_AWARE (specification, section 5.9), by hand: a line has one copy, and launches ask for
//! nothing but what their scopes do.

use hwmodel::cpelide::chiplet_coherence_table::{Hidden, Parameters};

use crate::directed::{barrier, kernel, on_each, place, read, write};
use crate::program::{Item, Label, Labels};

const ALL: u16 = 0b1111;
const ONE_GPU: Parameters =
    Parameters { hidden: Hidden::OfGpu, home_aware: true, ..Parameters::DEFAULT };
const SEVERAL_GPUS: Parameters = Parameters { hidden: Hidden::OfSystem, ..ONE_GPU };

fn unlabelled() -> Item {
    kernel(Vec::new()).labelled(Labels::NoExtension)
}

/// Worked example 2 of the specification, without its operations.
#[test]
fn other_chiplets_ask_for_nothing() {
    on_each(ONE_GPU, |mut bench| {
        let x = place(0);
        for (item, vector) in [
            (kernel(vec![write(x)]).on(0b0001), 0b0010),
            (kernel(vec![read(x)]).on(0b0010), 0b0110),
            (kernel(vec![read(x)]).on(0b0001), 0b0110),
            (kernel(vec![write(x)]).on(0b0010), 0b1010),
            (kernel(vec![read(x)]).on(0b0001), 0b1010),
        ] {
            bench.runs(&item, 0, 0);
            assert_eq!(bench.vector(x), vector);
            assert!(!bench.entry(x).mixed);
        }
        bench.program_ends(ALL);
    });
}

#[test]
fn writers_of_one_line_do_not_make_an_entry_mixed() {
    on_each(ONE_GPU, |mut bench| {
        let x = place(0);
        bench.runs(&kernel(vec![write(x)]), 0, 0);
        assert_eq!((bench.vector(x), bench.entry(x).mixed), (0xaa, false));
        let tag = bench.starts(&kernel(vec![read(x)]).releasing(), 0, 0);
        bench.ends(tag, ALL);
        assert_eq!(bench.vector(x), 0x55);
    });
}

/// No chiplet is S, and nothing mixed, beside a kernel that runs.
#[test]
fn running_kernels_make_nothing_stale() {
    on_each(ONE_GPU, |mut bench| {
        let x = place(0);
        let running = bench.starts(&kernel(vec![write(x)]).on(0b0001), 0, 0);
        bench.runs(&kernel(vec![read(x).bytes(0, 63)]).on(0b0010), 0, 0);
        assert_eq!(bench.vector(x), 0b0110);
        bench.runs(&kernel(vec![write(x).bytes(0, 63)]).on(0b0010), 0, 0);
        assert_eq!((bench.vector(x), bench.entry(x).mixed), (0b1010, false));
        // What is in use may become dirty again.
        let tag = bench.starts(&kernel(vec![read(x).bytes(0, 63)]).on(0b0100).releasing(), 0, 0);
        bench.ends(tag, 0b0011);
        assert_eq!(bench.vector(x), 0b01_0110);
        bench.ends(running, 0);
    });
}

#[test]
fn ranges_grow_until_an_acquire() {
    on_each(ONE_GPU, |mut bench| {
        let x = place(0);
        bench.runs(&kernel(vec![read(x).bytes(0, 127)]).on(0b0001), 0, 0);
        bench.runs(&kernel(vec![write(x).bytes(64, 191)]).on(0b0001), 0, 0);
        assert_eq!((bench.vector(x), bench.lines(x, 0)), (0b10, Some((0, 2))));
        bench.runs(&kernel(vec![read(x).bytes(64, 127)]).on(0b0001).acquiring(), 0b0001, ALL);
        assert_eq!((bench.vector(x), bench.lines(x, 0)), (0b01, Some((1, 1))));
    });
}

/// Two that the entry of an earlier launch lies between are one with it.
#[test]
fn structures_of_a_launch_that_reach_one_entry_are_joined() {
    on_each(ONE_GPU, |mut bench| {
        let x = place(0);
        let lines = |label: Label, first: u64, last: u64| label.bytes(64 * first, 64 * last + 63);
        bench.runs(&kernel(vec![lines(read(x), 5, 10)]).on(0b0001), 0, 0);
        let both = vec![lines(read(x), 3, 6), lines(write(x), 8, 12)];
        bench.runs(&kernel(both).on(0b0001), 0, 0);
        assert_eq!((bench.entries().len(), bench.vector(x)), (1, 0b10));
        assert_eq!(bench.lines(x, 0), Some((3, 12)));
    });
}

/// Of neighbours that are equally near the lowest are joined, and what one of them writes all do.
#[test]
fn structures_of_a_launch_are_joined_where_there_are_too_many() {
    on_each(ONE_GPU, |mut bench| {
        let structure = |n| if n == 1 { write(place(n)) } else { read(place(n)) };
        let kernel = kernel((0..10).map(structure).collect()).on(0b0001);
        for (item, release, acquire) in [(kernel.clone(), 0, 0), (kernel.acquiring(), 0b0001, ALL)]
        {
            bench.runs(&item, release, acquire);
            assert_eq!(bench.entries().len(), 8);
            let last = (place(3) - 4096 - place(0)) / 64 - 1;
            assert_eq!(bench.lines(place(0), 0), Some((0, last)));
            assert_eq!((bench.vector(place(0)), bench.vector(place(3))), (0b10, 0b01));
        }
    });
}

/// All are acquired, and released where they are D: counter 9.
#[test]
fn acquire_of_scope_system_empties_all() {
    on_each(ONE_GPU, |mut bench| {
        bench.runs(&kernel(vec![read(place(2))]).on(0b0100).acquiring(), 0, 0);
        bench.runs(&kernel(vec![write(place(0))]).on(0b0001), 0, 0);
        bench.runs(&kernel(vec![read(place(1))]).on(0b0010), 0, 0);
        bench.runs(&kernel(vec![read(place(2))]).on(0b0100).acquiring(), 0b0001, ALL);
        assert_eq!((bench.entries().len(), bench.table.counters()[9]), (1, 1));
    });
    on_each(SEVERAL_GPUS, |mut bench| {
        bench.runs(&kernel(vec![read(place(2))]).on(0b0100).acquiring(), 0, ALL);
        bench.runs(&unlabelled().acquiring(), 0, ALL);
        bench.every_is(true);
    });
}

#[test]
fn unlabelled_kernels_take_part_at_scopes_only() {
    on_each(ONE_GPU, |mut bench| {
        let (x, y) = (place(0), place(1));
        bench.runs(&kernel(vec![write(x)]).on(0b0010), 0, 0);
        bench.runs(&unlabelled(), 0, 0);
        bench.every_is(true);
        assert_eq!(bench.vector(x), 0b1000, "nothing is forgotten");
        bench.runs(&kernel(vec![read(y)]).on(0b0001), 0, 0);
        bench.every_is(true);
        let tag = bench.starts(&kernel(vec![read(y)]).on(0b0001).releasing(), 0, 0);
        bench.ends(tag, ALL);
        assert_eq!(bench.vector(x), 0b0100);
        // Clean copies may be anywhere.
        bench.every_is(true);
        bench.runs(&kernel(vec![read(y)]).on(0b0001).acquiring(), ALL, ALL);
        bench.every_is(false);
        assert_eq!((bench.entries().len(), bench.table.counters()[9]), (1, 4));
        bench.runs(&kernel(vec![read(y)]).on(0b0001).acquiring(), 0, ALL);
    });
}

/// It empties what was there before its kernel, which runs without labels.
#[test]
fn acquire_scope_of_an_unlabelled_kernel() {
    on_each(ONE_GPU, |mut bench| {
        bench.runs(&kernel(vec![write(place(0))]).on(0b0010), 0, 0);
        bench.runs(&unlabelled().acquiring(), 0b0010, ALL);
        bench.every_is(true);
        assert_eq!(bench.entries(), []);
        bench.runs(&unlabelled().acquiring(), ALL, ALL);
        bench.every_is(true);
        assert_eq!((bench.table.counters()[7], bench.table.counters()[9]), (2, 5));
    });
}

#[test]
fn every_stays_while_an_unlabelled_kernel_runs() {
    on_each(ONE_GPU, |mut bench| {
        let x = place(0);
        let running = bench.starts(&unlabelled(), 0, 0);
        bench.runs(&kernel(vec![read(x)]).on(0b0001).acquiring(), ALL, ALL);
        bench.every_is(true);
        let outcome = bench.launch(&barrier(true, false));
        assert_eq!((outcome.release, outcome.acquire), (ALL, ALL));
        bench.every_is(true);
        bench.ends(running, 0);
        let outcome = bench.launch(&barrier(true, false));
        assert_eq!((outcome.release, outcome.acquire), (ALL, ALL));
        bench.every_is(false);
        assert_eq!(bench.entries(), []);
    });
}

#[test]
fn programs_end_with_all_chiplets() {
    on_each(ONE_GPU, |mut bench| {
        bench.program_ends(0);
        bench.runs(&kernel(vec![read(place(0))]).on(0b0001), 0, 0);
        bench.program_ends(ALL);
        bench.runs(&unlabelled(), 0, 0);
        bench.program_ends(ALL);
        bench.every_is(false);
        bench.program_ends(0);
    });
    on_each(SEVERAL_GPUS, |mut bench| bench.program_ends(ALL));
}
