//! The mailbox's registers: which there are, when they act, what they hold.

use super::*;

/// Offsets as the README's table lists them: read, write.
fn listed(offset: u32) -> (bool, bool) {
    match offset {
        0x00 | 0x04 | 0x08 | 0x10 | 0x18 | 0x1c | 0x20 | 0x24 => (true, false),
        0x3c | 0x40 | 0x44 | 0x48 | 0x4c | 0x58 => (true, false),
        0x14 | 0x38 | 0x50 | 0x54 | 0x5c | 0x60 => (true, true),
        0x30 | 0x34 | 0xc0 => (true, true),
        0x80..=0xbc => (true, true),
        _ => (false, false),
    }
}

#[test]
fn what_is_not_listed_and_what_is_read_only_halts() {
    for offset in (0..0x1000).step_by(4) {
        let (reads, writes) = listed(offset);
        let far = if offset < 0x800 { 0 } else { 0x800 };
        let address = [addi(S0, S0, far / 2), addi(S0, S0, far / 2)];
        let back = li(S0, map::MAILBOX.0);
        let access = |instruction: fn(u32, u32, i32) -> u32| {
            let body = [&address[..], &[instruction(A0, S0, offset as i32 - far)], &back].concat();
            let mut b = Bench::new(&program(0x77, &body));
            // WAIT is not to wait.
            b.next.aql = Some(packet(0, 0, false));
            b.run(60);
            b.exit().map(|(_, status)| status)
        };
        assert_eq!(access(lw), Some(if reads { 0x77 } else { 8 }), "read of {offset:#x}");
        // EXIT itself halts with what is written, A0 = 0.
        let written = match (writes, offset == EXIT) {
            (true, true) => 0,
            (true, false) => 0x77,
            (false, _) => 8,
        };
        assert_eq!(access(sw), Some(written), "write of {offset:#x}");
    }
}

#[test]
fn writes_of_less_than_a_word_halt_and_reads_do_not() {
    for (funct3, at) in [(0, 0), (0, 3), (1, 0), (1, 2), (2, 1), (1, 3)] {
        let body = [store(funct3, A1, S0, CNT as i32 + at)];
        let mut b = Bench::new(&program(0x77, &body));
        b.run(40);
        assert_eq!(b.exit(), Some((BODY + 1, 8)), "{funct3} {at}");
    }
    let loads = [load(0, A0, S0, 3), load(4, A0, S0, 0), load(1, A0, S0, 2), load(5, A0, S0, 1)];
    let mut b = Bench::new(&program(0, &loads));
    b.run(60);
    assert_eq!(b.loaded(), [0x43, 0x31, 0x4350, 0x5045]);
}

#[test]
fn read_of_a_crossing_word_is_two_reads_with_all_they_do() {
    // From RX_LO + 2: both words of the first message, which is removed.
    let body = [lw(A0, S0, RX_LO as i32 + 2), read(RX_STAT)];
    let mut b = Bench::new(&program(0, &body));
    b.next.rx = Some(message(9, 3, 0xdead_beef));
    b.tick();
    b.next.rx = Some(message(9, 3, 1));
    b.run(40);
    assert_eq!(b.loaded(), [0xbeef_1234, 1]);
    // Granted in BODY and, in the cycle of the first answer, BODY + 4; the next read 1 + 4 cycles
    // later.
    assert_eq!(b.retired()[..2], [BODY + 9, BODY + 14]);
}

#[test]
fn plain_registers_hold_what_is_written_and_the_others_read_zero() {
    let plain: Vec<_> = [TX_LO, TX_DST].into_iter().chain((CNT..CNT8_RUN).step_by(4)).collect();
    let body: Vec<_> = plain.iter().flat_map(|&offset| [write(offset), read(offset)]).collect();
    let mut b = Bench::new(&program(0xffff_ffff, &body));
    b.run(300);
    let expected: Vec<_> =
        plain.iter().map(|&o| if o == TX_DST { 0x1_ffff } else { 0xffff_ffff }).collect();
    assert_eq!(b.loaded(), expected);
    assert_eq!(b.cp.outputs().counters, [0xffff_ffff; 16]);

    let body: Vec<_> =
        [PKT_POP, TX_HI, SIG_LO, SIG_HI, ERROR].iter().flat_map(|&o| [write(o), read(o)]).collect();
    let mut b = Bench::new(&program(0xffff_ffff, &body));
    b.run(100);
    assert_eq!(b.loaded(), [0; 5]);
}

#[test]
fn identity_configuration_and_cycle() {
    let mut b = Bench::new(&program(0, &[read(ID), read(CONF), read(CYCLE), read(CYCLE)]));
    // The cycles of the image's load count: those of this bench before the core's cycle 0.
    let before = b.cp.cycle;
    b.run(60);
    let acts = before as u32 + BODY as u32 + 2 * 5 + 3;
    assert_eq!(b.loaded(), [0x4350_4531, CONF_VALUE, acts, acts + 5]);
}

#[test]
fn registers_act_three_cycles_after_the_grant() {
    let mut b = Bench::new(&program(0x1e, &[write(ERROR), write(SIG_LO), write(SIG_HI)]));
    b.run(40);
    assert_eq!(b.errors(), [(BODY + 4, 0x1e)]);
    let signals: Vec<_> = b.out.iter().map(|out| out.sig).collect();
    let shown = signals.iter().position(Option::is_some);
    assert_eq!(shown, Some(BODY + 10 + 4));
    assert_eq!(signals.iter().flatten().collect::<Vec<_>>(), [&0x0000_001e_0000_001e]);
    assert_eq!(b.exit(), Some((BODY + 15 + 4, 0x1e)));
    // Stores retire with the answer; the one to EXIT does not.
    assert_eq!(b.retired(), [BODY + 5, BODY + 10, BODY + 15]);
}

#[test]
fn counter_8_counts_the_cycles_between_two_writes() {
    let gap = [NOP; 7];
    let on = [&[write(CNT8_RUN)][..], &gap].concat();
    let off = [sw(ZERO, S0, CNT8_RUN as i32), read(CNT + 32), read(CNT8_RUN), read(CNT + 28)];
    let mut b = Bench::new(&program(1, &[&on[..], &off].concat()));
    b.run(80);
    // From the one that acts to the other: 5 for the store, 7 for the gap.
    assert_eq!(b.loaded(), [12, 0, 0]);
    let first = b.out.iter().position(|out| out.counters[8] != 0);
    assert_eq!(
        first,
        Some(BODY + 5),
        "the cycle after the one in which it acts is the first that counts"
    );
}

#[test]
fn counter_8_written_while_it_counts_shows_what_was_written() {
    let body = [
        write(CNT8_RUN),
        sw(A1, S0, CNT as i32 + 32),
        read(CNT + 32),
        read(CNT8_RUN),
        sw(ZERO, S0, CNT as i32 + 32),
    ];
    let mut b = Bench::new(&program(0x101, &body));
    b.run(60);
    // Written at the end of the cycle in which the store acts; five cycles later the read acts.
    assert_eq!(b.out[BODY + 9].counters[8], 0x101);
    assert_eq!(b.loaded(), [0x105, 1]);
    // Halted: it stands still.
    let (halted, _) = b.exit().expect("it halts");
    assert!(b.out[halted..].iter().all(|out| out.counters[8] == b.out[halted].counters[8]));
    assert_eq!(b.out[halted].counters[8], 5, "the cycle in which EXIT acts is counted");
}
