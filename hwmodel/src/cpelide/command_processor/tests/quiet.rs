//! Cycles that an owner may leave out.

use ports::cpelide::types::kind;

use super::*;
use crate::common::random::Random;

/// Waits, divides, computes in the private memory and sends a message, over and over.
fn busy_body() -> Vec<u32> {
    let body = [
        write(CNT8_RUN),
        lui(T0, map::PMEM.0 >> 12),
        // loop:
        read(WAIT),
        sw(A0, T0, 4),
        lw(A0, T0, 4),
        r_type(1, 4, T1, A1, S0),
        write(TX_HI),
        write(SIG_HI),
        read(RX_HI),
        jal(ZERO, -28),
    ];
    body.to_vec()
}

#[test]
fn skipped_cycles_are_those_in_which_nothing_shows_and_leave_the_same_state() {
    for seed in 1..40 {
        let mut r = Random::new(seed);
        let of = 1 + r.below(6);
        let config =
            Config { private_latency: 1 + r.below(40), clock_on: 1 + r.below(of), clock_of: of };
        let mut b = Bench::with_config(&config, &program(1, &busy_body()));
        let mut skipping = b.cp.clone();
        let (mut clk, mut skipped) = (0u64, 0);
        while clk < 4000 {
            let idle = In { conf: CONF_VALUE, tx_ready: true, ..In::default() };
            let until = clk + u64::from(r.below(200));
            while clk < until {
                let quiet = skipping.quiet_cycles().min(until - clk);
                if quiet > 0 {
                    for _ in 0..quiet {
                        let out = b.cp.tick(&idle);
                        let shows = out.tx.is_some() || out.sig.is_some() || out.trace.is_some();
                        assert!(!shows && out.err.is_none() && out.exit.is_none());
                    }
                    skipping.skip_quiet(quiet);
                    skipped += quiet;
                    clk += quiet;
                } else {
                    assert_eq!(b.cp.tick(&idle), skipping.tick(&idle));
                    clk += 1;
                }
                assert_eq!(b.cp.outputs(), skipping.outputs(), "seed {seed}, cycle {clk}");
            }
            let rx = Some(message(kind::DONE, 0, clk as u32));
            let inputs = In { rx, ..idle };
            assert_eq!(b.cp.tick(&inputs), skipping.tick(&inputs));
            clk += 1;
        }
        assert!(skipped > 1000, "seed {seed}: {skipped}");
    }
}

#[test]
fn quiet_cycles_reach_to_the_next_that_is_not() {
    let mut b =
        Bench::new(&program(1, &[r_type(1, 4, A0, A1, A1), lui(T0, 0x10000), lw(A0, T0, 0), WFI]));
    b.run_to(BODY + 1);
    // The record of the last li shows in BODY; the division retires in its 37th cycle and shows
    // then.
    assert_eq!(b.cp.quiet_cycles(), 36);
    b.run_to(BODY + 38);
    assert_eq!(b.cp.quiet_cycles(), 0);
    b.run(40);
    assert_eq!(b.cp.quiet_cycles(), u64::MAX, "asleep");
}
