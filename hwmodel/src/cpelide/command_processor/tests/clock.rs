//! The clock enable: five cycles of six, and other patterns.

use ports::cpelide::types::kind;

use super::*;

const FIVE_OF_SIX: Config = Config { private_latency: 3, clock_on: 5, clock_of: 6 };

/// Whether the cycle of `clk_i` is enabled, counted from one that begins the pattern.
fn enabled(config: &Config, clk: usize) -> bool {
    clk % (config.clock_of as usize) < config.clock_on as usize
}

#[test]
fn sixth_cycle_takes_and_pulses_nothing() {
    // Some pulse is made in the fifth cycle, whatever came before.
    for nops in 0..5 {
        let pulses = [write(ERROR), NOP, write(SIG_HI), NOP, write(ERROR), write(SIG_HI)];
        let body = [&[NOP; 5][..nops], &pulses, &[TWO_C_NOPS], &pulses].concat();
        let mut b = Bench::with_config(&FIVE_OF_SIX, &program(1, &body));
        for _ in 0..150 {
            b.next.rx = Some(message(kind::ACK, 0, 0));
            b.tick();
        }
        for (clk, out) in b.out.iter().enumerate() {
            if enabled(&FIVE_OF_SIX, clk) {
                assert_eq!(out.rx_ready, out.exit.is_none());
            } else {
                assert!(!out.aql_ready && !out.ext_ready && !out.rx_ready);
                assert!(out.sig.is_none() && out.err.is_none() && out.trace.is_none());
            }
        }
        assert_eq!(b.out.iter().filter(|out| out.sig.is_some()).count(), 4);
    }
}

/// The processor's cycles are the same whatever the pattern, only further apart.
#[test]
fn all_patterns_give_the_same_cycles_of_the_processor() {
    let body = [
        write(CNT8_RUN),
        lw(A0, S0, 0),
        r_type(1, 4, A0, A1, A1),
        lui(T0, 0x10000),
        sw(A1, T0, 2),
        write(TX_LO),
        write(TX_HI),
        write(ERROR),
        sw(ZERO, S0, CNT8_RUN as i32),
        write(SIG_HI),
    ];
    let expected = {
        let mut b = Bench::new(&program(0x33, &body));
        b.run(200);
        b.out
    };
    for (clock_on, clock_of) in [(5, 6), (1, 2), (1, 16), (15, 16), (3, 3), (2, 5)] {
        let config = Config { clock_on, clock_of, ..PLAIN };
        let mut b = Bench::with_config(&config, &program(0x33, &body));
        b.run(200 * 16);
        let cycles: Vec<_> = b
            .out
            .iter()
            .enumerate()
            .filter(|(clk, _)| enabled(&config, *clk))
            .map(|(_, o)| *o)
            .collect();
        for (cycle, (expected, got)) in expected.iter().zip(&cycles).enumerate() {
            // The message may be taken in a cycle between.
            let got = Out { tx: expected.tx, ..*got };
            assert_eq!(got, *expected, "{clock_on} of {clock_of}, cycle {cycle}");
        }
        assert_eq!(b.out.iter().filter(|out| out.tx.is_some()).count(), 1);
    }
}

#[test]
fn messages_are_sent_in_any_cycle() {
    let config = Config { clock_on: 1, clock_of: 16, ..PLAIN };
    let mut b = Bench::with_config(&config, &program(0, &[write(TX_HI), write(TX_HI)]));
    b.run(16 * 40);
    let sent: Vec<_> =
        b.out.iter().enumerate().filter(|(_, o)| o.tx.is_some()).map(|(c, _)| c).collect();
    // They act in the processor's cycles BODY + 3 and BODY + 8, and show in the cycle of clk_i
    // after.
    assert_eq!(sent, [16 * (BODY + 3) + 1, 16 * (BODY + 8) + 1]);
}

#[test]
fn place_that_comes_free_between_enabled_cycles_is_used_in_the_next() {
    let config = Config { clock_on: 1, clock_of: 4, ..PLAIN };
    let mut b = Bench::with_config(&config, &program(0, &[write(TX_HI); 9]));
    b.next.tx_ready = false;
    b.run_to(4 * 100 + 2);
    b.next.tx_ready = true;
    b.tick();
    b.next.tx_ready = false;
    b.run(40);
    let retired = b.retired();
    // It acts in the processor's cycle 101 and is answered in 102.
    assert_eq!(retired[8], 4 * 103);
}

#[test]
fn image_is_loaded_and_hold_falls_in_any_cycle() {
    let config = Config { clock_on: 1, clock_of: 4, ..PLAIN };
    for phase in 0..4 {
        let mut cp = CommandProcessor::new(&config).expect("legal parameters");
        let hold = In { core_hold: true, ..In::default() };
        for _ in 0..phase {
            cp.tick(&hold);
        }
        // An instruction that does not trap, written in a cycle that may not be enabled.
        let load = In { imem_we: true, imem_addr: 0x20, imem_data: NOP, ..hold };
        cp.tick(&load);
        cp.tick(&In::default());
        let shown =
            (phase + 2..60).find(|_| cp.tick(&In::default()).trace.is_some_and(|t| !t.trap));
        // The first enabled cycle from phase + 2 on is the core's cycle 0; its record shows in
        // cycle 5.
        let first = (phase + 2usize).next_multiple_of(4);
        assert_eq!(shown, Some(first + 4 * 5), "{phase}");
    }
}
