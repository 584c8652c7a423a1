//! Tests of a signature, and what meets them (specification 5.4).

use super::*;

#[test]
fn validation_takes_a_cycle_for_so_many_slots_and_two_more() {
    on_both(|body| {
        for (config, loads) in [
            ("least", 1),
            ("small", 3),
            ("odd", 3),
            ("small-half-page", 5),
            ("paper", 63),
            ("wide", 200),
        ] {
            let Config { slq_n, v_lanes } = (&named(config)).into();
            let mut bench = Bench::new(body, &Config { slq_n, v_lanes });
            bench.requests(1);
            bench.loads(&Vec::from_iter((0..loads).map(|tag| (tag as u8 % 64, tag))));
            let s = bench.answer(rsp_kind::RACE);
            bench.run_to(s + 300);
            let cycles = usize::from(loads).div_ceil(v_lanes as usize);
            let queries = bench.cycles(|out| out.q_valid != 0);
            assert_eq!(queries, Vec::from_iter(s + 1..=s + cycles), "{slq_n}, {v_lanes}");
            assert_eq!(bench.cycles(|out| out.busy), Vec::from_iter(s + 1..=s + cycles + 1));
            let asked = queries.iter().flat_map(|&n| bench.queries(n));
            assert_eq!(asked.collect::<Vec<_>>(), Vec::from_iter(0..loads.into()));
            assert_eq!(bench.commits()[0].0, s + cycles + 2);
            assert_eq!(bench.counters().busy_cycles as usize, cycles + 1);
        }
    });
}

#[test]
fn nothing_is_validated_when_nothing_is_there() {
    on_both(|body| {
        let mut bench = Bench::new(body, &config());
        bench.requests(1);
        bench.answer(rsp_kind::RACE);
        bench.run_to(6);
        assert_eq!(bench.cycles(|out| out.busy), []);
    });
}

#[test]
fn load_of_the_cycle_of_the_sync_is_tested_and_a_commit_of_it_is_not() {
    on_both(|body| {
        let mut bench = Bench::new(body, &config());
        bench.requests(2);
        bench.loads(&[(0, 1)]);
        bench.requests(1);
        bench.answer(rsp_kind::NORACE);
        bench.answer(rsp_kind::NORACE);
        // Load 1 commits in 6.
        bench.offer(1, 2);
        assert_eq!(bench.answer(rsp_kind::RACE), 6);
        bench.loads(&[(2, 3)]);
        bench.run_to(12);
        assert_eq!((bench.queries(7), bench.queries(8)), (vec![2], vec![]));
        assert_eq!(bench.cycles(|out| out.busy), [7, 8]);
        assert_eq!(bench.commits(), [(6, 1), (9, 2), (10, 3)], "load 3 is not tested");
    });
}

#[test]
fn dead_load_is_not_asked_about_and_is_popped_behind_the_validation() {
    on_both(|body| {
        let mut bench = Bench::new(body, &wide());
        bench.requests(1);
        bench.loads(&[(0, 1), (1, 2), (0, 3), (1, 4), (2, 5)]);
        bench.members = vec![1 << 7];
        let s = bench.answer(rsp_kind::RACE);
        // Asked in s + 1, failed behind s + 2, replayed in s + 3; 5 is asked in s + 3.
        bench.run_to(s + 20);
        assert_eq!(bench.replays(), [(s + 3, 1)]);
        assert_eq!((bench.queries(s + 2), bench.queries(s + 3)), (vec![3, 4], vec![5]));
        assert_eq!(bench.cycles(|out| out.busy), Vec::from_iter(s + 1..=s + 4));
        assert_eq!(bench.cycles(|out| out.spec & 1 != 0).last(), Some(&(s + 3)));
        // 3 is popped in s + 6.
        assert_eq!(bench.commits(), [(s + 5, 2), (s + 7, 4), (s + 8, 5)]);
        assert_eq!(bench.counters().dropped, 1);
    });
}

#[test]
fn slot_that_was_popped_and_allocated_again_is_not_tested() {
    on_both(|body| {
        let mut bench = Bench::new(body, &config());
        bench.requests(1);
        bench.loads(&[(0, 1), (1, 2), (2, 3), (3, 4)]);
        bench.members = vec![1 << 7, 9 << 7];
        let s = bench.answer(rsp_kind::RACE);
        bench.run_to(s + 4);
        assert_eq!(bench.replays(), [(s + 3, 1)]);
        // Into the slot of load 1, while busy.
        bench.loads(&[(5, 9)]);
        bench.run_to(s + 20);
        assert_eq!(bench.cycles(|out| out.busy), Vec::from_iter(s + 1..=s + 5));
        let asked: Vec<_> = (s + 1..s + 6).flat_map(|n| bench.queries(n)).collect();
        assert_eq!(asked, [1, 2, 3, 4]);
        let tags: Vec<_> = bench.commits().iter().map(|(_, tag)| *tag).collect();
        assert_eq!(tags, [2, 3, 4, 9]);
    });
}

#[test]
fn two_signatures_are_both_tested() {
    on_both(|body| {
        let mut bench = Bench::new(body, &config());
        bench.requests(2);
        bench.loads(&[(0, 1), (1, 2)]);
        bench.members = vec![2 << 7];
        let s = bench.answer(rsp_kind::WACK);
        bench.run_to(s + 5);
        bench.members = vec![1 << 7];
        let s = bench.answer(rsp_kind::FORCED);
        bench.run_to(s + 5);
        assert_eq!(
            (bench.commits(), bench.replays()),
            (vec![], vec![]),
            "an answer is outstanding"
        );
        bench.members = Vec::new();
        let s = bench.answer(rsp_kind::NORACE);
        bench.run_to(s + 5);
        assert_eq!(bench.replays(), [(s + 1, 1), (s + 2, 2)]);
    });
}
