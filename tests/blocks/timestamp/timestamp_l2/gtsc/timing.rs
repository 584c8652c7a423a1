//! In which cycle what shows (specification 5.4).

use ports::timestamp::types::BusReq;

use super::*;

#[test]
fn hit_is_answered_four_cycles_after_its_request() {
    on_both(|body| {
        let mut bench = bench(body, &config());
        bench.ask(read(X, 0, 1));
        let t = bench.send(read(X, 0, 1));
        assert_eq!(bench.answer().0, t + 4);
        // One in each cycle.
        let first = bench.send(read(X, 0, 1));
        for n in 1..4 {
            assert_eq!(bench.send(write(X, 0, 1, 0, 1)), first + n);
        }
        for n in 0..4 {
            assert_eq!(bench.answer().0, first + n + 4);
        }
    });
}

#[test]
fn miss_asks_in_the_second_cycle_and_is_answered_in_the_fifth_behind_its_line() {
    on_both(|body| {
        let mut bench = bench(body, &config());
        let t = bench.send(read(X, 0, 1));
        let (answered, _) = bench.answer();
        assert_eq!(bench.requests[0].0, t + 2);
        // B2, B1, and three cycles of the FIFO.
        assert_eq!(answered, bench.filled[0] + 1 + 1 + 3);
    });
}

#[test]
fn actions_keep_their_distance() {
    on_both(|body| {
        let mut bench = bench(body, &Config { l2_div: 3, ..config() });
        bench.ask(read(X, 0, 1));
        bench.run(5);
        let t = bench.send(read(X, 0, 1));
        assert_eq!(bench.send(read(X, 0, 1)), t + 1);
        assert_eq!([bench.answer().0, bench.answer().0], [t + 4, t + 7]);
    });
}

#[test]
fn nothing_acts_while_the_bank_is_halted() {
    on_both(|body| {
        let mut bench = bench(body, &config());
        bench.ask(read(X, 0, 1));
        bench.send(read(X, 0, 1));
        bench.next.halt = true;
        bench.run(10);
        assert_eq!(bench.answers.len(), 1);
        bench.next.halt = false;
        let from = bench.now();
        assert_eq!(bench.answer().0, from + 3);
        let halted = bench.seen(0, |out| out.halted.then_some(()));
        assert!(halted.iter().map(|(cycle, _)| *cycle).eq(from - 9..=from));
    });
}

#[test]
fn waiters_are_served_in_their_order() {
    on_both(|body| {
        let mut bench = bench(body, &config());
        bench.silent = true;
        bench.send(write(X, 0, 5, 0, 1));
        bench.send(read(X, 0, 1));
        // The queue has two places: the third waits, and what is behind it.
        bench.send(read(X, 0, 1));
        bench.send(read(OTHERS[0], 0, 1));
        bench.run(10);
        assert_eq!(bench.traffic(), [(X, false)]);
        assert!(bench.out.last().is_some_and(|out| out.counters.hold_cycles > 5));
        bench.silent = false;
        let first = bench.answer();
        let (second, third) = (bench.answer(), bench.answer());
        assert_eq!([second.0, third.0], [first.0 + 1, first.0 + 2]);
        assert_eq!([first.1.wts, second.1.wts, third.1.wts], [7; 3]);
        assert_eq!(second.1.data, word_of(0, 5));
    });
}

/// However many of its three places it had the last time.
#[test]
fn queue_of_three_keeps_its_order_in_every_use() {
    on_both(|body| {
        let mut bench = bench(body, &Config { l2_wait: 3, ..config() });
        let mut sent = Vec::new();
        for (round, count) in [2, 3, 1, 3, 3, 2, 3].into_iter().enumerate() {
            bench.silent = true;
            for _ in 0..count {
                let id = sent.len() as u8;
                // A line that is not here.
                bench.send(BusReq { id, ..read(2 * round as u64, 0, 1) });
                sent.push(id);
            }
            bench.run(4);
            bench.silent = false;
            let answers: Vec<_> = (0..count).map(|_| bench.answer()).collect();
            let served: Vec<_> = answers.iter().map(|(_, answer)| answer.id).collect();
            assert_eq!(served, sent[sent.len() - count..], "round {round}");
            // One action after the other: all of them have waited.
            assert!(answers.windows(2).all(|pair| pair[1].0 == pair[0].0 + 1), "round {round}");
        }
    });
}
