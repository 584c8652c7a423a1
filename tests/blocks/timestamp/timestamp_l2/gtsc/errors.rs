//! Error codes (specification 12).

use ports::timestamp::timestamp_l2::err;
use ports::timestamp::types::{BusReq, DramRsp, bus_op};

use super::*;

#[test]
fn requests_that_cannot_be_are_dropped() {
    on_both(|body| {
        let mut bench = bench(body, &config());
        bench.ask(read(X, 0, 1));
        let atom = |aop| BusReq { op: bus_op::ATOM, aop, mask: 0xf, ..read(X, 0, 1) };
        for req in [BusReq { op: 3, ..read(X, 0, 1) }, BusReq { sm: 2, ..read(X, 0, 1) }, atom(9)] {
            let t = bench.send(req);
            bench.run(10);
            assert_eq!(bench.errors(t), [(t + 2, err::REQUEST)]);
            assert_eq!(bench.answers.len(), 1);
        }
        let from = bench.now();
        bench.ask(atom(8));
        bench.ask(BusReq { aop: 15, ..read(X, 0, 1) });
        assert_eq!(bench.errors(from), []);
    });
}

#[test]
fn lines_that_nobody_waits_for_are_dropped() {
    on_both(|body| {
        let mut bench = bench(body, &config());
        bench.ask(read(X, 0, 1));
        for line in [X, OTHERS[0]] {
            let data = word_of(0, 1);
            bench.next.dram_rsp = Some(DramRsp { line, data });
            let t = bench.now();
            bench.run(10);
            assert_eq!(bench.errors(t), [(t + 2, err::FILL)]);
        }
        assert_eq!(bench.ask(read(X, 0, 1)).data, word_of(0, 0));
    });
}
