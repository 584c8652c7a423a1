//! When the packetizer takes an entry and sends a beat: the timing table of its README, on the
//! model and on the RTL.

use duet_tests::{Bench, counting, on_both_bodies, ones};
use hwmodel::finepack::packetizer::Packetizer;
use ports::finepack::packetizer::{In, Out};
use ports::finepack::types::{Drain, aop, drain_kind};

/// Offers drain beats of configuration `small` back to back; the link takes everything. `check`
/// sees the outputs of 14 cycles.
fn on(beats: &[Drain], check: impl Fn(Vec<Out>)) {
    on_both_bodies::<Packetizer>("small", |body| {
        let mut bench = Bench::new(body);
        let mut at = 0;
        while bench.out.len() < 14 {
            let drain = beats.get(at).copied();
            let cycle = bench.cycle(&In { drain, tlp_ready: true, self_id: 0 });
            at += usize::from(bench.out[cycle].drain_ready);
        }
        check(bench.out);
    });
}

/// A packet of one entry, with sub-headers of 3 bytes.
fn packet(mask: u128, plen: u16) -> Drain {
    let data = counting(mask, 1);
    Drain { sop: true, eop: true, plen, mask, data, ..Drain::default() }
}

fn valid(out: &[Out]) -> Vec<usize> {
    (0..out.len()).filter(|&cycle| out[cycle].tlp.is_some()).collect()
}

#[test]
fn cycle_after_an_eop_beat_has_no_beat() {
    on(&[packet(ones(4, 4), 7); 4], |out| {
        assert_eq!(valid(&out), [2, 4, 6, 8]);
        assert!(out.iter().all(|out| out.tlp.is_none_or(|beat| beat.sop && beat.eop)));
    });
}

#[test]
fn entry_is_ready_in_the_cycle_of_its_last_run() {
    // Four runs of one byte: appended in cycles 1 to 4.
    on(&[packet(0b0101_0101, 16)], |out| {
        let ready: Vec<_> = out[..6].iter().map(|out| out.drain_ready).collect();
        assert_eq!(ready, [true, false, false, false, true, true]);
    });
}

#[test]
fn read_and_mark_have_one_empty_beat_after_two_cycles() {
    for kind in [drain_kind::READ, drain_kind::MARK] {
        let mask = if kind == drain_kind::READ { ones(6, 9) } else { 0 };
        on(&[Drain { kind, mask, ..packet(0, 0) }], |out| {
            assert_eq!(valid(&out), [2]);
            let beat = out[2].tlp.unwrap();
            assert_eq!((beat.sop, beat.eop, beat.nbytes), (true, true, 0));
        });
    }
}

#[test]
fn atomic_of_16_operand_bytes_has_two_beats_of_8_bytes() {
    let atomic = Drain {
        kind: drain_kind::ATOMIC,
        aop: aop::CAS,
        mask: ones(8, 8),
        data: counting(ones(0, 16), 1),
        ..packet(0, 0)
    };
    on(&[atomic], |out| {
        assert_eq!(valid(&out), [2, 3]);
        let ends = [2, 3].map(|cycle: usize| out[cycle].tlp.unwrap().eop);
        assert_eq!(ends, [false, true]);
    });
}
