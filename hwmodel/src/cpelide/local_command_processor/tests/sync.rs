//! SYNC_REQ and ACK, the queue, refused messages.

use ports::cpelide::types::sync_op::{ACQ, REL};

use super::*;

#[test]
fn two_requests_as_in_the_timing_diagram() {
    let mut b = Bench::new();
    b.send(sync(1, REL));
    b.send(sync(2, REL | ACQ));
    b.run(1);
    b.next.l2_sync_done = Some(9);
    b.run(3);
    b.next.l2_sync_done = Some(10);
    b.run(3);
    let shown: Vec<_> = b.out.iter().map(|out| out.l2_sync).collect();
    assert_eq!(shown[..8], [None, Some(1), None, None, Some(3), None, None, None]);
    let acks = [(4, answer(kind::ACK, 1, 1, 9)), (7, answer(kind::ACK, 2, 3, 10))];
    assert_eq!(b.sent(), acks);
    assert!(b.block.is_idle());
}

#[test]
fn operation_is_shown_until_the_l2_takes_it_and_done_counts_after_that() {
    let mut b = Bench::new();
    b.next.l2_sync_ready = false;
    b.send(sync(1, ACQ));
    b.next.l2_sync_done = Some(1);
    b.run(1);
    b.next.l2_sync_ready = true;
    b.next.l2_sync_done = Some(2);
    b.run(1);
    assert_eq!(b.tick().l2_sync, None);
    assert!(b.block.is_idle(), "it waits for the L2");
    b.next.l2_sync_done = Some(3);
    b.run(3);
    assert_eq!(b.sent(), [(5, answer(kind::ACK, 1, 2, 3))]);
    let shown: Vec<_> = b.out.iter().map(|out| out.l2_sync.is_some()).collect();
    assert_eq!(shown[..4], [false, true, true, false]);
}

#[test]
fn ack_that_finds_the_sender_busy_waits_and_keeps_its_lines() {
    let mut b = Bench::new();
    b.next.tx_ready = false;
    b.send(sync(1, 0));
    b.send(sync(2, REL));
    b.send(sync(3, REL));
    b.run(1);
    b.next.l2_sync_done = Some(7);
    b.run(5);
    assert_eq!(b.out[8].tx, Some(answer(kind::ACK, 1, 0, 0)));
    assert!(b.out.iter().filter(|out| out.l2_sync.is_some()).count() == 1, "the second waits");
    b.next.tx_ready = true;
    b.run(2);
    assert_eq!(b.out[10].tx, Some(answer(kind::ACK, 2, 1, 7)));
    assert_eq!(b.out[10].l2_sync, Some(REL), "the third begins as the second's ACK is put");
}

#[test]
fn request_without_operations_is_answered_without_the_l2() {
    let mut b = Bench::new();
    b.send(sync(5, 0));
    b.run(3);
    assert_eq!(b.sent(), [(2, answer(kind::ACK, 5, 0, 0))]);
    assert!(b.out.iter().all(|out| out.l2_sync.is_none()));
    // Bits of A above the operations are not operations.
    b.send(message(kind::SYNC_REQ, 6, 0xfffc, 0));
    b.run(3);
    assert_eq!(b.sent()[1], (6, answer(kind::ACK, 6, 0, 0)));
}

#[test]
fn queue_holds_four() {
    let mut b = Bench::new();
    b.next.l2_sync_ready = false;
    for tag in 0..4 {
        b.send(sync(tag, REL));
    }
    b.next.rx = Some(sync(9, REL));
    assert!(!b.tick().rx_ready);
    b.next.l2_sync_ready = true;
    b.run(1);
    b.next.l2_sync_done = Some(0);
    assert!(!b.tick().rx_ready, "a place shows in the cycle after");
    assert!(b.tick().rx_ready);
}

#[test]
fn what_the_protocol_does_not_allow_is_refused_with_nack_7() {
    let nack = |tag| answer(kind::NACK, tag, 7, 0);
    // Kinds that are none, or go the other way.
    for kind in [0, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] {
        let mut b = Bench::new();
        b.send(message(kind, 4, 1, 1));
        b.run(3);
        assert_eq!(b.sent(), [(2, nack(4))]);
    }
    // LAUNCH_EN without both; and what comes for a tag that runs.
    let mut b = Bench::new();
    b.send(enable(4));
    b.send(desc(4, 0));
    b.send(enable(4));
    b.send(count(4, 1));
    b.send(enable(4));
    b.next.l1_inv_done = true;
    b.run(2);
    assert_eq!(b.sent(), [(2, nack(4)), (4, nack(4))]);
    assert_eq!(b.out.iter().filter(|out| out.l1_inv).count(), 1);
    b.send(desc(4, 0));
    b.send(count(4, 1));
    b.send(enable(4));
    b.run(4);
    assert_eq!(b.sent()[2..], [(9, nack(4)), (10, nack(4)), (11, nack(4))]);
    // After its end both are needed again.
    b.next.wg_done = Some(4);
    b.run(3);
    for half in [desc(4, 0), count(4, 1)] {
        let mut b = Bench { block: b.block.clone(), next: b.next, out: Vec::new() };
        b.send(half);
        b.send(enable(4));
        b.run(3);
        assert_eq!(b.sent(), [(3, nack(4))]);
    }
}

#[test]
fn refused_message_that_waits_becomes_legal_when_the_tag_finishes() {
    let mut b = Bench::new();
    b.launch(4, 0, 1);
    b.run(2);
    b.next.tx_ready = false;
    b.send(sync(1, 0));
    b.send(desc(4, 8));
    b.send(count(4, 2));
    b.run(2);
    b.next.wg_done = Some(4);
    b.run(3);
    b.next.tx_ready = true;
    b.run(4);
    let kinds: Vec<_> = b.sent().iter().map(|(_, m)| m.kind).collect();
    assert!(!kinds.contains(&kind::NACK));
    b.send(enable(4));
    b.next.l1_inv_done = true;
    b.run(3);
    let last = b.groups().last().map(|(_, wg)| wg.group);
    assert_eq!(last, Some(9));
}
