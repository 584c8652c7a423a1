//! A transition, cycle by cycle (specification 5.8; section 10, example 2).

use super::*;

/// Rises of a level of an agent from a cycle on.
fn rise(cu: &Cu, from: usize, level: fn(&epoch_agent::Out) -> bool) -> usize {
    (from..cu.out.len()).find(|&n| level(&cu.out[n]) && !level(&cu.out[n - 1])).expect("a rise")
}

/// The system of the example, after its stores, and the manager's states by cycle.
fn example(link: usize, cycles: usize) -> (System, Vec<u32>) {
    let mut s = System::new(&small(Variant::Es), link);
    let mut states = Vec::new();
    for cycle in 0..cycles {
        match cycle {
            9 => s.store(0, 0, 0x010),
            10 => s.store(0, 1, 0x120),
            _ => {}
        }
        states.push(registers(|state| s.manager.show_state(state))["state"]);
        s.cycle();
    }
    s.assert_no_errors();
    (s, states)
}

#[test]
fn example_without_registers_is_as_printed() {
    let (s, states) = example(0, 50);
    let (emu, cu) = (|n: usize| &s.out[n], |n: usize| &s.cus[0].out[n]);
    let acks: Vec<_> = (0..50).filter(|&n| emu(n).dmd_ack == 1).collect();
    assert_eq!(acks, [12, 13, 22], "and for the demand after the change");
    let requests: Vec<_> = (0..50).filter_map(|n| Some((n, cu(n).req?.addr))).collect();
    assert_eq!(requests, [(11, 0x010), (12, 0x120), (21, 0x120)]);
    assert_eq!([11, 12].map(|n| cu(n).occ), [1, 2]);
    // IDLE 0, PREP 1, CHG 2, REL 3.
    let expected = [(15, 0), (16, 1), (18, 1), (19, 2), (20, 2), (21, 3), (22, 3), (23, 0)];
    let second = [(38, 0), (39, 1), (41, 1), (42, 2), (43, 2), (44, 3), (45, 3), (46, 0)];
    for (cycle, state) in expected.into_iter().chain(second) {
        assert_eq!(states[cycle], state, "cycle {cycle}");
    }
    for cu in &s.cus {
        let level = |from, level| rise(cu, from, level);
        for (from, [drain, ready, done, run]) in [(1, [17, 18, 20, 22]), (30, [40, 41, 43, 45])] {
            assert_eq!(level(from, |o| o.sweep), drain);
            assert_eq!(level(from, |o| o.ready), ready);
            assert_eq!(level(from, |o| o.done), done);
            assert_eq!(level(from, |o| o.cer_upd), done);
            assert_eq!(level(done, |o| !o.done), run);
        }
        assert_eq!([19, 20, 43].map(|n| cu.out[n].cer.gvec), [0b0001, 0b0010, 0b0100]);
    }
    assert_eq!([18, 19].map(|n| emu(n).chg_info.gvec), [0b0001, 0b0010]);
    assert_eq!([20, 21].map(|n| cu(n).cnt.scan_cycles), [0, 1], "both entries in one cycle");
    let stores: Vec<_> = (0..50).filter_map(|n| Some((n, cu(n).st?.slot))).collect();
    assert_eq!(stores, [(23, 0), (46, 1)]);
}

#[test]
fn example_with_a_register_is_as_printed() {
    let (s, states) = example(1, 46);
    let cu = &s.cus[0];
    let rises = [
        rise(cu, 1, |o| o.sweep),
        rise(cu, 1, |o| o.ready),
        rise(cu, 1, |o| o.done),
        rise(cu, 23, |o| !o.done),
        rise(cu, 1, |o| o.st.is_some()),
    ];
    assert_eq!(rises, [18, 19, 23, 27, 28]);
    let state =
        |wanted, from: usize| from + states[from..].iter().position(|&s| s == wanted).unwrap();
    assert_eq!([state(1, 0), state(2, 0), state(3, 0), state(0, 16)], [16, 21, 25, 29]);
    assert_eq!(state(1, 29), 45, "the next W is 44");
}

#[test]
fn transition_takes_the_cycles_of_the_table() {
    for link in [0, 1, 2, 3, 7, 16] {
        let (s, states) = example(link, 250);
        let prep = s.out.iter().position(|out| out.prep).expect("a transition");
        let (w, cu) = (prep - 1, &s.cus[0]);
        let p = w + 1 + link;
        let level = |level| rise(cu, w, level);
        assert_eq!(level(|o| o.sweep), p + 1);
        assert_eq!(level(|o| o.ready), p + 2);
        assert_eq!(s.out.iter().position(|out| out.chg), Some(p + 3 + link));
        assert_eq!(level(|o| o.done), p + 4 + 2 * link);
        assert_eq!(level(|o| o.cer_upd), p + 4 + 2 * link);
        assert_eq!(states.iter().position(|&s| s == 3), Some(p + 5 + 3 * link));
        assert_eq!(rise(cu, p + 4 + 2 * link, |o| !o.done), p + 6 + 4 * link);
        assert_eq!(level(|o| o.st.is_some()), w + 8 + 5 * link);
        let idle = w + states[w..].iter().skip(1).position(|&s| s == 0).unwrap() + 1;
        assert_eq!(idle, w + 8 + 6 * link);
        if let 0 | 1 | 3 = link {
            assert_eq!(idle - w, [8, 14, 0, 26][link]);
        }
        let next = (idle..250).find(|&n| s.out[n].prep).expect("the second store");
        assert_eq!(next - 1, w + 16 + 7 + 6 * link);
    }
}

#[test]
fn demand_takes_a_link_and_a_cycle() {
    for link in [0, 1, 3] {
        let (s, _) = example(link, 40);
        let acks = s.out.iter().position(|out| out.dmd_ack == 1);
        assert_eq!(acks, Some(9 + 3 + link));
        assert_eq!(s.cus[0].out[11].req.map(|req| req.addr), Some(0x010));
    }
}
