//! When the de-packetizer takes a beat, and shows an access or an error: the timing table and rules
//! 12 to 14 of its README, on the model and on the RTL.

use duet_tests::{Bench, on_both_bodies};
use hwmodel::finepack::depacketizer::Depacketizer;
use ports::finepack::depacketizer::{Config, In, Out};
use ports::finepack::types::{BeatData, SubHeader, Tlp, TlpHeader, tlp_fmt, tlp_type};

use crate::finepack::named;

/// What a run showed, by cycle.
#[derive(Debug, Default)]
struct Seen {
    /// Cycles in which a beat was accepted, and an access taken.
    accepted: Vec<usize>,
    taken: Vec<usize>,
    errors: Vec<(usize, u8)>,
}

/// Offers the beats back to back; the memory takes accesses from cycle `from` on.
fn on(config: &str, beats: &[Tlp], from: usize, check: impl Fn(Seen)) {
    on_both_bodies::<Depacketizer>(config, |body| {
        let mut bench = Bench::new(body);
        let mut seen = Seen::default();
        for _ in 0..from + 4 * beats.len() + 100 {
            let tlp = beats.get(seen.accepted.len()).copied();
            let st_ready = bench.out.len() >= from;
            let cycle = bench.cycle(&In { tlp, st_ready });
            let Out { tlp_ready, st, err } = bench.out[cycle];
            if tlp.is_some() && tlp_ready {
                seen.accepted.push(cycle);
            }
            if st.is_some() && st_ready {
                seen.taken.push(cycle);
            }
            seen.errors.extend(err.map(|code| (cycle, code)));
        }
        assert_eq!(seen.accepted.len(), beats.len());
        check(seen);
    });
}

/// A sub-packet.
fn sub(config: &Config, offset: u64, len: u16) -> Vec<u8> {
    let header = SubHeader::new().with_len(len).with_offset(offset).into_bits();
    let mut bytes = header.to_le_bytes()[..config.sub_header_bytes as usize].to_vec();
    bytes.resize(bytes.len() + usize::from(len), 1);
    bytes
}

fn beat(bytes: &[u8]) -> Tlp {
    let mut data = BeatData::default();
    data.0[..bytes.len()].copy_from_slice(bytes);
    Tlp { nbytes: bytes.len() as u8, data, ..Tlp::default() }
}

/// The beats of a TLP with data.
fn tlp(config: &Config, header: TlpHeader, payload: &[u8]) -> Vec<Tlp> {
    let mut beats: Vec<_> = payload.chunks(config.beat as usize).map(beat).collect();
    let last = beats.len() - 1;
    (beats[0].sop, beats[0].hdr, beats[last].eop) = (true, header.into_bits(), true);
    beats
}

/// The header of a FinePack packet.
fn finepack(bytes: usize) -> TlpHeader {
    TlpHeader::new()
        .with_fmt(tlp_fmt::WITH_DATA)
        .with_tlp_type(tlp_type::FINEPACK)
        .with_length_dw(bytes.div_ceil(4) as u32)
        .with_last_be([0b1111, 0b0001, 0b0011, 0b0111][bytes % 4])
}

fn packet(config: &Config, payload: &[u8]) -> Vec<Tlp> {
    tlp(config, finepack(payload.len()), payload)
}

#[test]
fn one_sub_packet_leaves_per_cycle_and_packets_follow_without_a_bubble() {
    let config = named("small");
    let packet = packet(&config, &[sub(&config, 0, 1), sub(&config, 16, 1)].concat());
    on("small", &[&packet[..], &packet[..]].concat(), 0, |seen| {
        assert_eq!(seen.taken, [2, 3, 4, 5]);
    });
}

#[test]
fn ready_falls_while_two_packets_hold_slots() {
    let config = named("paper");
    // Four sub-packets keep the slot for four cycles.
    let bytes: Vec<_> = (0..4).flat_map(|n| sub(&config, 16 * n, 1)).collect();
    let packet = packet(&config, &bytes);
    on("paper", &[&packet[..]; 4].concat(), 0, |seen| assert_eq!(seen.accepted, [0, 1, 5, 9]));
}

#[test]
fn push_into_a_full_output_buffer_waits_for_the_cycle_after_a_pop() {
    let config = named("small");
    let bytes: Vec<_> = (0..40).flat_map(|n| sub(&config, 16 * n, 5)).collect();
    on("small", &packet(&config, &bytes), 100, |seen| {
        // Four in the output buffer, and five in the window of 40 bytes.
        let before = seen.accepted.iter().filter(|&&cycle| cycle < 100).count();
        assert_eq!(before, 4 + 5);
        // The first pop is in cycle 100, the push after it in 101.
        assert_eq!((seen.accepted[before], seen.taken.len()), (102, 40));
    });
}

#[test]
fn plain_write_of_4096_bytes_leaves_a_line_per_cycle() {
    let config: Config = named("paper");
    let header = TlpHeader::new()
        .with_fmt(tlp_fmt::WITH_DATA)
        .with_tlp_type(tlp_type::MEM)
        .with_length_dw(1024)
        .with_first_be(0b1111)
        .with_last_be(0b1111)
        .with_address(4);
    on("paper", &tlp(&config, header, &[1; 4096]), 0, |seen| {
        assert_eq!((seen.taken.len(), seen.errors), (4096 / 128 + 1, vec![]));
    });
}

#[test]
fn beat_without_a_packet_has_its_error_one_cycle_later() {
    let config = named("small");
    let stray = beat(&[1, 2, 3]);
    // A stray eop ends nothing.
    let last = Tlp { eop: true, ..stray };
    let good = packet(&config, &sub(&config, 0, 4));
    on("small", &[&[stray, last, stray], &good[..]].concat(), 0, |seen| {
        assert_eq!(seen.errors, [(1, 7), (2, 7), (3, 7)]);
        assert_eq!(seen.taken, [3 + 2]);
    });
}

#[test]
fn lower_code_wins_when_a_stray_beat_and_a_parse_error_coincide() {
    let config = named("small");
    let stray = beat(&[1]);
    for (poison, code) in [(false, 6), (true, 7)] {
        let zero = tlp(&config, finepack(8).with_ep(poison), &[0; 8]);
        on("small", &[&zero[..], &[stray]].concat(), 0, |seen| {
            assert_eq!(seen.errors, [(2, code)]);
        });
    }
}

#[test]
fn error_is_found_while_the_output_buffer_is_full() {
    let config = named("small");
    let mut bytes: Vec<_> = (0..4).flat_map(|n| sub(&config, 16 * n, 5)).collect();
    bytes.extend([0; 8]);
    on("small", &packet(&config, &bytes), 50, |seen| {
        assert_eq!((seen.errors, seen.taken.len()), (vec![(6, 6)], 4));
    });
}
