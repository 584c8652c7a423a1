//! States and their cycles (specification 5.3, 5.8).

use super::*;

/// `sweep`, `ready`, `done`: RUN, DRAIN, READY, DONE.
fn state(out: &Out) -> [bool; 3] {
    [out.sweep, out.ready, out.done]
}

const RUN: [bool; 3] = [false, false, false];
const DRAIN: [bool; 3] = [true, false, false];
const READY: [bool; 3] = [false, true, false];
const DONE: [bool; 3] = [false, true, true];

#[test]
fn reset_shows_band_0_and_an_empty_queue() {
    on_both(|body| {
        let expected = Out { cer: epoch(1), ld_ready: true, empty: true, ..Out::default() };
        assert_eq!(Bench::es(body).shown(), expected);
    });
}

#[test]
fn change_without_stores_takes_a_cycle_for_each_message() {
    on_both(|body| {
        let mut b = Bench::es(body);
        b.run(5);
        b.next.prep = true;
        b.run(4);
        (b.next.chg, b.next.chg_info) = (true, epoch(0b0100));
        b.run(3);
        b.next.chg = false;
        b.run(2);
        b.next.prep = false;
        b.run(2);
        let states: Vec<_> = b.out[4..].iter().map(state).collect();
        // prep in 5, chg in 9, prep falls in 14.
        let [r, d, e, o] = [RUN, DRAIN, READY, DONE];
        assert_eq!(states, [r, r, d, e, e, e, o, o, o, o, o, r]);
        let cers: Vec<_> = b.out[9..12].iter().map(|out| (out.cer, out.cer_upd)).collect();
        assert_eq!(cers, [(epoch(1), false), (epoch(0b0100), true), (epoch(0b0100), false)]);
        assert!(b.errors().is_empty());
    });
}

#[test]
fn drain_waits_for_the_sweep() {
    on_both(|body| {
        let mut b = Bench::es(body);
        (b.next.prep, b.next.sweep_done) = (true, false);
        b.run(20);
        assert_eq!(state(&b.shown()), DRAIN);
        b.next.sweep_done = true;
        b.cycle();
        assert_eq!(state(&b.shown()), READY);
    });
}

#[test]
fn drain_waits_for_every_store_to_be_acknowledged() {
    on_both(|body| {
        let mut b = Bench::es(body);
        b.answers = false;
        b.next.st_ready = false;
        b.stores([(0, of(0)), (1, of(0))]);
        b.next.prep = true;
        b.run(10);
        assert_eq!(state(&b.shown()), DRAIN);
        assert_eq!(b.shown().st, Some(Store { slot: 0, addr: 0 }), "it is not recalled");
        b.next.st_ready = true;
        b.run(10);
        assert_eq!((state(&b.shown()), b.shown().st), (DRAIN, None));
        b.next.wa_valid = true;
        b.cycle();
        assert_eq!(state(&b.shown()), DRAIN, "out_q falls");
        b.cycle();
        assert_eq!(state(&b.shown()), READY);
        assert_eq!(b.shown().occ, 1, "the second was not issued");
    });
}

#[test]
fn level_of_prep_alone_ends_done() {
    on_both(|body| {
        let mut b = Bench::es(body);
        b.change(epoch(0b0010));
        b.next.chg = false;
        b.run(30);
        assert_eq!(state(&b.shown()), DONE);
        b.release();
        assert_eq!(state(&b.shown()), RUN);
    });
}

#[test]
fn stores_are_blocked_for_five_cycles() {
    on_both(|body| {
        // LINK 0: prep in p, chg in p + 3, prep falls in p + 5; DRAIN p + 1, RUN p + 6.
        let mut b = Bench::es(body);
        let p = 4;
        for cycle in 0..14 {
            b.next.prep = (p..p + 5).contains(&cycle);
            b.next.chg = (p + 3..p + 5).contains(&cycle);
            b.next.chg_info = epoch(1);
            if cycle >= p {
                b.store(cycle as u8, of(0));
            } else {
                b.cycle();
            }
        }
        b.run(12);
        // The first is classified in DRAIN; from RUN on one shows a cycle later.
        let slots = p as u8..14;
        assert_eq!(b.issued(0), (p + 7..).zip(slots).collect::<Vec<_>>());
    });
}
