//! Answers of banks: table A2 of specification 5.3, and the choice of a way.

use super::*;

#[test]
pub fn fill_that_a_store_has_passed_serves_and_is_not_kept() {
    on_both(|mut bench| {
        bench.asks(ld(0, X));
        bench.asks(st(1, X, 0, 9));
        let from = bench.now();
        assert_eq!(load(bench.told(fill(0, (1, 6), 5))), (1, 5));
        bench.told(ack(0, (7, 12), false));
        bench.run(2);
        assert_eq!(bench.events(from), []);
        assert_eq!(bench.asks(ld(0, X)).wts, 0);
    });
}

#[test]
fn line_takes_the_lowest_free_way_then_the_one_used_least_recently() {
    on_both(|mut bench| {
        bench.has(X, (1, 6), 5);
        bench.has(OTHERS[0], (1, 6), 6);
        bench.hits(ld(0, X));
        let from = bench.now();
        bench.has(OTHERS[1], (1, 6), 7);
        bench.run(2);
        assert_eq!(bench.events(from), [(event::CAME, 1, OTHERS[1])]);
        assert_eq!(load(bench.hits(ld(0, X))), (1, 5));
        assert_eq!(bench.asks(ld(0, OTHERS[0])).wts, 0);
    });
}

#[test]
fn locked_line_is_not_evicted_and_where_all_are_nothing_is_kept() {
    on_both(|mut bench| {
        bench.has(X, (1, 6), 5);
        bench.has(OTHERS[0], (1, 6), 6);
        bench.asks(st(0, X, 0, 9));
        bench.asks(st(0, OTHERS[0], 0, 9));
        let from = bench.now();
        bench.has(OTHERS[1], (1, 6), 7);
        bench.run(2);
        assert_eq!(bench.events(from), []);
        // One lock is released: its way is the only candidate, though most recently used.
        bench.told(ack(1, (7, 12), true));
        let from = bench.now();
        bench.has(OTHERS[1], (1, 9), 7);
        bench.run(2);
        assert_eq!(bench.events(from), [(event::CAME, 1, OTHERS[1])]);
    });
}

#[test]
fn line_that_is_here_is_replaced_in_its_way() {
    on_both(|mut bench| {
        bench.has(OTHERS[0], (1, 6), 6);
        bench.has(X, (1, 6), 5);
        bench.clock(1, Y, 9);
        bench.asks(ld(1, X));
        let from = bench.now();
        assert_eq!(load(bench.told(fill(0, (8, 13), 7))), (9, 7));
        bench.run(2);
        assert_eq!(bench.events(from), [(event::CAME, 1, X)]);
    });
}

#[test]
fn renewal_never_shortens_a_lease() {
    on_both(|mut bench| {
        bench.has(X, (1, 12), 5);
        bench.clock(1, Y, 14);
        bench.asks(ld(1, X));
        bench.bank(renewal(0, 9));
        // The lease does not cover the load: the line is requested again.
        assert_eq!(bench.req().1, read(0, X, 1, 14));
        bench.clock(2, Z, 12);
        assert_eq!(load(bench.hits(ld(2, X))), (12, 5));
    });
}

#[test]
pub fn renewal_of_an_absent_line_is_asked_for_again() {
    on_both(|mut bench| {
        bench.asks(ld(0, X));
        bench.bank(renewal(0, 9));
        assert_eq!(bench.req().1, read(0, X, 0, 1));
        let Counters { renew_rsp, extra_renewals, stale_rsp, .. } = bench.counters();
        assert_eq!([renew_rsp, extra_renewals, stale_rsp], [1, 1, 0]);
    });
}

#[test]
pub fn renewal_of_a_locked_line_is_asked_for_when_the_lock_goes() {
    on_both(|mut bench| {
        bench.has(X, (1, 6), 5);
        bench.clock(1, Y, 9);
        bench.asks(ld(1, X));
        bench.asks(st(0, X, 0, 9));
        bench.bank(renewal(0, 14));
        bench.silent();
        bench.told(ack(0, (7, 8), true));
        assert_eq!(bench.req().1, read(0, X, 7, 9));
        // The renewed lease covers the load.
        assert_eq!(load(bench.told(renewal(0, 14))), (9, 9));
    });
}

#[test]
fn answer_of_an_older_generation_raises_no_clock() {
    on_both(|mut bench| {
        bench.asks(st(0, X, 0, 9));
        bench.asks(ld(1, Y));
        bench.flush();
        let rsp = bench.told(ack(0, (30, 35), false));
        assert_eq!((rsp.rep, rsp.ts), (0, 30));
        let rsp = bench.told(fill(0, (20, 25), 5));
        assert_eq!((rsp.rep, rsp.ts), (0, 20));
        let req = bench.asks(ld(0, X));
        assert_eq!((req.rep, req.warp_ts), (1, 1));
        assert_eq!(bench.asks(ld(1, Y)).warp_ts, 1);
    });
}

#[test]
fn sm_is_told_what_the_bank_says_that_it_was() {
    on_both(|mut bench| {
        bench.asks(st(0, X, 0, 9));
        let rsp = bench.told(atom_ack(0, (7, 12), 5));
        assert_eq!((rsp.op, rsp.data), (op::ATOM, word_of(0, 5)));
        bench.asks(atom(0, X));
        let data = line_of(5);
        let rsp = bench.told(ports::timestamp::types::BusRsp { data, ..ack(0, (8, 13), true) });
        assert_eq!((rsp.op, rsp.data), (op::ST, line_of(0)));
    });
}
