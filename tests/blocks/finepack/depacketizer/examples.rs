//! The TLP of the FinePack specification's worked example 1 and the ways to break it (section 12),
//! on the model and on the RTL of the receiver.

use duet_tests::{Bench, Body, counting, on_both_bodies, ones};
use hwmodel::finepack::depacketizer::Depacketizer;
use ports::finepack::depacketizer::{In, Out};
use ports::finepack::types::{
    BeatData, Ingress, LineData, Tlp, TlpHeader, error_code, ingress_kind, tlp_fmt, tlp_type,
};

const BASE: u64 = 0x4000_0000;
/// `Beat` of configuration `paper`.
const BEAT: usize = 32;
/// Worked example 8.
const HEADER: [u8; 16] =
    [0x6f, 0x00, 0x80, 0x0b, 0, 0, 0, 0x30, 0x00, 0x00, 0x00, 0x00, 0x40, 0x00, 0x00, 0x00];

/// Sub-headers of worked example 9, with bytes that count from 1 at the line's start.
fn payload() -> Vec<u8> {
    let mut bytes = vec![0x18, 0, 0, 0, 0];
    bytes.extend(1..=24);
    bytes.extend([0x08, 0xe0, 0x01, 0, 0]);
    bytes.extend(121..=128);
    bytes
}

fn header() -> TlpHeader {
    TlpHeader::from_bits(u128::from_le_bytes(HEADER))
}

fn beats(header: TlpHeader, payload: &[u8]) -> Vec<Tlp> {
    let count = payload.len().div_ceil(BEAT);
    let beat = |(i, bytes): (usize, &[u8])| {
        let mut data = BeatData::default();
        data.0[..bytes.len()].copy_from_slice(bytes);
        let hdr = if i == 0 { header.into_bits() } else { 0 };
        Tlp { sop: i == 0, eop: i + 1 == count, dest: 1, hdr, nbytes: bytes.len() as u8, data }
    };
    payload.chunks(BEAT).enumerate().map(beat).collect()
}

/// Offers these beats one after the other, from cycle 0 on; the memory takes everything.
fn run(body: Body<Depacketizer>, beats: &[Tlp]) -> Vec<Out> {
    let mut bench = Bench::new(body);
    let idle = In { st_ready: true, ..In::default() };
    let mut left = beats.iter();
    let mut next = left.next();
    while let Some(beat) = next {
        let cycle = bench.cycle(&In { tlp: Some(*beat), ..idle });
        assert!(cycle < 500, "the beats are never all accepted");
        if bench.out[cycle].tlp_ready {
            next = left.next();
        }
    }
    bench.at(bench.out.len() + 10, &idle);
    bench.out
}

fn store(mask: u128) -> Ingress {
    let data: LineData = counting(mask, 1);
    Ingress { kind: ingress_kind::WRITE, addr: BASE, mask, data, ..Ingress::default() }
}

fn stores(out: &[Out]) -> Vec<(usize, Ingress)> {
    out.iter().enumerate().filter_map(|(cycle, o)| Some((cycle, o.st?))).collect()
}

fn errors(out: &[Out]) -> Vec<u8> {
    out.iter().filter_map(|o| o.err).collect()
}

#[test]
fn example_1_comes_out_as_its_two_runs() {
    on_both_bodies::<Depacketizer>("paper", |body| {
        let out = run(body, &beats(header(), &payload()));
        // The first run lies in the beat of cycle 0, the second ends in that of cycle 1.
        assert_eq!(stores(&out), [(2, store(ones(0, 24))), (3, store(ones(120, 8)))]);
        assert_eq!(errors(&out), []);
    });
}

#[test]
fn access_is_valid_two_cycles_after_its_beat_is_accepted() {
    on_both_bodies::<Depacketizer>("paper", |body| {
        let only = &payload()[..29];
        let header = header().with_length_dw(8).with_last_be(0b0001);
        let valid: Vec<_> =
            run(body, &beats(header, only)).iter().map(|o| o.st.is_some()).collect();
        assert_eq!(valid[..4], [false, false, true, false]);
    });
}

/// Sends a broken form of example 1; checks the one error code and the stores before the fault.
fn breaks(code: u8, whole: usize, change: impl Fn(&mut TlpHeader, &mut Vec<u8>)) {
    on_both_bodies::<Depacketizer>("paper", |body| {
        let (mut header, mut payload) = (header(), payload());
        change(&mut header, &mut payload);
        let mut sent = beats(header, &payload);
        // A good packet behind the broken one comes out as ever.
        sent.extend(beats(self::header(), &self::payload()));
        let out = run(body, &sent);
        assert_eq!(errors(&out), [code]);
        let runs = [store(ones(0, 24)), store(ones(120, 8))];
        let seen: Vec<_> = stores(&out).into_iter().map(|(_, st)| st).collect();
        assert_eq!(seen, [&runs[..whole], &runs[..]].concat());
    });
}

#[test]
fn truncated_packet_gives_its_whole_sub_packets_and_code_7() {
    breaks(error_code::TRUNCATED, 1, |_, payload| payload.truncate(36));
    // Cut inside a sub-header.
    breaks(error_code::TRUNCATED, 1, |_, payload| payload.truncate(32));
}

#[test]
fn sub_header_longer_than_the_packet_is_code_7() {
    breaks(error_code::TRUNCATED, 0, |_, payload| payload[0] = 0x40);
}

#[test]
fn sub_header_of_length_0_or_across_a_line_is_code_6() {
    breaks(error_code::BAD_SUBHEADER, 0, |_, payload| payload[0] = 0);
    breaks(error_code::BAD_SUBHEADER, 1, |_, payload| payload[29] = 9);
}

#[test]
fn unknown_type_and_poison_drop_the_whole_packet() {
    breaks(error_code::BAD_TYPE, 0, |header, _| *header = header.with_tlp_type(0b11111));
    breaks(error_code::POISONED, 0, |header, _| *header = header.with_ep(true));
}

#[test]
fn address_above_64_bits_is_code_4() {
    breaks(error_code::ADDR_OVERFLOW, 0, |header, payload| {
        *header = header.with_address(u64::MAX);
        // Offset 8: 8 << 10 | 24.
        payload[1] = 0x20;
    });
}

/// Bits that a sender leaves 0 and a receiver does not look at (specification 3.5).
#[test]
fn reserved_header_bits_change_nothing() {
    let none = header();
    for (bits, header) in [
        ("traffic class", none.with_tc(7)),
        ("T9", none.with_t9(true)),
        ("T8", none.with_t8(true)),
        ("attribute 2", none.with_attr2(true)),
        ("attributes 1 and 0", none.with_attr(3)),
        ("LN and TH", none.with_th_ln(3)),
        ("address type", none.with_at(3)),
        ("TD", none.with_td(false)),
        ("address bits 1 and 0", TlpHeader::from_bits(none.into_bits() | 3 << 120)),
    ] {
        println!("{bits}");
        on_both_bodies::<Depacketizer>("paper", |body| {
            let out = run(body, &beats(header, &payload()));
            assert_eq!(stores(&out), [(2, store(ones(0, 24))), (3, store(ones(120, 8)))]);
            assert_eq!(errors(&out), []);
        });
    }
}

/// 30 full lines, and 101 bytes: Length is 1024, which is coded as 0.
#[test]
fn packet_of_4096_bytes_comes_out_with_its_last_store() {
    on_both_bodies::<Depacketizer>("paper", |body| {
        let mut payload = Vec::new();
        for line in 0..31u64 {
            let len: u64 = if line < 30 { 128 } else { 101 };
            payload.extend(&((line * 128) << 10 | len).to_le_bytes()[..5]);
            payload.extend(1..=len as u8);
        }
        assert_eq!(payload.len(), 4096);
        let header = header().with_length_dw(1024).with_last_be(0b1111);
        let out = run(body, &beats(header, &payload));
        let masks: Vec<_> = stores(&out).iter().map(|(_, st)| (st.addr, st.mask)).collect();
        let full = (0..30).map(|line| (BASE + line * 128, ones(0, 128)));
        assert_eq!(masks, full.chain([(BASE + 30 * 128, ones(0, 101))]).collect::<Vec<_>>());
        assert_eq!(stores(&out)[30].1.data, counting(ones(0, 101), 1));
        assert_eq!(errors(&out), []);
    });
}

/// Rules 7 and 8: an address is a sum of 64 bits, whatever of it a sender uses. Two sub-packets,
/// the second 128 bytes behind the base; then a plain write of 16 bytes, 8 of them behind the
/// line's end.
#[test]
fn addresses_carry_over_4_gb_and_beyond() {
    for carry in [32, 33, 40, 48, 63] {
        // The last line below.
        let base = (1 << carry) - 128;
        on_both_bodies::<Depacketizer>("paper", |body| {
            let mut packed = payload();
            packed[29..34].copy_from_slice(&[8, 0x00, 0x02, 0, 0]);
            let plain: Vec<u8> = (121..=136).collect();
            let packet = header().with_address(base);
            let write = TlpHeader::new()
                .with_fmt(tlp_fmt::WITH_DATA)
                .with_tlp_type(tlp_type::MEM)
                .with_address(base + 120)
                .with_length_dw(4)
                .with_first_be(0b1111)
                .with_last_be(0b1111);
            let out = run(body, &[beats(packet, &packed), beats(write, &plain)].concat());
            let seen: Vec<_> = stores(&out).iter().map(|(_, st)| (st.addr, st.mask)).collect();
            let expected = [
                (base, ones(0, 24)),
                (1 << carry, ones(0, 8)),
                (base, ones(120, 8)),
                (1 << carry, ones(0, 8)),
            ];
            assert_eq!(seen, expected, "2^{carry}");
            assert_eq!(errors(&out), []);
        });
    }
}

/// Rule 8: the parts of a plain write go on at 0 behind the last address.
#[test]
fn plain_write_wraps_at_the_last_address() {
    on_both_bodies::<Depacketizer>("paper", |body| {
        let header = TlpHeader::new()
            .with_fmt(tlp_fmt::WITH_DATA)
            .with_tlp_type(tlp_type::MEM)
            .with_address(u64::MAX - 7)
            .with_length_dw(4)
            .with_first_be(0b1111)
            .with_last_be(0b1111);
        let out = run(body, &beats(header, &[1; 16]));
        let seen: Vec<_> = stores(&out).iter().map(|(_, st)| (st.addr, st.mask)).collect();
        assert_eq!(seen, [(u64::MAX - 127, ones(120, 8)), (0, ones(0, 8))]);
        assert_eq!(errors(&out), []);
    });
}
