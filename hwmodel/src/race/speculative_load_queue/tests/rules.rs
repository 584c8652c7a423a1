//! Without a rule, what it is for happens.

use super::*;

/// A load that is offered in a cycle, and an answer that is shown in one.
type Load = (usize, u8, u16);
type Answer = (usize, u8);

/// Tags of commits, and of replays, with their cycles. One request is sent in cycle 0; the load
/// with tag 1 is in each signature. Replays are taken.
fn run(
    mut queue: SpeculativeLoadQueue,
    loads: &[Load],
    answers: &[Answer],
) -> (Vec<u16>, Vec<(usize, u16)>) {
    let (mut commits, mut replays) = (Vec::new(), Vec::new());
    let mut q_member = 0;
    for cycle in 0..30 {
        let load = loads.iter().find(|load| load.0 == cycle);
        let answer = answers.iter().find(|answer| answer.0 == cycle);
        let out = queue.tick(&In {
            inc: cycle == 0,
            done: answer.map(|&(_, kind)| done(kind)),
            alloc: load.map(|&(_, warp, tag)| Alloc { warp, tag, size: 2, addr: tag.into() }),
            q_member,
            replay_ready: true,
        });
        let is_member = |v: &usize| out.q_valid >> v & 1 != 0 && out.q[*v].addr == 1;
        q_member = (0..8).filter(is_member).map(|v| 1 << v).sum();
        commits.extend(out.commit.map(|load| load.tag));
        replays.extend(out.replay.map(|load| (cycle, load.tag)));
    }
    (commits, replays)
}

fn wide() -> Config {
    Config { slq_n: 8, v_lanes: 2 }
}

fn without(rule: Rule) -> SpeculativeLoadQueue {
    SpeculativeLoadQueue::without(&wide(), rule).expect("legal parameters")
}

/// Loads of two warps, of which the first fails.
const LOADS: [Load; 3] = [(1, 0, 1), (2, 1, 2), (3, 0, 3)];
/// The replay of load 1 comes in cycle 7.
const RACE: &[Answer] = &[(4, rsp_kind::RACE)];
const FORCED: &[Answer] = &[(4, rsp_kind::FORCED), (12, rsp_kind::NORACE)];

#[test]
fn with_all_rules_the_failed_load_and_the_younger_one_go() {
    let queue = || SpeculativeLoadQueue::new(&wide()).expect("legal parameters");
    assert_eq!(run(queue(), &LOADS, RACE), (vec![2], vec![(7, 1)]));
    assert_eq!(run(queue(), &LOADS, FORCED), (vec![2], vec![(13, 1)]));
}

#[test]
fn without_commit_waits_a_load_commits_before_it_was_tested() {
    assert!(run(without(Rule::CommitWaits), &LOADS, RACE).0.contains(&1));
}

#[test]
fn without_forced_tested_a_wrong_load_commits() {
    assert_eq!(run(without(Rule::ForcedTested), &LOADS, FORCED).0, [1, 2, 3]);
}

#[test]
fn without_replay_drops_the_younger_load_commits() {
    assert_eq!(run(without(Rule::ReplayDrops), &LOADS, RACE), (vec![2, 3], vec![(7, 1)]));
}

#[test]
fn without_replay_drops_alloc_the_load_of_that_cycle_commits() {
    let loads = [(1, 0, 1), (5, 0, 9)];
    let (commits, replays) = run(without(Rule::ReplayDropsAlloc), &loads, &[(2, rsp_kind::RACE)]);
    assert_eq!((commits, replays), (vec![9], vec![(5, 1)]));
}
