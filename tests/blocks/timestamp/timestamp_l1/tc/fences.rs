//! When a fence can complete.

use super::*;

#[test]
pub fn example_8_a_fence_of_tc_weak_waits_for_the_lease() {
    on_both(Protocol::Tcw, |mut bench| {
        bench.run_to(95);
        bench.asks(st(1, X, 0, 9));
        assert_eq!(bench.told(ack(0, exp(110), true)).op, op::ST);
        bench.run_to(120);
        let passes = |cycle: usize| bench.out[cycle].fence_ok >> 1 & 1 == 1;
        assert!((97..110).all(|cycle| !passes(cycle)) && (110..120).all(passes));
        // Fences of other warps do not wait.
        assert!((0..120).all(|cycle| bench.out[cycle].fence_ok & 0b1101 == 0b1101));
    });
}

#[test]
fn fence_waits_for_the_latest_lease() {
    on_both(Protocol::Tcw, |mut bench| {
        bench.asks(st(1, X, 0, 9));
        bench.asks(atom(1, Y));
        bench.told(ack(0, exp(60), true));
        bench.told(atom_ack(1, exp(50), 0));
        bench.run_to(70);
        let passes = bench.seen(20, |out| (out.fence_ok >> 1 & 1 == 1).then_some(()));
        assert_eq!(passes.first().map(|(cycle, ())| *cycle), Some(60));
    });
}

#[test]
fn fence_of_tc_strong_waits_for_answers_alone() {
    on_both(Protocol::Tcs, |mut bench| {
        let t = bench.send(st(1, X, 0, 9));
        bench.run(5);
        bench.bank(ack(0, exp(1000), true));
        let (last, _) = bench.rsp();
        bench.run(3);
        let passes = |cycle: usize| bench.out[cycle].fence_ok == 0b1111;
        assert!((0..=t).all(passes) && (t + 1..=last).all(|cycle| !passes(cycle)));
        assert!((last + 1..last + 3).all(passes));
    });
}
