//! Bad input (specification 12).

use super::*;

#[test]
fn requests_that_cannot_be_are_answered_at_once() {
    on_both(|mut bench| {
        bench.clock(1, Y, 9);
        let cases = [
            CoreReq { op: 3, ..ld(1, X) },
            CoreReq { warp: 4, ..ld(1, X) },
            CoreReq { aop: 9, ..atom(1, X) },
            CoreReq { mask: 0x7, ..atom(1, X) },
            CoreReq { mask: 0x1e, ..atom(1, X) },
            CoreReq { sz: true, mask: 0xf, ..atom(1, X) },
            CoreReq { sz: true, mask: 0xff0, ..atom(1, X) },
        ];
        for req in cases {
            bench.run(5);
            let busy = bench.shown().warp_busy;
            let t = bench.send(req);
            let CoreReq { op, warp, id, .. } = req;
            assert_eq!(bench.rsp(), (t + 2, CoreRsp { op, warp, id, ..CoreRsp::default() }));
            assert_eq!(bench.errors(t), [(t + 2, err::REQUEST)], "{req:?}");
            bench.cycle();
            assert_eq!(bench.shown().warp_busy, busy);
        }
        assert_eq!(bench.req.len(), 1);
    });
}

#[test]
fn fills_and_renewals_that_nobody_waits_for_are_dropped() {
    on_both(|mut bench| {
        bench.has(X, (1, 6), 5);
        bench.asks(st(0, X, 0, 9));
        // The load waits for the lock: its MSHR is in PEND, not in SENT.
        bench.send(ld(1, X));
        bench.silent();
        for id in [0, 1, 4, 63, 64, 128] {
            for rsp in [fill(id, (1, 6), 7), renewal(id, 9)] {
                let t = bench.bank(rsp);
                bench.silent();
                assert_eq!(bench.errors(t), [(t + 2, err::FILL)], "{rsp:?}");
            }
        }
        let Counters { fill_rsp, renew_rsp, .. } = bench.counters();
        assert_eq!((fill_rsp, renew_rsp), (1, 0));
    });
}

#[test]
fn acknowledgements_of_no_store_are_dropped() {
    on_both(|mut bench| {
        bench.asks(st(0, X, 0, 9));
        for id in [0, 0x40, 0x81, 0x84, 0xbf, 0xc0] {
            for rsp in [ack(0, (7, 12), true), atom_ack(0, (7, 12), 5)] {
                let t = bench.bank(ports::timestamp::types::BusRsp { id, ..rsp });
                bench.silent();
                assert_eq!(bench.errors(t), [(t + 2, err::ACK)], "{id:#x}");
            }
        }
        assert_eq!(bench.told(ack(0, (7, 12), true)).ts, 7);
    });
}

#[test]
fn generation_out_of_turn_flushes_as_usual() {
    on_both(|mut bench| {
        bench.has(X, (1, 6), 5);
        bench.run(5);
        bench.next.rep = 2;
        let t = bench.now();
        bench.run(3);
        assert_eq!(bench.errors(t), [(t + 1, err::GENERATION)]);
        assert_eq!(bench.shown().rep_ack, 2);
        assert_eq!(bench.asks(ld(0, X)).rep, 2);
    });
}
