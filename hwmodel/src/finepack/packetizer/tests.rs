use ports::finepack::types::{Drain, LineData, TlpHeader, aop, drain_kind, tlp_fmt, tlp_type};

use super::*;

const PAPER: Config =
    Config { line: 128, sub_header_bytes: 5, offset_width: 30, beat: 32, ecrc: 1 };
const SMALL: Config = Config { line: 16, sub_header_bytes: 3, offset_width: 14, beat: 8, ecrc: 1 };

fn ones(start: u32, len: u32) -> u128 {
    (u128::MAX >> (128 - len)) << start
}

/// Byte k of the line is k + 1 where it is enabled.
fn numbered(mask: u128) -> LineData {
    let mut data = LineData::default();
    for k in (0..128).filter(|k| mask >> k & 1 != 0) {
        data.0[k] = k as u8 + 1;
    }
    data
}

fn entry(base: u64, plen: u16, line: u64, mask: u128) -> Drain {
    Drain {
        sop: true,
        eop: true,
        kind: drain_kind::PACK,
        dest: 1,
        base,
        plen,
        line,
        mask,
        data: numbered(mask),
        ..Drain::default()
    }
}

/// Offers the beats back to back; the link takes everything. What is on the outputs in each cycle.
fn run(cfg: &Config, beats: &[Drain], cycles: usize) -> Vec<Out> {
    let mut block = Packetizer::new(cfg).unwrap();
    let mut left = beats.iter();
    let mut next = left.next();
    (0..cycles)
        .map(|_| {
            let out = block.tick(&In { drain: next.copied(), tlp_ready: true, self_id: 0 });
            if out.drain_ready {
                next = left.next();
            }
            out
        })
        .collect()
}

fn tlps(outs: &[Out]) -> Vec<Tlp> {
    outs.iter().filter_map(|out| out.tlp).collect()
}

fn payload(tlps: &[Tlp]) -> Vec<u8> {
    tlps.iter().flat_map(|t| t.data.0[..usize::from(t.nbytes)].to_vec()).collect()
}

fn header_of(drain: Drain, cfg: &Config, self_id: u8) -> TlpHeader {
    let mut block = Packetizer::new(cfg).unwrap();
    for _ in 0..3 {
        block.tick(&In { drain: Some(drain), tlp_ready: false, self_id });
    }
    TlpHeader::from_bits(block.outputs().tlp.expect("a beat after its runs").hdr)
}

fn example_1() -> Drain {
    entry(0x4000_0000, 42, 0x4000_0000 / 128, ones(0, 24) | ones(120, 8))
}

#[test]
fn length_of_4096_bytes_is_coded_as_0_and_requester_is_big_endian() {
    let header = header_of(Drain { id: 0x5a, ..entry(0, 4096, 0, ones(0, 128)) }, &PAPER, 3);
    let bytes = header.into_bits().to_le_bytes();
    assert_eq!(bytes[2..4], [0x80, 0]);
    assert_eq!(bytes[4..8], [0x00, 0x30, 0x5a, 0xf0]);
}

#[test]
fn last_be_tells_the_exact_length() {
    let last_be = |plen| header_of(entry(0, plen, 0, 1), &PAPER, 0).last_be();
    assert_eq!([8, 9, 10, 11].map(last_be), [0b1111, 0b0001, 0b0011, 0b0111]);
}

#[test]
fn without_ecrc_td_is_0() {
    let cfg = Config { ecrc: 0, ..PAPER };
    assert!(!header_of(example_1(), &cfg, 0).td());
    assert!(header_of(example_1(), &PAPER, 0).td());
}

#[test]
fn cycle_after_an_eop_beat_has_no_beat() {
    let outs = run(&SMALL, &[entry(0, 7, 0, ones(4, 4)); 4], 14);
    let valid: Vec<_> = (0..14).filter(|&c| outs[c].tlp.is_some()).collect();
    assert_eq!(valid, [2, 4, 6, 8]);
    assert!(outs.iter().all(|out| out.tlp.is_none_or(|t| t.sop && t.eop)));
}

#[test]
fn entry_is_ready_in_the_cycle_of_its_last_run() {
    // Four runs of one byte: appended in cycles 1 to 4.
    let outs = run(&SMALL, &[entry(0, 16, 0, 0b0101_0101)], 6);
    let ready: Vec<_> = outs.iter().map(|out| out.drain_ready).collect();
    assert_eq!(ready, [true, false, false, false, true, true]);
}

#[test]
fn full_beat_without_last_has_no_eop_and_more_bytes_follow() {
    // Two runs of 3 + 5 bytes: the first fills a beat exactly.
    let outs = run(&SMALL, &[entry(0, 16, 0, ones(0, 5) | ones(8, 5))], 6);
    let seen: Vec<_> = outs.iter().map(|out| out.tlp.map(|t| (t.nbytes, t.eop))).collect();
    assert_eq!(seen, [None, None, Some((8, false)), Some((8, true)), None, None]);
}

#[test]
fn beat_stays_as_it_is_until_it_is_taken() {
    let mut block = Packetizer::new(&SMALL).unwrap();
    let drain = entry(0, 36, 0, 0x5555);
    let mut first = None;
    for cycle in 0..30 {
        let drain = (cycle == 0).then_some(drain);
        let out = block.tick(&In { drain, tlp_ready: false, self_id: 0 });
        if let Some(tlp) = out.tlp {
            assert_eq!(*first.get_or_insert(tlp), tlp);
        }
    }
    // Runs of 4 bytes stop at twice the beat.
    assert_eq!(block.acc.len(), 16);
}

#[test]
fn two_packets_never_share_the_accumulator() {
    let outs = run(&SMALL, &[entry(0, 4, 0, 1), entry(0, 4, 1, 1)], 8);
    let sent = tlps(&outs);
    assert_eq!(sent.iter().map(|t| t.nbytes).collect::<Vec<_>>(), [4, 4]);
    assert_eq!(sent[1].data.0[..4], [1, 0x40, 0, 1], "offset 16 in the second packet");
}

#[test]
fn read_covers_the_dws_from_the_first_to_the_last_enabled_byte() {
    let read = Drain {
        sop: true,
        eop: true,
        kind: drain_kind::READ,
        id: 9,
        line: 0x1234,
        mask: ones(6, 1) | ones(11, 4),
        ..Drain::default()
    };
    let outs = run(&SMALL, &[read], 5);
    let tlp = outs[2].tlp.expect("valid two cycles later, like a run");
    assert_eq!((tlp.sop, tlp.eop, tlp.nbytes), (true, true, 0));
    let h = TlpHeader::from_bits(tlp.hdr);
    assert_eq!((h.fmt(), h.tlp_type()), (tlp_fmt::NO_DATA, tlp_type::MEM));
    assert_eq!((h.length_dw(), h.first_be(), h.last_be()), (3, 0b0100, 0b0111));
    assert_eq!((h.address(), h.tag(), h.td()), (0x1_2344, 9, true));
    assert!(outs[3].tlp.is_none());
}

#[test]
fn read_of_one_dw_has_last_be_0() {
    let read =
        Drain { sop: true, eop: true, kind: drain_kind::READ, mask: 0b110 << 12, ..example_1() };
    let h = header_of(read, &PAPER, 0);
    assert_eq!((h.length_dw(), h.first_be(), h.last_be()), (1, 0b0110, 0));
    assert_eq!(h.address(), 0x4000_000c);
}

#[test]
fn mark_is_a_read_of_no_bytes_at_address_0() {
    let mark =
        Drain { sop: true, eop: true, kind: drain_kind::MARK, id: 4, dest: 2, ..Drain::default() };
    let outs = run(&PAPER, &[mark], 5);
    let tlp = outs[2].tlp.unwrap();
    assert_eq!((tlp.nbytes, tlp.dest), (0, 2));
    let expected: [u8; 16] = [0x20, 0, 0x80, 1, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    assert_eq!(tlp.hdr.to_le_bytes(), expected);
}

fn atomic(aop: u8, mask: u128) -> Drain {
    Drain {
        sop: true,
        eop: true,
        kind: drain_kind::ATOMIC,
        aop,
        line: 3,
        mask,
        data: numbered(ones(0, 16)),
        ..Drain::default()
    }
}

#[test]
fn atomic_carries_its_operation_in_type_or_in_tc_and_attr() {
    let form = |aop| {
        let h = header_of(atomic(aop, ones(8, 4)), &SMALL, 0);
        (h.tlp_type(), h.tc(), h.attr2())
    };
    assert_eq!(form(aop::ADD), (tlp_type::FETCH_ADD, 0, false));
    assert_eq!(form(aop::SWAP), (tlp_type::SWAP, 0, false));
    assert_eq!(form(aop::CAS), (tlp_type::CAS, 0, false));
    assert_eq!(form(aop::MIN), (tlp_type::FETCH_ADD, 1, true));
    assert_eq!(form(aop::MAX), (tlp_type::FETCH_ADD, 2, false));
    assert_eq!(form(aop::XOR), (tlp_type::FETCH_ADD, 3, true));
}

#[test]
fn cas_of_8_bytes_sends_both_operands() {
    let outs = run(&SMALL, &[atomic(aop::CAS, ones(8, 8))], 6);
    let sent = tlps(&outs);
    let h = TlpHeader::from_bits(sent[0].hdr);
    assert_eq!((h.fmt(), h.length_dw(), h.address()), (tlp_fmt::WITH_DATA, 4, 0x38));
    assert_eq!((h.first_be(), h.last_be()), (0, 0));
    assert_eq!(payload(&sent), (1..=16).collect::<Vec<u8>>());
    assert_eq!(sent.iter().map(|t| t.eop).collect::<Vec<_>>(), [false, true]);
}

#[test]
fn swap_of_4_bytes_sends_one_dw() {
    let sent = tlps(&run(&SMALL, &[atomic(aop::SWAP, ones(4, 4))], 6));
    assert_eq!(payload(&sent), [1, 2, 3, 4]);
    assert_eq!(TlpHeader::from_bits(sent[0].hdr).length_dw(), 1);
}

#[test]
fn long_packets_pass_the_end_of_the_buffer_unharmed() {
    // 30 full lines of 133 bytes each and no end: more than the buffer without a pause.
    let lines = 40;
    let drains: Vec<_> = (0..lines)
        .map(|i| Drain { sop: i == 0, eop: i == lines - 1, ..entry(0, 4096, i, ones(0, 128)) })
        .collect();
    let sent = payload(&tlps(&run(&PAPER, &drains, 400)));
    assert_eq!(sent.len(), 133 * lines as usize);
    for (i, sub) in sent.chunks(133).enumerate() {
        let header = (i as u64 * 128) << 10 | 128;
        assert_eq!(sub[..5], header.to_le_bytes()[..5]);
        assert_eq!(sub[5..], numbered(u128::MAX).0);
    }
}

#[test]
fn idle_means_that_a_tick_without_inputs_changes_nothing() {
    let mut block = Packetizer::new(&SMALL).unwrap();
    assert!(block.is_idle());
    block.tick(&In { drain: Some(entry(0, 10, 0, 0b11)), tlp_ready: true, self_id: 0 });
    assert!(!block.is_idle());
    let state = |block: &Packetizer| {
        let mut line = String::new();
        block.write_state(&mut line).unwrap();
        line
    };
    for _ in 0..4 {
        let (idle, before) = (block.is_idle(), state(&block));
        block.tick(&In { tlp_ready: true, ..In::default() });
        assert!(!idle || state(&block) == before);
    }
    assert!(block.is_idle());
}

#[test]
fn illegal_parameters_are_refused_by_name() {
    let name = |cfg: Config| Packetizer::new(&cfg).unwrap_err().name;
    assert_eq!(name(Config { sub_header_bytes: 7, ..PAPER }), "sub_header_bytes");
    assert_eq!(name(Config { offset_width: 29, ..PAPER }), "offset_width");
    assert_eq!(name(Config { line: 24, ..PAPER }), "line");
    assert_eq!(name(Config { sub_header_bytes: 2, offset_width: 6, ..PAPER }), "line");
    assert_eq!(name(Config { beat: 4, ..PAPER }), "beat");
    assert_eq!(name(Config { ecrc: 2, ..PAPER }), "ecrc");
    assert!(
        Packetizer::new(&Config { line: 64, sub_header_bytes: 2, offset_width: 6, ..PAPER })
            .is_ok()
    );
}
