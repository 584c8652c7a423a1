//! Idle-skipping.

use super::*;
use crate::common::random::Random;

fn registers(queue: &SpeculativeLoadQueue) -> String {
    let mut line = String::new();
    queue.write_state(&mut line).unwrap();
    line
}

#[test]
fn idle_queue_does_not_change_while_nothing_comes_and_nothing_is_taken() {
    let (mut idle_cycles, mut waiting_cycles, mut replays) = (0, 0, 0);
    for seed in 1..40 {
        let mut r = Random::new(seed);
        let config = Config { slq_n: 1 + r.below(9), v_lanes: 1 + r.below(3) };
        let mut queue = SpeculativeLoadQueue::new(&config).unwrap();
        // Ticks every cycle in full.
        let mut full = queue.clone();
        let often = 2 + r.below(12);
        for _ in 0..1000 {
            if queue.is_idle() {
                assert_eq!(queue.quiet_cycles(), u64::MAX);
                let before = (full.outputs(), registers(&full));
                full.idle = false;
                let out = full.tick(&In::default());
                assert_eq!((full.outputs(), registers(&full)), before, "seed {seed}");
                idle_cycles += 1;
                waiting_cycles += u32::from(!out.empty);
                replays += u32::from(out.replay.is_some());
            }
            let mut now = |often| r.below(often) == 0;
            let kind = if now(2) { rsp_kind::RACE } else { rsp_kind::NORACE };
            let inputs = In {
                inc: queue.out < 4 && now(often),
                done: (queue.out > 0 && now(often)).then_some(done(kind)),
                q_member: if now(2) { queue.outputs().q_valid } else { 0 },
                replay_ready: now(4),
                alloc: now(often).then(|| Alloc { warp: u8::from(now(2)), ..Alloc::default() }),
            };
            full.idle = false;
            assert_eq!(queue.tick(&inputs), full.tick(&inputs));
            assert_eq!(registers(&queue), registers(&full), "seed {seed}");
        }
    }
    let seen = (idle_cycles, waiting_cycles, replays);
    assert!(idle_cycles > 1000 && waiting_cycles > 1000 && replays > 100, "{seen:?}");
}

#[test]
fn queue_that_only_waits_is_idle() {
    let mut queue = SpeculativeLoadQueue::new(&config()).unwrap();
    assert!(queue.is_idle());
    queue.tick(&In { inc: true, ..In::default() });
    assert!(queue.is_idle(), "nothing depends on the request");
    queue.tick(&In { alloc: Some(Alloc::default()), ..In::default() });
    assert!(!queue.is_idle(), "the most occupied slots are counted");
    queue.tick(&In::default());
    assert!(queue.is_idle(), "the load waits for its answer");
    queue.tick(&In { done: Some(done(rsp_kind::NORACE)), ..In::default() });
    assert!(!queue.is_idle(), "it commits");
    queue.tick(&In::default());
    assert!(queue.is_idle());
}
