//! Idle-skipping.

use super::*;
use crate::common::random::Random;

fn registers(unit: &RaceDetectionUnit) -> String {
    let mut line = String::new();
    unit.write_state(&mut line).unwrap();
    line
}

#[test]
fn idle_unit_does_not_change_while_nothing_comes_and_nothing_is_taken() {
    let (mut idle_cycles, mut waiting_cycles) = (0, 0);
    for seed in 1..40 {
        let mut r = Random::new(seed);
        let config = Config { n_sat: 1 + r.below(8), rq_n: 1 + r.below(3), ..config() };
        let mut unit = RaceDetectionUnit::new(&config).unwrap();
        // Ticks every cycle in full.
        let mut full = unit.clone();
        let busy = 1 + r.below(16);
        for _ in 0..1000 {
            if unit.is_idle() {
                assert_eq!(unit.quiet_cycles(), u64::MAX);
                let before = (full.outputs(), registers(&full));
                full.idle = false;
                let out = full.tick(&In::default());
                assert_eq!((full.outputs(), registers(&full)), before, "seed {seed}");
                idle_cycles += 1;
                waiting_cycles += u32::from(!out.idle);
            }
            let mut inputs = In {
                tok_ready: r.below(4) != 0,
                rsp_ready: (r.word() & r.word()) as u16,
                ..In::default()
            };
            for sm in 0..4 {
                inputs.req_valid |= u16::from(r.below(16) < busy / 2) << sm;
                let mask = u128::from(r.word());
                inputs.req[sm] =
                    Req { mask, ..request(r.below(4) as u8, r.word() as u8, r.below(8)) };
            }
            full.idle = false;
            assert_eq!(unit.tick(&inputs), full.tick(&inputs));
            assert_eq!(registers(&unit), registers(&full), "seed {seed}");
        }
    }
    assert!(idle_cycles > 1000 && waiting_cycles > 100, "{idle_cycles}, {waiting_cycles}");
}

#[test]
fn unit_with_nothing_to_do_is_idle() {
    let mut unit = RaceDetectionUnit::new(&config()).unwrap();
    assert!(unit.is_idle());
    let mut inputs = In { req_valid: 1, ..In::default() };
    inputs.req[0] = read(1, 1);
    unit.tick(&inputs);
    for _ in 0..3 {
        assert!(!unit.is_idle(), "the request is on its way");
        unit.tick(&In::default());
    }
    assert!(unit.is_idle() && !unit.outputs().idle, "answer and token are not taken");
    unit.tick(&In { tok_ready: true, rsp_ready: 1, ..In::default() });
    assert!(unit.is_idle() && unit.outputs().idle);
}
