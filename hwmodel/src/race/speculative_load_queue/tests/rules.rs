//! Queues with a rule disabled.

use super::*;

/// Cycle, warp and tag of a load; cycle and kind of an answer.
type Load = (usize, u8, u16);
type Answer = (usize, u8);

/// Tags of commits, and of replays, with their cycles. One request is sent in cycle 0; the load
/// with tag 1 is in each signature. Replays are taken.
fn run(rule: Rule, loads: &[Load], answers: &[Answer]) -> (Vec<u16>, Vec<(usize, u16)>) {
    let config = Config { slq_n: 8, v_lanes: 2 };
    let mut queue = SpeculativeLoadQueue::without(&config, rule).expect("legal parameters");
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

/// Loads of two warps, of which the first fails.
const LOADS: [Load; 3] = [(1, 0, 1), (2, 1, 2), (3, 0, 3)];
/// The replay of load 1 comes in cycle 7.
const RACE: &[Answer] = &[(4, rsp_kind::RACE)];
const FORCED: &[Answer] = &[(4, rsp_kind::FORCED), (12, rsp_kind::NORACE)];

#[test]
fn without_commit_waits_a_load_commits_before_it_was_tested() {
    assert!(run(Rule::CommitWaits, &LOADS, RACE).0.contains(&1));
}

#[test]
fn without_forced_tested_a_wrong_load_commits() {
    assert_eq!(run(Rule::ForcedTested, &LOADS, FORCED).0, [1, 2, 3]);
}

#[test]
fn without_replay_drops_the_younger_load_commits() {
    assert_eq!(run(Rule::ReplayDrops, &LOADS, RACE), (vec![2, 3], vec![(7, 1)]));
}

#[test]
fn without_replay_drops_alloc_the_load_of_that_cycle_commits() {
    let loads = [(1, 0, 1), (5, 0, 9)];
    let (commits, replays) = run(Rule::ReplayDropsAlloc, &loads, &[(2, rsp_kind::RACE)]);
    assert_eq!((commits, replays), (vec![9], vec![(5, 1)]));
}
