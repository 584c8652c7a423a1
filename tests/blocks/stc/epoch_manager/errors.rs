//! Levels that must not be (specification 12).

use super::*;

/// A manager without agents, in the first cycle of a state: 0 IDLE, 1 PREP, 2 CHG, 3 REL.
fn in_state(body: Make, state: usize) -> Bench {
    let mut b = Bench::new(body, &small(Variant::Nv));
    b.follow = false;
    for (ready, done) in [(0, 0), (0b11, 0), (0b11, 0b11)].into_iter().take(state) {
        b.run_to(b.now().max(15));
        (b.next.ready, b.next.done) = (ready, done);
        b.cycle();
    }
    assert_eq!(b.shown().prep, state == 1 || state == 2);
    assert_eq!(b.shown().chg, state == 2);
    assert_eq!(b.shown().err, None);
    b
}

/// The code that these levels give in a state.
fn code(body: Make, state: usize, ready: u32, done: u32) -> Option<u8> {
    let mut b = in_state(body, state);
    (b.next.ready, b.next.done) = (ready, done);
    b.cycle();
    b.shown().err
}

#[test]
fn error_codes_are_those_of_the_table() {
    on_both(|body| {
        let levels = [(0, 0), (1, 0), (0, 1), (1, 1), (3, 0), (3, 1), (3, 3)];
        let expected = [
            [None, Some(1), Some(1), Some(1), Some(1), Some(1), Some(1)],
            [None, None, Some(2), Some(2), None, Some(2), Some(2)],
            [Some(3), Some(3), Some(2), Some(3), None, None, None],
            [None, None, Some(2), None, None, None, None],
        ];
        for (state, expected) in expected.into_iter().enumerate() {
            assert_eq!(
                levels.map(|(ready, done)| code(body, state, ready, done)),
                expected,
                "{state}"
            );
        }
    });
}

#[test]
fn error_is_a_pulse_for_each_cycle() {
    on_both(|body| {
        let mut b = in_state(body, 0);
        b.next.ready = 0b10;
        b.cycle();
        assert_eq!(b.cycle().err, Some(err::NOT_ASKED));
        b.next.ready = 0;
        assert_eq!(b.cycle().err, Some(err::NOT_ASKED));
        assert_eq!(b.cycle().err, None);
    });
}

#[test]
fn errors_have_no_effect() {
    on_both(|body| {
        // In PREP, done before ready; in CHG, all done though one is not ready.
        let mut b = in_state(body, 1);
        (b.next.ready, b.next.done) = (0b11, 0b11);
        b.cycle();
        assert!(b.shown().chg);
        (b.next.ready, b.next.done) = (0b01, 0b11);
        b.cycle();
        assert!(!b.shown().chg && b.shown().err == Some(err::DONE_EARLY));
        // In REL, what is done without being ready: it is waited for.
        let mut b = in_state(body, 3);
        b.next.done = 0b01;
        b.next.ready = 0;
        b.run_to(b.now() + 30);
        assert!(!b.shown().prep && b.shown().err == Some(err::DONE_EARLY));
        b.next.done = 0;
        b.cycle();
        let idle = b.now();
        b.run_to(idle + 16);
        assert!(b.shown().prep && !b.out[idle + 15].prep);
        // In IDLE: the epoch ends when it would.
        let mut b = in_state(body, 0);
        b.next.ready = 0b11;
        b.run_to(16);
        assert!(b.shown().prep && !b.out[15].prep);
    });
}
