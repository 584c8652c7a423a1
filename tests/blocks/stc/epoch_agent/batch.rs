//! Which of the released entries is issued (specification 5.4; section 10, example 9).

use super::*;

#[test]
fn what_waited_at_the_change_goes_first() {
    on_both(|body| {
        let mut b = Bench::es(body);
        b.store(12, 0x010);
        b.change(epoch(0b0100));
        b.release();
        b.store(8, 0x050);
        b.store(9, 0x090);
        let c = b.change(epoch(0b0010));
        b.run(2);
        assert_eq!(b.release(), c + 3);
        b.run(5);
        assert_eq!(b.issued(0), [(c + 4, 12), (c + 5, 8), (c + 6, 9)]);
    });
}

#[test]
fn lowest_slot_of_the_batch_goes_first() {
    on_both(|body| {
        let mut b = Bench::es(body);
        b.stores([12, 3, 7].map(|slot| (slot, of(1))));
        b.change(epoch(0b0010));
        let run = b.release();
        b.stores([(0, of(1))]);
        b.run(5);
        assert_eq!(b.issued(0), (run + 1..).zip([3, 7, 12, 0]).collect::<Vec<_>>());
    });
}

#[test]
fn next_batch_is_formed_when_the_last_is_used_up() {
    on_both(|body| {
        let mut b = Bench::es(body);
        // The batch: slot 12 of band 1, slot 13 of band 2.
        b.stores([(12, of(1)), (13, of(2))]);
        b.change(epoch(0b1000));
        b.release();
        b.stores([(4, of(1)), (5, of(1))]);
        // 12 goes first; 13 keeps the batch alive, so 4 and 5 are not of it.
        b.change(epoch(0b0010));
        let run = b.release();
        b.next.st_ready = false;
        b.run(3);
        assert_eq!(b.out[run + 1].st.map(|st| st.slot), Some(12));
        b.next.st_ready = true;
        b.next.prep = true;
        b.cycle();
        // 4 was loaded at that edge.
        b.change(epoch(0b0100));
        let run = b.release();
        b.run(3);
        assert_eq!(b.issued(run), [(run + 1, 13)]);
        // The batch is used up: the next is slot 5, and a lower slot waits behind it.
        b.change(epoch(0b1000));
        b.release();
        b.stores([(1, of(1))]);
        b.change(epoch(0b0010));
        let run = b.release();
        b.run(4);
        assert_eq!(b.issued(run), [(run + 1, 5), (run + 2, 1)]);
    });
}

#[test]
fn store_in_a_slot_of_the_batch_is_not_of_it() {
    on_both(|body| {
        let mut b = Bench::es(body);
        b.stores([(12, of(1)), (13, of(2))]);
        b.change(epoch(0b0010));
        b.release();
        b.run(5);
        // 12 was issued; 13 keeps the batch alive.
        b.stores([(12, of(2)), (4, of(2))]);
        b.change(epoch(0b0100));
        let run = b.release();
        b.run(5);
        assert_eq!(b.issued(run), (run + 1..).zip([13, 4, 12]).collect::<Vec<_>>());
    });
}

/// A batch is formed at a change. While an epoch lasts a store can be overtaken without end
/// (docs/errata.md).
#[test]
fn lowest_slot_goes_first_while_an_epoch_lasts() {
    on_both(|body| {
        let mut b = Bench::es(body);
        b.next.st_ready = false;
        [0, 15, 1].into_iter().for_each(|slot| _ = b.store(slot, of(0)));
        for n in 0..100 {
            // One is taken, the next is loaded, and the slot of the first is used again.
            b.run(3);
            b.next.st_ready = true;
            b.cycle();
            b.next.st_ready = false;
            b.run(3);
            b.store(n % 2, of(0));
        }
        b.run(3);
        assert_eq!((b.shown().occ, b.shown().counters.stores_blocked), (2, 102));
        let mut slots: Vec<_> = b.issued(0).into_iter().map(|(_, slot)| slot).collect();
        slots.dedup();
        assert_eq!(slots, (0..101).map(|n| n % 2).collect::<Vec<_>>());
        b.next.st_ready = true;
        let t = b.now();
        b.run(4);
        assert_eq!(b.issued(t).last(), Some(&(t + 2, 15)));
    });
}
