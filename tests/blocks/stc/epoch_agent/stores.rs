//! What becomes of a store in each state (specification 5.4).

use super::*;

#[test]
fn granted_store_shows_two_cycles_after_it_was_accepted() {
    on_both(|body| {
        let mut b = Bench::es(body);
        b.run(3);
        let t = b.store(5, 0x0C);
        b.run(3);
        assert_eq!(b.out[t + 2].st, Some(Store { slot: 5, addr: 0x0C }));
        assert_eq!(b.issued(0), [(t + 2, 5)]);
        assert!(b.requests(0).is_empty());
    });
}

#[test]
fn one_granted_store_passes_in_every_cycle() {
    on_both(|body| {
        let mut b = Bench::es(body);
        let slots: Vec<u8> = (0..40).map(|n| n % 16).collect();
        slots.iter().for_each(|&slot| _ = b.store(slot, of(0)));
        b.run(4);
        assert_eq!(b.issued(0), (2..).zip(slots).collect::<Vec<_>>());
        assert_eq!(b.shown().counters.stores_direct, 40);
        assert!(b.out.iter().all(|out| out.occ == 0));
    });
}

#[test]
fn other_store_is_blocked_and_demanded() {
    on_both(|body| {
        let mut b = Bench::es(body);
        let t = b.store(5, of(2));
        b.run(20);
        assert_eq!(b.out[t + 1].occ, 0);
        assert_eq!((b.out[t + 2].occ, b.out[t + 2].req), (1, demand(of(2))));
        assert_eq!(b.requests(0).len(), 1);
        assert!(b.issued(0).is_empty());
    });
}

#[test]
fn band_is_demanded_once_per_epoch() {
    on_both(|body| {
        let mut b = Bench::es(body);
        b.stores([(0, of(2)), (1, of(3)), (2, of(2) + 4), (3, of(3) + 0x100)]);
        b.run(5);
        assert_eq!(
            b.requests(0).iter().map(|(_, req)| req.addr).collect::<Vec<_>>(),
            [of(2), of(3)]
        );
    });
}

#[test]
fn store_behind_a_released_one_waits_for_it() {
    on_both(|body| {
        let mut b = Bench::es(body);
        b.next.st_ready = false;
        b.stores([(9, of(0)), (8, of(0)), (7, of(0))]);
        assert_eq!(b.shown().occ, 2);
        b.next.st_ready = true;
        b.store(1, of(0));
        b.store(2, of(0));
        b.run(6);
        // 7 is loaded when 9 is taken, 8 when 1 is classified, 1 when 2 is.
        let slots: Vec<_> = b.issued(4).iter().map(|(_, slot)| *slot).collect();
        assert_eq!(slots, [9, 7, 8, 1, 2]);
    });
}

#[test]
fn states_that_change_take_granted_stores_into_the_queue() {
    on_both(|body| {
        let mut b = Bench::es(body);
        b.next.prep = true;
        b.store(0, of(1)); // RUN; classified in DRAIN.
        b.store(1, of(1)); // Classified in READY.
        b.run(3);
        assert_eq!(b.shown().occ, 2);
        b.store(2, of(1));
        let done = b.change(epoch(0b0010)); // Slot 2 was classified before.
        b.store(3, of(1)); // Classified in DONE: granted.
        b.store(4, of(2)); // Not granted.
        b.run(3);
        assert_eq!(b.requests(0), [(done + 3, demand(of(2)).unwrap())]);
        assert_eq!(b.shown().occ, 5);
        let run = b.release();
        b.run(8);
        let expected: Vec<_> = (run + 1..).zip([0, 1, 2, 3]).collect();
        assert_eq!(b.issued(0), expected);
    });
}

#[test]
fn store_that_comes_while_it_drains_is_demanded_after_the_change() {
    on_both(|body| {
        for wait in 1..4 {
            let mut b = Bench::es(body);
            b.next.prep = true;
            b.next.sweep_done = false;
            b.run(wait);
            b.store(0, of(2));
            b.run(10);
            assert!(b.requests(0).is_empty());
            b.next.sweep_done = true;
            let done = b.change(epoch(0b0010));
            b.run(4);
            assert_eq!(b.requests(0), [(done + 1, demand(of(2)).unwrap())]);
        }
    });
}

#[test]
fn store_that_is_classified_at_the_change_is_scanned() {
    on_both(|body| {
        let mut b = Bench::es(body);
        b.prepare();
        // Accepted in the cycle before the last READY cycle: classified in the last.
        b.store(0, of(2));
        (b.next.chg, b.next.chg_info) = (true, epoch(0b0010));
        let done = b.store(1, of(3)) + 1; // Accepted in the last, classified in the first of DONE.
        b.run(5);
        let expected = [(done + 1, demand(of(2)).unwrap()), (done + 2, demand(of(3)).unwrap())];
        assert_eq!(b.requests(0), expected);
    });
}

#[test]
fn nv_demands_nothing() {
    on_both(|body| {
        let mut b = Bench::new(body, &small(Variant::Nv));
        b.stores([(0, of(2)), (1, of(3))]);
        b.change(epoch(0b0010));
        b.run(5);
        b.release();
        b.run(5);
        assert!(b.requests(0).is_empty());
        b.change(epoch(0b0100));
        let run = b.release();
        b.run(5);
        assert_eq!(b.issued(0), [(run + 1, 0)]);
    });
}

#[test]
fn empty_is_low_from_the_acceptance_to_the_acknowledgement() {
    on_both(|body| {
        let mut b = Bench::es(body);
        let t = b.store(0, of(0));
        b.run(8);
        let low: Vec<_> = (0..b.now()).filter(|&cycle| !b.out[cycle].empty).collect();
        // Input register, issue register, on its way; acknowledged in t + 4.
        assert_eq!(low, [t + 1, t + 2, t + 3, t + 4]);
        b.store(0, of(1));
        b.run(30);
        assert!(!b.shown().empty, "it is blocked");
    });
}

#[test]
fn bits_above_the_address_are_ignored() {
    on_both(|body| {
        let mut b = Bench::es(body);
        b.stores([(0, 0xABCD_0004), (1, 0xABCD_0024)]);
        b.run(2);
        assert_eq!(b.out[2].st, Some(Store { slot: 0, addr: 4 }));
        assert_eq!(b.out[3].req, demand(0x24));
    });
}

#[test]
fn band_is_that_of_the_start_epoch_bit() {
    on_both(|body| {
        // Section 10, example 1.
        for (seb, band) in [(12, 0xB), (13, 0xD), (28, 0xD), (30, 0x3), (32, 0)] {
            let mut b = Bench::new(body, &paper());
            b.change(Epoch { seb, gvec: 1 << band });
            let t = b.release();
            b.store(0, 0xDEAD_BEEF);
            b.run(3);
            assert_eq!(b.issued(0), [(t + 2, 0)], "at {seb}");
        }
    });
}
