//! Random packets through packetizer and de-packetizer, and random nonsense.

use ports::finepack::types::offset_bits;
use proptest::prelude::*;

use super::*;

/// Entries of one packet: (line offset, mask, data seed).
type Entries = Vec<(u64, u128, u8)>;

fn drains(cfg: &Config, base: u64, entries: &Entries) -> Vec<Drain> {
    let lines = (1u64 << cfg.offset_width) / u64::from(cfg.line);
    let in_line = u128::MAX >> (128 - cfg.line);
    let base = base << cfg.offset_width;
    let mut beats = Vec::new();
    let mut plen = 0;
    for &(line, mask, seed) in entries {
        let mask = if mask & in_line == 0 { in_line } else { mask & in_line };
        if plen + cost(mask, cfg.sub_header_bytes) > 4096 {
            break;
        }
        plen += cost(mask, cfg.sub_header_bytes);
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
        let (line, sub_header_bytes, beat, output_depth) = shape;
        let offset_width = offset_bits(sub_header_bytes);
        let cfg = Config { line, sub_header_bytes, offset_width, beat, output_depth };
        let beats: Vec<_> = packets.iter().flat_map(|(b, e)| drains(&cfg, *b, e)).collect();
        let expected: Vec<_> = beats.iter().flat_map(|d| writes(&cfg, d)).collect();
        let sender = packetizer::Config { line, sub_header_bytes, offset_width, beat, ecrc: 1 };
        let mut packetizer = Packetizer::new(&sender).unwrap();
        let mut depacketizer = Depacketizer::new(&cfg).unwrap();
        let (mut at, mut got) = (0, Vec::new());
        for cycle in 0..40_000u32 {
            let go = |i: usize| stalls[i].rotate_right(cycle) & 1 != 0 || cycle > 20_000;
            let (sent, taken) = (packetizer.outputs(), depacketizer.outputs());
            let link = taken.tlp_ready && go(1);
            let drain = beats.get(at).copied().filter(|_| go(0));
            packetizer.tick(&packetizer::In { drain, tlp_ready: link, self_id: 2 });
            depacketizer.tick(&In { tlp: sent.tlp.filter(|_| link), st_ready: go(2) });
            at += usize::from(drain.is_some() && sent.drain_ready);
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
