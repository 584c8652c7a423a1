//! A policy picks the way of a fill (README, rules 10 and 11).

use super::*;

fn on_both(check: impl Fn(Bench)) {
    with_bodies(|body| check(Bench::new(body(&config()), true)));
}

#[test]
fn line_takes_the_way_that_is_picked() {
    on_both(|mut bench| {
        bench.asks(ld(0, X));
        let t = bench.bank(fill(0, (1, 6), 5));
        let (cycle, ask) = bench.asked();
        assert_eq!((cycle, ask.sm, ask.line, ask.ways), (t + 2, 0, X, 0b11));
        bench.silent();
        let t = bench.pick(1, true);
        assert_eq!(bench.rsp().0, t + 2);
        assert_eq!(bench.events(t), [(event::CAME, 1, X)]);
    });
}

#[test]
fn line_that_is_not_kept_serves() {
    on_both(|mut bench| {
        bench.asks(ld(0, X));
        bench.bank(fill(0, (1, 6), 5));
        bench.asked();
        let t = bench.pick(3, false);
        assert_eq!(load(bench.rsp().1), (1, 5));
        assert_eq!((bench.events(t), bench.errors(t)), (vec![], vec![]));
        assert_eq!(bench.asks(ld(0, X)).wts, 0);
    });
}

#[test]
fn way_that_was_not_offered_is_an_error_and_the_line_is_not_kept() {
    on_both(|mut bench| {
        bench.asks(ld(0, X));
        bench.bank(fill(0, (1, 6), 5));
        bench.asked();
        bench.pick(0, true);
        bench.rsp();
        bench.asks(st(0, X, 0, 9));
        for way in [0, 2, 15] {
            bench.asks(ld(1, OTHERS[0]));
            bench.bank(fill(0, (1, 6), 5));
            assert_eq!(bench.asked().1.ways, 0b10, "the other is locked");
            let t = bench.pick(way, true);
            assert_eq!(load(bench.rsp().1), (1, 5));
            assert_eq!((bench.events(t), bench.errors(t)), (vec![], vec![(t + 1, err::PICK)]));
        }
    });
}

#[test]
fn nothing_acts_while_it_is_asked() {
    on_both(|mut bench| {
        bench.asks(ld(0, X));
        bench.bank(fill(0, (1, 6), 5));
        bench.asked();
        bench.next.rep = 1;
        bench.send(st(1, Y, 0, 9));
        bench.silent();
        assert_eq!(bench.shown().rep_ack, 0);
        // A2, then the flush, then the store.
        let t = bench.pick(0, true);
        assert_eq!(bench.rsp().0, t + 2);
        bench.run(3);
        assert_eq!([t + 2, t + 3].map(|cycle| bench.out[cycle].rep_ack), [0, 1]);
        assert_eq!(bench.events(t), [(event::CAME, 0, X), (event::ALL_GONE, 0, 0)]);
        assert_eq!(bench.req.last().map(|(cycle, req)| (*cycle, req.rep)), Some((t + 4, 1)));
    });
}

#[test]
fn it_is_not_asked_where_no_way_is_needed() {
    on_both(|mut bench| {
        bench.has_by_policy(X, 0);
        // No query: the line is present; st_after is set; the MSHR is stale.
        bench.clock_by_policy(1, Y, 9);
        bench.asks(ld(1, X));
        assert_eq!(load(bench.told(fill(0, (8, 13), 7))), (9, 7));
        bench.asks(ld(0, Z));
        bench.asks(st(1, Z, 0, 9));
        assert_eq!(load(bench.told(fill(0, (8, 13), 7))), (8, 7));
        bench.asks(ld(0, OTHERS[0]));
        bench.flush();
        assert_eq!(bench.told(fill(0, (8, 13), 7)).rep, 0);
        // A pick without a query is ignored.
        bench.pick(15, true);
        bench.silent();
        assert_eq!(bench.errors(0), []);
    });
}

impl Bench {
    fn has_by_policy(&mut self, line: u64, way: u8) {
        self.asks(ld(0, line));
        self.bank(fill(0, (1, 6), 5));
        self.asked();
        self.pick(way, true);
        self.rsp();
    }

    fn clock_by_policy(&mut self, warp: u8, line: u64, ts: u32) {
        self.asks(ld(warp, line));
        self.bank(fill(0, (ts, ts), 0));
        self.asked();
        self.pick(0, true);
        assert_eq!(self.rsp().1.ts, ts);
    }
}
