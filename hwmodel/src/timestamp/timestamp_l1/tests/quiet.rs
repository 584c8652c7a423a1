//! Cycles that an owner may skip.

use ports::timestamp::types::{BusRsp, CoreReq, rsp_op};

use super::*;
use crate::common::random::Random;

fn registers(l1: &TimestampL1) -> String {
    let mut line = String::new();
    l1.write_state(&mut line).unwrap();
    line
}

/// Runs an L1 of a protocol in random traffic. Compares quiet cycles that are skipped with ticks,
/// and each tick with one of an L1 that never waits. Returns how often the L1 was idle, how often
/// it was quiet and not idle, and how often a fence could pass after its quiet cycles.
fn run(protocol: Protocol) -> [u32; 3] {
    let (mut idle, mut quiet, mut passed) = (0, 0, 0);
    for seed in 1..40 {
        let mut r = Random::new(seed);
        let mut l1 = TimestampL1::new(&(&small(protocol)).into()).unwrap();
        let mut full = l1.clone();
        let often = 2 + r.below(30);
        let mut rep = 0;
        for _ in 0..1000 {
            let before = l1.outputs();
            if l1.quiet_cycles() > 0 {
                let cycles = l1.quiet_cycles().min(1 + u64::from(r.below(20)));
                let (mut ticked, mut skipped) = (full.clone(), l1.clone());
                for _ in 0..cycles {
                    ticked.waits = false;
                    ticked.tick(&In { rep, ..In::default() });
                    let mut shown = ticked.outputs();
                    shown.counters.hold_cycles = before.counters.hold_cycles;
                    assert_eq!(shown, before, "seed {seed}");
                }
                skipped.skip_quiet(cycles);
                assert_eq!(skipped.outputs(), ticked.outputs(), "seed {seed}");
                assert_eq!(registers(&skipped), registers(&ticked), "seed {seed}");
                if l1.is_idle() {
                    assert_eq!((l1.quiet_cycles(), ticked.outputs()), (u64::MAX, before));
                }
                if cycles == l1.quiet_cycles() {
                    skipped.tick(&In { rep, ..In::default() });
                    passed += u32::from(skipped.outputs().fence_ok != before.fence_ok);
                }
                idle += u32::from(l1.is_idle());
                quiet += u32::from(!l1.is_idle());
            }
            let mut now = || r.below(often) == 0;
            let (request, answer, flush) = (now(), now(), now() && now());
            let (core_rsp_ready, bus_req_ready) = (now() || now(), now() || now());
            // The next generation follows when the L1 has the last.
            if flush && before.rep_ack == rep {
                rep = (rep + 1) & 3;
            }
            let (warp, line) = (r.below(2) as u8, u64::from(r.below(2)));
            let ops = [(op::LD, 0), (op::LD, 0), (op::ST, 0xf), (op::ATOM, 0xf)];
            let (op, mask) = ops[r.below(4) as usize];
            let req = CoreReq { op, mask, warp, line, ..CoreReq::default() };
            let (op, id) = (r.below(4) as u8, r.below(2) as u8);
            let id = if op < rsp_op::WR_ACK { id } else { 0x80 | id };
            let (wts, rts) = match protocol {
                Protocol::Gtsc => (1 + r.below(20), 1 + r.below(40)),
                _ => (0, l1.time.now + r.below(40)),
            };
            let inputs = In {
                core_req: request.then_some(req),
                bus_rsp: answer.then_some(BusRsp { op, id, wts, rts, ..BusRsp::default() }),
                core_rsp_ready,
                bus_req_ready,
                rep,
                flush,
                ..In::default()
            };
            full.waits = false;
            assert_eq!(l1.tick(&inputs), full.tick(&inputs));
            assert_eq!(registers(&l1), registers(&full), "seed {seed}");
        }
    }
    [idle, quiet, passed]
}

#[test]
fn quiet_l1_changes_as_it_says() {
    let [idle, held, _] = run(Protocol::Gtsc);
    assert!(idle > 1000 && held > 1000, "{idle}, {held}");
    let [idle, quiet, passed] = run(Protocol::Tcw);
    assert_eq!(idle, 0, "the clock counts");
    assert!(quiet > 1000 && passed > 20, "{quiet}, {passed}");
}

#[test]
fn rtl_of_tc_never_rests() {
    let rests =
        |protocol| TimestampL1::rests(&(&small(protocol)).into(), &Out::default(), u64::MAX);
    assert_eq!([Protocol::Gtsc, Protocol::Tcw].map(rests), [true, false]);
}
