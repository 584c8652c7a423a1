//! Idle-skipping.

use super::*;
use crate::common::random::Random;

fn registers(unit: &AccessValidationUnit) -> String {
    let mut line = String::new();
    unit.write_state(&mut line).unwrap();
    line
}

#[test]
fn quiet_unit_changes_as_it_says() {
    let (mut idle_cycles, mut loading_cycles) = (0, 0);
    for seed in 1..40 {
        let mut r = Random::new(seed);
        let mut unit = AccessValidationUnit::new(&config()).unwrap();
        // Ticks every cycle in full.
        let mut full = unit.clone();
        let often = 2 + r.below(30);
        for _ in 0..1000 {
            if unit.quiet_cycles() > 0 {
                assert_eq!(unit.is_idle(), unit.outputs().lk_ready);
                assert_eq!(unit.is_idle(), unit.quiet_cycles() == u64::MAX);
                let (mut ticked, mut skipped) = (full.clone(), unit.clone());
                (0..3).for_each(|_| {
                    ticked.waits = false;
                    ticked.tick(&In::default());
                });
                skipped.skip_quiet(3);
                assert_eq!(skipped.outputs(), ticked.outputs(), "seed {seed}");
                assert_eq!(registers(&skipped), registers(&ticked), "seed {seed}");
                if unit.is_idle() {
                    assert_eq!(skipped.outputs(), unit.outputs());
                }
                idle_cycles += u32::from(unit.is_idle());
                loading_cycles += u32::from(!unit.is_idle());
            }
            let mut now = || r.below(often) == 0;
            let epoch = unit.epoch;
            let beat = now().then(|| match unit.response.loading() {
                true => Rsp { last: now() || now(), chunk: 0, ..Rsp::default() },
                false if now() => norace(1, epoch),
                false => sync(rsp_kind::RACE, 1, (epoch + 1) % 8, 256, &[u32::from(epoch)])[0],
            });
            let fill = now().then_some(Fill { line: 1, epoch });
            let (lk, hc_clr) = (now().then_some(lookup(1, 0)), now().then_some(1));
            let (q_valid, slq_busy) = (now().into(), now());
            let inputs = In { rsp: beat, lk, fill, hc_clr, q_valid, slq_busy, ..In::default() };
            full.waits = false;
            assert_eq!(unit.tick(&inputs), full.tick(&inputs));
            assert_eq!(registers(&unit), registers(&full), "seed {seed}");
        }
    }
    assert!(idle_cycles > 1000 && loading_cycles > 1000, "{idle_cycles}, {loading_cycles}");
}

#[test]
fn unit_is_idle_behind_the_pulses_of_an_answer() {
    let mut bench = AccessValidationUnit::new(&config()).unwrap();
    assert!(bench.is_idle());
    bench.tick(&In { rsp: Some(norace(1, 0)), ..In::default() });
    assert!(!bench.is_idle(), "done shows");
    bench.tick(&In::default());
    assert!(bench.is_idle());
}

#[test]
fn what_is_done_at_once_is_what_ticks_do() {
    let mut unit = AccessValidationUnit::new(&config()).unwrap();
    let chunk = |byte| Rsp { data: ports::Bytes([byte; 32]), ..Rsp::default() };
    assert!(!unit.load(&chunk(1)), "no header was taken");
    let header = sync(rsp_kind::RACE, 1, 1, 256, &[1])[0];
    unit.tick(&In { rsp: Some(header), ..In::default() });
    let mut ticked = unit.clone();
    for byte in 1..5 {
        assert!(unit.load(&chunk(byte)));
        ticked.waits = false;
        ticked.tick(&In { rsp: Some(chunk(byte)), ..In::default() });
    }
    assert!(!unit.load(&Rsp { last: true, ..chunk(5) }));
    assert_eq!(unit.outputs(), ticked.outputs());
    assert_eq!(registers(&unit), registers(&ticked));

    let mut unit = AccessValidationUnit::new(&config()).unwrap();
    let lk = Some(Lookup { tag_hit: false, ..lookup(0, 0) });
    unit.tick(&In { lk, ..In::default() });
    let mut ticked = unit.clone();
    for _ in 0..3 {
        ticked.tick(&In { lk, ..In::default() });
    }
    unit.miss_again(3);
    assert_eq!(unit.outputs(), ticked.outputs());
    assert_eq!(registers(&unit), registers(&ticked));
}
