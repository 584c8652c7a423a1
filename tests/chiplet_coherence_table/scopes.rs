//! System scopes, EVERY and several streams (specification, sections 5.1 step 2, 5.5 and 5.6), by
//! hand.

use hwmodel::cpelide::chiplet_coherence_table::{Hidden, Parameters};

use crate::directed::{barrier, kernel, on_each, place, read, write};
use crate::program::Labels;

const ALL: u16 = 0b1111;

#[test]
fn release_of_scope_system_writes_back_what_is_dirty() {
    on_each(Parameters::DEFAULT, |mut bench| {
        let x = place(0);
        bench.runs(&kernel(vec![write(x)]).on(0b0010), 0, 0);
        let tag = bench.starts(&kernel(vec![read(place(1))]).on(0b0001).releasing(), 0, 0);
        bench.ends(tag, 0b0010);
        assert_eq!(bench.vector(x), 0b0100);
    });
}

#[test]
fn release_of_scope_system_leaves_pairs_in_use_dirty() {
    on_each(Parameters::DEFAULT, |mut bench| {
        let x = place(0);
        let running = bench.starts(&kernel(vec![write(x)]).on(0b0010), 0, 0);
        let tag = bench.starts(&kernel(vec![read(place(1))]).on(0b0001).releasing(), 0, 0);
        bench.ends(tag, 0b0010);
        assert_eq!(bench.vector(x), 0b1000);
        bench.ends(running, 0);
    });
}

#[test]
fn acquire_of_scope_system_empties_what_is_present() {
    on_each(Parameters::DEFAULT, |mut bench| {
        bench.runs(&kernel(vec![write(place(0))]).on(0b0001), 0, 0);
        bench.runs(&kernel(vec![read(place(1))]).on(0b0010), 0, 0);
        bench.runs(&kernel(vec![read(place(2))]).on(0b0100).acquiring(), 0b0001, 0b0011);
        assert_eq!(bench.entries().len(), 1);
    });
}

/// Section 5.9: under `home_forward` an L2 holds what others asked for, and no entry of its own
/// tells.
#[test]
fn acquire_of_scope_system_empties_all_where_others_may_have_asked() {
    let parameters = |hidden| Parameters { hidden, ..Parameters::DEFAULT };
    let first = || kernel(vec![read(place(0))]).on(0b0010).acquiring();
    let second = || kernel(vec![read(place(1))]).on(0b0010).acquiring();
    for (hidden, empty, filled) in [
        (Hidden::Nothing, 0, 0b0010),
        // Of a table without entries no chiplet has asked anything.
        (Hidden::OfGpu, 0, ALL),
        (Hidden::OfSystem, ALL, ALL),
    ] {
        on_each(parameters(hidden), |mut bench| {
            bench.runs(&first(), 0, empty);
            bench.runs(&second(), 0, filled);
            let outcome = bench.launch(&barrier(false, true));
            assert_eq!((outcome.release, outcome.acquire), (0b0010, filled), "{hidden:?}");
            assert_eq!(bench.entries().len(), 0);
        });
        on_each(parameters(hidden), |mut bench| {
            bench.runs(&first(), 0, empty);
            let running = bench.starts(&kernel(vec![write(place(1))]).on(0b0001), 0, 0);
            let outcome = bench.launch(&barrier(true, false));
            let present = if filled == ALL { ALL } else { 0b0011 };
            assert_eq!((outcome.release, outcome.acquire), (0b0001, present), "{hidden:?}");
            bench.ends(running, 0);
        });
    }
}

#[test]
fn barriers_release_and_acquire_while_kernels_run() {
    on_each(Parameters::DEFAULT, |mut bench| {
        bench.runs(&kernel(vec![write(place(0))]).on(0b0001), 0, 0);
        let running = bench.starts(&kernel(vec![read(place(1))]).on(0b0010), 0, 0);
        let outcome = bench.launch(&barrier(false, true));
        assert_eq!((outcome.release, outcome.acquire, outcome.tag), (0b0001, 0, None));
        let outcome = bench.launch(&barrier(true, false));
        assert_eq!((outcome.release, outcome.acquire), (0, 0b0011));
        assert_eq!(bench.entries().len(), 1, "the running kernel's");
        assert_eq!(bench.vector(place(1)), 0b0100);
        bench.ends(running, 0);
        let outcome = bench.launch(&barrier(false, false));
        assert_eq!((outcome.release, outcome.acquire), (0, 0));
        assert_eq!(bench.entries().len(), 1);
        bench.program_ends(0b0010);
    });
}

#[test]
fn every_is_cleared_by_a_labelled_launch_after_the_unlabelled_kernel() {
    on_each(Parameters::DEFAULT, |mut bench| {
        let x = place(0);
        let unlabelled = kernel(Vec::new()).labelled(Labels::NoExtension);
        let running = bench.starts(&unlabelled, ALL, ALL);
        bench.runs(&kernel(vec![read(x)]).on(0b0001), ALL, ALL);
        // The unlabelled kernel runs.
        bench.every_is(true);
        let tag = bench.starts(&kernel(vec![read(x)]).on(0b0001).releasing(), ALL, ALL);
        bench.ends(tag, ALL);
        bench.ends(running, 0);
        // Clean copies may be anywhere.
        bench.every_is(true);
        bench.runs(&kernel(vec![read(x)]).on(0b0001), ALL, ALL);
        bench.every_is(false);
        bench.runs(&kernel(vec![read(x)]).on(0b0001), 0, 0);
    });
}

#[test]
fn program_that_ends_after_an_unlabelled_kernel_empties_all() {
    on_each(Parameters::DEFAULT, |mut bench| {
        bench.runs(&kernel(Vec::new()).labelled(Labels::Unknown), ALL, ALL);
        bench.every_is(true);
        bench.program_ends(ALL);
        bench.every_is(false);
    });
}

/// 5.5: what may be dirtied again stays D, and who reads it is S.
#[test]
fn reader_of_what_a_running_kernel_writes() {
    on_each(Parameters::DEFAULT, |mut bench| {
        let x = place(0);
        let running = bench.starts(&kernel(vec![write(x)]).on(0b0001), 0, 0);
        bench.runs(&kernel(vec![read(x).bytes(0, 63)]).on(0b0010), 0b0001, 0);
        assert_eq!(bench.vector(x), 0b1110);
        bench.runs(&kernel(vec![read(x).bytes(0, 63)]).on(0b0010), 0b0001, 0b0010);
        bench.ends(running, 0);
    });
}

/// 5.5: likewise who writes it, which makes the entry mixed; its resolution acquires who is local.
#[test]
fn writer_of_what_a_running_kernel_writes() {
    on_each(Parameters::DEFAULT, |mut bench| {
        let x = place(0);
        let running = bench.starts(&kernel(vec![write(x)]).on(0b0001), 0, 0);
        bench.runs(&kernel(vec![write(x).bytes(0, 63)]).on(0b0010), 0b0001, 0);
        assert_eq!(bench.vector(x), 0b1010);
        assert!(bench.entry(x).mixed);
        bench.runs(&kernel(vec![read(x).bytes(0, 63)]).on(0b0001), 0b0011, 0b0001);
        assert_eq!(bench.vector(x), 0b1110);
        assert!(bench.entry(x).mixed, "chiplet 0 is in use");
        bench.ends(running, 0);
    });
}

/// 5.7: the lowest free tag; 5.1: equal pieces, the remainder to the last.
#[test]
fn tags_and_shares() {
    on_each(Parameters::DEFAULT, |mut bench| {
        let item = kernel(vec![read(place(0))]).on(0b1101);
        let first = bench.launch(&item);
        let shares: Vec<_> = first.shares.iter().map(|s| (s.chiplet, s.first, s.groups)).collect();
        assert_eq!(shares, [(0, 0, 2), (2, 2, 2), (3, 4, 4)]);
        assert_eq!(first.tag, Some(0));
        assert_eq!(bench.launch(&item).tag, Some(1));
        bench.ends(0, 0);
        assert_eq!(bench.launch(&item).tag, Some(0));
        assert_eq!(bench.table.finish(7), Default::default(), "no kernel has this tag");
    });
}
