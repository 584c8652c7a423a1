use proptest::prelude::*;

use super::*;
use crate::common::finepack_types::{
    BeatData, Drain, Ingress, LineData, SubHeader, TlpHeader, aop, cost, drain_kind, ingress_kind,
    tlp_fmt, tlp_type,
};
use crate::packetizer::{self, Packetizer};

const PAPER: Config = Config { line: 128, sh: 5, offb: 30, beat: 32, dq: 64 };
const SMALL: Config = Config { line: 16, sh: 3, offb: 14, beat: 8, dq: 4 };
const FINEPACK: (u8, u8) = (tlp_fmt::WITH_DATA, tlp_type::FINEPACK);
const WRITE: (u8, u8) = (tlp_fmt::WITH_DATA, tlp_type::MEM);
const READ: (u8, u8) = (tlp_fmt::NO_DATA, tlp_type::MEM);

fn ones(start: u32, len: u32) -> u128 {
    (u128::MAX >> (128 - len)) << start
}

fn header((fmt, kind): (u8, u8), dw: u32, last_be: u8, first_be: u8, addr: u64) -> TlpHeader {
    TlpHeader::new()
        .with_fmt(fmt)
        .with_tlp_type(kind)
        .with_length_dw(dw)
        .with_last_be(last_be)
        .with_first_be(first_be)
        .with_requester(0x0020)
        .with_tag(0x77)
        .with_address(addr)
}

/// Header of a FinePack packet of `bytes` bytes.
fn finepack(bytes: usize, base: u64) -> TlpHeader {
    let last_be = [0b1111, 0b0001, 0b0011, 0b0111][bytes % 4];
    header(FINEPACK, bytes.div_ceil(4) as u32, last_be, 0, base)
}

/// One sub-packet; its bytes count up from `seed`.
fn sub(cfg: &Config, offset: u64, len: u16, seed: u8) -> Vec<u8> {
    let header = SubHeader::new().with_len(len).with_offset(offset).into_bits();
    let mut bytes = header.to_le_bytes()[..cfg.sh as usize].to_vec();
    bytes.extend((0..len).map(|k| seed.wrapping_add(k as u8)));
    bytes
}

fn beat(bytes: &[u8]) -> Tlp {
    let mut data = BeatData::default();
    data.0[..bytes.len()].copy_from_slice(bytes);
    Tlp { nbytes: bytes.len() as u8, data, ..Tlp::default() }
}

/// The beats of a whole TLP.
fn tlp(cfg: &Config, header: TlpHeader, payload: &[u8]) -> Vec<Tlp> {
    let mut beats: Vec<_> = payload.chunks(cfg.beat as usize).map(beat).collect();
    if beats.is_empty() {
        beats.push(Tlp::default());
    }
    beats[0].sop = true;
    beats[0].hdr = header.into_bits();
    beats.last_mut().unwrap().eop = true;
    beats
}

/// What a run gave, each with its cycle.
#[derive(Default)]
struct Seen {
    accepted: Vec<usize>,
    stores: Vec<(usize, Ingress)>,
    errors: Vec<(usize, u8)>,
}

impl Seen {
    fn codes(&self) -> Vec<u8> {
        self.errors.iter().map(|e| e.1).collect()
    }

    fn accesses(&self) -> Vec<Ingress> {
        self.stores.iter().map(|s| s.1).collect()
    }
}

/// Offers the beats back to back until nothing happens any more. `st_ready` by cycle.
fn run_with(cfg: &Config, beats: &[Tlp], st_ready: impl Fn(usize) -> bool) -> Seen {
    let mut block = Depacketizer::new(cfg).unwrap();
    let (mut seen, mut at) = (Seen::default(), 0);
    for cycle in 0..8 * beats.len() + 500 {
        let inputs = In { tlp: beats.get(at).copied(), st_ready: st_ready(cycle) };
        let shown = block.outputs();
        let out = block.tick(&inputs);
        assert_eq!(shown, out);
        if inputs.tlp.is_some() && out.tlp_ready {
            seen.accepted.push(cycle);
            at += 1;
        }
        if let (Some(access), true) = (out.st, inputs.st_ready) {
            seen.stores.push((cycle, access));
        }
        seen.errors.extend(out.err.map(|code| (cycle, code)));
    }
    assert_eq!(at, beats.len(), "all beats are accepted in the end");
    assert!(block.is_idle(), "all slots are freed in the end: {block:?}");
    seen
}

fn run(cfg: &Config, beats: &[Tlp]) -> Seen {
    run_with(cfg, beats, |_| true)
}

/// A packet that must pass unharmed behind whatever was wrong before it.
fn good(cfg: &Config) -> Vec<Tlp> {
    let bytes = sub(cfg, 0x20, 4, 0xa0);
    tlp(cfg, finepack(bytes.len(), 0x4000), &bytes)
}

/// Runs the beats of a faulty packet and a good one behind them: the errors and how many accesses
/// came before the good packet's.
fn faulty(cfg: &Config, beats: &[Tlp]) -> (Vec<u8>, usize) {
    let seen = run(cfg, &[beats, &good(cfg)].concat());
    let last = seen.stores.last().expect("the good packet arrives").1;
    assert_eq!(last.addr + u64::from(last.mask.trailing_zeros()), 0x4020);
    (seen.codes(), seen.stores.len() - 1)
}

#[test]
fn store_is_valid_two_cycles_after_its_beat() {
    let bytes = sub(&PAPER, 0x81, 3, 1);
    let seen = run(&PAPER, &tlp(&PAPER, finepack(8, 0x4000_0000), &bytes));
    assert_eq!((seen.accepted[0], seen.stores[0].0), (0, 2));
    let mut data = LineData::default();
    data.0[1..4].copy_from_slice(&[1, 2, 3]);
    assert_eq!(
        seen.stores[0].1,
        Ingress {
            kind: ingress_kind::WRITE,
            aop: 0,
            src: 0x0020,
            tag: 0x77,
            addr: 0x4000_0080,
            mask: 0b1110,
            data
        }
    );
    assert!(seen.errors.is_empty());
}

#[test]
fn one_sub_packet_leaves_per_cycle_and_packets_follow_without_a_bubble() {
    let bytes = [sub(&SMALL, 0, 1, 1), sub(&SMALL, 16, 1, 2)].concat();
    let packet = tlp(&SMALL, finepack(8, 0), &bytes);
    let seen = run(&SMALL, &[&packet[..], &packet[..]].concat());
    let cycles: Vec<_> = seen.stores.iter().map(|s| s.0).collect();
    assert_eq!(cycles, [2, 3, 4, 5]);
}

#[test]
fn ready_falls_while_two_packets_hold_slots() {
    // Four sub-packets keep the first packet's slot for four cycles.
    let bytes: Vec<_> = (0..4).flat_map(|i| sub(&PAPER, 16 * i, 1, 0)).collect();
    let packet = tlp(&PAPER, finepack(bytes.len(), 0), &bytes);
    let seen = run(&PAPER, &[&packet[..]; 4].concat());
    assert_eq!(seen.accepted, [0, 1, 5, 9]);
}

#[test]
fn address_overflow_is_code_4_and_wins_over_code_6() {
    let bytes = [sub(&PAPER, 0, 4, 0), sub(&PAPER, 1 << 29, 0, 0)].concat();
    let base = u64::MAX << 20;
    assert_eq!(faulty(&PAPER, &tlp(&PAPER, finepack(14, base), &bytes)), (vec![4], 1));
}

#[test]
fn low_bits_of_a_received_base_are_added() {
    let bytes = sub(&SMALL, 4, 4, 9);
    let seen = run(&SMALL, &tlp(&SMALL, finepack(7, 0x1008), &bytes));
    assert_eq!((seen.stores[0].1.addr, seen.stores[0].1.mask), (0x1000, 0xf000));
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
fn plain_write_of_4096_bytes_is_cut_at_line_ends() {
    let bytes: Vec<u8> = (0..4096u32).map(|k| ((k * 7) >> 3) as u8).collect();
    for cfg in [SMALL, PAPER] {
        let line = u64::from(cfg.line);
        let start = 3 * line + 4;
        let header = header(WRITE, 1024, 0b0111, 0b1100, start);
        let seen = run(&cfg, &tlp(&cfg, header, &bytes));
        assert!(seen.errors.is_empty());
        let mut memory = std::collections::BTreeMap::new();
        for (i, st) in seen.accesses().iter().enumerate() {
            assert_eq!((st.kind, st.addr), (ingress_kind::WRITE, (3 + i as u64) * line));
            for k in 0..128 {
                if st.mask >> k & 1 != 0 {
                    memory.insert(st.addr + k as u64, st.data.0[k]);
                } else {
                    assert_eq!(st.data.0[k], 0);
                }
            }
        }
        let expected = (2..4095).map(|k| (start + k as u64, bytes[k])).collect();
        assert_eq!(memory, expected);
        assert_eq!(seen.stores.len(), 4096 / cfg.line as usize + 1);
    }
}

#[test]
fn plain_write_of_one_dw_has_the_first_be_alone() {
    let write =
        |be| run(&SMALL, &tlp(&SMALL, header(WRITE, 1, 0, be, 8), &[1, 2, 3, 4])).accesses();
    assert_eq!(write(0b0110)[0].mask, 0b0110 << 8);
    assert_eq!(write(0b0110)[0].data.0[8..12], [0, 2, 3, 0]);
    assert_eq!(write(0)[0].mask, 0, "a write of no bytes is pushed too");
}

#[test]
fn plain_write_wraps_at_the_end_of_the_address_space() {
    let seen = run(&SMALL, &tlp(&SMALL, header(WRITE, 2, 15, 15, u64::MAX - 3), &[9; 8]));
    let got: Vec<_> = seen.accesses().iter().map(|st| (st.addr, st.mask)).collect();
    assert_eq!(got, [(u64::MAX - 15, 0xf000), (0, 0xf)]);
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
fn read_has_its_mask_from_the_byte_enables() {
    let read = |dw, last, first, addr| {
        run(&PAPER, &tlp(&PAPER, header(READ, dw, last, first, addr), &[])).accesses()[0]
    };
    let st = read(3, 0b0111, 0b0100, 0x1284);
    assert_eq!((st.kind, st.addr, st.mask), (ingress_kind::READ, 0x1280, 0x7f40));
    assert_eq!((st.src, st.tag, st.aop), (0x20, 0x77, 0));
    assert_eq!(read(1, 0, 0b1010, 0x1280).mask, 0b1010);
    assert_eq!(read(32, 15, 15, 0).mask, u128::MAX);
    let st = read(1, 0, 0, 0x1284);
    assert_eq!((st.kind, st.addr, st.mask), (ingress_kind::MARK, 0x1280, 0));
}

#[test]
fn atomic_has_operands_at_byte_0_and_its_operation() {
    let ops: Vec<u8> = (1..=16).collect();
    let form = |h: TlpHeader, n| run(&SMALL, &tlp(&SMALL, h, &ops[..n])).accesses()[0];
    let plain = header((tlp_fmt::WITH_DATA, tlp_type::FETCH_ADD), 2, 0, 0, 0x38);
    let st = form(plain.with_tc(3).with_attr2(true), 8);
    assert_eq!((st.kind, st.aop, st.addr, st.mask), (2, aop::XOR, 0x30, ones(8, 8)));
    assert_eq!(st.data.0[..9], [1, 2, 3, 4, 5, 6, 7, 8, 0]);
    // Operation 2 as received: the type, not the operation, gives the operands' size.
    assert_eq!(form(plain.with_tc(1), 8).mask, ones(8, 8));
    let cas = header((tlp_fmt::WITH_DATA, tlp_type::CAS), 4, 0, 0, 0x38);
    let st = form(cas, 16);
    assert_eq!((st.aop, st.mask), (aop::CAS, ones(8, 8)));
    assert_eq!(st.data.0[..16], ops[..]);
    let swap = header((tlp_fmt::WITH_DATA, tlp_type::SWAP), 1, 0, 0, 0x34);
    assert_eq!((form(swap, 4).aop, form(swap, 4).mask), (aop::SWAP, 0xf0));
}

#[test]
fn full_dq_stalls_the_parser_and_then_the_link_and_loses_nothing() {
    let bytes: Vec<_> = (0..40).flat_map(|i| sub(&SMALL, 16 * i, 5, i as u8)).collect();
    let beats = tlp(&SMALL, finepack(bytes.len(), 0), &bytes);
    let seen = run_with(&SMALL, &beats, |cycle| cycle >= 100);
    assert!(seen.errors.is_empty());
    assert_eq!(seen.stores.len(), 40);
    // Four in the buffer, and the window accepts while it holds at most Cap - Beat = 32 bytes.
    let before = seen.accepted.iter().filter(|&&c| c < 100).count();
    assert_eq!(before, 4 + 5);
    // A push needs room before the pop: the first pop is at 100, so the next push is at 101.
    assert_eq!(seen.accepted[before], 102);
    assert!(seen.accesses().iter().enumerate().all(|(i, st)| st.addr == 16 * i as u64));
}

#[test]
fn error_is_found_while_the_dq_is_full() {
    let bytes: Vec<_> = (0..4).flat_map(|i| sub(&SMALL, 16 * i, 5, 0)).collect();
    let bytes = [bytes, vec![0; 8]].concat();
    let seen = run_with(&SMALL, &tlp(&SMALL, finepack(40, 0), &bytes), |cycle| cycle > 50);
    assert_eq!(seen.errors, [(6, 6)]);
    assert_eq!(seen.stores.len(), 4);
}

#[test]
fn illegal_parameters_are_refused_by_name() {
    let name = |cfg: Config| Depacketizer::new(&cfg).unwrap_err().name;
    assert_eq!(name(Config { sh: 1, ..PAPER }), "sh");
    assert_eq!(name(Config { offb: 31, ..PAPER }), "offb");
    assert_eq!(name(Config { line: 256, ..PAPER }), "line");
    assert_eq!(name(Config { sh: 2, offb: 6, ..PAPER }), "line");
    assert_eq!(name(Config { beat: 256, ..PAPER }), "beat");
    assert_eq!(name(Config { dq: 1, ..PAPER }), "dq");
    assert_eq!(name(Config { dq: 65, ..PAPER }), "dq");
}

/// Entries of one packet: (line offset, mask, data seed).
type Entries = Vec<(u64, u128, u8)>;

fn drains(cfg: &Config, base: u64, entries: &Entries) -> Vec<Drain> {
    let lines = (1u64 << cfg.offb) / u64::from(cfg.line);
    let in_line = u128::MAX >> (128 - cfg.line);
    let base = base << cfg.offb;
    let mut beats = Vec::new();
    let mut plen = 0;
    for &(line, mask, seed) in entries {
        let mask = if mask & in_line == 0 { in_line } else { mask & in_line };
        if plen + cost(mask, cfg.sh) > 4096 {
            break;
        }
        plen += cost(mask, cfg.sh);
        let mut data = LineData::default();
        for k in (0..128).filter(|k| mask >> k & 1 != 0) {
            data.0[k] = (k as u8).wrapping_mul(3) ^ seed;
        }
        let line = base / u64::from(cfg.line) + line % lines;
        beats.push(Drain { base, line, mask, data, dest: 1, ..Drain::default() });
    }
    let last = beats.len() - 1;
    for (i, beat) in beats.iter_mut().enumerate() {
        beat.plen = plen as u16;
        beat.kind = drain_kind::PACK;
        beat.sop = i == 0;
        beat.eop = i == last;
    }
    beats
}

/// The writes that a packet's entries stand for: one for each run.
fn writes(cfg: &Config, drain: &Drain) -> Vec<Ingress> {
    let mut left = drain.mask;
    let mut writes = Vec::new();
    while left != 0 {
        let start = left.trailing_zeros();
        let mask = ones(start, (left >> start).trailing_ones());
        let mut data = LineData::default();
        for k in (0..128).filter(|k| mask >> k & 1 != 0) {
            data.0[k] = drain.data.0[k];
        }
        let addr = drain.line * u64::from(cfg.line);
        writes.push(Ingress { addr, mask, data, src: 0x20, ..Ingress::default() });
        left &= !mask;
    }
    writes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn packets_come_back_as_the_runs_that_went_in(
        shape in prop::sample::select(vec![
            (16u32, 3u32, 8u32, 4u32), (128, 5, 32, 64), (64, 2, 16, 2), (32, 6, 128, 8),
            (128, 4, 8, 3), (16, 4, 64, 5),
        ]),
        packets in prop::collection::vec(
            (0..1u64 << 20, prop::collection::vec(
                (any::<u64>(), prop_oneof![
                    any::<u128>(), any::<u128>().prop_map(|m| m | m << 1 | m << 2 | m << 3),
                    (0..128u32, 1..=128u32).prop_map(|(at, n)| ones(at, n)), Just(u128::MAX),
                ], any::<u8>()), 1..40)),
            1..6),
        stalls in any::<[u64; 3]>(),
    ) {
        let (line, sh, beat, dq) = shape;
        let cfg = Config { line, sh, offb: offset_bits(sh), beat, dq };
        let beats: Vec<_> = packets.iter().flat_map(|(b, e)| drains(&cfg, *b, e)).collect();
        let expected: Vec<_> = beats.iter().flat_map(|d| writes(&cfg, d)).collect();
        let sender = packetizer::Config { line, sh, offb: cfg.offb, beat, ecrc_en: 1 };
        let mut packetizer = Packetizer::new(&sender).unwrap();
        let mut depacketizer = Depacketizer::new(&cfg).unwrap();
        let (mut at, mut got) = (0, Vec::new());
        for cycle in 0..40_000u32 {
            let go = |i: usize| stalls[i].rotate_right(cycle) & 1 != 0 || cycle > 20_000;
            let (sent, taken) = (packetizer.outputs(), depacketizer.outputs());
            let link = taken.tlp_ready && go(1);
            let drn = beats.get(at).copied().filter(|_| go(0));
            packetizer.tick(&packetizer::In { drn, tlp_ready: link, self_id: 2 });
            depacketizer.tick(&In { tlp: sent.tlp.filter(|_| link), st_ready: go(2) });
            at += usize::from(drn.is_some() && sent.drn_ready);
            got.extend(taken.st.filter(|_| go(2)));
            prop_assert_eq!(taken.err, None);
            if packetizer.is_idle() && depacketizer.is_idle() && at == beats.len() {
                break;
            }
        }
        prop_assert_eq!(got.len(), expected.len());
        prop_assert!(got == expected);
    }

    #[test]
    fn any_beats_at_all_leave_the_block_able_to_go_on(
        beats in prop::collection::vec(
            (any::<[bool; 2]>(), 0..4u8, prop_oneof![Just(8u8), 0..=10u8], any::<[u8; 8]>(),
                1..9u32, prop::sample::select(vec![0u8, 1, 3, 7, 15, 5]), 0..4u8),
            1..60),
    ) {
        // Small values make sub-headers and headers that are often nearly right.
        let beats: Vec<_> = beats.into_iter().map(|([sop, eop], form, nbytes, bytes, dw, be, ep)| {
            let form = [FINEPACK, FINEPACK, WRITE, READ][usize::from(form)];
            let mut bytes = bytes.map(|b| b & 7);
            bytes[1] = 0;
            let hdr = header(form, dw, be, if form == FINEPACK { 0 } else { be }, 0x40)
                .with_ep(ep == 3 && be == 7);
            let hdr = if sop { hdr.into_bits() } else { 0 };
            Tlp { sop, eop, nbytes, hdr, ..beat(&bytes) }
        }).chain([Tlp { sop: true, eop: true, ..Tlp::default() }]).collect();
        run(&SMALL, &beats);
    }
}
