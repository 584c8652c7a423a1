//! What makes a partition flush, and what a flush waits for.

use ports::finepack::types::acct;

use super::*;

#[test]
fn payload_is_tested_before_the_lookup() {
    // 4096 = 30 * 133 + 106: a full line that is held already does not fit.
    let mut b = Bench::new(&paper());
    (0..30).for_each(|n| _ = b.store(128 * n, 128));
    let t = b.store(0, 128);
    assert_eq!(b.at(t + 3).evt.flush_cause[0], flush_cause::FULL_PAYLOAD);
    assert_eq!(b.at(t + 3).evt.overwritten, 0);
}

#[test]
fn paper_accounting_flushes_repeated_stores() {
    let mut b = Bench::new(&small());
    b.next.acct = acct::PAPER;
    // 16 + 3 bytes, six times: 114 of 128.
    let mut t = 0;
    (0..7).for_each(|_| t = b.store(0x4000, 16));
    assert_eq!(b.at(t + 2).avail[0], 14);
    assert_eq!(b.at(t + 3).evt.flush_cause[0], flush_cause::FULL_PAYLOAD);
    assert_eq!(b.at(t + 4).drain.unwrap().plen, 19);
}

#[test]
fn atomic_flushes_only_if_it_overlaps() {
    for (offset, causes) in [(0, vec![flush_cause::ATOMIC_HIT]), (8, vec![])] {
        let mut b = Bench::new(&small());
        b.store(0x4000, 4);
        b.send(access(op::ATOMIC, 16, 0x4000 + offset, 4));
        b.cycles(4);
        assert_eq!(b.flushes().iter().map(|&(_, cause)| cause).collect::<Vec<_>>(), causes);
    }
}

#[test]
fn flush_waits_for_the_other_bank() {
    let mut b = Bench::new(&small());
    b.next.drain_ready = false;
    b.store(0x4000, 4);
    b.store(0x8000, 4); // flushes the first
    let t = b.store(0xC000, 4); // would flush the second
    assert_eq!(b.at(t + 3).evt.stall, 0b01);
    assert_eq!((b.at(t + 8).evt.stall, b.flushes().len()), (0b01, 1));
    b.next.drain_ready = true;
    let taken = b.cycle();
    // Last entry taken in c: bank free in c+1, flush decided in c+1, shown in c+2.
    assert_eq!(b.at(taken + 1).evt.stall, 0b01);
    assert_eq!(b.at(taken + 2).evt.stall, 0b00);
    assert_eq!(b.at(taken + 2).evt.flush_cause[0], flush_cause::WINDOW);
}

#[test]
fn flush_that_lacks_bank_and_places_shows_both() {
    let mut b = Bench::new(&small());
    b.next.drain_ready = false;
    b.store(0x4000, 4);
    b.store(0x8000, 4); // flushes the first; its token goes to the sequencer
    b.send(access(op::LOAD, 16, 0, 4));
    let t = b.send(access(op::LOAD, 16, 0x8000, 4)); // needs a bank and two places, has one
    assert_eq!(b.at(t + 5).evt.stall, 0b11);
}

#[test]
fn untouched_partition_is_flushed_after_timeout() {
    let mut b = Bench::new(&small());
    b.next.timeout = 10;
    let t = b.store(0x4000, 4);
    b.cycles(30);
    // Timer 0 in t+3, 10 in t+13: flushed there, shown one cycle later.
    assert_eq!(b.flushes(), [(t + 14, flush_cause::TIMEOUT)]);
    assert_eq!(b.beats()[0].0, t + 15);
}

#[test]
fn store_restarts_the_timer_and_load_does_not() {
    let mut b = Bench::new(&small());
    b.next.timeout = 10;
    let first = b.store(0x4000, 4);
    b.cycles(4);
    let t = b.store(0x4004, 4);
    b.cycles(4);
    b.send(access(op::LOAD, 16, 0x5000, 4));
    b.cycles(20);
    assert_eq!(t, first + 5);
    assert_eq!(b.flushes(), [(t + 14, flush_cause::TIMEOUT)]);
}

#[test]
fn timeout_waits_while_stage_2_holds_a_request() {
    let mut b = Bench::new(&small());
    b.next.timeout = 4;
    let t = b.store(0x4000, 4);
    // S2 holds a load in every cycle from t+3 on.
    (0..10).for_each(|n| _ = b.send(Req { dest: 2, ..access(op::LOAD, 16, 16 * n, 4) }));
    b.cycles(40);
    let [(cycle, cause)] = b.flushes()[..] else { panic!("one flush") };
    assert_eq!(cause, flush_cause::TIMEOUT);
    assert!(cycle > t + 13, "{cycle}");
}

#[test]
fn timeouts_of_several_partitions_share_a_cycle() {
    let mut b = Bench::new(&small());
    b.next.timeout = 6;
    b.store(0x4000, 4);
    b.send(Req { dest: 2, ..access(op::STORE, 16, 0x4000, 4) });
    // Both timers are past the limit when these leave S2.
    (0..8).for_each(|n| _ = b.send(of_kind(op::RELEASE_GPU, n)));
    b.cycles(60);
    let shared = b.out.iter().filter(|o| o.evt.flush_cause[..2] == [flush_cause::TIMEOUT; 2]);
    assert_eq!(shared.count(), 1);
}
