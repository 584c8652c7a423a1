//! Accesses outside the map, EXIT, the end, and the record of what retires.

use super::*;

#[test]
fn accesses_outside_the_map_halt_with_code_8_in_the_next_cycle() {
    let outside = [
        0x0001_0000,
        0x07ff_fffc,
        0x0800_4000,
        0x0fff_fffc,
        0x1001_0000,
        0x1fff_fffc,
        0x2000_4000,
        0x3fff_fffc,
        0x4000_1000,
        0x8000_0000,
        0xffff_fffc,
    ];
    for address in outside {
        for access in [lw(A0, A1, 0), sw(A0, A1, 0), load(0, A0, A1, 3), store(1, A0, A1, 2)] {
            let mut b = Bench::new(&program(address, &[access]));
            b.run(40);
            assert_eq!(b.exit(), Some((BODY + 1, 8)), "{address:#x} {access:#x}");
            assert_eq!(b.errors(), [(BODY + 1, 8)]);
            assert!(b.out[BODY + 1].halted && !b.out[BODY].halted);
            assert!(b.retired().is_empty());
            assert!(b.cp.is_idle());
        }
    }
    // What may only be read.
    for address in [0x0000_0000, 0x0000_fffc, 0x2000_0000, 0x2000_3ffc] {
        let mut b = Bench::new(&program(address, &[sw(A0, A1, 0)]));
        b.run(40);
        assert_eq!(b.exit(), Some((BODY + 1, 8)), "{address:#x}");
        let mut b = Bench::new(&program(address, &[lw(A0, A1, 0)]));
        b.run(40);
        assert_eq!(b.exit().map(|(_, status)| status), Some(address));
    }
}

#[test]
fn second_half_of_a_crossing_access_halts_alone() {
    // DTCM answers after 1 cycle: then the second word is asked for, and the first is written.
    let mut b = Bench::new(&program(0x0800_3ffe, &[sw(A1, A1, 0)]));
    b.run(40);
    assert_eq!(b.exit(), Some((BODY + 2, 8)));
    assert_eq!(b.cp.memory.load(0x0800_3ffc, 4), Some((0x3ffe_0000, 1)));
    let mut b = Bench::new(&program(0x1000_fffd, &[lw(A0, A1, 0)]));
    b.run(40);
    assert_eq!(b.exit(), Some((BODY + 4, 8)));
    // From one region into another: both cost what they cost.
    let mut b = Bench::new(&program(0x2000_3fff, &[lw(A0, A1, 0)]));
    b.run(40);
    assert_eq!(b.exit(), Some((BODY + 5, 8)));
}

#[test]
fn halted_processor_takes_nothing_and_still_sends() {
    let mut b = Bench::new(&program(3, &[write(TX_DST), write(TX_HI), write(TX_HI)]));
    b.next.tx_ready = false;
    b.run(60);
    let (at, status) = b.exit().expect("it halts");
    assert_eq!((at, status), (BODY + 15 + 4, 3));
    for out in &b.out[at..] {
        assert!(out.halted && !out.aql_ready && !out.ext_ready && !out.rx_ready);
        assert!(out.tx.is_some() && out.exit == Some(3) && out.trace.is_none());
    }
    assert!(!b.cp.is_idle());
    b.next.tx_ready = true;
    b.next.rx = Some(message(8, 0, 0));
    b.next.aql = Some(packet(0, 0, false));
    b.run(2);
    assert!(b.tick().tx.is_none());
    assert!(b.cp.is_idle());
    assert!(b.errors().is_empty(), "what is offered is not read");
}

/// A trap goes to address 0, where this stub stands: ERROR 8, EXIT 8.
#[test]
fn illegal_instruction_reaches_the_stub() {
    let stub = [
        lui(T0, map::MAILBOX.0 >> 12),
        addi(T1, ZERO, 8),
        sw(T1, T0, ERROR as i32),
        sw(T1, T0, EXIT as i32),
    ];
    let mut b = Bench::new(&[]);
    // Not through the program: it begins at 0x80.
    let mut cp = CommandProcessor::new(&PLAIN).expect("legal parameters");
    let words = (0..).zip(stub).chain([(0x20, 0xffff_ffff)]);
    for (imem_addr, imem_data) in words {
        cp.tick(&In { core_hold: true, imem_we: true, imem_addr, imem_data, ..In::default() });
    }
    cp.tick(&In::default());
    b.cp = cp;
    b.run(60);
    // The trap takes 3 cycles, the stub's first two one each; ERROR and EXIT act 3 after their
    // grants.
    assert_eq!(b.errors(), [(FIRST + 5 + 4, 8)]);
    assert_eq!(b.exit(), Some((FIRST + 10 + 4, 8)));
    assert!(b.out[FIRST + 1].trace.is_some_and(|t| t.trap && t.pc == 0x80));
}

#[test]
fn image_is_written_only_while_the_core_is_held() {
    let mut b = Bench::new(&program(1, &[NOP; 20]));
    b.next.imem_we = true;
    (b.next.imem_addr, b.next.imem_data) = (0x24, 0xffff_ffff);
    b.run(60);
    assert_eq!(b.exit().map(|(_, status)| status), Some(1));
}

#[test]
fn nothing_runs_while_the_core_is_held_but_packets_and_messages_come_in() {
    let mut cp = CommandProcessor::new(&PLAIN).expect("legal parameters");
    for cycle in 0..40 {
        let rx = Some(message(9, 0, cycle));
        let out =
            cp.tick(&In { core_hold: true, rx, aql: Some(packet(0, 0, false)), ..In::default() });
        assert_eq!((out.rx_ready, out.aql_ready), (cycle < 16, cycle < 4));
        assert!(out.trace.is_none());
    }
    // Released at the end of this cycle; the first instruction, illegal here, shows 5 cycles later.
    cp.tick(&In::default());
    let shown = (0..10).map(|_| cp.tick(&In::default()).trace.is_some());
    assert_eq!(shown.collect::<Vec<_>>().iter().position(|&shown| shown), Some(5));
}

#[test]
fn records_are_numbered_from_one_and_show_a_cycle_after_their_end() {
    let mut b = Bench::new(&[addi(A0, ZERO, 1), r_type(1, 0, A1, A0, A0), TWO_C_NOPS, WFI]);
    b.run(60);
    let shown: Vec<_> = b.out.iter().enumerate().filter_map(|(c, o)| Some((c, o.trace?))).collect();
    let cycles: Vec<_> = shown.iter().map(|(cycle, _)| *cycle).collect();
    assert_eq!(cycles, [5, 8, 9, 10, 11], "one cycle, three, one, one, and wfi");
    let fields: Vec<_> =
        shown.iter().map(|(_, t)| (t.order, t.pc, t.insn, t.rd, t.wdata)).collect();
    let expected = [
        (1, 0x80, addi(A0, ZERO, 1), 10, 1),
        (2, 0x84, r_type(1, 0, A1, A0, A0), 11, 1),
        (3, 0x88, 1, 0, 0),
        (4, 0x8a, 1, 0, 0),
        (5, 0x8c, WFI, 0, 0),
    ];
    assert_eq!(fields, expected);
}

#[test]
fn illegal_parameters_are_refused() {
    let cases = [
        (Config { private_latency: 0, ..PLAIN }, "private_latency = 0: must be 1 to 255"),
        (Config { private_latency: 256, ..PLAIN }, "private_latency = 256: must be 1 to 255"),
        (Config { clock_of: 17, ..PLAIN }, "clock_of = 17: must be 1 to 16"),
        (Config { clock_on: 0, ..PLAIN }, "clock_on = 0: must be 1 to 16"),
        (
            Config { clock_on: 6, clock_of: 5, ..PLAIN },
            "clock_on = 6: must be at most clock_of, where clock_of = 5",
        ),
    ];
    for (config, message) in cases {
        assert_eq!(CommandProcessor::new(&config).unwrap_err().to_string(), message);
    }
}
