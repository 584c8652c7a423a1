//! A policy says which way a line takes (`rtl/timestamp/timestamp_l2/README.md`, rules 8, 10).

use ports::timestamp::timestamp_l2::err;
use ports::timestamp::types::{Ask, BusReq, event};

use super::*;

fn bench(body: Make, config: &Config) -> Bench {
    Bench::new(body(config), true)
}

#[test]
fn the_picked_way_is_taken_in_the_cycle_after() {
    on_both(|body| {
        let mut bench = bench(body, &config());
        let t = bench.send(BusReq { sm: 1, ..read(X, 0, 1) });
        let (asked, ask) = bench.asked();
        assert_eq!((asked, ask), (t + 2, Ask { sm: 1, line: X, ways: 3 }));
        bench.run(7);
        assert_eq!(bench.asked().0, bench.now(), "until the policy has said it");
        let p = bench.pick(1, true);
        assert_eq!(bench.shown().ask, None);
        bench.answer();
        assert_eq!(bench.requests[0].0, p + 2);
        bench.cycle();
        assert_eq!(bench.events(0), [(event::CAME, 1, X), (event::USED, 1, X)]);
    });
}

#[test]
fn a_way_that_was_not_offered() {
    on_both(|body| {
        let mut bench = bench(body, &config());
        bench.silent = true;
        bench.send(read(X, 0, 1));
        bench.asked();
        bench.pick(0, true);
        bench.send(read(OTHERS[0], 0, 1));
        assert_eq!(bench.asked().1.ways, 2, "the other is reserved");
        let p = bench.pick(0, true);
        bench.silent = false;
        bench.answer();
        bench.answer();
        bench.cycle();
        assert_eq!(bench.errors(0), [(p + 1, err::PICK)]);
        assert!(bench.events(0).contains(&(event::CAME, 1, OTHERS[0])));
    });
}

#[test]
fn a_line_that_is_not_kept_goes_behind_its_last_request() {
    on_both(|body| {
        let mut bench = bench(body, &config());
        bench.send(write(X, 0, 1, 0, 1));
        bench.send(read(X, 0, 1));
        bench.asked();
        bench.pick(0, false);
        bench.answer();
        assert_eq!(bench.answer().1.rts, 12);
        bench.run(2);
        let events = [(event::CAME, 0, X), (event::USED, 0, X), (event::GONE, 0, X)];
        assert_eq!(bench.events(0), events);
        assert_eq!(bench.traffic(), [(X, false), (X, true)]);
        assert_eq!(bench.requests[1].1.data, word_of(0, 1));
        let counters = bench.shown().counters;
        assert_eq!((counters.evictions, counters.writebacks), (1, 1));
        // Its lease is remembered.
        bench.send(read(OTHERS[0], 0, 1));
        bench.asked();
        bench.pick(0, true);
        let (_, answer) = bench.answer();
        assert_eq!((answer.wts, answer.rts), (12, 17));
    });
}

#[test]
fn a_picked_line_goes_though_another_way_is_free() {
    on_both(|body| {
        let mut bench = bench(body, &config());
        for line in [X, OTHERS[0]] {
            bench.send(read(line, 0, 1));
            assert_eq!(bench.asked().1.ways, 3);
            bench.pick(0, true);
            bench.answer();
        }
        assert!(bench.events(0).contains(&(event::GONE, 0, X)));
    });
}
