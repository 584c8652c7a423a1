//! Cycles that an owner may leave out.

use super::*;
use crate::common::random::Random;

fn registers(l1: &TimestampL1) -> String {
    let mut line = String::new();
    l1.write_state(&mut line).unwrap();
    line
}

#[test]
fn quiet_l1_changes_as_it_says() {
    let (mut quiet_cycles, mut ended) = (0, 0);
    for seed in 1..40 {
        let mut r = Random::new(seed);
        let mut l1 = TimestampL1::new(&config()).unwrap();
        // Takes no short cut.
        let mut full = l1.clone();
        let often = 2 + r.below(30);
        for _ in 0..1000 {
            let quiet = l1.quiet_cycles();
            assert_ne!(quiet, u64::MAX, "the clock goes on");
            if quiet > 0 {
                let cycles = quiet.min(u64::from(1 + r.below(20)));
                let (mut ticked, mut skipped) = (full.clone(), l1.clone());
                (0..cycles).for_each(|_| {
                    ticked.waits = false;
                    ticked.tick(&In::default());
                    assert_eq!(ticked.outputs(), l1.outputs(), "seed {seed}");
                });
                skipped.skip_quiet(cycles);
                assert_eq!(registers(&skipped), registers(&ticked), "seed {seed}");
                assert_eq!(skipped.outputs(), ticked.outputs(), "seed {seed}");
                if cycles == quiet {
                    skipped.tick(&In::default());
                    ended += u32::from(skipped.outputs().fence_ok != l1.outputs().fence_ok);
                }
                quiet_cycles += 1;
            }
            let mut now = || r.below(often) == 0;
            let (request, acknowledged, flush) = (now(), now(), now() && now());
            let (core_rsp_ready, bus_req_ready) = (now() || now(), now() || now());
            let (warp, line) = (r.below(2) as u8, u64::from(r.below(2)));
            let of = [ld, ld, st, atom][r.below(4) as usize];
            let core_req = request.then(|| of(warp, line));
            let (op, id) = (r.below(4) as u8, r.below(2) as u8);
            let id = if op < rsp_op::WR_ACK { id } else { 0x80 | id };
            let exp = l1.time.now + r.below(40);
            let bus_rsp = acknowledged.then(|| answer(op, id, exp, 1));
            let inputs =
                In { core_req, bus_rsp, core_rsp_ready, bus_req_ready, flush, ..In::default() };
            full.waits = false;
            assert_eq!(l1.tick(&inputs), full.tick(&inputs));
            assert_eq!(registers(&l1), registers(&full), "seed {seed}");
        }
    }
    assert!(quiet_cycles > 1000 && ended > 20, "{quiet_cycles}, {ended}");
}

#[test]
fn rtl_is_never_left_alone() {
    assert!(!TimestampL1::rests(&config(), &Out::default(), u64::MAX));
}
