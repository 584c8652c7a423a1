//! What no port shows. The rules are tested in `tests/blocks/finepack/depacketizer`, on the RTL
//! too.

use ports::finepack::types::{BeatData, Tlp, TlpHeader, tlp_fmt, tlp_type};
use proptest::prelude::*;

use super::*;

const SMALL: Config =
    Config { line: 16, sub_header_bytes: 3, offset_width: 14, beat: 8, output_depth: 4 };

/// Offers the beats back to back: all are accepted, and all slots are freed.
fn run(beats: &[Tlp]) {
    let mut block = Depacketizer::new(&SMALL).unwrap();
    let mut at = 0;
    for _ in 0..8 * beats.len() + 500 {
        let inputs = In { tlp: beats.get(at).copied(), st_ready: true };
        let shown = block.outputs();
        let out = block.tick(&inputs);
        assert_eq!(shown, out);
        at += usize::from(inputs.tlp.is_some() && out.tlp_ready);
    }
    assert_eq!(at, beats.len());
    assert!(block.is_idle(), "{block:?}");
}

/// The other parameters are tested with the remote write queue and the packetizer.
#[test]
fn illegal_parameters_are_refused_by_name() {
    for output_depth in [1, 65] {
        let error = Depacketizer::new(&Config { output_depth, ..SMALL }).unwrap_err();
        assert_eq!(error.name, "output_depth");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_beats_at_all_leave_the_block_able_to_go_on(
        beats in prop::collection::vec(
            (any::<[bool; 2]>(), 0..4u8, prop_oneof![Just(8u8), 0..=10u8], any::<[u8; 8]>(),
                1..9u32, prop::sample::select(vec![0u8, 1, 3, 7, 15, 5]), 0..4u8),
            1..60),
    ) {
        // Small values make sub-headers and headers that are often nearly right.
        let beats: Vec<_> = beats.into_iter().map(|([sop, eop], form, nbytes, bytes, dw, be, ep)| {
            let (fmt, kind) = [
                (tlp_fmt::WITH_DATA, tlp_type::FINEPACK),
                (tlp_fmt::WITH_DATA, tlp_type::FINEPACK),
                (tlp_fmt::WITH_DATA, tlp_type::MEM),
                (tlp_fmt::NO_DATA, tlp_type::MEM),
            ][usize::from(form)];
            let mut bytes = bytes.map(|b| b & 7);
            bytes[1] = 0;
            let hdr = TlpHeader::new()
                .with_fmt(fmt)
                .with_tlp_type(kind)
                .with_length_dw(dw)
                .with_last_be(be)
                .with_first_be(if kind == tlp_type::FINEPACK { 0 } else { be })
                .with_address(0x40)
                .with_ep(ep == 3 && be == 7);
            let hdr = if sop { hdr.into_bits() } else { 0 };
            let mut data = BeatData::default();
            data.0[..8].copy_from_slice(&bytes);
            Tlp { sop, eop, nbytes, hdr, data, ..Tlp::default() }
        }).chain([Tlp { sop: true, eop: true, ..Tlp::default() }]).collect();
        run(&beats);
    }
}
