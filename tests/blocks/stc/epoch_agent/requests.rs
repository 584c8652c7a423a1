//! Demands, conflicts and their acknowledgements (specification 5.4, 5.5).

use super::*;

#[test]
fn first_conflicting_load_of_an_epoch_is_told() {
    on_both(|body| {
        for variant in [Variant::Ab, Variant::Mb] {
            let mut b = Bench::new(body, &small(variant));
            b.load(0, of(2)); // Nothing is blocked.
            b.stores([(0, of(2))]);
            b.run(3);
            b.load(0, of(3)); // Another band.
            b.load(0, of(0)); // Granted.
            let t = b.load(0, of(2) + 5);
            b.load(0, of(2) + 6);
            b.run(5);
            assert_eq!(b.requests(4), [(t + 1, conflict(of(2) + 5).unwrap())]);
            // Another epoch, another conflict.
            let done = b.change(epoch(0b0010));
            b.run(3);
            let t = b.load(0, of(2) + 7);
            b.run(3);
            let expected =
                [(done + 1, demand(of(2)).unwrap()), (t + 1, conflict(of(2) + 7).unwrap())];
            assert_eq!(b.requests(done), expected);
        }
    });
}

#[test]
fn variants_without_adaption_tell_no_conflict() {
    on_both(|body| {
        for variant in [Variant::Nv, Variant::Es] {
            let mut b = Bench::new(body, &small(variant));
            b.stores([(0, of(2))]);
            b.run(3);
            b.load(0, of(2));
            b.run(3);
            assert!(b.requests(0).iter().all(|(_, req)| req.kind == kind::DEMAND));
        }
    });
}

#[test]
fn load_of_the_cycle_in_which_its_store_is_classified_is_no_conflict() {
    on_both(|body| {
        let mut b = Bench::new(body, &small(Variant::Ab));
        let t = b.store(0, of(2));
        b.load(0, of(2) + 1);
        b.load(0, of(2) + 2);
        b.run(4);
        let expected = [(t + 2, demand(of(2)).unwrap()), (t + 3, conflict(of(2) + 2).unwrap())];
        assert_eq!(b.requests(0), expected);
    });
}

#[test]
fn conflict_waits_for_the_demands() {
    on_both(|body| {
        let mut b = Bench::new(body, &small(Variant::Ab));
        b.stores([(0, of(2)), (1, of(3)), (2, of(0))]);
        let done = b.change(epoch(0b0010));
        b.cycle();
        b.load(0, of(3) + 1);
        b.load(0, of(3) + 2); // Too late: the request names the first.
        b.run(6);
        let kinds: Vec<_> =
            b.requests(done).iter().map(|(at, req)| (at - done, req.addr)).collect();
        assert_eq!(kinds, [(1, of(2)), (2, of(3)), (3, of(3) + 1)]);
    });
}

#[test]
fn change_drops_what_was_not_sent() {
    on_both(|body| {
        let mut b = Bench::new(body, &small(Variant::Ab));
        b.stores([(0, of(2))]);
        b.run(2);
        b.prepare();
        // The conflict would be sent in the first DONE cycle.
        (b.next.chg, b.next.chg_info) = (true, epoch(0b0010));
        let done = b.load(0, of(2) + 1) + 1;
        b.run(3);
        assert_eq!(b.requests(done), [(done + 1, demand(of(2)).unwrap())]);
        // It can be told again.
        let t = b.load(0, of(2) + 2);
        b.run(2);
        assert_eq!(b.requests(t), [(t + 1, conflict(of(2) + 2).unwrap())]);
    });
}

#[test]
fn requests_are_sent_in_every_state() {
    on_both(|body| {
        let mut b = Bench::new(body, &small(Variant::Ab));
        b.store(0, of(2));
        b.next.prep = true;
        b.cycle();
        // Classified in the last RUN cycle, sent in DRAIN; a conflict in READY.
        assert!(b.shown().sweep);
        assert_eq!(b.shown().req, demand(of(2)));
        b.cycle();
        b.load(0, of(2));
        assert!(b.shown().ready);
        assert_eq!(b.shown().req, conflict(of(2)));
    });
}

#[test]
fn demand_and_acknowledgement_in_one_cycle_leave_the_count() {
    on_both(|body| {
        let mut b = Bench::es(body);
        b.stores([(0, of(1)), (1, of(2)), (2, of(3))]);
        b.run(3);
        assert!(b.errors().is_empty());
        b.next.dmd_ack = true;
        b.run(2);
        assert_eq!(b.errors().len(), 1, "none is due");
    });
}

#[test]
fn acknowledgements_are_counted_to_255() {
    on_both(|body| {
        let mut b = Bench::new(body, &Config { band_bits: 5, ..small(Variant::Es) });
        b.stores((1..16).map(|slot| (slot, of(slot.into()))));
        let (mut sent, mut acks) = (0, 0);
        for n in 0..20 {
            b.change(epoch(1 << (16 + n % 16)));
            for _ in 0..16 {
                b.next.dmd_ack = false;
                sent += u32::from(b.cycle().req.is_some());
            }
            b.next.dmd_ack = false;
            b.release();
            b.next.dmd_ack = false;
        }
        assert!(sent >= 290);
        while b.errors().is_empty() {
            b.next.dmd_ack = true;
            b.cycle();
            acks += 1;
            assert!(acks < 400);
        }
        // 255 are good, the next is seen in the cycle after it.
        assert_eq!(acks, 255 + 2);
    });
}
