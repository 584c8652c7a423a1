//! The bytes of the FinePack specification's worked examples 1, 8 and 9, on the model and on the
//! RTL.

use duet_tests::{Bench, Body, counting, on_both_bodies, ones};
use hwmodel::finepack::packetizer::Packetizer;
use ports::finepack::packetizer::{In, Out};
use ports::finepack::types::{Drain, drain_kind};

const BASE: u64 = 0x4000_0000;

/// Example 1 as the remote write queue of GPU 0 drains it: runs (0, 24) and (120, 8).
fn example_1() -> Drain {
    let mask = ones(0, 24) | ones(120, 8);
    Drain {
        sop: true,
        eop: true,
        kind: drain_kind::PACK,
        dest: 1,
        base: BASE,
        plen: 42,
        line: BASE / 128,
        mask,
        data: counting(mask, 1),
        ..Drain::default()
    }
}

/// The outputs of ten cycles. The beat is offered, and accepted, in the first.
fn run(body: Body<Packetizer>, entry: Drain) -> Vec<Out> {
    let mut bench = Bench::new(body);
    let idle = In { tlp_ready: true, ..In::default() };
    bench.cycle(&In { drain: Some(entry), ..idle });
    assert!(bench.out[0].drain_ready);
    bench.at(9, &idle);
    bench.out
}

#[test]
fn examples_1_and_9_two_runs_are_these_42_bytes() {
    on_both_bodies::<Packetizer>("paper", |body| {
        let out = run(body, example_1());
        let beats: Vec<_> = out.iter().filter_map(|o| o.tlp).collect();
        let shape: Vec<_> = beats.iter().map(|t| (t.sop, t.eop, t.dest, t.nbytes)).collect();
        assert_eq!(shape, [(true, false, 1, 32), (false, true, 1, 10)]);
        let mut payload = vec![0x18, 0, 0, 0, 0];
        payload.extend(1..=24);
        payload.extend([0x08, 0xe0, 0x01, 0, 0]);
        payload.extend(121..=128);
        assert_eq!(payload.len(), 42);
        let mut shown = beats[0].data.0[..32].to_vec();
        shown.extend(&beats[1].data.0[..10]);
        assert_eq!(shown, payload);
        // Nothing stands above the last byte, and no header beside a later beat.
        assert_eq!(beats[1].data.0[10..], [0; 118]);
        assert_eq!(beats[1].hdr, 0);
    });
}

#[test]
fn example_8_header_is_these_16_bytes() {
    on_both_bodies::<Packetizer>("paper", |body| {
        let header = run(body, example_1()).iter().find_map(|o| o.tlp).expect("a beat").hdr;
        let expected =
            [0x6f, 0x00, 0x80, 0x0b, 0, 0, 0, 0x30, 0x00, 0x00, 0x00, 0x00, 0x40, 0x00, 0x00, 0x00];
        assert_eq!(header.to_le_bytes(), expected);
    });
}

#[test]
fn first_beat_is_valid_two_cycles_after_an_entry_of_one_run_is_accepted() {
    on_both_bodies::<Packetizer>("paper", |body| {
        let mask = ones(0, 24);
        let entry = Drain { plen: 29, mask, data: counting(mask, 1), ..example_1() };
        let valid: Vec<_> = run(body, entry).iter().map(|o| o.tlp.is_some()).collect();
        assert_eq!(valid[..4], [false, false, true, false]);
    });
}

/// 30 full lines, and 101 bytes: Length is 1024, which is coded as 0.
#[test]
fn packet_of_4096_bytes_has_them_all_and_length_0() {
    on_both_bodies::<Packetizer>("paper", |body| {
        let mut bench = Bench::new(body);
        let idle = In { tlp_ready: true, ..In::default() };
        for entry in 0..31 {
            let mask = ones(0, if entry < 30 { 128 } else { 101 });
            let drain = Drain {
                sop: entry == 0,
                eop: entry == 30,
                plen: 4096,
                line: BASE / 128 + entry,
                mask,
                data: counting(mask, entry as u8),
                ..example_1()
            };
            loop {
                let cycle = bench.cycle(&In { drain: Some(drain), ..idle });
                if bench.out[cycle].drain_ready {
                    break;
                }
            }
        }
        bench.at(bench.out.len() + 10, &idle);
        let beats: Vec<_> = bench.out.iter().filter_map(|o| o.tlp).collect();
        assert_eq!(beats.len(), 128);
        assert!(beats.iter().all(|beat| beat.nbytes == 32));
        let header = beats[0].hdr.to_le_bytes();
        assert_eq!(header[2..4], [0x80, 0]);
        assert_eq!(header[7], 0xf0);
        assert!(beats[127].eop && beats[..127].iter().all(|beat| !beat.eop));
        let last: Vec<_> = (0..101).map(|k| 30 + k).collect();
        let bytes: Vec<_> = beats.iter().flat_map(|beat| beat.data.0[..32].to_vec()).collect();
        assert_eq!(bytes[4096 - 101..], last);
    });
}
