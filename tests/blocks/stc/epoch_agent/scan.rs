//! The scan after a change (specification 5.4; section 10, example 5).

use super::*;

/// Cycles of the scan of as many entries in the slots from 0 on, all of one band, then granted.
fn scan_cycles(body: Make, config: &Config, entries: u32) -> u32 {
    let mut b = Bench::new(body, config);
    b.stores((0..entries).map(|slot| (slot as u8, 1 << config.seb_init)));
    assert_eq!(u32::from(b.shown().occ), entries);
    b.change(Epoch { seb: config.seb_init as u8, gvec: 0b0010 });
    b.run(20);
    let run = b.release();
    b.run(entries as usize + 4);
    let expected: Vec<_> = (run + 1..).zip(0..entries).map(|(at, slot)| (at, slot as u8)).collect();
    assert_eq!(b.issued(0), expected, "one per cycle, slot 0 first");
    assert_eq!(b.shown().occ, 0);
    b.shown().counters.scan_cycles
}

#[test]
fn scan_takes_the_cycles_of_the_fullest_bank() {
    on_both(|body| {
        assert_eq!(scan_cycles(body, &paper(), 256), 8);
        assert_eq!(scan_cycles(body, &paper(), 102), 4);
        assert_eq!(scan_cycles(body, &paper(), 32), 1);
        assert_eq!(scan_cycles(body, &small(Variant::Es), 16), 2);
        let all_at_once = Config { bsq_n: 256, bsq_banks: 16, bsq_rd: 16, ..small(Variant::Es) };
        assert_eq!(scan_cycles(body, &all_at_once, 256), 1);
        assert_eq!(scan_cycles(body, &Config { bsq_n: 64, ..one_bank() }, 64), 64);
    });
}

#[test]
fn banks_are_examined_each_by_itself() {
    on_both(|body| {
        let mut b = Bench::es(body);
        // Bank 0: slots 0, 4, 8, 12; bank 1: slot 13. Two per bank and cycle.
        b.stores([12, 13, 8, 4, 0].map(|slot| (slot, of(1))));
        let done = b.change(epoch(0b0010));
        b.run(5);
        let counts: Vec<_> = (0..4).map(|n| b.out[done + n].counters.scan_cycles).collect();
        assert_eq!(counts, [0, 1, 2, 2]);
    });
}

#[test]
fn what_a_cycle_releases_is_loaded_in_the_next() {
    on_both(|body| {
        let mut b = Bench::es(body);
        // The first RUN cycle is the second of DONE: scans slots 8 and 12.
        b.stores([0, 4, 8, 12].map(|slot| (slot, of(1))));
        let done = b.change(epoch(0b0010));
        let run = b.release();
        assert_eq!(run, done + 1);
        b.run(6);
        assert_eq!(b.issued(0), (run + 1..).zip([0, 4, 8, 12]).collect::<Vec<_>>());
    });
}

#[test]
fn lowest_slot_of_a_cycle_is_demanded() {
    on_both(|body| {
        let mut b = Bench::es(body);
        let stores = [(5, of(3) + 1), (6, of(2) + 2), (3, of(3) + 3), (2, of(2) + 4)];
        b.stores(stores);
        let done = b.change(epoch(0b0010));
        b.run(4);
        let expected = [(done + 1, of(2) + 4), (done + 2, of(3) + 3)];
        let seen: Vec<_> = b.requests(done).iter().map(|(at, req)| (*at, req.addr)).collect();
        assert_eq!(seen, expected, "the lowest band first");
    });
}

#[test]
fn slot_of_an_earlier_cycle_is_demanded_though_a_lower_one_follows() {
    on_both(|body| {
        let mut b = Bench::es(body);
        // Bank 0 examines 0 and 4 first, then 8; bank 1 examines 9 first.
        b.stores([(0, of(1)), (4, of(1)), (8, of(2) + 8), (9, of(2) + 9)]);
        let done = b.change(epoch(0b0010));
        b.run(4);
        assert_eq!(b.requests(done), [(done + 1, demand(of(2) + 9).unwrap())]);
    });
}

#[test]
fn scan_precedes_the_store_of_its_cycle() {
    on_both(|body| {
        let mut b = Bench::es(body);
        b.stores([(9, of(2) + 9)]);
        b.prepare();
        (b.next.chg, b.next.chg_info) = (true, epoch(0b0010));
        let done = b.store(0, of(2)) + 1;
        b.run(5);
        assert_eq!(b.requests(done), [(done + 1, demand(of(2) + 9).unwrap())]);
    });
}

#[test]
fn scan_stops_while_it_drains_and_starts_anew() {
    on_both(|body| {
        let mut b = Bench::new(body, &one_bank());
        b.stores((0..10).map(|slot| (slot, of(1))));
        // DONE, one cycle of RUN, DRAIN: three entries are examined, none issued before that RUN.
        let done = b.change(epoch(0b0100));
        b.release();
        b.next.prep = true;
        b.next.sweep_done = false;
        b.run(10);
        assert_eq!(b.out[done + 8].counters.scan_cycles, 2);
        b.next.sweep_done = true;
        let done = b.change(epoch(0b0010));
        b.run(20);
        assert_eq!(b.shown().counters.scan_cycles, 2 + 10);
        assert_eq!(b.out[done + 10].counters.scan_cycles, 2 + 10);
    });
}

#[test]
fn change_takes_the_release_back() {
    on_both(|body| {
        let mut b = Bench::es(body);
        b.stores([(0, of(1)), (1, of(1))]);
        b.next.st_ready = false;
        b.change(epoch(0b0010));
        b.release();
        b.run(5);
        // Slot 0 is shown, slot 1 is released and waits.
        b.next.prep = true;
        b.run(5);
        b.next.st_ready = true;
        b.change(epoch(0b0100));
        let run = b.release();
        b.run(10);
        assert_eq!(b.issued(run), []);
        b.change(epoch(0b0010));
        let run = b.release();
        b.run(10);
        assert_eq!(b.issued(run), [(run + 1, 1)]);
    });
}

#[test]
fn every_blocked_band_is_demanded_anew() {
    on_both(|body| {
        let mut b = Bench::es(body);
        b.stores([(0, of(2)), (1, of(3))]);
        for gvec in [0b0010, 0b0001, 0b0010] {
            let done = b.change(epoch(gvec));
            b.run(4);
            let addrs: Vec<_> = b.requests(done).iter().map(|(at, req)| (*at, req.addr)).collect();
            assert_eq!(addrs, [(done + 1, of(2)), (done + 2, of(3))]);
            b.release();
            b.run(2);
        }
    });
}

#[test]
fn entry_that_the_scan_has_not_reached_is_not_issued() {
    on_both(|body| {
        let mut b = Bench::new(body, &one_bank());
        b.stores((0..16).map(|slot| (slot, of(if slot < 14 { 3 } else { 1 }))));
        b.change(epoch(0b0010));
        b.run(20);
        // One cycle of RUN: of the two that are released one is issued.
        b.release();
        b.next.prep = true;
        let t = b.now();
        b.run(2);
        assert_eq!(b.issued(t), [(t + 1, 14)]);
        b.change(epoch(0b0100));
        let run = b.release();
        b.run(30);
        assert_eq!(b.issued(run), []);
    });
}
