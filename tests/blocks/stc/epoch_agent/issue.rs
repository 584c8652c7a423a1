//! The issue register and the stores that are on their way (specification 5.4).

use super::*;

#[test]
fn store_holds_until_it_is_taken() {
    on_both(|body| {
        let mut b = Bench::es(body);
        b.next.st_ready = false;
        b.stores([(3, 4), (1, 8)]);
        b.run(10);
        assert!(b.out[2..].iter().all(|out| out.st == Some(Store { slot: 3, addr: 4 })));
        b.next.st_ready = true;
        b.run(2);
        let last = b.now() - 1;
        assert_eq!(b.out[last].st, Some(Store { slot: 1, addr: 8 }), "without a bubble");
    });
}

#[test]
fn as_many_stores_as_entries_are_on_their_way() {
    on_both(|body| {
        let mut b = Bench::es(body);
        b.answers = false;
        (0..16).for_each(|slot| _ = b.store(slot, 0));
        // The last is in the issue register: its slot is in use until it is taken.
        b.stores([(0, 0), (1, 0)]);
        b.run(10);
        assert_eq!((b.issued(0).len(), b.shown().occ), (16, 2));
        let t = b.now();
        b.next.wa_valid = true;
        b.run(10);
        assert_eq!(b.issued(t), [(t + 2, 0)], "room shows in the cycle after");
        b.next.prep = true;
        b.run(2);
        b.next.wa_valid = true;
        b.run(5);
        assert_eq!(b.issued(t).len(), 1, "DRAIN issues nothing");
    });
}

#[test]
fn store_and_acknowledgement_in_one_cycle_leave_the_count() {
    on_both(|body| {
        let mut b = Bench::es(body);
        b.answers = false;
        let t = b.store(0, 0);
        b.run(2);
        b.store(1, 0);
        // Slot 1 is classified, and so loaded, in the cycle of the acknowledgement of slot 0.
        b.next.wa_valid = true;
        b.run(4);
        assert_eq!(b.issued(t), [(t + 2, 0), (t + 5, 1)]);
        b.next.prep = true;
        b.run(5);
        assert!(b.shown().sweep, "one is on its way");
        b.next.wa_valid = true;
        b.run(2);
        assert!(b.shown().ready && b.errors().is_empty());
    });
}
