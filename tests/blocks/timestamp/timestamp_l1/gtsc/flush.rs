//! Flushes (specification 5.5).

use super::*;

#[test]
fn flush_drops_all_and_is_told_one_cycle_later() {
    on_both(|mut bench| {
        bench.has(X, (1, 6), 5);
        bench.clock(1, Y, 9);
        bench.run(5);
        bench.next.rep = 1;
        let t = bench.now();
        bench.run(3);
        assert_eq!([t, t + 1].map(|cycle| bench.out[cycle].rep_ack), [0, 1]);
        assert_eq!(bench.events(t), [(event::ALL_GONE, 0, 0)]);
        assert_eq!(bench.counters().flushes, 1);
        let req = bench.asks(ld(1, X));
        assert_eq!(req, BusReq { rep: 1, ..read(0, X, 0, 1) });
    });
}

#[test]
pub fn stale_fill_serves_who_came_before_and_is_not_kept() {
    on_both(|mut bench| {
        bench.clock(1, Y, 9);
        bench.asks(ld(0, X));
        bench.send(ld(1, X));
        bench.run(5);
        bench.flush();
        bench.send(ld(2, X));
        bench.silent();
        let rsp = bench.told(fill(0, (1, 6), 5));
        assert_eq!((rsp.rep, rsp.ts, rsp.data), (0, 1, line_of(5)));
        // The second load restarts; the third joins its MSHR.
        assert_eq!(bench.req().1, BusReq { rep: 1, ..read(0, X, 0, 1) });
        bench.run(5);
        bench.bank(ports::timestamp::types::BusRsp { rep: 1, ..fill(0, (2, 7), 6) });
        assert_eq!([(); 2].map(|()| load(bench.rsp().1)), [(2, 6); 2]);
        assert_eq!(bench.counters().stale_rsp, 1);
    });
}

#[test]
pub fn load_does_not_join_a_stale_miss() {
    on_both(|mut bench| {
        bench.asks(ld(0, X));
        bench.flush();
        bench.send(ld(1, X));
        bench.silent();
        assert_eq!(load(bench.told(fill(0, (1, 6), 5))), (1, 5));
        assert_eq!(bench.req().1, BusReq { rep: 1, ..read(0, X, 0, 1) });
    });
}

#[test]
fn stale_renewal_is_asked_for_anew() {
    on_both(|mut bench| {
        bench.has(X, (1, 6), 5);
        bench.clock(1, Y, 9);
        bench.asks(ld(1, X));
        bench.flush();
        bench.bank(renewal(0, 14));
        assert_eq!(bench.req().1, BusReq { rep: 1, ..read(0, X, 0, 1) });
        assert_eq!(bench.counters().stale_rsp, 1);
    });
}

#[test]
fn loads_that_wait_for_a_lock_begin_anew() {
    on_both(|mut bench| {
        bench.has(X, (1, 6), 5);
        bench.clock(1, Y, 5);
        bench.asks(st(0, X, 0, 9));
        bench.send(ld(1, X));
        bench.silent();
        bench.next.rep = 1;
        assert_eq!(bench.req().1, BusReq { rep: 1, ..read(0, X, 0, 1) });
    });
}

#[test]
pub fn store_from_before_does_not_unlock_a_new_line() {
    on_both(|mut bench| {
        bench.has(X, (1, 6), 5);
        bench.asks(st(0, X, 0, 9));
        bench.flush();
        bench.has(X, (1, 6), 6);
        bench.asks(st(1, X, 0, 8));
        bench.told(ack(0, (7, 12), true));
        bench.send(ld(2, X));
        bench.silent();
        bench.told(ack(1, (13, 18), true));
        assert_eq!(load(bench.rsp().1), (13, 8));
    });
}

#[test]
fn flush_waits_for_a_replay_and_generations_wrap() {
    on_both(|mut bench| {
        bench.asks(ld(0, X));
        bench.send(ld(1, X));
        bench.run(5);
        // The replay's steps are in t+1 and t+2: the flush acts after them.
        bench.next.rep = 0;
        let t = bench.bank(fill(0, (1, 6), 5));
        bench.cycle();
        bench.next.rep = 1;
        bench.run(5);
        assert_eq!([t + 3, t + 4].map(|cycle| bench.out[cycle].rep_ack), [0, 1]);
        for rep in [2, 3, 0, 1] {
            bench.flush();
            assert_eq!(bench.shown().rep_ack, rep);
        }
        assert_eq!(bench.errors(0), []);
    });
}
