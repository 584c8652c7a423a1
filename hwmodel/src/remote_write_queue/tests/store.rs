//! Stores and loads: accounting, timing, and what a packet carries.

use ports::common::finepack_types::{acct, drain_kind};

use super::*;

/// Stores of worked example 1, and the credit that each leaves under EXACT.
const EXAMPLE_1: [(u64, u32, u16); 5] =
    [(0, 8, 4083), (16, 8, 4070), (8, 8, 4067), (4, 4, 4067), (120, 8, 4054)];

#[test]
fn exact_accounting_follows_worked_example_1() {
    let mut b = Bench::new(&paper());
    for (offset, len, avail) in EXAMPLE_1 {
        let t = b.store(0x4000_0000 + offset, len);
        assert_eq!((b.at(t + 3).avail[0], b.at(t + 3).occ[0]), (avail, 1), "offset {offset}");
    }
    b.send(of_kind(op::RELEASE_SYS, 9));
    b.cycles(8);
    let (_, pack) = b.beats()[0];
    assert_eq!((pack.kind, pack.plen), (drain_kind::PACK, 42));
    assert_eq!(pack.mask, 0xFF_FFFF | 0xFF << 120);
    assert_eq!((pack.base, pack.line), (0x4000_0000, 0x4000_0000 / 128));
    assert_eq!((pack.sop, pack.eop, pack.dest, pack.id, pack.aop), (true, true, 1, 0, 0));
    let data = std::array::from_fn(|k| if (24..120).contains(&k) { 0 } else { k as u8 + 1 });
    assert_eq!(pack.data.0, data);
}

#[test]
fn paper_accounting_follows_worked_example_1() {
    let mut b = Bench::new(&paper());
    b.next.acct = acct::PAPER;
    EXAMPLE_1.iter().for_each(|&(offset, len, _)| _ = b.store(0x4000_0000 + offset, len));
    b.cycles(3);
    assert_eq!(b.out.last().unwrap().avail[0], 4035);
    b.send(of_kind(op::RELEASE_SYS, 9));
    b.cycles(8);
    assert_eq!(b.beats()[0].1.plen, 42, "the packet's size does not depend on the accounting");
}

#[test]
fn same_byte_100_times_is_one_run_of_worked_example_11() {
    for (rule, avail) in [(acct::EXACT, 4090), (acct::PAPER, 4096 - 600)] {
        let mut b = Bench::new(&paper());
        b.next.acct = rule;
        (0..100).for_each(|_| _ = b.store(0x4000_0000, 1));
        b.cycles(3);
        assert_eq!(b.out.last().unwrap().avail[0], avail);
        assert_eq!(b.flushes(), []);
        let overwritten: u32 = b.out.iter().map(|o| u32::from(o.evt.overwritten)).sum();
        assert_eq!(overwritten, 99);
        b.send(of_kind(op::RELEASE_SYS, 9));
        b.cycles(8);
        assert_eq!((b.beats()[0].1.plen, b.beats()[0].1.mask), (6, 1));
    }
}

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
fn load_flushes_only_if_it_overlaps_as_in_worked_example_10() {
    for (offset, kinds, causes) in [
        (4, vec![drain_kind::PACK, drain_kind::READ], vec![flush_cause::LOAD_HIT]),
        (40, vec![drain_kind::READ], vec![]),
    ] {
        let mut b = Bench::new(&paper());
        for (at, len, _) in EXAMPLE_1 {
            b.store(0x4000_0000 + at, len);
        }
        b.send(access(op::LOAD, 128, 0x4000_0000 + offset, 4));
        b.cycles(10);
        assert_eq!(b.beats().iter().map(|(_, d)| d.kind).collect::<Vec<_>>(), kinds);
        assert_eq!(b.flushes().iter().map(|&(_, cause)| cause).collect::<Vec<_>>(), causes);
        assert!(b.beats().iter().all(|(_, d)| d.dest == 1));
    }
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
