//! Packets, their extension blocks, and the slots.

use super::*;

/// Offers the packet in the next cycle; whether it is taken.
fn offer(b: &mut Bench, aql: Aql) -> bool {
    b.next.aql = Some(aql);
    b.tick().aql_ready
}

/// Reads PKT_STAT and all META once the body begins; packets come before.
fn stat() -> Vec<u32> {
    program(0, &[read(PKT_STAT), read(0x18), read(0x1c), read(0x20), read(0x24)])
}

#[test]
fn packets_without_extension_fill_the_slots_in_order() {
    let mut b = Bench::new(&stat());
    for n in 0..4 {
        assert!(offer(&mut b, packet(n, n, false)));
    }
    assert!(!offer(&mut b, packet(9, 9, false)), "all four are in use");
    b.run(50);
    let meta = |n: u32| n << 24 | 0xa5c3 << 8 | n;
    assert_eq!(b.loaded(), [0xf, meta(0), meta(1), meta(2), meta(3)]);
}

#[test]
fn extension_follows_its_packet_beat_by_beat() {
    let slot = |at: u32| lw(A0, A1, at as i32);
    let body = [read(PKT_STAT), slot(0), slot(48), slot(64), slot(76), slot(80), slot(96)];
    let mut b = Bench::new(&program(map::SLOTS.0, &body));
    b.next.ext = Some(beat(1, false));
    b.next.aql = Some(packet(7, 0x11, true));
    let out = b.tick();
    assert!(out.aql_ready && !out.ext_ready, "no packet waits for a beat yet");
    let out = b.cp.outputs();
    assert!(!out.aql_ready && out.ext_ready);
    for n in 0..2 {
        b.next.ext = Some(beat(0x20 + n, n == 1));
        assert!(b.tick().ext_ready);
    }
    let out = b.cp.outputs();
    assert!(out.aql_ready && !out.ext_ready);
    b.run(60);
    let words = [1, 0x1111_1111, 0x0101_0101, 0x2020_2020, 0x2020_2020, 0x2121_2121, 0];
    assert_eq!(b.loaded(), words);
}

#[test]
fn packet_is_valid_only_when_its_extension_is_complete() {
    let mut b = Bench::new(&program(0, &[read(PKT_STAT), read(PKT_STAT), read(PKT_META)]));
    assert!(offer(&mut b, packet(1, 0, true)));
    // The first read acts in BODY + 3: a beat taken then shows in the second.
    b.run_to(BODY + 3);
    b.next.ext = Some(beat(0, true));
    b.run(40);
    assert_eq!(b.loaded(), [0, 1, 0xa5c3 << 8 | 1]);
}

#[test]
fn beats_beyond_4032_bytes_are_dropped_and_noted() {
    for (beats, truncated) in [(252, 0), (253, 1 << 31), (260, 1 << 31)] {
        let last = |n: i32| lw(A0, A1, n - 0x800);
        // A1 in the middle of slot 1, so that its end and slot 2's begin are in reach.
        let body = [
            read(PKT_META + 4),
            last(0xffc),
            lw(A0, A1, 0x7fc),
            addi(A1, A1, 8),
            lw(A0, A1, 0x7f8),
        ];
        let mut b = Bench::new(&program(map::SLOTS.0 + 0x1800, &[&[NOP; 300][..], &body].concat()));
        assert!(offer(&mut b, packet(1, 0, false)));
        assert!(offer(&mut b, packet(2, 0, true)));
        for n in 0..beats {
            b.next.ext = Some(beat(if n == 251 { 0x33 } else { n as u8 | 0x80 }, n + 1 == beats));
            assert!(b.tick().ext_ready);
        }
        b.run(120);
        let loaded = b.loaded();
        assert_eq!(loaded[0], truncated | 1 << 24 | 0xa5c3 << 8 | 2);
        assert_eq!(loaded[2..], [0x3333_3333, 0], "the slot's end, and the next slot");
    }
}

#[test]
fn oldest_is_the_slot_that_has_been_valid_longest() {
    // Slots 0 to 3 come in order; 1 and 0 are freed; two packets come again; then 2 and 3 are
    // freed.
    let pop = |slot: i32| [addi(A1, ZERO, slot), write(PKT_POP)];
    let body = [
        &[read(PKT_STAT)][..],
        &pop(1),
        &[read(PKT_STAT)],
        &pop(0),
        &[read(PKT_STAT)],
        &[NOP; 10],
        &[read(PKT_STAT)],
        &pop(2),
        &[read(PKT_STAT)],
        &pop(7),
        &[read(PKT_STAT)],
        &pop(0),
        &[read(PKT_STAT)],
        &pop(1),
        &[read(PKT_STAT)],
    ]
    .concat();
    let mut b = Bench::new(&program(0, &body));
    for n in 0..4 {
        assert!(offer(&mut b, packet(n, 0, false)));
    }
    let fourth = |b: &Bench| b.loaded().len() == 3;
    while !fourth(&b) {
        b.tick();
    }
    assert!(offer(&mut b, packet(4, 0, false)), "it goes into slot 0");
    assert!(offer(&mut b, packet(5, 0, false)), "and this into slot 1");
    b.run(100);
    let stats = [0xf, 0xd, 0x20c, 0x20f, 0x30b, 0x003, 0x102, 0];
    assert_eq!(b.loaded(), stats);
}

#[test]
fn freeing_what_is_not_valid_does_nothing_not_even_to_what_is_being_filled() {
    let body = [write(PKT_POP), read(PKT_STAT), NOP, NOP, NOP, read(PKT_STAT)];
    let mut b = Bench::new(&program(0xffff_fff4, &body));
    assert!(offer(&mut b, packet(0, 0, true)));
    b.run_to(BODY + 9);
    b.next.ext = Some(beat(0, true));
    b.run(40);
    assert_eq!(b.loaded(), [0, 1]);
}

#[test]
fn packet_that_comes_as_a_slot_is_freed_goes_where_the_registers_say() {
    // Slot 0 is freed at the end of BODY + 3; a packet taken in that cycle goes into slot 1.
    let mut b = Bench::new(&program(0, &[write(PKT_POP), read(PKT_STAT), read(PKT_META + 4)]));
    assert!(offer(&mut b, packet(1, 0, false)));
    b.run_to(BODY + 3);
    assert!(offer(&mut b, packet(2, 0, false)));
    b.run(40);
    assert_eq!(b.loaded(), [0x102, 1 << 24 | 0xa5c3 << 8 | 2]);
}

#[test]
fn arrival_numbers_go_round_after_128() {
    let body: Vec<_> = (0..130).flat_map(|_| [write(PKT_POP), NOP, NOP]).collect();
    let mut b = Bench::new(&program(0, &[&body[..], &[read(PKT_META)]].concat()));
    let mut taken = 0;
    while b.exit().is_none() {
        b.next.aql =
            Some(packet(taken as u8, 0, false)).filter(|_| b.cp.mailbox.packets.valid() == 0);
        if b.next.aql.is_some() {
            taken += 1;
        }
        b.tick();
    }
    assert!(taken > 128);
    assert_eq!(b.loaded()[0] >> 24, (taken - 1) % 128);
}

#[test]
fn bytes_that_are_not_written_keep_what_they_held() {
    let body = [
        write(PKT_POP),
        NOP,
        NOP,
        NOP,
        NOP,
        lui(A1, map::SLOTS.0 >> 12),
        lw(A0, A1, 0),
        lw(A0, A1, 64),
    ];
    let mut b = Bench::new(&program(0, &body));
    assert!(offer(&mut b, packet(1, 1, true)));
    b.next.ext = Some(beat(2, true));
    b.run_to(BODY + 5);
    assert!(offer(&mut b, packet(2, 3, false)));
    b.run(40);
    assert_eq!(b.loaded(), [0x0303_0303, 0x0202_0202]);
}
