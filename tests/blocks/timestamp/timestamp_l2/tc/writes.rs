//! Writes and leases (specification 5.8, 10).

use ports::timestamp::types::rsp_op;

use super::*;

/// A line that is read at 100, and a write that acts at 103: answers.
fn example_8(body: Make, protocol: Protocol) -> Bench {
    let mut bench = Bench::new(body(&config(protocol)), false);
    bench.ask(read(0));
    bench.run_to(99);
    assert_eq!(bench.send(read(0)), 99);
    bench.run_to(102);
    assert_eq!(bench.send(write(0, 1)), 102);
    let (at, answer) = bench.answer();
    assert_eq!((at, answer.op, exp(&answer)), (100 + SHOWS, rsp_op::FILL, 110));
    assert_eq!((answer.rep, answer.ok), (0, false));
    bench
}

#[test]
pub fn example_8_a_strong_write_waits() {
    on_both(|body| {
        let mut bench = example_8(body, Protocol::Tcs);
        let (at, answer) = bench.answer();
        assert_eq!((at, answer.op, exp(&answer)), (110 + SHOWS, rsp_op::WR_ACK, 110));
        // From the cycle after it took its MSHR on.
        assert_eq!(bench.shown().counters.stall_lease, 110 - 104);
    });
}

#[test]
fn example_8_a_weak_one_does_not() {
    on_both(|body| {
        let mut bench = example_8(body, Protocol::Tcw);
        let (at, answer) = bench.answer();
        assert_eq!((at, answer.op, exp(&answer)), (103 + SHOWS, rsp_op::WR_ACK, 110));
        assert_eq!(bench.shown().counters.stall_lease, 0);
    });
}

#[test]
fn later_requests_of_the_line_wait_behind_the_write_and_others_pass() {
    on_both(|body| {
        let long = Config { tc_lease: 30, ..config(Protocol::Tcs) };
        let mut bench = Bench::new(body(&long), false);
        bench.ask(read(2));
        let until = exp(&bench.ask(read(0)));
        bench.send(write(0, 1));
        bench.send(read(0));
        bench.send(read(2));
        let (at, answer) = bench.answer();
        assert!(at < until && exp(&answer) > until, "of line 2");
        let (at, answer) = bench.answer();
        assert_eq!((at, answer.op), (until + SHOWS, rsp_op::WR_ACK));
        let (at, answer) = bench.answer();
        assert_eq!((at, answer.op), (until + 1 + SHOWS, rsp_op::FILL));
        assert_eq!((exp(&answer), answer.data), (until + 1 + 30, super::super::word_of(0, 1)));
    });
}

#[test]
fn a_strong_write_waits_for_an_mshr_to_wait_in() {
    on_both(|body| {
        let one = Config { l2_mshr: 1, tc_lease: 40, ..config(Protocol::Tcs) };
        let mut bench = Bench::new(body(&one), false);
        let ends = [exp(&bench.ask(read(0))), exp(&bench.ask(read(2)))];
        assert!(ends[0] + 1 < ends[1]);
        bench.send(write(0, 1));
        bench.send(write(2, 1));
        bench.send(read(4));
        assert!(bench.now() < ends[0]);
        assert_eq!(bench.answer().0, ends[0] + SHOWS);
        // It has the MSHR behind the first, and what is behind it has none until it is performed.
        assert_eq!(bench.answer().0, ends[1] + SHOWS);
        bench.answer();
        assert_eq!(bench.requests[2].0, ends[1] + 1 + 1);
    });
}

/// A queue of three wraps: two reads leave its first places while a write waits in the last one for
/// their leases, and the next two requests come behind it.
#[test]
fn queue_of_three_keeps_its_order_when_it_wraps() {
    on_both(|body| {
        let three = Config { l2_wait: 3, tc_lease: 60, ..config(Protocol::Tcs) };
        let mut bench = Bench::new(body(&three), false);
        bench.silent = true;
        let named = |id: u8, req: BusReq| BusReq { id, ..req };
        bench.send(named(1, read(0)));
        bench.send(named(2, read(0)));
        bench.send(named(0x83, write(0, 7)));
        bench.silent = false;
        let reads = [bench.answer().1, bench.answer().1];
        assert_eq!(reads.map(|answer| answer.id), [1, 2]);
        let until = exp(&reads[1]);
        // The fourth finds three places taken, and waits outside.
        for id in 4..=6 {
            bench.send(named(id, read(0)));
        }
        assert!(bench.now() < until, "while the write waits");
        let answers = [(); 4].map(|()| bench.answer());
        assert_eq!(answers[0].0, until + SHOWS);
        assert_eq!(answers.map(|(_, answer)| answer.id), [0x83, 4, 5, 6]);
        for (_, answer) in &answers[1..] {
            assert_eq!((answer.op, answer.data), (rsp_op::FILL, super::super::word_of(0, 7)));
        }
    });
}
