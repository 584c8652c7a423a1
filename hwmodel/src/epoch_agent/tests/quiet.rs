//! Cycles that an owner may leave out.

use super::*;
use crate::common::random::Random;

fn registers(agent: &EpochAgent) -> String {
    let mut line = String::new();
    agent.write_state(&mut line).unwrap();
    line
}

#[test]
fn idle_agent_shows_nothing_and_does_not_change() {
    let mut idle_cycles = 0;
    for seed in 1..40 {
        let mut r = Random::new(seed);
        let mut agent = EpochAgent::new(&small(Variant::Ab)).unwrap();
        // Takes no short cut.
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
                let shows = out.st.is_some() || out.ld.is_some() || out.req.is_some();
                assert!(!shows && out.err.is_none() && !out.cer_upd);
                idle_cycles += 1;
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
            last = In { st: None, ld: None, wa_valid: false, dmd_ack: false, ..inputs };
            free += u16::from(inputs.st.is_some());
            full.idle = false;
            assert_eq!(agent.tick(&inputs), full.tick(&inputs));
            assert_eq!(registers(&agent), registers(&full), "seed {seed}");
        }
    }
    assert!(idle_cycles > 1000, "{idle_cycles}");
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
    assert!(!agent.is_idle(), "a store shows");
    agent.tick(&In { st_ready: true, ..In::default() });
    assert!(agent.is_idle(), "the L2 is to acknowledge");
}
