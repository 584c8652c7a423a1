//! Idle-skipping.

use super::*;
use crate::common::random::Random;

fn registers(manager: &EpochManager) -> String {
    let mut line = String::new();
    manager.write_state(&mut line).unwrap();
    line
}

#[test]
fn skipped_cycles_are_those_in_which_nothing_shows_and_leave_the_same_state() {
    for (seed, variant) in
        (1..60).zip([Variant::Nv, Variant::Es, Variant::Ab, Variant::Mb].repeat(15))
    {
        let mut r = Random::new(seed);
        let mut ticked = EpochManager::new(&small(variant)).unwrap();
        let mut skipping = ticked.clone();
        let (mut follows, mut held, mut skipped) = (In::default(), In::default(), 0);
        for _ in 0..400 {
            for _ in 0..r.below(3) {
                let mut inputs = follows;
                inputs.req_valid = r.below(2) * r.below(4);
                let req = |_| Req { kind: r.below(2) == 1, addr: r.word() & 0xFFF };
                inputs.req = std::array::from_fn(req);
                let out = ticked.tick(&inputs);
                assert_eq!(skipping.tick(&inputs), out);
                follows.ready = if out.prep { 0b11 } else { 0 };
                follows.done = if out.chg { 0b11 } else { 0 };
                held = In { req_valid: 0, ..inputs };
            }
            let mut left = u64::from(r.below(40));
            while left > 0 {
                let idle = held;
                let quiet = skipping.quiet_cycles().min(left);
                for _ in 0..quiet {
                    let out = ticked.tick(&idle);
                    assert!(out.err.is_none() && out.dmd_ack == 0);
                }
                skipping.skip_quiet(quiet);
                skipped += quiet;
                if quiet == 0 {
                    assert_eq!(ticked.tick(&idle), skipping.tick(&idle));
                }
                left -= quiet.max(1);
                assert_eq!(ticked.outputs(), skipping.outputs(), "seed {seed}");
                assert_eq!(registers(&ticked), registers(&skipping), "seed {seed}");
            }
        }
        assert!(skipped > 1000, "seed {seed}: {skipped}");
    }
}

#[test]
fn quiet_cycles_reach_to_the_selection() {
    let mut nv = EpochManager::new(&small(Variant::Nv)).unwrap();
    assert_eq!(nv.quiet_cycles(), 15);
    nv.skip_quiet(15);
    assert_eq!(nv.quiet_cycles(), 0);
    nv.tick(&In::default());
    assert!(nv.outputs().prep && nv.is_idle(), "the agents are to answer");

    let mut es = EpochManager::new(&small(Variant::Es)).unwrap();
    assert_eq!(es.quiet_cycles(), QUIET, "no band is demanded");
    es.skip_quiet(16 * 5 + 3);
    let Counters { wakes, wakes_idle, .. } = es.outputs().counters;
    assert_eq!([wakes, wakes_idle, es.wake_count], [5, 5, 3]);
    let demand = In { req_valid: 1, ..In::default() };
    es.tick(&demand);
    assert_eq!(es.quiet_cycles(), 0, "an acknowledgement shows");
    es.tick(&In::default());
    assert_eq!(es.quiet_cycles(), 10);
}
