//! What L1s may hold stays (specification 5.8).

use ports::timestamp::types::{event, sync};

use super::*;

/// A lease that is long enough for two misses.
fn long(protocol: Protocol) -> Config {
    Config { tc_lease: 60, ..config(protocol) }
}

#[test]
pub fn a_line_goes_when_its_lease_is_over() {
    on_both(|body| {
        for proto in [Protocol::Tcs, Protocol::Tcw] {
            let mut bench = Bench::new(body(&long(proto)), false);
            // The second way goes first: the first is lent longer.
            let ends = [exp(&bench.ask(read(LINES[0]))), exp(&bench.ask(read(LINES[1])))];
            let again = exp(&bench.ask(read(LINES[0])));
            assert!(ends[0] < ends[1] && ends[1] < again);
            let t = bench.send(read(LINES[2]));
            assert!(t + 1 < ends[1]);
            bench.answer();
            // B5 acts at the end of the lease, and its read shows in the next cycle.
            assert_eq!(bench.requests[2].0, ends[1] + 1);
            assert_eq!(bench.shown().counters.stall_evict as usize, ends[1] - (t + 1));
        }
    });
}

#[test]
fn a_policy_is_offered_what_may_go_and_cannot_send_a_line_away() {
    on_both(|body| {
        let mut bench = Bench::new(body(&long(Protocol::Tcw)), true);
        bench.send(read(LINES[0]));
        assert_eq!(bench.asked().1.ways, 3);
        bench.pick(1, false);
        bench.answer();
        bench.send(read(LINES[1]));
        assert_eq!(bench.asked().1.ways, 1, "the other is lent");
        bench.pick(0, true);
        bench.answer();
        bench.cycle();
        assert!(bench.events(0).iter().all(|event| event.0 != event::GONE));
    });
}

#[test]
fn an_acquire_waits_for_leases_and_a_release_does_not() {
    on_both(|body| {
        for kind in [sync::ACQUIRE, sync::RELEASE] {
            let mut bench = Bench::new(body(&long(Protocol::Tcw)), false);
            // Set 0.
            let until = exp(&bench.ask(read(0)));
            let (begins, done) = bench.sync(kind);
            // Four sets, from the one that waits on.
            let first = if kind == sync::ACQUIRE { until } else { begins + 1 };
            assert_eq!(done, first + 3 + 1);
        }
    });
}
