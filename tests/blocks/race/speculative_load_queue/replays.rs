//! Replays (specification 5.4).

use super::*;

/// A queue in the first cycle after a validation of `loads`, of which those tagged `fail` failed.
fn failed(body: Make, loads: &[(u8, u16)], fail: &[u16]) -> Bench {
    let mut bench = Bench::new(body, &(&named("wide")).into());
    bench.next.replay_ready = false;
    bench.requests(1);
    bench.loads(loads);
    bench.members = fail.iter().map(|&tag| u32::from(tag) << 7).collect();
    let s = bench.answer(rsp_kind::RACE);
    bench.run_to(s + 3);
    bench
}

#[test]
fn replay_drops_all_younger_loads_of_its_warp() {
    on_both(|body| {
        let mut bench = failed(body, &[(1, 1), (2, 2), (1, 3), (2, 4), (1, 5)], &[1]);
        let shown = LoadName { warp: 1, tag: 1 };
        bench.run_to(bench.now() + 4);
        assert_eq!(bench.shown().replay, Some(shown), "it waits");
        bench.next.replay_ready = true;
        let taken = bench.now();
        bench.run_to(taken + 10);
        assert_eq!(bench.out[taken].spec, 0b110);
        assert_eq!(bench.out[taken + 1].spec, 0b100);
        // One slot per cycle, the dead ones, too.
        assert_eq!(bench.commits(), [(taken + 1, 2), (taken + 3, 4)]);
        assert_eq!(bench.cycles(|out| out.empty).last(), Some(&(taken + 9)));
        assert!(!bench.out[taken + 4].empty && bench.out[taken + 5].empty);
        let Counters { replays, dropped, commits, allocs, .. } = bench.counters();
        assert_eq!((replays, dropped, commits, allocs), (1, 2, 2, 5));
    });
}

#[test]
fn load_that_failed_and_was_dropped_is_not_replayed() {
    on_both(|body| {
        let mut bench = failed(body, &[(1, 1), (1, 2), (2, 3)], &[1, 2, 3]);
        bench.next.replay_ready = true;
        bench.run_to(bench.now() + 8);
        let tags: Vec<_> = bench.replays().iter().map(|(_, tag)| *tag).collect();
        assert_eq!(tags.iter().filter(|&&tag| tag == 2).count(), 0);
        assert_eq!(bench.counters().replays, 2);
    });
}

#[test]
fn load_of_the_cycle_of_its_warps_replay_is_taken_and_leaves_no_entry() {
    on_both(|body| {
        let mut bench = failed(body, &[(1, 1), (2, 2)], &[1]);
        bench.next.replay_ready = true;
        bench.loads(&[(1, 9)]);
        assert_eq!((bench.shown().spec, bench.counters().allocs), (0b100, 2));
        let mut bench = failed(body, &[(1, 1), (2, 2)], &[1]);
        bench.next.replay_ready = true;
        bench.loads(&[(3, 9)]);
        assert_eq!(
            (bench.shown().spec, bench.counters().allocs),
            (0b1100, 3),
            "another warp's stays"
        );
        let mut bench = failed(body, &[(1, 1), (2, 2)], &[1]);
        bench.loads(&[(1, 9)]);
        assert_eq!(
            (bench.shown().spec, bench.counters().allocs),
            (0b110, 3),
            "it is not yet taken"
        );
    });
}

#[test]
fn failed_load_waits_for_its_answers() {
    on_both(|body| {
        let mut bench = Bench::new(body, &config());
        bench.requests(2);
        bench.loads(&[(0, 1)]);
        bench.members = vec![1 << 7];
        bench.answer(rsp_kind::RACE);
        bench.run_to(12);
        assert_eq!(bench.replays(), []);
        bench.answer(rsp_kind::NORACE);
        bench.run_to(16);
        assert_eq!(bench.replays(), [(13, 1)]);
    });
}

#[test]
fn replay_goes_on_while_a_signature_is_tested() {
    on_both(|body| {
        // Four in a cycle.
        let mut bench = Bench::new(body, &(&named("paper")).into());
        bench.requests(1);
        bench.loads(&Vec::from_iter((1..33).map(|tag| (tag as u8, tag))));
        bench.members = vec![1 << 7, 2 << 7, 3 << 7];
        let s = bench.answer(rsp_kind::RACE);
        bench.run_to(s + 20);
        assert_eq!(bench.replays(), [(s + 3, 1), (s + 4, 2), (s + 5, 3)]);
        assert_eq!(bench.commits()[0], (s + 10, 4));
    });
}
