//! The flush at a kernel's end.

use super::*;

impl Bench {
    /// Requests a flush; returns the cycle of the request.
    fn drop_all(&mut self) -> usize {
        self.next.flush = true;
        self.cycle();
        self.next.flush = false;
        self.now() - 1
    }

    /// Cycles in which a flush is done.
    fn done(&self) -> Vec<usize> {
        let done = self.seen(0, |out| out.flush_done.then_some(()));
        done.into_iter().map(|(cycle, ())| cycle).collect()
    }
}

#[test]
fn flush_drops_all_lines() {
    on_both(Protocol::Tcs, |mut bench| {
        bench.has_until(X, 1000, 5);
        bench.has_until(Y, 1000, 5);
        bench.run(5);
        let t = bench.drop_all();
        bench.run(5);
        assert_eq!((bench.done(), bench.events(t)), (vec![t + 2], vec![(event::ALL_GONE, 0, 0)]));
        assert_eq!(bench.asks(ld(0, X)).op, bus_op::RD);
    });
}

#[test]
fn line_that_is_asked_for_serves_and_is_not_kept() {
    on_both(Protocol::Tcs, |mut bench| {
        bench.asks(ld(0, X));
        let t = bench.drop_all();
        bench.run(5);
        // No load joins the MSHR.
        bench.send(ld(1, X));
        bench.silent();
        assert_eq!(bench.told(fill(0, exp(1000), 5)).warp, 0);
        assert_eq!(bench.req().1.op, bus_op::RD);
        assert_eq!(bench.events(t), [(event::ALL_GONE, 0, 0)]);
    });
}

#[test]
fn flush_waits_for_a_replay_and_another_one_then_means_nothing() {
    on_both(Protocol::Tcs, |mut bench| {
        bench.asks(ld(0, X));
        bench.send(ld(1, X));
        bench.run(5);
        // Steps of the replay are in t+1 and t+2: the flush acts in t+3.
        let t = bench.bank(fill(0, exp(1000), 5));
        assert_eq!(bench.drop_all(), t + 1);
        assert_eq!(bench.drop_all(), t + 2);
        bench.run(10);
        assert_eq!(bench.done(), [t + 4]);
    });
}

#[test]
fn flush_when_one_is_done_is_another() {
    on_both(Protocol::Tcs, |mut bench| {
        let t = bench.drop_all();
        // The first flush acts: this request is ignored.
        bench.drop_all();
        bench.drop_all();
        bench.run(5);
        assert_eq!(bench.done(), [t + 2, t + 4]);
    });
}

#[test]
fn fences_wait_for_leases_from_before() {
    on_both(Protocol::Tcw, |mut bench| {
        bench.asks(st(1, X, 0, 9));
        bench.told(ack(0, exp(60), true));
        bench.drop_all();
        bench.run_to(61);
        assert_eq!([59, 60].map(|cycle| bench.out[cycle].fence_ok), [0b1101, 0b1111]);
    });
}
