//! `Banks` = 1 (README rule 8).

use super::*;

fn bench() -> Bench {
    let mut b = Bench::new(&Config { banks: 1, ..small() });
    b.next.drain_ready = false;
    b
}

#[test]
fn flush_of_a_store_happens_at_once_and_the_store_waits_for_the_bank() {
    let mut b = bench();
    b.store(0x4000, 4);
    let t = b.store(0x8000, 4);
    // Decided in t+2.
    assert_eq!(b.at(t + 3).evt.flush_cause[0], flush_cause::WINDOW);
    assert_eq!((b.at(t + 3).occ[0], b.at(t + 3).avail[0]), (0, 128));
    assert_eq!(b.at(t + 4).evt.stall, 0b01);
    assert_eq!(b.at(t + 9).evt.stall, 0b01);
    b.next.drain_ready = true;
    let taken = b.cycle();
    assert!(b.out[taken].drain.unwrap().eop);
    // Free in taken+1, written there, shown in taken+2.
    assert_eq!((b.at(taken + 1).occ[0], b.at(taken + 1).evt.stall), (0, 0b01));
    assert_eq!((b.at(taken + 2).occ[0], b.at(taken + 2).evt.stall), (1, 0b00));
    assert_eq!(b.at(taken + 2).avail[0], 121);
    assert_eq!(b.flushes().len(), 1, "the cause counts once");
}

#[test]
fn store_to_an_empty_partition_waits_for_its_bank() {
    let mut b = bench();
    b.store(0x4000, 4);
    b.send(access(op::LOAD, 16, 0x4000, 4));
    let t = b.store(0x4000, 4);
    assert_eq!(b.at(t + 8).evt.stall, 0b01);
    assert_eq!(b.at(t + 8).occ[0], 0);
}

#[test]
fn load_that_hits_pushes_both_tokens_and_leaves() {
    let mut b = bench();
    b.store(0x4000, 4);
    let t = b.send(access(op::LOAD, 16, 0x4000, 4));
    assert_eq!(b.at(t + 3).evt.flush_cause[0], flush_cause::LOAD_HIT);
    b.next.drain_ready = true;
    b.cycles(8);
    assert_eq!(b.beats().iter().map(|(_, d)| d.kind).collect::<Vec<_>>()[..], [0, 1]);
    assert_eq!(b.stalls(0), b.out.len());
}

#[test]
fn load_finds_no_match_while_the_bank_drains() {
    let mut b = bench();
    b.store(0x4000, 4);
    b.send(access(op::LOAD, 16, 0x4000, 4));
    b.cycles(4);
    b.send(access(op::LOAD, 16, 0x4000, 4));
    b.cycles(4);
    assert_eq!(b.flushes().len(), 1);
    assert_eq!(b.stalls(0), b.out.len());
}

#[test]
fn flush_needs_an_order_queue_place_only() {
    let mut b = bench();
    b.store(0x4000, 4);
    // The first goes to the sequencer, the others fill the order queue.
    (0..3).for_each(|n| _ = b.send(access(op::LOAD, 16, 16 * n, 4)));
    let t = b.store(0x8000, 4);
    assert_eq!(b.at(t + 5).evt.stall, 0b10);
    assert_eq!(b.flushes(), []);
    b.next.drain_ready = true;
    b.cycles(20);
    assert_eq!(b.flushes().len(), 1);
    assert_eq!(b.out.last().unwrap().occ[0], 1);
}

#[test]
fn timeout_flushes_the_only_bank() {
    let mut b = bench();
    b.next.timeout = 5;
    let t = b.store(0x4000, 4);
    b.cycles(20);
    assert_eq!(b.flushes(), [(t + 9, flush_cause::TIMEOUT)]);
}
