//! Loads, stores and atomics: the rows of specification 5.2 and 5.3.

use super::*;

#[test]
pub fn ld1_hits_at_the_later_of_both_times() {
    on_both(|mut bench| {
        bench.has(X, (4, 9), 5);
        assert_eq!(load(bench.hits(ld(1, X))), (4, 5));
        bench.clock(1, Y, 9);
        assert_eq!(load(bench.hits(ld(1, X))), (9, 5));
    });
}

#[test]
fn ld2_and_ld3_as_many_loads_join_as_there_is_room() {
    on_both(|mut bench| {
        bench.asks(ld(0, X));
        bench.send(ld(1, X));
        bench.send(ld(2, X));
        bench.silent();
        let held = bench.counters().hold_cycles;
        bench.run(5);
        assert_eq!(bench.counters().hold_cycles, held + 5);
        assert_eq!(load(bench.told(fill(0, (1, 6), 5))), (1, 5));
        assert_eq!(bench.rsp().1.warp, 1);
        // The third hits.
        assert_eq!(bench.rsp().1.warp, 2);
        bench.silent();
    });
}

#[test]
fn ld2_nobody_joins_what_a_store_has_passed() {
    on_both(|mut bench| {
        bench.asks(ld(0, X));
        assert_eq!(bench.asks(st(1, X, 0, 9)).wts, 0);
        bench.send(ld(2, X));
        bench.silent();
        assert_eq!(load(bench.told(fill(0, (1, 6), 5))), (1, 5));
        // The fill was not kept: the third load requests the line again.
        assert_eq!(bench.req().1, read(0, X, 0, 1));
    });
}

#[test]
fn ld4_waits_for_an_mshr() {
    on_both(|mut bench| {
        for (n, line) in [X, Y, Z, 3].into_iter().enumerate() {
            assert_eq!(bench.asks(ld(0, line)).id, n as u8);
        }
        bench.send(ld(1, 5));
        bench.silent();
        bench.bank(fill(2, (1, 6), 5));
        assert_eq!(bench.req().1, read(2, 5, 0, 1));
    });
}

#[test]
fn ld6_and_ld7_say_what_the_l1_has() {
    on_both(|mut bench| {
        bench.has(X, (3, 6), 5);
        bench.clock(1, Y, 9);
        assert_eq!(bench.asks(ld(1, X)), read(0, X, 3, 9));
        assert_eq!(bench.asks(ld(1, Z)), read(1, Z, 0, 9));
        let Counters { miss_cold, miss_expired, .. } = bench.counters();
        assert_eq!((miss_cold, miss_expired), (3, 1));
    });
}

#[test]
fn st1_a_store_of_nothing_is_answered_at_once() {
    on_both(|mut bench| {
        bench.clock(1, Y, 9);
        let rsp = bench.hits(CoreReq { mask: 0, ..st(1, X, 0, 9) });
        let told = CoreRsp { op: op::ST, ts: 9, warp: 1, id: 0x41, ..CoreRsp::default() };
        assert_eq!(rsp, told);
        assert_eq!(bench.hits(CoreReq { mask: 0, ..atom(1, X) }).op, op::ATOM);
    });
}

#[test]
pub fn st2_a_store_waits_for_older_loads_of_its_warp() {
    on_both(|mut bench| {
        bench.asks(ld(0, X));
        bench.send(st(0, X, 0, 9));
        bench.silent();
        bench.told(fill(0, (1, 6), 5));
        assert_eq!(bench.req().1.op, bus_op::WR);
    });
}

#[test]
fn st2_a_store_waits_for_loads_that_wait_for_a_store() {
    on_both(|mut bench| {
        bench.has(X, (1, 6), 5);
        bench.asks(st(0, X, 0, 9));
        bench.send(ld(1, X));
        bench.send(st(2, X, 0, 9));
        bench.silent();
        bench.told(ack(0, (7, 12), true));
        assert_eq!(bench.rsp().1.warp, 1);
        assert_eq!(bench.req().1.wts, 7);
    });
}

#[test]
fn st3_waits_for_the_table() {
    on_both(|mut bench| {
        for entry in 0..4 {
            assert_eq!(bench.asks(st(0, Y, 0, 9)).id, 0x80 | entry);
        }
        bench.send(st(0, Y, 0, 9));
        bench.silent();
        bench.told(ack(2, (7, 12), false));
        assert_eq!(bench.req().1.id, 0x82);
    });
}

#[test]
fn st4_sends_the_bytes_of_the_mask_and_writes_the_copy() {
    on_both(|mut bench| {
        bench.has(X, (1, 6), 5);
        let req = bench.asks(st(0, X, 1, 9));
        let sent =
            BusReq { op: bus_op::WR, mask: 0xf0, data: word_of(1, 9), ..read(0x80, X, 1, 1) };
        assert_eq!(req, sent);
        // Another store sends the wts of the locked copy.
        assert_eq!(
            bench.asks(st(1, X, 2, 8)),
            BusReq { op: bus_op::WR, mask: 0xf00, data: word_of(2, 8), ..read(0x81, X, 1, 1) }
        );
        bench.told(ack(0, (7, 12), true));
        bench.told(ack(1, (13, 18), true));
        let mut data = line_of(5);
        data.0[4..8].fill(9);
        data.0[8..12].fill(8);
        let rsp = bench.hits(ld(2, X));
        assert_eq!((rsp.ts, rsp.data), (13, data));
    });
}

#[test]
fn st4_of_several_stores_one_that_does_not_match_drops_the_line() {
    on_both(|mut bench| {
        bench.has(X, (1, 6), 5);
        bench.asks(st(0, X, 1, 9));
        bench.asks(st(1, X, 2, 8));
        bench.told(ack(0, (7, 12), false));
        let from = bench.now();
        bench.told(ack(1, (13, 18), true));
        bench.run(2);
        assert_eq!(bench.events(from), [(event::GONE, 0, X)]);
        assert_eq!(bench.asks(ld(2, X)).wts, 0);
    });
}

#[test]
pub fn st5_drops_a_copy_that_has_no_lock() {
    on_both(|mut bench| {
        bench.has(X, (1, 6), 5);
        let from = bench.now();
        let req = bench.asks(CoreReq { aop: 3, sz: false, ..atom(0, X) });
        let sent = BusReq {
            op: bus_op::ATOM,
            aop: 3,
            mask: 0xf,
            data: word_of(0, 1),
            ..read(0x80, X, 0, 1)
        };
        assert_eq!(req, sent);
        assert_eq!(bench.events(from), [(event::GONE, 0, X)]);
        assert_eq!(bench.asks(ld(1, X)).wts, 0);
        let rsp = bench.told(atom_ack(0, (7, 12), 5));
        assert_eq!((rsp.op, rsp.ts, rsp.data), (op::ATOM, 7, word_of(0, 5)));
    });
}

#[test]
fn st5_a_locked_copy_goes_with_the_lock() {
    on_both(|mut bench| {
        bench.has(X, (1, 6), 5);
        bench.asks(st(0, X, 1, 9));
        bench.asks(atom(1, X));
        bench.told(ack(0, (7, 12), true));
        assert_eq!(bench.asks(ld(2, X)).wts, 0);
        assert_eq!(bench.counters().lock_drops, 1);
    });
}

#[test]
pub fn spinning_warp_asks_again() {
    on_both(|mut bench| {
        bench.has(X, (1, 6), 5);
        // The 8th hit (SPIN) moves the clock.
        (0..8).for_each(|_| assert_eq!(load(bench.hits(ld(1, X))), (1, 5)));
        assert_eq!(bench.asks(ld(1, X)), read(0, X, 1, 7));
        assert_eq!(load(bench.told(renewal(0, 12))), (7, 5));
        assert_eq!(bench.counters().spin_ticks, 1);
        // An answer of the L2 restarts the count.
        (0..7).for_each(|_| _ = bench.hits(ld(1, X)));
        bench.asks(st(1, Y, 0, 1));
        bench.told(ack(0, (1, 6), false));
        (0..8).for_each(|_| assert_eq!(load(bench.hits(ld(1, X))), (7, 5)));
        assert_eq!(bench.asks(ld(1, X)).warp_ts, 13);
    });
}

#[test]
fn aops_and_sizes_that_can_be_are_sent() {
    on_both(|mut bench| {
        for aop in 0..9 {
            for (sz, mask) in [(false, 0xf0f0), (true, 0xff00)] {
                let req = bench.asks(CoreReq { aop, sz, mask, ..atom(0, X) });
                assert_eq!((req.aop, req.sz, req.mask), (aop, sz, mask));
                bench.told(atom_ack(0, (1, 6), 0));
            }
        }
        assert_eq!(bench.errors(0), []);
    });
}

#[test]
fn sm_is_told_in_every_request() {
    on_both(|mut bench| {
        bench.next.sm_id = 13;
        assert_eq!(bench.asks(ld(0, X)).sm, 13);
        assert_eq!(bench.asks(st(1, Y, 0, 1)).sm, 13);
    });
}
