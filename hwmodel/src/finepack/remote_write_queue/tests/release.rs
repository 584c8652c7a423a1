//! Releases of both scopes (README rules 9 and 10).

use ports::finepack::types::drain_kind;

use super::*;

#[test]
fn gpu_release_and_empty_system_release_are_done_three_cycles_after_accept() {
    for kind in [op::RELEASE_GPU, op::RELEASE_SYS] {
        let mut b = Bench::new(&small());
        let t = b.send(of_kind(kind, 0x42));
        b.cycles(8);
        let done: Vec<_> =
            b.out.iter().enumerate().filter_map(|(n, o)| Some((n, o.rel?))).collect();
        assert_eq!(done, [(t + 3, 0x42)]);
        assert_eq!(b.beats(), []);
    }
}

#[test]
fn gpu_release_flushes_nothing() {
    let mut b = Bench::new(&small());
    b.store(0x4000, 4);
    let t = b.send(of_kind(op::RELEASE_GPU, 1));
    assert_eq!((b.at(t + 5).occ[0], b.flushes()), (1, vec![]));
}

#[test]
fn system_release_is_done_the_cycle_after_its_last_completion() {
    let mut b = Bench::new(&small());
    b.store(0x4000, 4);
    b.send(Req { dest: 2, ..access(op::STORE, 16, 0x4000, 4) });
    let t = b.send(of_kind(op::RELEASE_SYS, 0x42));
    assert_eq!(b.at(t + 3).evt.flush_cause[..2], [flush_cause::RELEASE; 2]);
    b.cycles(20);
    let marks: Vec<_> =
        b.beats().iter().filter(|(_, d)| d.kind == 3).map(|(_, d)| (d.dest, d.id)).collect();
    assert_eq!(marks, [(1, 0x42), (2, 0x42)]);
    b.complete(2);
    b.cycles(5);
    assert!(b.out.iter().all(|o| o.rel.is_none()));
    let last = b.complete(1);
    assert_eq!(b.at(last + 1).rel, Some(0x42));
    assert_eq!(b.at(last + 2).rel, None);
    assert!(b.out.iter().all(|o| o.err.is_none()));
}

#[test]
fn mark_has_destination_and_id_only() {
    let mut b = Bench::new(&small());
    b.store(0x4000, 4);
    b.send(of_kind(op::RELEASE_SYS, 0x42));
    b.cycles(10);
    let mark = Drain {
        sop: true,
        eop: true,
        kind: drain_kind::MARK,
        dest: 1,
        id: 0x42,
        ..Drain::default()
    };
    assert_eq!(b.beats()[1].1, mark);
}

#[test]
fn atomic_alone_makes_a_partition_dirty_and_load_does_not() {
    for (kind, marks) in [(op::ATOMIC, 1), (op::LOAD, 0)] {
        let mut b = Bench::new(&small());
        b.send(access(kind, 16, 0x4000, 4));
        b.send(of_kind(op::RELEASE_SYS, 1));
        b.cycles(12);
        assert_eq!(b.beats().iter().filter(|(_, d)| d.kind == 3).count(), marks);
    }
}

#[test]
fn partition_flushed_before_still_gets_its_mark() {
    let mut b = Bench::new(&small());
    b.store(0x4000, 4);
    b.send(access(op::LOAD, 16, 0x4000, 4));
    b.cycles(10);
    b.send(of_kind(op::RELEASE_SYS, 1));
    b.cycles(10);
    assert_eq!(b.beats().iter().map(|(_, d)| d.kind).collect::<Vec<_>>(), [0, 1, 3]);
    assert_eq!(b.flushes().len(), 1);
}

#[test]
fn second_release_waits_for_the_first_without_a_stall() {
    let mut b = Bench::new(&small());
    b.store(0x4000, 4);
    b.send(of_kind(op::RELEASE_SYS, 1));
    b.store(0x4000, 4);
    b.send(of_kind(op::RELEASE_SYS, 2));
    b.cycles(20);
    assert_eq!(b.out.last().unwrap().occ[0], 1, "the store behind the first release proceeded");
    assert_eq!(b.stalls(0), b.out.len());
    let last = b.complete(1);
    // The second starts in the cycle of the first one's pulse; its flush shows one cycle later.
    assert_eq!((b.at(last + 1).rel, b.at(last + 1).occ[0]), (Some(1), 1));
    assert_eq!(b.at(last + 2).evt.flush_cause[0], flush_cause::RELEASE);
    b.cycles(10);
    let last = b.complete(1);
    assert_eq!(b.at(last + 1).rel, Some(2));
}

#[test]
fn gpu_release_gives_way_to_the_pulse_of_a_system_release() {
    let mut b = Bench::new(&small());
    b.store(0x4000, 4);
    b.send(of_kind(op::RELEASE_SYS, 1));
    b.cycles(12);
    // In S2 in t+2, the cycle of the last completion.
    let t = b.send(of_kind(op::RELEASE_GPU, 2));
    b.cycle();
    assert_eq!(b.complete(1), t + 2);
    assert_eq!((b.at(t + 3).rel, b.at(t + 4).rel), (Some(1), Some(2)));
    assert_eq!(b.at(t + 5).rel, None);
    assert_eq!(b.stalls(0), b.out.len());
}

#[test]
fn release_serves_partitions_as_they_become_ready() {
    let mut b = Bench::new(&small());
    b.next.drain_ready = false;
    // Partition 0: one bank drains, one is filled. Partition 1: filled.
    b.store(0x4000, 4);
    b.store(0x8000, 4);
    b.send(Req { dest: 2, ..access(op::STORE, 16, 0x4000, 4) });
    let t = b.send(of_kind(op::RELEASE_SYS, 5));
    assert_eq!(b.at(t + 3).evt.flush_cause[..2], [0, flush_cause::RELEASE]);
    assert_eq!(b.at(t + 3).evt.stall, 0b01);
    b.next.drain_ready = true;
    let mut n = b.cycle();
    // The mark of partition 1 completes while partition 0 still waits or just after.
    while b.beats().iter().all(|(_, d)| d.kind != 3) {
        n = b.cycle();
    }
    assert!(b.out.iter().all(|o| o.rel.is_none()), "cycle {n}");
    let first = b.beats().iter().find(|(_, d)| d.kind == 3).unwrap().1.dest;
    b.complete(first);
    b.cycles(20);
    assert!(b.out.iter().all(|o| o.rel.is_none() && o.err.is_none()));
    let last = b.complete(3 - first);
    assert_eq!(b.at(last + 1).rel, Some(5));
    assert_eq!(b.flushes().iter().map(|f| f.1).collect::<Vec<_>>(), [1, flush_cause::RELEASE]);
}

#[test]
fn release_outlives_completions_that_come_before_its_last_mark() {
    let mut b = Bench::new(&small());
    b.next.drain_ready = false;
    b.store(0x4000, 4);
    b.store(0x8000, 4);
    b.send(Req { dest: 2, ..access(op::ATOMIC, 16, 0x4000, 4) });
    // Partition 1 gets its mark at once; partition 0 waits for a bank.
    let t = b.send(of_kind(op::RELEASE_SYS, 5));
    b.at(t + 4);
    b.complete(2);
    b.cycles(3);
    assert!(b.out.iter().all(|o| o.rel.is_none() && o.err.is_none()));
    b.next.drain_ready = true;
    b.cycles(20);
    assert!(b.out.iter().all(|o| o.rel.is_none()));
    let last = b.complete(1);
    assert_eq!(b.at(last + 1).rel, Some(5));
}
