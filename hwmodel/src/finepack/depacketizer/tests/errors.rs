//! Every error code with every case that raises it.

use super::*;

#[test]
fn address_overflow_is_code_4_and_wins_over_code_6() {
    let bytes = [sub(&PAPER, 0, 4, 0), sub(&PAPER, 1 << 29, 0, 0)].concat();
    let base = u64::MAX << 20;
    assert_eq!(faulty(&PAPER, &tlp(&PAPER, finepack(14, base), &bytes)), (vec![4], 1));
}

#[test]
fn length_0_is_code_6() {
    let bytes = [sub(&SMALL, 0, 0, 0), vec![0; 9]].concat();
    assert_eq!(faulty(&SMALL, &tlp(&SMALL, finepack(12, 0), &bytes)), (vec![6], 0));
}

#[test]
fn length_above_a_line_is_code_6_and_wins_over_code_7() {
    // The packet has no 17 bytes, and the window no 1023.
    for len in [17, 1023] {
        let bytes = sub(&SMALL, 0, len, 0)[..12].to_vec();
        assert_eq!(faulty(&SMALL, &tlp(&SMALL, finepack(12, 0), &bytes)), (vec![6], 0));
    }
}

#[test]
fn sub_packet_over_a_line_end_is_code_6() {
    let bytes = sub(&SMALL, 13, 4, 0);
    assert_eq!(faulty(&SMALL, &tlp(&SMALL, finepack(7, 0), &bytes)), (vec![6], 0));
    let bytes = sub(&SMALL, 12, 4, 0);
    assert_eq!(faulty(&SMALL, &tlp(&SMALL, finepack(7, 0), &bytes)), (vec![], 1));
}

#[test]
fn error_is_found_before_the_rest_of_the_packet_and_drops_it() {
    let bytes = [sub(&SMALL, 0, 0, 0), vec![0x11; 90]].concat();
    let beats = tlp(&SMALL, finepack(93, 0), &bytes);
    let seen = run(&SMALL, &[&beats[..], &good(&SMALL)].concat());
    assert_eq!(seen.errors, [(2, 6)]);
    assert_eq!(seen.accepted, (0..13).collect::<Vec<_>>(), "dropped beats never stall");
    assert_eq!(seen.stores.len(), 1);
}

#[test]
fn rest_below_a_sub_header_is_code_7() {
    let bytes = [sub(&SMALL, 0, 4, 0), vec![0; 2]].concat();
    assert_eq!(faulty(&SMALL, &tlp(&SMALL, finepack(9, 0), &bytes)), (vec![7], 1));
}

#[test]
fn sub_packet_over_the_packet_end_is_code_7() {
    let bytes = [sub(&SMALL, 0, 4, 0), sub(&SMALL, 0, 2, 0)[..4].to_vec()].concat();
    assert_eq!(faulty(&SMALL, &tlp(&SMALL, finepack(11, 0), &bytes)), (vec![7], 1));
}

#[test]
fn eop_before_the_length_is_code_7_after_the_whole_sub_packets() {
    let bytes = [sub(&SMALL, 0, 4, 0), sub(&SMALL, 4, 4, 0)].concat();
    assert_eq!(faulty(&SMALL, &tlp(&SMALL, finepack(21, 0), &bytes)), (vec![7], 2));
    assert_eq!(faulty(&SMALL, &tlp(&SMALL, finepack(21, 0), &bytes[..12])), (vec![7], 1));
    assert_eq!(faulty(&SMALL, &tlp(&SMALL, finepack(21, 0), &bytes[..9])), (vec![7], 1));
    assert_eq!(faulty(&SMALL, &tlp(&SMALL, finepack(21, 0), &[])), (vec![7], 0));
}

#[test]
fn beats_after_the_length_are_code_7_once() {
    let bytes = [sub(&SMALL, 0, 5, 0), vec![0x55; 24]].concat();
    // A whole beat too many, three of them, and an empty one.
    for extra in [16, 32] {
        let beats = tlp(&SMALL, finepack(8, 0), &bytes[..extra]);
        assert_eq!(faulty(&SMALL, &beats), (vec![7], 1));
    }
    let mut beats = tlp(&SMALL, finepack(8, 0), &bytes[..8]);
    beats[0].eop = false;
    beats.push(Tlp { eop: true, ..Tlp::default() });
    assert_eq!(faulty(&SMALL, &beats), (vec![7], 1));
    // The last beat holds more than is left: none of its bytes count.
    let beats = tlp(&SMALL, finepack(12, 0), &bytes[..16]);
    assert_eq!(faulty(&SMALL, &beats), (vec![7], 1));
}

#[test]
fn packet_waits_for_its_end_when_all_its_bytes_have_left() {
    let mut beats = tlp(&SMALL, finepack(8, 0), &sub(&SMALL, 0, 5, 0));
    beats[0].eop = false;
    let mut block = Depacketizer::new(&SMALL).unwrap();
    block.tick(&In { tlp: Some(beats[0]), st_ready: true });
    for _ in 0..10 {
        assert_eq!(block.tick(&In { tlp: None, st_ready: true }).err, None);
        assert!(!block.is_idle());
    }
    block.tick(&In { tlp: Some(Tlp { eop: true, ..Tlp::default() }), st_ready: true });
    let errors: Vec<_> =
        (0..4).map(|_| block.tick(&In { tlp: None, st_ready: true }).err).collect();
    assert_eq!(errors, [None, Some(7), None, None]);
    assert!(block.is_idle());
}

#[test]
fn short_beat_before_the_last_is_code_7() {
    let bytes = [sub(&SMALL, 0, 5, 0), sub(&SMALL, 8, 5, 0)].concat();
    let mut beats = tlp(&SMALL, finepack(16, 0), &bytes);
    beats[0].nbytes = 7;
    assert_eq!(faulty(&SMALL, &beats), (vec![7], 0));
    let mut beats = tlp(&SMALL, finepack(24, 0), &[&bytes[..], &bytes[..8]].concat());
    beats[1].nbytes = 7;
    assert_eq!(faulty(&SMALL, &beats), (vec![7], 1));
}

#[test]
fn beat_above_its_size_is_code_7() {
    let mut beats = tlp(&SMALL, finepack(16, 0), &sub(&SMALL, 0, 5, 0));
    beats[0].nbytes = 9;
    assert_eq!(faulty(&SMALL, &beats), (vec![7], 0));
}

#[test]
fn sop_inside_a_packet_ends_it_with_code_7_and_the_new_one_is_parsed() {
    let bytes = [sub(&SMALL, 0, 5, 0), sub(&SMALL, 8, 5, 0)].concat();
    let beats = tlp(&SMALL, finepack(16, 0), &bytes);
    assert_eq!(faulty(&SMALL, &beats[..1]), (vec![7], 1));
    // Also when nothing but the eop is missing.
    let mut complete = tlp(&SMALL, finepack(8, 0), &bytes[..8]);
    complete[0].eop = false;
    assert_eq!(faulty(&SMALL, &complete), (vec![7], 1));
}

#[test]
fn beat_without_a_packet_is_code_7_one_cycle_later() {
    let stray = beat(&[1, 2, 3]);
    let seen = run(&SMALL, &[vec![stray], good(&SMALL)].concat());
    assert_eq!(seen.errors, [(1, 7)]);
    assert_eq!(seen.stores.len(), 1);
    // A stray eop closes nothing; each stray beat has its own pulse.
    let last = Tlp { eop: true, ..stray };
    assert_eq!(faulty(&SMALL, &[stray, last, stray]), (vec![7, 7, 7], 0));
}

#[test]
fn lower_code_is_shown_when_a_stray_beat_and_a_parse_error_fall_together() {
    let zero = tlp(&SMALL, finepack(8, 0), &[0; 8]);
    let stray = beat(&[1]);
    let seen = run(&SMALL, &[&zero[..], &[stray]].concat());
    assert_eq!(seen.errors, [(2, 6)]);
    let poisoned = tlp(&SMALL, finepack(8, 0).with_ep(true), &[0; 8]);
    let seen = run(&SMALL, &[&poisoned[..], &[stray]].concat());
    assert_eq!(seen.errors, [(2, 7)]);
}

#[test]
fn wrong_byte_enables_of_a_finepack_packet_are_code_7() {
    let bytes = sub(&SMALL, 0, 5, 0);
    for (last_be, first_be) in [(0b0101, 0), (0, 0), (0b1110, 0), (0b1111, 1)] {
        let header = header(FINEPACK, 2, last_be, first_be, 0);
        assert_eq!(faulty(&SMALL, &tlp(&SMALL, header, &bytes)), (vec![7], 0));
    }
}

#[test]
fn unknown_type_is_code_5_whatever_its_beats_are() {
    for form in [(0b000, 0), (0b011, 0b00100), (0b001, tlp_type::FINEPACK), (0b111, 0)] {
        let mut beats = tlp(&SMALL, header(form, 4, 0, 0, 0), &[0x33; 30]);
        beats[1].nbytes = 200;
        assert_eq!(faulty(&SMALL, &beats), (vec![5], 0));
    }
}

#[test]
fn read_that_leaves_its_line_is_code_5() {
    let read = |dw, addr| faulty(&SMALL, &tlp(&SMALL, header(READ, dw, 15, 15, addr), &[]));
    assert_eq!(read(4, 0), (vec![], 1));
    assert_eq!(read(4, 4), (vec![5], 0));
    assert_eq!(read(1024, 0), (vec![5], 0));
}

#[test]
fn atomic_of_a_wrong_size_or_alignment_is_code_5() {
    let atomic = |kind, dw: u32, addr| {
        let header = header((tlp_fmt::WITH_DATA, kind), dw, 0, 0, addr);
        faulty(&SMALL, &tlp(&SMALL, header, &vec![0; 4 * dw as usize]))
    };
    assert_eq!(atomic(tlp_type::FETCH_ADD, 2, 8), (vec![], 1));
    assert_eq!(atomic(tlp_type::FETCH_ADD, 2, 4), (vec![5], 0));
    assert_eq!(atomic(tlp_type::SWAP, 3, 0), (vec![5], 0));
    assert_eq!(atomic(tlp_type::SWAP, 4, 0), (vec![5], 0));
    assert_eq!(atomic(tlp_type::CAS, 1, 0), (vec![5], 0));
    assert_eq!(atomic(tlp_type::CAS, 2, 4), (vec![], 1));
    assert_eq!(atomic(tlp_type::CAS, 4, 4), (vec![5], 0));
    assert_eq!(atomic(tlp_type::CAS, 4, 8), (vec![], 1));
}

#[test]
fn poisoned_packet_is_code_8_unless_a_lower_code_holds() {
    let bytes = sub(&SMALL, 0, 5, 0);
    let ep = |header: TlpHeader| tlp(&SMALL, header.with_ep(true), &bytes);
    assert_eq!(faulty(&SMALL, &ep(finepack(8, 0))), (vec![8], 0));
    assert_eq!(faulty(&SMALL, &ep(header(WRITE, 2, 15, 15, 0))), (vec![8], 0));
    assert_eq!(faulty(&SMALL, &ep(header((7, 7), 2, 15, 15, 0))), (vec![5], 0));
    assert_eq!(faulty(&SMALL, &ep(header(FINEPACK, 2, 0, 0, 0))), (vec![7], 0));
}

#[test]
fn short_plain_write_and_short_atomic_are_code_7() {
    let write = tlp(&SMALL, header(WRITE, 8, 15, 15, 0), &[1; 24]);
    assert_eq!(faulty(&SMALL, &write), (vec![7], 1));
    let cas = header((tlp_fmt::WITH_DATA, tlp_type::CAS), 4, 0, 0, 0);
    assert_eq!(faulty(&SMALL, &tlp(&SMALL, cas, &[1; 8])), (vec![7], 0));
}

#[test]
fn bad_read_is_code_7() {
    let beats = tlp(&SMALL, header(READ, 1, 0, 15, 0), &[1; 4]);
    assert_eq!(faulty(&SMALL, &beats), (vec![7], 0));
    let mut beats = tlp(&SMALL, header(READ, 1, 0, 15, 0), &[]);
    beats[0].eop = false;
    assert_eq!(faulty(&SMALL, &beats), (vec![7], 0));
}

#[test]
fn error_is_found_while_the_dq_is_full() {
    let bytes: Vec<_> = (0..4).flat_map(|i| sub(&SMALL, 16 * i, 5, 0)).collect();
    let bytes = [bytes, vec![0; 8]].concat();
    let seen = run_with(&SMALL, &tlp(&SMALL, finepack(40, 0), &bytes), |cycle| cycle > 50);
    assert_eq!(seen.errors, [(6, 6)]);
    assert_eq!(seen.stores.len(), 4);
}
