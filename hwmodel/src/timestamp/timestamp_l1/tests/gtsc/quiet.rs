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
    let (mut idle_cycles, mut held_cycles) = (0, 0);
    for seed in 1..40 {
        let mut r = Random::new(seed);
        let mut l1 = TimestampL1::new(&config()).unwrap();
        // Takes no short cut.
        let mut full = l1.clone();
        let often = 2 + r.below(30);
        let mut rep = 0;
        for _ in 0..1000 {
            if l1.quiet_cycles() > 0 {
                let (mut ticked, mut skipped) = (full.clone(), l1.clone());
                (0..3).for_each(|_| {
                    ticked.waits = false;
                    ticked.tick(&In { rep, ..In::default() });
                });
                skipped.skip_quiet(3);
                assert_eq!(skipped.outputs(), ticked.outputs(), "seed {seed}");
                assert_eq!(registers(&skipped), registers(&ticked), "seed {seed}");
                assert_eq!(l1.is_idle(), l1.quiet_cycles() == u64::MAX);
                if l1.is_idle() {
                    assert_eq!(skipped.outputs(), l1.outputs());
                }
                idle_cycles += u32::from(l1.is_idle());
                held_cycles += u32::from(!l1.is_idle());
            }
            let mut now = || r.below(often) == 0;
            let (request, answer, core_rsp_ready) = (now(), now(), now() || now());
            let bus_req_ready = now() || now();
            // It is told of a generation when it has the last.
            if now() && now() && l1.outputs().rep_ack == rep {
                rep = (rep + 1) & 3;
            }
            let (warp, line) = (r.below(2) as u8, u64::from(r.below(2)));
            let of = [ld, ld, st, atom][r.below(4) as usize];
            let core_req = request.then(|| of(warp, line));
            let (op, id) = (r.below(4) as u8, r.below(2) as u8);
            let id = if op < rsp_op::WR_ACK { id } else { 0x80 | id };
            let wts = 1 + r.below(20);
            let bus_rsp =
                answer.then(|| BusRsp { op, id, wts, rts: wts + r.below(20), ..BusRsp::default() });
            let inputs =
                In { core_req, bus_rsp, core_rsp_ready, bus_req_ready, rep, ..In::default() };
            full.waits = false;
            assert_eq!(l1.tick(&inputs), full.tick(&inputs));
            assert_eq!(registers(&l1), registers(&full), "seed {seed}");
        }
    }
    assert!(idle_cycles > 1000 && held_cycles > 1000, "{idle_cycles}, {held_cycles}");
}

#[test]
fn l1_is_idle_while_nothing_comes() {
    let mut bench = Bench::new(TimestampL1::new(&config()).unwrap());
    assert!(bench.l1.is_idle());
    bench.cycle(Some(ld(0, 1)), None);
    assert!(!bench.l1.is_idle(), "the request acts");
    bench.rest();
    assert!(bench.l1.is_idle(), "it waits for the bank");
}
