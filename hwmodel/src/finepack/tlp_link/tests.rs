//! Timing of link and switch against specification 5.7.

use ports::finepack::types::{FinePack, Tlp, TlpHeader, tlp_fmt, tlp_type};

use super::*;
use crate::common::random::Random;

fn params(pcie_generation: u32) -> FinePack {
    FinePack {
        num_gpus: 3,
        entries: 4,
        line: 16,
        banks: 2,
        sub_header_bytes: 3,
        offset_width: 14,
        max_payload: 128,
        beat: 32,
        order_queue_depth: 2,
        output_depth: 4,
        ecrc: 1,
        pcie_generation,
    }
}

fn config(pcie_generation: u32) -> Config {
    Config::new(&params(pcie_generation), LINK_LAT_SMALL).unwrap()
}

/// Beats of a plain write of `bytes` bytes.
fn write(dest: u8, tag: u8, bytes: u32) -> Vec<Tlp> {
    let hdr = TlpHeader::new()
        .with_fmt(tlp_fmt::WITH_DATA)
        .with_tlp_type(tlp_type::MEM)
        .with_length_dw(bytes / 4)
        .with_first_be(0xF)
        .with_last_be(if bytes > 4 { 0xF } else { 0 })
        .with_tag(tag);
    let beats = bytes.div_ceil(32);
    let beat = |k: u32| Tlp {
        sop: k == 0,
        eop: k + 1 == beats,
        dest,
        hdr: if k == 0 { hdr.into_bits() } else { 0 },
        nbytes: (bytes - 32 * k).min(32) as u8,
        ..Tlp::default()
    };
    (0..beats).map(beat).collect()
}

/// Offers `beats` as fast as they are taken; returns cycle and beat of what leaves.
fn run(link: &mut TlpLink, beats: &[Tlp], cycles: u64) -> Vec<(u64, Tlp)> {
    let mut beats = beats.iter().copied().peekable();
    let mut seen = Vec::new();
    for cycle in 0..cycles {
        let i = In { tlp: beats.peek().copied(), tlp_ready: true, crc_error: false };
        let out = link.tick(&i);
        if out.tlp_ready {
            beats.next();
        }
        seen.extend(out.tlp.map(|t| (cycle, t)));
    }
    assert!(beats.peek().is_none());
    seen
}

/// The sources that have a beat, a bit for each.
fn with_beat(tlp: &[Option<Tlp>]) -> u32 {
    tlp.iter().enumerate().map(|(source, tlp)| u32::from(tlp.is_some()) << source).sum()
}

#[test]
fn first_beat_is_at_the_destination_link_lat_after_the_last_byte() {
    let mut fabric = Fabric::new(3, &config(4)).unwrap();
    let mut tlp = [Some(write(1, 0, 4)[0]), None, None];
    let mut seen = Vec::new();
    for cycle in 0..20u32 {
        seen.extend(fabric.tlp(1).map(|_| cycle));
        fabric.tick(&tlp, with_beat(&tlp), &[true; 3], 0);
        tlp[0] = None;
    }
    // Taken in 0, on the wire in 1 (32 bytes at 32 bytes per cycle).
    assert_eq!(seen, [1 + LINK_LAT_SMALL]);
    assert_eq!(fabric.quiet_cycles(), u64::MAX);
}

#[test]
fn rate_is_kept_for_each_generation() {
    // 4 B write: 32 wire bytes; 100 of them take 100 * 32 / rate cycles.
    for (pcie_generation, rate) in [(2, 8), (3, 16), (4, 32)] {
        let mut link = TlpLink::new(&config(pcie_generation), 0).unwrap();
        let beats: Vec<Tlp> = (0..100).flat_map(|_| write(1, 0, 4)).collect();
        let seen = run(&mut link, &beats, 1000);
        assert_eq!(seen[99].0 - seen[0].0, 99 * 32 / rate, "PCIe {pcie_generation}");
        assert_eq!(link.counters().busy_cycles, 100 * 32 / rate);
    }
}

#[test]
fn credit_is_kept_in_parts_of_a_cycle() {
    // 36 wire bytes at 32 per cycle: 8 TLPs in 9 cycles.
    let mut link = TlpLink::new(&config(4), 0).unwrap();
    let beats: Vec<Tlp> = (0..81).flat_map(|_| write(1, 0, 8)).collect();
    let seen = run(&mut link, &beats, 200);
    assert_eq!(seen[80].0 - seen[0].0, 90);
    assert_eq!(link.counters().wire_bytes(), 81 * 36);
}

#[test]
fn rate_may_be_a_fraction() {
    // 36 wire bytes at 9/2 per cycle: a TLP in 8 cycles; at 200/3 per cycle, one in 0.54.
    for (bytes, cycles, last) in [(9, 2, 50 * 8), (200, 3, 50)] {
        let cfg = Config { bytes, cycles, ..config(4) };
        let mut link = TlpLink::new(&cfg, 0).unwrap();
        let beats: Vec<Tlp> = (0..51).flat_map(|_| write(1, 0, 8)).collect();
        let seen = run(&mut link, &beats, 600);
        assert_eq!(seen[50].0 - seen[0].0, last, "{bytes} in {cycles}");
    }
    assert!(TlpLink::new(&Config { cycles: 0, ..config(4) }, 0).is_err());
}

#[test]
fn flit_mode_costs_256_of_236_bytes() {
    let mut link = TlpLink::new(&config(6), 0).unwrap();
    // Header 16, ECRC 4, payload 216: 236 bytes, one flit of 256 bytes, two cycles.
    run(&mut link, &write(1, 0, 216), 50);
    let c = link.counters();
    assert_eq!((c.wire_bytes(), c.wire, c.busy_cycles), (256, 256 * SCALE, 2));
    assert_eq!((c.header_bytes, c.data_bytes, c.framing_bytes()), (16, 216, 256 - 232));
}

#[test]
fn writes_of_fewer_than_32_bytes_are_small() {
    let mut link = TlpLink::new(&config(4), 0).unwrap();
    let lengths = [4, 28, 32, 64];
    let beats: Vec<Tlp> = lengths.into_iter().flat_map(|bytes| write(1, 0, bytes)).collect();
    run(&mut link, &beats, 100);
    let c = link.counters();
    assert_eq!((c.store_tlps, c.small_writes), (4, 2));
    assert_eq!(c.data_bytes, 128);
}

#[test]
fn tlp_waits_for_its_last_beat() {
    let mut link = TlpLink::new(&config(4), 0).unwrap();
    let beats = write(1, 0, 64);
    let one = |tlp| In { tlp, tlp_ready: true, crc_error: false };
    link.tick(&one(Some(beats[0])));
    (0..100).for_each(|_| assert!(link.tick(&one(None)).tlp.is_none()));
    assert_eq!(link.counters().tlps, 0);
    link.tick(&one(Some(beats[1])));
    (0..20).for_each(|_| _ = link.tick(&one(None)));
    assert!(link.is_empty());
}

#[test]
fn damaged_tlp_is_sent_again() {
    let mut link = TlpLink::new(&config(4), 0).unwrap();
    link.tick(&In { tlp: Some(write(1, 9, 4)[0]), tlp_ready: true, crc_error: false });
    link.tick(&In { tlp: None, tlp_ready: true, crc_error: true });
    let seen = run(&mut link, &[], 20);
    let tags: Vec<u8> = seen.iter().map(|(_, t)| TlpHeader::from_bits(t.hdr).tag()).collect();
    assert_eq!(tags, [9]);
    let c = link.counters();
    assert_eq!((c.tlps, c.replays, c.wire_bytes()), (1, 1, 32));
    assert_eq!((c.replay_wire, c.busy_cycles), (32 * SCALE, 2));
}

#[test]
fn destination_that_is_not_ready_stops_the_sender_and_loses_nothing() {
    let mut cfg = config(4);
    (cfg.input_beats, cfg.flight_beats) = (128, 128);
    let mut fabric = Fabric::new(3, &cfg).unwrap();
    let (mut sent, mut tags) = (0u32, Vec::new());
    for cycle in 0..3000 {
        let ready = cycle >= 1000;
        if ready {
            tags.extend(fabric.tlp(1).map(|b| TlpHeader::from_bits(b.hdr).tag()));
        }
        let offer = fabric.tlp_ready(0) && sent < 1000;
        let tlp = offer.then(|| write(1, sent as u8, 4)[0]);
        sent += u32::from(offer);
        fabric.tick(&[tlp, None, None], tlp.is_some().into(), &[true, ready, true], 0);
        if cycle == 999 {
            // Input buffer, credits and the switch's queue are full.
            assert_eq!(sent, 3 * 128);
        }
    }
    assert_eq!(tags, (0..1000).map(|k| k as u8).collect::<Vec<_>>());
    assert!(fabric.counters().next().unwrap().blocked_cycles > 0);
}

#[test]
fn sources_are_merged_whole_and_in_turn() {
    let mut fabric = Fabric::new(3, &config(4)).unwrap();
    let streams: Vec<Vec<Tlp>> =
        (1..3).map(|tag| (0..10).flat_map(|_| write(0, tag, 64)).collect()).collect();
    let (mut at, mut sources) = ([0, 0], Vec::new());
    for _ in 0..200 {
        if let Some(beat) = fabric.tlp(0) {
            let sop = beat.sop;
            assert_eq!(sop, sources.len() % 2 == 0, "TLPs are mixed");
            let tag =
                if sop { TlpHeader::from_bits(beat.hdr).tag() } else { sources[sources.len() - 1] };
            sources.push(tag);
        }
        let offer =
            |k: usize, at: usize| streams[k].get(at).copied().filter(|_| fabric.tlp_ready(k + 1));
        let tlp = [None, offer(0, at[0]), offer(1, at[1])];
        (0..2).for_each(|k| at[k] += usize::from(tlp[k + 1].is_some()));
        fabric.tick(&tlp, with_beat(&tlp), &[true; 3], 0);
    }
    let tlps: Vec<u8> = sources.chunks(2).map(|c| c[0]).collect();
    assert_eq!(tlps.len(), 20);
    assert!(tlps[..10].windows(2).all(|w| w[0] != w[1]), "not in turn: {tlps:?}");
}

#[test]
fn blocked_destination_does_not_hold_up_another() {
    let mut fabric = Fabric::new(3, &config(4)).unwrap();
    let mut seen = 0;
    for cycle in 0..40 {
        seen += u32::from(fabric.tlp(2).is_some());
        let dest = 1 + (cycle % 2) as u8;
        let tlp = (cycle < 20).then(|| write(dest, 0, 4)[0]);
        fabric.tick(&[tlp, None, None], tlp.is_some().into(), &[true, false, true], 0);
    }
    assert_eq!(seen, 10);
}

#[test]
fn observer_sees_each_tlp_in_the_cycle_of_its_last_byte() {
    let mut link = TlpLink::new(&config(4), 2).unwrap();
    let mut beats: Vec<Tlp> = write(1, 7, 64);
    beats[1].nbytes = 29;
    beats[0].data.0[0] = 0xAB;
    let mut sent = Vec::new();
    for cycle in 0..40u64 {
        let tlp = beats.get(cycle as usize).copied();
        link.tick(&In { tlp, tlp_ready: true, crc_error: false });
        link.drain_sent(|s| {
            assert_eq!(s.cycle, cycle);
            sent.push((s.cycle, s.src, s.dest, s.header[6], s.payload.len(), s.payload[0]));
        });
    }
    // 28 + 64 wire bytes from cycle 2: 32, 32, 28.
    assert_eq!(sent, [(4, 2, 1, 7, 64, 0xAB)]);
}

/// A link that is ticked only when something happens, beside one that is ticked in every cycle: the
/// same beats, TLPs seen and sums, on slow and fast wires, with replays and context packets.
#[test]
fn cycles_in_which_nothing_happens_may_be_skipped() {
    for (seed, generation, cycles, context) in
        [(1, 4, 1, false), (2, 2, 7, false), (3, 6, 1, true), (4, 3, 50, true)]
    {
        let mut cfg = Config { cycles, ..config(generation) };
        cfg.framing.cfg_extra = context.then_some(10);
        let mut links = [TlpLink::new(&cfg, 0).unwrap(), TlpLink::new(&cfg, 0).unwrap()];
        links.iter_mut().for_each(TlpLink::observe);
        let (mut random, mut skipped) = (Random::new(seed), 0);
        let mut beats = Vec::new().into_iter();
        for cycle in 0..20_000u64 {
            if beats.len() == 0 && random.below(40) == 0 {
                let mut tlp = write(1, cycle as u8, 4 + 4 * random.below(30));
                let kind = random.below(4);
                if context && kind < 2 {
                    let hdr = TlpHeader::from_bits(tlp[0].hdr).with_tlp_type(tlp_type::FINEPACK);
                    let none = hdr.with_fmt(tlp_fmt::NO_DATA).with_length_dw(0);
                    let is_context = kind == 0;
                    tlp[0].hdr = if is_context { none } else { hdr }.into_bits();
                    if is_context {
                        tlp.truncate(1);
                        (tlp[0].nbytes, tlp[0].eop) = (0, true);
                    }
                }
                beats = tlp.into_iter();
            }
            let i = In {
                tlp: beats.as_slice().first().copied(),
                tlp_ready: random.below(3) > 0,
                crc_error: random.below(9) == 0,
            };
            let [each, lazy] = &mut links;
            let mut seen = [Vec::new(), Vec::new()];
            let out = each.tick(&i);
            let quiet = lazy.quiet_cycles().saturating_add(lazy.now());
            if quiet > cycle && i.tlp.is_none() {
                skipped += 1;
                assert_eq!(out.tlp, None);
                assert_eq!(lazy.tlp_ready(), out.tlp_ready);
            } else {
                lazy.skip(cycle - lazy.now());
                assert_eq!(lazy.tick(&i), out, "cycle {cycle} of seed {seed}");
            }
            for (link, seen) in [each, lazy].into_iter().zip(&mut seen) {
                link.drain_sent(|sent| seen.push((sent.cycle, sent.header, sent.payload.len())));
            }
            assert_eq!(seen[0], seen[1], "cycle {cycle} of seed {seed}");
            assert_eq!(links[0].counters(), &links[1].counters_at(cycle + 1), "cycle {cycle}");
            if out.tlp_ready {
                beats.next();
            }
        }
        assert!(skipped > 2000, "{skipped} cycles skipped with seed {seed}");
        assert!(links[0].counters().tlps > 20, "seed {seed}");
    }
}

#[test]
fn link_latency_below_2_is_refused() {
    assert!(Config::new(&params(4), 1).is_err());
    assert!(Config::new(&params(4), 2).is_ok());
}
