//! Idle-skipping.

use super::*;
use crate::common::random::Random;

fn registers(agent: &EpochAgent) -> String {
    let mut line = String::new();
    agent.write_state(&mut line).unwrap();
    line
}

#[test]
fn idle_agent_does_not_change_while_nothing_comes_and_nothing_is_taken() {
    let (mut idle_cycles, mut waiting_cycles) = (0, 0);
    for seed in 1..40 {
        let mut r = Random::new(seed);
        let mut agent = EpochAgent::new(&small(Variant::Ab)).unwrap();
        // Ticks every cycle in full.
        let mut full = agent.clone();
        let mut free = 0u16;
        let mut last = In::default();
        for _ in 0..1000 {
            if agent.is_idle() {
                assert_eq!(agent.quiet_cycles(), u64::MAX);
                let before = (full.outputs(), registers(&full));
                full.idle = false;
                let out = full.tick(&last);
                assert_eq!((full.outputs(), registers(&full)), before, "seed {seed}");
                assert!(out.req.is_none() && out.err.is_none() && !out.cer_upd);
                idle_cycles += 1;
                waiting_cycles += u32::from(out.st.is_some() || out.ld.is_some());
            }
            let rarely = r.below(16) == 0;
            let prep = agent.phase != Phase::Run && agent.phase != Phase::Done || rarely;
            let chg = agent.phase == Phase::Ready && r.below(2) == 0;
            let inputs = In {
                st: (r.below(4) == 0).then(|| Store { slot: free as u8 % 16, addr: r.word() }),
                st_ready: r.below(2) == 0,
                wa_valid: agent.out > 0 && r.below(3) == 0,
                ld: (r.below(8) == 0).then(|| Load { id: 0, addr: r.word() }),
                ld_ready: r.below(2) == 0,
                prep,
                chg,
                chg_info: epoch(1 << r.below(4)),
                dmd_ack: !agent.demands.none_due(),
                sweep_done: r.below(4) > 0,
            };
            let untaken = In { st_ready: false, ld_ready: false, ..inputs };
            last = In { st: None, ld: None, wa_valid: false, dmd_ack: false, ..untaken };
            free += u16::from(inputs.st.is_some());
            full.idle = false;
            assert_eq!(agent.tick(&inputs), full.tick(&inputs));
            assert_eq!(registers(&agent), registers(&full), "seed {seed}");
        }
    }
    assert!(idle_cycles > 1000 && waiting_cycles > 1000, "{idle_cycles}, {waiting_cycles}");
}

#[test]
fn agent_that_only_waits_is_idle() {
    let mut agent = EpochAgent::new(&small(Variant::Es)).unwrap();
    assert!(agent.is_idle());
    let store = |slot, addr| In { st: Some(Store { slot, addr }), ..In::default() };
    agent.tick(&store(0, of(1)));
    assert!(!agent.is_idle(), "it is to be classified");
    agent.tick(&In::default());
    assert!(!agent.is_idle(), "a demand shows");
    agent.tick(&In::default());
    assert!(agent.is_idle(), "the store is blocked");
    agent.tick(&store(1, of(0)));
    agent.tick(&In { st_ready: true, ..In::default() });
    assert!(agent.outputs().st.is_some() && agent.is_idle(), "it is not taken");
    agent.tick(&In { st_ready: true, ..In::default() });
    assert!(agent.is_idle(), "the L2 is to acknowledge");
}
