//! The worked examples of specification 10 that involve an L1.

use super::*;

#[test]
pub fn example_1_the_l1_of_sm_0() {
    on_both(|mut bench| {
        assert_eq!(bench.asks(ld(0, X)), read(0, X, 0, 1));
        assert_eq!(load(bench.told(fill(0, (1, 6), 5))), (1, 5));
        let req = bench.asks(st(0, Y, 0, 9));
        assert_eq!((req.op, req.id, req.wts, req.warp_ts), (bus_op::WR, 0x80, 0, 1));
        assert_eq!(bench.told(ack(0, (12, 22), false)).ts, 12);
        assert_eq!(bench.asks(ld(0, X)), read(0, X, 1, 12));
        assert_eq!(load(bench.told(fill(0, (7, 17), 6))), (12, 6));
    });
}

#[test]
pub fn example_2_a_load_behind_a_store_waits_for_its_timestamp() {
    on_both(|mut bench| {
        bench.has(X, (1, 5), 5);
        assert_eq!(bench.asks(st(1, X, 0, 9)).wts, 1);
        bench.send(ld(2, X));
        bench.silent();
        assert_eq!(bench.told(ack(0, (11, 20), true)).ts, 11);
        assert_eq!(load(bench.rsp().1), (11, 9));
        assert_eq!(bench.counters().lock_wait, 1);
    });
}

#[test]
pub fn example_3_one_renewal_serves_all() {
    with_bodies(|body| {
        let mut bench = Bench::new(body(&Config { waiters: 3, ..config() }), false);
        bench.clock(2, Y, 7);
        bench.clock(3, Z, 9);
        assert_eq!(bench.asks(ld(1, X)), read(0, X, 0, 1));
        bench.send(ld(2, X));
        bench.send(ld(3, X));
        bench.silent();
        assert_eq!(load(bench.told(fill(0, (1, 5), 5))), (1, 5));
        assert_eq!(bench.req().1, read(0, X, 1, 9));
        assert_eq!(load(bench.told(renewal(0, 13))), (7, 5));
        assert_eq!(load(bench.rsp().1), (9, 5));
        bench.silent();
        let Counters { extra_renewals, merged_loads, renew_rsp, .. } = bench.counters();
        assert_eq!([extra_renewals, merged_loads, renew_rsp], [1, 2, 1]);
    });
}

#[test]
pub fn example_4_a_partial_write_of_a_stale_copy_drops_it() {
    on_both(|mut bench| {
        bench.has(X, (1, 6), 5);
        let from = bench.now();
        assert_eq!(bench.asks(st(0, X, 0, 9)).wts, 1);
        assert_eq!(bench.told(ack(0, (13, 18), false)).ts, 13);
        bench.run(2);
        assert_eq!(bench.events(from), [(event::USED, 0, X), (event::GONE, 0, X)]);
        assert_eq!(bench.asks(ld(0, X)), read(0, X, 0, 13));
        assert_eq!(bench.counters().lock_drops, 1);
    });
}

#[test]
fn example_5_an_evicted_line_of_the_bank_stays_readable() {
    on_both(|mut bench| {
        bench.has(X, (7, 17), 5);
        assert_eq!(load(bench.hits(ld(1, X))), (7, 5));
        bench.clock(2, Y, 17);
        assert_eq!(load(bench.hits(ld(2, X))), (17, 5));
        bench.clock(3, Z, 18);
        assert_eq!(bench.asks(ld(3, X)), read(0, X, 7, 18));
    });
}

#[test]
fn example_7_renewals_bring_no_data() {
    on_both(|mut bench| {
        bench.has(X, (1, 10), 5);
        assert_eq!(bench.asks(ld(0, Y)), read(0, Y, 0, 1));
        assert_eq!(load(bench.told(fill(0, (11, 20), 6))), (11, 6));
        assert_eq!(bench.asks(ld(0, X)), read(0, X, 1, 11));
        assert_eq!(load(bench.told(renewal(0, 20))), (11, 5));
        assert_eq!(bench.counters().miss_expired, 1);
    });
}

#[test]
fn example_9_cycles() {
    with_bodies(|body| {
        let mut bench = Bench::new(body(&Config { waiters: 3, ..config() }), false);
        bench.has(Y, (1, 10), 5);
        bench.run(10);
        let t = bench.send(ld(0, Y));
        assert_eq!(bench.rsp().0, t + 2);
        bench.run(10);
        let t = bench.send(ld(0, X));
        assert_eq!(bench.req().0, t + 2);
        bench.send(ld(1, X));
        bench.send(ld(2, X));
        bench.run(20);
        // The fill and a load that will hit are accepted in cycle t; the load acts in t+4.
        bench.next.core_req = Some(ld(0, Y));
        let t = bench.bank(fill(0, (1, 10), 6));
        let cycles = [(); 4].map(|()| bench.rsp().0);
        assert_eq!(cycles, [t + 2, t + 3, t + 4, t + 5]);
    });
}
