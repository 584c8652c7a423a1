//! Release and acquire (`rtl/timestamp/timestamp_l2/README.md`, rule 9).

use ports::timestamp::types::{event, sync};

use super::*;

#[test]
fn an_empty_bank_takes_an_action_for_each_set() {
    on_both(|body| {
        for (div, kind) in [(1, sync::RELEASE), (1, sync::ACQUIRE), (2, sync::ACQUIRE)] {
            let mut bench = bench(body, &Config { l2_div: div, ..config() });
            let (begins, done) = bench.sync(kind);
            // The last set is passed in the cycle before the end.
            assert_eq!(done, begins + 1 + 3 * div as usize + 1);
            assert!(bench.shown().sync_ready);
            bench.run(2);
            let gone = [(event::ALL_GONE, 0, 0)];
            assert_eq!(bench.events(0), &gone[..usize::from(kind == sync::ACQUIRE)]);
        }
    });
}

#[test]
fn a_release_writes_back_and_keeps() {
    on_both(|body| {
        let mut bench = bench(body, &config());
        for line in [X, OTHERS[0], 2] {
            bench.ask(write(line, 1, 3, 0, 1));
        }
        let before = bench.requests.len();
        let (begins, done) = bench.sync(sync::RELEASE);
        assert_eq!(done, begins + 1 + 4 + 3);
        let written = bench.traffic().split_off(before);
        assert_eq!(written, [(X, true), (OTHERS[0], true), (2, true)]);
        let t = bench.send(read(X, 7, 1));
        let (at, answer) = bench.answer();
        assert_eq!((at, answer.rts), (t + 4, 12));
        let (begins, done) = bench.sync(sync::RELEASE);
        assert_eq!(done, begins + 1 + 4, "nothing is dirty");
    });
}

#[test]
fn an_acquire_forgets_all_lines_but_not_their_leases() {
    on_both(|body| {
        let mut bench = bench(body, &config());
        bench.ask(write(X, 1, 3, 0, 1));
        assert_eq!(bench.lease(read(2, 0, 20)), (1, 25));
        bench.sync(sync::ACQUIRE);
        let answer = bench.ask(read(X, 0, 1));
        assert_eq!((answer.wts, answer.rts, answer.data), (25, 30, word_of(1, 3)));
        assert_eq!(bench.traffic().len(), 4, "two lines, one written, one again");
    });
}

#[test]
fn it_waits_for_lines_that_were_asked_and_others_wait_for_it() {
    on_both(|body| {
        let mut bench = bench(body, &config());
        bench.silent = true;
        bench.send(write(X, 1, 3, 0, 1));
        bench.run(3);
        bench.next.sync = Some(sync::ACQUIRE);
        bench.cycle();
        bench.send(read(2, 0, 1));
        bench.run(20);
        assert_eq!(bench.traffic(), [(X, false)]);
        assert!(!bench.shown().sync_ready);
        bench.silent = false;
        bench.answer();
        bench.answer();
        assert_eq!(bench.traffic(), [(X, false), (X, true), (2, false)]);
    });
}
