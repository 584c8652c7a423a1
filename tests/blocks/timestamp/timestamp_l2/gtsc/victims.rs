//! Which way a line takes (specification 5.4).

use ports::timestamp::types::{event, sync};

use super::*;

#[test]
fn the_lowest_invalid_way_then_the_least_recently_used() {
    on_both(|body| {
        let mut bench = bench(body, &config());
        let [b, c, d] = OTHERS;
        for line in [X, b] {
            bench.ask(read(line, 0, 1));
        }
        // A use of X: the other goes; then X is the older.
        for line in [X, c, d] {
            bench.ask(read(line, 0, 1));
        }
        bench.run(2);
        let moves = [
            (event::CAME, 0, X),
            (event::USED, 0, X),
            (event::CAME, 1, b),
            (event::USED, 1, b),
            (event::USED, 0, X),
            (event::GONE, 1, b),
            (event::CAME, 1, c),
            (event::USED, 1, c),
            (event::GONE, 0, X),
            (event::CAME, 0, d),
            (event::USED, 0, d),
        ];
        assert_eq!(bench.events(0), moves);
        let counters = bench.shown().counters;
        assert_eq!((counters.evictions, counters.writebacks, counters.dram_reads), (2, 0, 4));
    });
}

#[test]
fn an_invalid_way_comes_before_an_old_line() {
    on_both(|body| {
        let mut bench = bench(body, &config());
        bench.ask(read(X, 0, 1));
        bench.sync(sync::ACQUIRE);
        let from = bench.now();
        bench.ask(read(OTHERS[0], 0, 1));
        bench.ask(read(OTHERS[1], 0, 1));
        bench.run(2);
        let ways: Vec<_> =
            bench.events(from + 1).into_iter().filter(|e| e.0 != event::USED).collect();
        assert_eq!(ways, [(event::CAME, 0, OTHERS[0]), (event::CAME, 1, OTHERS[1])]);
    });
}

#[test]
fn a_set_that_waits_for_all_its_lines_takes_no_other() {
    on_both(|body| {
        let mut bench = bench(body, &config());
        bench.silent = true;
        for line in [X, OTHERS[0], OTHERS[1]] {
            bench.send(read(line, 0, 1));
        }
        bench.run(10);
        assert_eq!(bench.traffic(), [(X, false), (OTHERS[0], false)]);
        bench.silent = false;
        for _ in 0..3 {
            bench.answer();
        }
        assert_eq!(bench.traffic().len(), 3);
    });
}

#[test]
fn a_dirty_line_is_written_before_the_read_of_the_one_for_it() {
    on_both(|body| {
        let mut bench = bench(body, &Config { l2_ways: 1, ..config() });
        bench.ask(write(X, 2, 9, 0, 1));
        let t = bench.send(read(OTHERS[0], 0, 1));
        bench.answer();
        let [(_, first), (at, out), (then, read)] = bench.requests[..] else {
            panic!("{:?}", bench.requests)
        };
        assert_eq!((first.line, out.line, read.line), (X, X, OTHERS[0]));
        assert_eq!((out.we, out.data, read.we), (true, word_of(2, 9), false));
        assert_eq!((at, then), (t + 2, t + 3));
    });
}
