//! Bad input (specification 12).

use super::*;

#[test]
fn store_of_a_slot_in_use_is_dropped() {
    on_both(|body| {
        let mut b = Bench::es(body);
        b.next.st_ready = false;
        b.store(3, 0);
        b.store(3, 4); // In the input register.
        b.store(3, 8); // In the issue register.
        b.store(4, of(1));
        b.store(5, of(1));
        b.store(4, of(2)); // In the queue.
        b.run(3);
        let slot = err::SLOT;
        assert_eq!(b.errors(), [(2, slot), (3, slot), (6, slot)]);
        assert_eq!((b.shown().occ, b.shown().st), (2, Some(Store { slot: 3, addr: 0 })));
        assert_eq!(b.requests(0).len(), 1);
        // A slot is free again when its store was taken.
        b.next.st_ready = true;
        b.cycle();
        b.store(3, 4);
        b.run(3);
        assert_eq!(b.errors().len(), 3);
    });
}

#[test]
fn slot_whose_store_is_taken_in_the_cycle_is_in_use() {
    on_both(|body| {
        let mut b = Bench::es(body);
        let t = b.store(3, 0);
        b.cycle();
        b.store(3, 0);
        b.run(2);
        assert_eq!(b.errors(), [(t + 3, err::SLOT)]);
    });
}

#[test]
fn acknowledgement_without_a_store_is_ignored() {
    on_both(|body| {
        let mut b = Bench::es(body);
        b.answers = false;
        b.next.wa_valid = true;
        b.cycle();
        // With the load of the issue register.
        b.store(0, 0);
        b.next.wa_valid = true;
        b.run(2);
        assert_eq!(b.errors(), [(1, err::ACK), (3, err::ACK)]);
        b.next.prep = true;
        b.run(5);
        assert!(b.shown().sweep, "it is on its way");
        // With one from the queue.
        let mut b = Bench::es(body);
        b.answers = false;
        b.stores([(0, of(1))]);
        b.change(epoch(0b0010));
        b.cycle();
        let run = b.release();
        b.next.wa_valid = true;
        b.run(2);
        assert_eq!((b.issued(0), b.errors()), (vec![(run + 1, 0)], vec![(run + 1, err::ACK)]));
        b.next.prep = true;
        b.run(5);
        assert!(b.shown().sweep, "it is on its way");
    });
}

#[test]
fn early_change_is_ignored() {
    on_both(|body| {
        let mut b = Bench::es(body);
        b.next.sweep_done = false;
        (b.next.chg, b.next.chg_info) = (true, epoch(0b0010));
        b.cycle();
        b.next.prep = true;
        b.run(2); // RUN, DRAIN.
        b.next.chg = false;
        b.run(2);
        let code = err::EARLY_CHANGE;
        assert_eq!(b.errors(), [(1, code), (2, code), (3, code)]);
        assert!(b.shown().sweep && b.shown().cer == epoch(1));
    });
}

#[test]
fn fall_of_prep_is_ignored() {
    on_both(|body| {
        let mut b = Bench::es(body);
        b.next.prep = true;
        b.cycle();
        b.next.prep = false;
        b.run(2); // DRAIN, READY.
        b.next.prep = true;
        b.run(2);
        assert_eq!(b.errors(), [(2, err::PREP_FELL), (3, err::PREP_FELL)]);
        assert!(b.shown().ready && !b.shown().done);
        // The change comes nevertheless.
        (b.next.prep, b.next.chg, b.next.chg_info) = (false, true, epoch(0b0010));
        b.cycle();
        assert!(b.shown().done && b.shown().err == Some(err::PREP_FELL));
        b.cycle();
        assert!(!b.shown().done, "and ends");
    });
}

#[test]
fn illegal_epochs_are_ignored() {
    on_both(|body| {
        let config = small(Variant::Mb);
        let illegal = [(4, 0b0000), (4, 0b0111), (3, 0b0001), (13, 0b0001)];
        for (seb, gvec) in illegal {
            let mut b = Bench::new(body, &config);
            b.prepare();
            (b.next.chg, b.next.chg_info) = (true, Epoch { seb, gvec });
            let t = b.now();
            b.run(2);
            b.next.chg_info = Epoch { seb: 12, gvec: 0b1010 };
            b.run(2);
            assert_eq!(b.errors(), [(t + 1, err::EPOCH), (t + 2, err::EPOCH)]);
            assert!(!b.out[t + 2].done && b.out[t + 2].cer == epoch(1));
            assert!(b.out[t + 3].done && b.out[t + 3].cer_upd);
            assert_eq!(b.out[t + 3].cer, Epoch { seb: 12, gvec: 0b1010 });
        }
        let mut b = Bench::es(body);
        b.prepare();
        (b.next.chg, b.next.chg_info) = (true, epoch(0b0011));
        b.run(2);
        assert_eq!(b.shown().err, Some(err::EPOCH), "one band in es");
    });
}

#[test]
fn acknowledgement_without_a_demand_is_ignored() {
    on_both(|body| {
        let mut b = Bench::es(body);
        b.next.dmd_ack = true;
        b.cycle();
        b.next.dmd_ack = false;
        b.store(0, of(1));
        b.cycle();
        // With the demand: it is none of it.
        assert!(b.shown().req.is_some());
        b.next.dmd_ack = true;
        b.cycle();
        b.next.dmd_ack = true;
        b.run(2);
        assert_eq!(b.errors(), [(1, err::DEMAND_ACK), (4, err::DEMAND_ACK)]);
    });
}

#[test]
fn lowest_code_is_shown() {
    on_both(|body| {
        let mut b = Bench::es(body);
        b.stores([(0, of(1))]);
        b.run(3);
        // All of RUN, one less in each cycle.
        b.next.st = Some(Store { slot: 0, addr: 0 });
        (b.next.wa_valid, b.next.chg, b.next.dmd_ack) = (true, true, true);
        b.cycle();
        (b.next.wa_valid, b.next.dmd_ack) = (true, true);
        b.cycle();
        b.next.dmd_ack = true;
        b.cycle();
        (b.next.chg, b.next.dmd_ack) = (false, true);
        b.cycle();
        b.run(2);
        let codes: Vec<_> = b.errors().iter().map(|(_, code)| *code).collect();
        assert_eq!(codes, [1, 2, 3, 6]);
        // READY: the fall of prep comes before the epoch.
        b.prepare();
        (b.next.prep, b.next.chg, b.next.chg_info) = (false, true, epoch(0));
        b.cycle();
        assert_eq!(b.shown().err, Some(err::PREP_FELL));
        (b.next.prep, b.next.dmd_ack) = (true, true);
        b.cycle();
        assert_eq!(b.shown().err, Some(err::EPOCH));
    });
}
