//! Commits, and worked examples 7 and 8 of specification 10.1.

use super::*;

#[test]
fn load_commits_behind_the_answer_that_it_waits_for() {
    on_both(|body| {
        let mut bench = Bench::new(body, &config());
        bench.run_to(4);
        bench.requests(1);
        assert_eq!(bench.shown().out, 1);
        bench.loads(&[(3, 7)]);
        bench.run_to(8);
        bench.answer(rsp_kind::NORACE);
        bench.run_to(12);
        assert_eq!(bench.cycles(|out| out.spec == 1 << 3), [6, 7, 8, 9]);
        assert_eq!(bench.commits(), [(9, 7)]);
        assert_eq!(bench.cycles(|out| !out.empty), [6, 7, 8, 9]);
        assert_eq!(bench.cycles(|out| out.out == 1), [5, 6, 7, 8]);
    });
}

#[test]
fn five_loads_are_tested_and_one_is_replayed() {
    on_both(|body| {
        let mut bench = Bench::new(body, &wide());
        bench.requests(2);
        bench.loads(&[(1, 2), (2, 3), (3, 4), (4, 5), (5, 6)]);
        bench.run_to(13);
        bench.members = vec![4 << 7];
        bench.answer(rsp_kind::RACE);
        bench.run_to(20);
        bench.answer(rsp_kind::NORACE);
        bench.run_to(30);
        let queries: Vec<_> = (13..18).map(|n| bench.queries(n)).collect();
        assert_eq!(queries, [vec![], vec![2, 3], vec![4, 5], vec![6], vec![]]);
        assert_eq!(bench.cycles(|out| out.busy), [14, 15, 16, 17]);
        assert_eq!(bench.commits(), [(21, 2), (22, 3), (24, 5), (25, 6)]);
        assert_eq!(bench.replays(), [(23, 4)]);
        assert!(bench.shown().empty);
    });
}

#[test]
fn load_waits_for_all_answers_of_its_sm_that_were_outstanding() {
    on_both(|body| {
        let mut bench = Bench::new(body, &config());
        bench.requests(2);
        bench.loads(&[(0, 1)]);
        bench.requests(1);
        bench.loads(&[(0, 2)]);
        let first = bench.answer(rsp_kind::NORACE);
        let second = bench.answer(rsp_kind::NORACE);
        bench.run_to(12);
        assert_eq!((first, second), (5, 6));
        assert_eq!(bench.commits(), [(7, 1)]);
        bench.answer(rsp_kind::NORACE);
        bench.run_to(16);
        assert_eq!(bench.commits(), [(7, 1), (13, 2)]);
    });
}

#[test]
fn request_and_answer_of_the_cycle_count_for_its_load() {
    on_both(|body| {
        let mut bench = Bench::new(body, &config());
        bench.requests(1);
        bench.next.inc = true;
        bench.next.done = Some(done(rsp_kind::NORACE));
        bench.loads(&[(0, 1)]);
        assert_eq!(bench.shown().out, 1);
        bench.run_to(4);
        assert_eq!(bench.commits(), []);
        bench.next.done = Some(done(rsp_kind::NORACE));
        bench.loads(&[(0, 2)]);
        bench.run_to(8);
        assert_eq!(bench.commits(), [(5, 1), (6, 2)], "the second waits for nothing");
    });
}

#[test]
fn forced_signature_is_no_answer() {
    on_both(|body| {
        let mut bench = Bench::new(body, &config());
        bench.requests(1);
        bench.loads(&[(0, 1)]);
        bench.answer(rsp_kind::FORCED);
        bench.run_to(10);
        assert_eq!((bench.shown().out, bench.commits()), (1, vec![]));
        assert_eq!(bench.queries(3), [1], "but is tested");
    });
}

#[test]
fn queue_is_full_until_a_slot_is_popped() {
    on_both(|body| {
        let mut bench = Bench::new(body, &config());
        bench.requests(1);
        bench.loads(&[(0, 1), (1, 2), (2, 3), (3, 4)]);
        for _ in 0..3 {
            bench.offer(4, 5);
            assert!(!bench.cycle().alloc_ready);
        }
        bench.offer(4, 5);
        assert_eq!(bench.answer(rsp_kind::NORACE), 8);
        bench.offer(4, 5);
        assert!(!bench.cycle().alloc_ready, "the first commits");
        bench.loads(&[(4, 5)]);
        bench.run_to(16);
        assert_eq!(bench.commits(), [(9, 1), (10, 2), (11, 3), (12, 4), (13, 5)]);
        assert_eq!((bench.counters().full_cycles, bench.counters().occ_max), (5, 4));
    });
}
