//! Stores and loads: timing, and what a packet carries. The worked examples are in
//! `tests/blocks/finepack/remote_write_queue/examples.rs`, for the RTL too.

use ports::finepack::types::drain_kind;

use super::*;

#[test]
fn store_shows_three_cycles_after_accept() {
    let mut b = Bench::new(&small());
    let t = b.store(0x4000, 4);
    assert_eq!((b.at(t + 2).occ[0], b.at(t + 2).avail[0]), (0, 128));
    assert_eq!((b.at(t + 3).occ[0], b.at(t + 3).avail[0]), (1, 121));
    let t = b.store(0x4002, 8);
    assert_eq!(b.at(t + 2).evt.overwritten, 0);
    assert_eq!(b.at(t + 3).evt.overwritten, 2, "bytes 2 and 3 were enabled before");
    assert_eq!(b.at(t + 4).evt.overwritten, 0);
}

#[test]
fn one_store_is_accepted_every_cycle() {
    let mut b = Bench::new(&paper());
    for n in 0..20 {
        assert_eq!(b.store(4 * n, 4), n as usize);
    }
}

#[test]
fn read_reaches_the_drain_four_cycles_after_accept() {
    let mut b = Bench::new(&paper());
    let t = b.send(Req { id: 0x5A, ..access(op::LOAD, 128, 0x1040, 4) });
    b.cycles(10);
    let read = Drain {
        sop: true,
        eop: true,
        kind: drain_kind::READ,
        dest: 1,
        id: 0x5A,
        line: 0x1040 / 128,
        mask: 0xF << 64,
        ..Drain::default()
    };
    assert_eq!(b.beats(), [(t + 4, read)]);
}

#[test]
fn atomic_carries_operands_and_operation() {
    let mut b = Bench::new(&paper());
    let atomic = Req { id: 7, aop: 2, dest: 3, ..access(op::ATOMIC, 128, 0x1048, 8) };
    let t = b.send(atomic);
    b.cycles(10);
    let [(cycle, beat)] = b.beats()[..] else { panic!("one beat") };
    assert_eq!((cycle, beat.kind, beat.aop, beat.dest, beat.id), (t + 4, 2, 2, 3, 7));
    assert_eq!((beat.line, beat.mask, beat.base, beat.plen), (0x1048 / 128, 0xFF << 72, 0, 0));
    assert_eq!(beat.data.0[..16], atomic.data.0[..16]);
    assert_eq!(beat.data.0[16..], [0; 112]);
}

#[test]
fn packet_drains_one_entry_each_cycle_then_one_idle_cycle() {
    let mut b = Bench::new(&small());
    (0..3).for_each(|n| _ = b.store(0x4000 + 16 * n, 2));
    b.send(Req { dest: 2, ..access(op::STORE, 16, 0x8000, 1) });
    let t = b.send(of_kind(op::RELEASE_SYS, 1));
    b.cycles(16);
    let seen: Vec<_> =
        b.beats().iter().map(|(n, d)| (n - t, d.kind, d.dest, d.line, d.sop, d.eop)).collect();
    // Partitions in turn: the pack of each, then the mark of each.
    let expected = [
        (4, 0, 1, 0x400, true, false),
        (5, 0, 1, 0x401, false, false),
        (6, 0, 1, 0x402, false, true),
        (8, 0, 2, 0x800, true, true),
        (10, 3, 1, 0, true, true),
        (12, 3, 2, 0, true, true),
    ];
    assert_eq!(seen, expected);
    assert!(b.beats()[..3].iter().all(|(_, d)| d.plen == 3 * 5 && d.base == 0x4000));
}

#[test]
fn tag_counts_packets_of_a_partition_only() {
    let mut b = Bench::new(&small());
    for n in 0..3u64 {
        b.store(0x4000 * (n + 1), 4);
        b.send(Req { id: 0x77, ..access(op::LOAD, 16, 0x4000 * (n + 1), 4) });
        b.cycles(10);
    }
    let ids: Vec<_> = b.beats().iter().map(|(_, d)| (d.kind, d.id)).collect();
    assert_eq!(ids, [(0, 0), (1, 0x77), (0, 1), (1, 0x77), (0, 2), (1, 0x77)]);
}

#[test]
fn beat_is_held_until_it_is_taken() {
    let mut b = Bench::new(&small());
    let t = b.send(Req { id: 3, ..access(op::LOAD, 16, 0, 4) });
    b.at(t + 3);
    b.next.drain_ready = false;
    b.cycles(5);
    b.next.drain_ready = true;
    b.cycles(2);
    let cycles: Vec<_> = b.beats().iter().map(|&(n, _)| n - t).collect();
    assert_eq!(cycles, [4, 5, 6, 7, 8, 9]);
    assert!(b.beats().iter().all(|(_, d)| *d == b.beats()[0].1));
}

#[test]
fn input_holds_three_requests_while_stage_2_stalls() {
    let mut b = Bench::new(&small());
    b.next.drain_ready = false;
    let load = |n: u64| Req { id: n as u8, ..access(op::LOAD, 16, 16 * n, 4) };
    // One in the sequencer, two in the order queue, one in S2, two in the FIFO.
    (0..6).for_each(|n| _ = b.send(load(n)));
    b.next.req = Some(load(6));
    let cycle = b.cycle();
    assert!(!b.out[cycle].req_ready);
    assert_eq!(b.out[cycle].evt.stall, 0b10, "the order queue is full");
    b.next.drain_ready = true;
    b.cycles(20);
    let ids: Vec<_> = b.beats().iter().filter(|(n, _)| *n > cycle).map(|(_, d)| d.id).collect();
    assert_eq!(ids, [0, 1, 2, 3, 4, 5]);
}
