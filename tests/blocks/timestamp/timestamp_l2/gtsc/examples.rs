//! The bank's part of the worked examples (specification 10).

use ports::timestamp::types::{BusReq, rsp_op};

use super::*;

#[test]
pub fn example_1_figure_3_9() {
    on_both(|body| {
        let mut bench = bench(body, &config());
        assert_eq!(bench.lease(read(X, 0, 1)), (1, 6));
        assert_eq!(bench.lease(BusReq { sm: 1, ..write(X, 0, 7, 0, 1) }), (7, 12));
        let answer = bench.ask(read(X, 1, 12));
        assert_eq!((answer.op, answer.wts, answer.rts), (rsp_op::FILL, 7, 17));
        assert_eq!(answer.data, word_of(0, 7));

        // The bank of Y.
        let mut bench = self::bench(body, &Config { lease: 10, ..config() });
        assert_eq!(bench.lease(BusReq { sm: 1, ..read(X, 0, 1) }), (1, 11));
        assert_eq!(bench.lease(write(X, 0, 1, 0, 1)), (12, 22));
    });
}

#[test]
pub fn example_4_stale_partial_write() {
    on_both(|body| {
        let mut bench = bench(body, &config());
        assert_eq!(bench.lease(read(X, 0, 1)), (1, 6));
        assert_eq!(bench.lease(BusReq { sm: 1, ..write(X, 1, 2, 0, 1) }), (7, 12));
        let answer = bench.ask(write(X, 0, 1, 1, 1));
        assert_eq!((answer.op, answer.wts, answer.rts), (rsp_op::WR_ACK, 13, 18));
        assert!(!answer.ok);
        let mut both = word_of(0, 1);
        both.0[4..8].fill(2);
        assert_eq!(bench.ask(read(X, 0, 13)).data, both);
        // A copy that is as new, and a whole line.
        assert!(bench.ask(write(X, 0, 1, 13, 1)).ok);
        assert!(bench.ask(BusReq { mask: 0xffff, ..write(X, 0, 1, 0, 1) }).ok);
        assert!(!bench.ask(write(X, 0, 1, 0, 1)).ok);
    });
}

#[test]
pub fn example_5_eviction() {
    on_both(|body| {
        let mut bench = bench(body, &config());
        assert_eq!(bench.lease(write(X, 0, 1, 0, 1)), (7, 12));
        assert_eq!(bench.lease(read(X, 0, 12)), (7, 17));
        for line in &OTHERS[..2] {
            bench.ask(read(*line, 0, 1));
        }
        assert_eq!(bench.traffic(), [(0, false), (8, false), (0, true), (16, false)]);
        let answer = bench.ask(read(X, 0, 1));
        assert_eq!((answer.wts, answer.rts, answer.data), (17, 22, word_of(0, 1)));
        assert_eq!(bench.lease(write(X, 0, 1, 0, 1)).0, 23);
    });
}

#[test]
fn example_7_figure_4_1() {
    on_both(|body| {
        let (a, b) = (0, 2);
        let mut bench = bench(body, &Config { lease: 9, ..config() });
        assert_eq!(bench.lease(read(a, 0, 1)), (1, 10));
        assert_eq!(bench.lease(read(b, 0, 1)), (1, 10));
        assert_eq!(bench.lease(BusReq { sm: 1, ..write(b, 0, 3, 1, 1) }), (11, 20));
        let answer = bench.ask(read(b, 0, 1));
        assert_eq!((answer.op, answer.wts, answer.rts), (rsp_op::FILL, 11, 20));
        for sm in [0, 1] {
            let answer = bench.ask(BusReq { sm, ..read(a, 1, 11) });
            assert_eq!((answer.op, answer.sm, answer.rts), (rsp_op::RNW, sm, 20));
            assert_eq!((answer.wts, answer.ok, answer.data), (0, false, Default::default()));
        }
    });
}
