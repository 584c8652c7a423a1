//! Counters (specification 9).

use super::*;

#[test]
fn each_event_counts_once() {
    on_both(|mut bench| {
        bench.has(X, (1, 6), 5);
        bench.hits(ld(1, X));
        bench.asks(st(0, X, 0, 9));
        bench.send(ld(1, X));
        bench.run(5);
        bench.told(ack(0, (7, 12), true));
        bench.rsp();
        bench.asks(atom(0, Y));
        bench.told(atom_ack(0, (7, 12), 0));
        bench.hits(CoreReq { mask: 0, ..st(0, X, 0, 9) });
        bench.flush();
        let expected = Counters {
            load_hit: 1,
            miss_cold: 1,
            lock_wait: 1,
            stores: 1,
            atomics: 1,
            fill_rsp: 1,
            flushes: 1,
            ..Counters::default()
        };
        assert_eq!(bench.counters(), expected);
    });
}
