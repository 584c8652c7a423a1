//! Without a rule, what it is for happens.

use super::*;

fn without(rule: Rule) -> Bench {
    Bench::of(Box::new(SpeculativeLoadQueue::without(&wide(), rule).expect("legal parameters")))
}

/// Loads of two warps of which the first and the third fail.
fn run(mut bench: Bench, kind: u8) -> Bench {
    bench.requests(1);
    bench.loads(&[(0, 1), (1, 2), (0, 3)]);
    bench.members = vec![1 << 7];
    bench.answer(kind);
    if kind == rsp_kind::FORCED {
        bench.run_to(12);
        bench.answer(rsp_kind::NORACE);
    }
    bench.run_to(30);
    bench
}

fn tags(of: &[(usize, u16)]) -> Vec<u16> {
    of.iter().map(|(_, tag)| *tag).collect()
}

#[test]
fn with_all_rules_the_failed_load_and_the_younger_one_go() {
    for kind in [rsp_kind::RACE, rsp_kind::FORCED] {
        let bench = run(Bench::new(&wide()), kind);
        assert_eq!((tags(&bench.commits()), tags(&bench.replays())), (vec![2], vec![1]));
    }
}

#[test]
fn without_commit_waits_a_load_commits_before_it_was_tested() {
    let bench = run(without(Rule::CommitWaits), rsp_kind::RACE);
    assert!(tags(&bench.commits()).contains(&1));
}

#[test]
fn without_forced_tested_a_wrong_load_commits() {
    let bench = run(without(Rule::ForcedTested), rsp_kind::FORCED);
    assert_eq!(tags(&bench.commits()), [1, 2, 3]);
}

#[test]
fn without_replay_drops_the_younger_load_commits() {
    let bench = run(without(Rule::ReplayDrops), rsp_kind::RACE);
    assert_eq!((tags(&bench.commits()), tags(&bench.replays())), (vec![2, 3], vec![1]));
}

#[test]
fn without_replay_drops_alloc_the_load_of_that_cycle_commits() {
    let mut bench = without(Rule::ReplayDropsAlloc);
    bench.requests(1);
    bench.loads(&[(0, 1)]);
    bench.members = vec![1 << 7];
    let s = bench.answer(rsp_kind::RACE);
    bench.run_to(s + 3);
    bench.loads(&[(0, 9)]);
    bench.run_to(s + 10);
    assert_eq!(bench.replays(), [(s + 3, 1)]);
    assert_eq!(bench.commits(), [(s + 4, 9)]);
}
