//! Loads within leases and after them; stores and atomics; bad input.

use super::*;

#[test]
fn load_hits_before_its_lease_ends() {
    on_both(Protocol::Tcs, |mut bench| {
        bench.has_until(X, 40, 5);
        bench.run_to(30);
        let told =
            CoreRsp { op: op::LD, warp: 1, id: 0x41, data: line_of(5), ..CoreRsp::default() };
        assert_eq!(bench.hits(ld(1, X)), told);
        // The load accepted in 38 acts in 39, the last cycle of the lease.
        bench.run_to(38);
        bench.send(ld(1, X));
        bench.send(ld(2, X));
        assert_eq!(bench.rsp().1.warp, 1);
        let read = BusReq { op: bus_op::RD, line: X, ..BusReq::default() };
        assert_eq!(bench.req(), (41, read));
        let counters = bench.shown().counters;
        assert_eq!((counters.load_hit, counters.miss_cold, counters.miss_expired), (2, 1, 1));
    });
}

#[test]
pub fn example_8_a_load_that_joins_when_the_lease_is_over_is_not_served() {
    // A load accepted in 108 acts in 109, the last cycle of the lease.
    for (joins, served) in [(108, 2), (109, 1)] {
        on_both(Protocol::Tcs, |mut bench| {
            bench.run_to(100);
            bench.asks(ld(0, X));
            bench.run_to(joins);
            bench.send(ld(1, X));
            bench.run_to(120);
            let asked = bench.req.len();
            bench.bank(fill(0, exp(110), 5));
            bench.run(10);
            assert_eq!((bench.rsp.len(), bench.req.len() - asked), (served, 2 - served));
        });
    }
}

#[test]
fn late_fill_serves_and_is_not_kept() {
    on_both(Protocol::Tcs, |mut bench| {
        bench.asks(ld(0, X));
        bench.run_to(29);
        // The fill acts in cycle 30, when its lease is over.
        let t = bench.bank(fill(0, exp(30), 5));
        assert_eq!(bench.rsp().1.data, line_of(5));
        assert_eq!((bench.events(t), bench.shown().counters.late_fills), (vec![], 1));
        assert_eq!(bench.asks(ld(0, X)).op, bus_op::RD);
        // A fill that acts in the last cycle of its lease is kept.
        let now = bench.now();
        let t = bench.bank(fill(0, exp(now + 2), 6));
        bench.rsp();
        assert_eq!(
            (bench.events(t), bench.shown().counters.late_fills),
            (vec![(event::CAME, 0, X)], 1)
        );
    });
}

#[test]
fn leases_of_32_bits_are_wts_and_rts() {
    on_both(Protocol::Tcs, |mut bench| {
        bench.has_until(X, 0x1_0000, 5);
        assert_eq!(bench.hits(ld(1, X)).data, line_of(5));
    });
}

#[test]
pub fn store_and_atomic_drop_the_own_copy() {
    on_both(Protocol::Tcs, |mut bench| {
        for (entry, req) in [(0, st(1, X, 1, 9)), (0, CoreReq { aop: 8, ..atom(1, X) })] {
            bench.has_until(X, 1000, 5);
            let from = bench.now();
            let sent = bench.asks(req);
            let (op, aop, mask, data) = match req.op {
                op::ST => (bus_op::WR, 0, 0xf0, word_of(1, 9)),
                _ => (bus_op::ATOM, 8, 0xf, word_of(0, 1)),
            };
            let expected = BusReq { op, aop, id: 0x80, line: X, mask, data, ..BusReq::default() };
            assert_eq!(sent, expected);
            assert_eq!(bench.events(from), [(event::GONE, 0, X)]);
            let told = match req.op {
                op::ST => bench.told(ack(entry, exp(50), true)),
                _ => bench.told(atom_ack(entry, exp(50), 5)),
            };
            let data = if req.op == op::ST { line_of(0) } else { word_of(0, 5) };
            assert_eq!(told, CoreRsp { op: req.op, warp: 1, id: 0x41, data, ..CoreRsp::default() });
        }
    });
}

#[test]
pub fn fill_that_a_store_has_passed_is_not_kept() {
    on_both(Protocol::Tcs, |mut bench| {
        bench.asks(ld(0, X));
        bench.asks(st(1, X, 0, 9));
        let t = bench.bank(fill(0, exp(1000), 5));
        assert_eq!(bench.rsp().1.data, line_of(5));
        bench.run(2);
        assert_eq!(bench.events(t), []);
        assert_eq!(bench.asks(ld(1, X)).op, bus_op::RD);
    });
}

#[test]
pub fn store_waits_for_older_loads_of_its_warp() {
    on_both(Protocol::Tcs, |mut bench| {
        bench.asks(ld(0, X));
        bench.send(st(0, X, 0, 9));
        bench.silent();
        bench.told(fill(0, exp(1000), 5));
        assert_eq!(bench.req().1.op, bus_op::WR);
    });
}

#[test]
fn renewals_do_not_exist() {
    on_both(Protocol::Tcs, |mut bench| {
        bench.asks(ld(0, X));
        let t = bench.bank(renewal(0, 1000));
        bench.silent();
        assert_eq!(bench.errors(t), [(t + 2, err::FILL)]);
        let t = bench.bank(BusRsp { id: 1, ..ack(0, exp(50), true) });
        bench.silent();
        assert_eq!(bench.errors(t), [(t + 2, err::ACK)]);
        let t = bench.send(CoreReq { op: 3, ..ld(1, X) });
        assert_eq!(bench.rsp().1, CoreRsp { op: 3, warp: 1, id: 0x41, ..CoreRsp::default() });
        assert_eq!(bench.errors(t), [(t + 2, err::REQUEST)]);
    });
}
