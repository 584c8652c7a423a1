//! Timestamps that do not fit, and the sweep behind them (specification 5.5).

use ports::timestamp::types::rsp_op;

use super::*;

impl Bench {
    /// Runs until a timestamp does not fit.
    fn overflow(&mut self) {
        let answers = self.answers.len();
        while !self.shown().ovf {
            assert!(self.now() < 1000, "no overflow");
            self.cycle();
        }
        self.run(20);
        assert!(self.shown().ovf);
        assert_eq!(self.answers.len(), answers, "nothing acts");
    }

    /// All leases begin anew; returns the cycles of the sweep.
    fn sweep(&mut self) -> usize {
        self.next.halt = true;
        self.run(2);
        self.next.rst = true;
        let from = self.now();
        self.cycle();
        assert!(!self.shown().ovf, "gone behind the first cycle");
        while !self.shown().rst_done {
            self.cycle();
        }
        let sweep = self.now() - from;
        self.cycle();
        self.next.rst = false;
        self.cycle();
        assert!(!self.shown().rst_done);
        self.next.halt = false;
        sweep
    }
}

#[test]
fn example_6_a_write_whose_lease_does_not_fit() {
    on_both(|body| {
        let mut bench = bench(body, &config());
        assert_eq!(bench.lease(read(X, 0, 55)), (1, 60));
        bench.send(write(X, 0, 1, 1, 55));
        bench.send(read(X, 1, 55));
        bench.overflow();
        assert_eq!(bench.shown().counters.buswr, 0);
        assert_eq!(bench.sweep(), 4, "L2_SETS");
        let (_, answer) = bench.answer();
        assert_eq!((answer.rep, answer.wts, answer.rts, answer.ok), (1, 6, 11, false));
        // The old renewal.
        let (_, answer) = bench.answer();
        assert_eq!((answer.rep, answer.op), (1, rsp_op::FILL));
        assert_eq!((answer.wts, answer.rts, answer.data), (6, 11, word_of(0, 1)));
    });
}

#[test]
pub fn an_old_renewal_is_a_fill_though_the_numbers_agree() {
    on_both(|body| {
        let mut bench = bench(body, &config());
        bench.ask(read(X, 0, 1));
        bench.sweep();
        let answer = bench.ask(read(X, 1, 62));
        // [1, 5], then read at 1.
        assert_eq!((answer.rep, answer.op), (1, rsp_op::FILL));
        assert_eq!((answer.wts, answer.rts), (1, 6));
    });
}

#[test]
pub fn reads_fit_up_to_the_last_timestamp() {
    on_both(|body| {
        let mut bench = bench(body, &config());
        assert_eq!(bench.lease(read(X, 0, 57)), (1, 62));
        bench.send(read(X, 0, 58));
        bench.overflow();
        bench.sweep();
        assert_eq!(bench.answer().1.rts, 6);
    });
}

#[test]
fn a_line_that_comes_back_does_not_fit() {
    on_both(|body| {
        let mut bench = bench(body, &Config { l2_ways: 1, ..config() });
        assert_eq!(bench.lease(read(X, 0, 53)), (1, 58));
        bench.send(read(OTHERS[0], 0, 1));
        bench.overflow();
        assert_eq!(bench.traffic().len(), 2, "at its refill");
        bench.sweep();
        let (_, answer) = bench.answer();
        assert_eq!((answer.rep, answer.op, answer.wts, answer.rts), (1, rsp_op::FILL, 1, 6));
    });
}

#[test]
fn what_shows_keeps_its_generation() {
    on_both(|body| {
        let mut bench = bench(body, &config());
        bench.ask(read(X, 0, 1));
        bench.next.bus_rsp_ready = false;
        bench.send(read(X, 1, 1));
        bench.run(5);
        bench.sweep();
        bench.next.bus_rsp_ready = true;
        let (_, answer) = bench.answer();
        assert_eq!((answer.rep, answer.op, answer.rts), (0, rsp_op::RNW, 6));
    });
}
