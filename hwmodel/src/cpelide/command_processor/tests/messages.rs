//! Messages to the chiplets and back.

use ports::cpelide::types::{Tx, kind};

use super::*;

#[test]
fn message_is_put_together_and_sent() {
    let body = [
        write(TX_LO),
        sw(S0, S0, TX_DST as i32),
        write(TX_HI),
        sw(ZERO, S0, TX_DST as i32),
        write(TX_HI),
    ];
    let mut b = Bench::new(&program(0x1234_56a3, &body));
    b.run(60);
    let sent: Vec<_> = b.out.iter().enumerate().filter_map(|(c, o)| Some((c, o.tx?))).collect();
    let msg = Message { b: 0x1234_56a3, a: 0x1234, tag: 0x56, chiplet: 0xa, kind: 3 };
    // The third store is granted in BODY + 10 and acts three later; S0 has no bits in TX_DST.
    let tx = Tx { bcast: false, dst: 0, msg };
    assert_eq!(sent, [(BODY + 14, tx), (BODY + 24, tx)], "TX_LO keeps its value");
}

#[test]
fn broadcast_and_destinations_come_from_tx_dst() {
    let mut b = Bench::new(&program(0xfff3_5a5a, &[write(TX_DST), write(TX_HI)]));
    b.run(40);
    let sent = b.out.iter().find_map(|out| out.tx).expect("it is sent");
    assert_eq!((sent.bcast, sent.dst), (true, 0x5a5a));
}

#[test]
fn ninth_message_waits_for_a_place() {
    let mut body = vec![write(TX_HI); 9];
    body.extend([read(TX_FREE), write(TX_HI)]);
    let mut b = Bench::new(&program(0, &body));
    b.next.tx_ready = false;
    b.run_to(BODY + 100);
    assert_eq!(b.retired().len(), 8);
    assert_eq!(b.cp.quiet_cycles(), 0, "a message is shown");
    // Taken in this cycle; the ninth is put into its place in the next, and answered one later.
    b.next.tx_ready = true;
    b.tick();
    b.next.tx_ready = false;
    b.run(30);
    assert_eq!(b.retired()[8], BODY + 100 + 3);
    assert_eq!(b.loaded(), [0]);
    b.next.tx_ready = true;
    b.run(40);
    assert!(b.exit().is_some());
    assert!(b.cp.outputs().tx.is_none());
}

#[test]
fn free_places_are_those_of_the_cycle() {
    let mut b = Bench::new(&program(
        0,
        &[read(TX_FREE), write(TX_HI), write(TX_HI), read(TX_FREE), read(TX_FREE)],
    ));
    b.next.tx_ready = false;
    // The second read acts in BODY + 15 + 3. One message is taken in that very cycle.
    b.run_to(BODY + 18);
    b.next.tx_ready = true;
    b.tick();
    b.next.tx_ready = false;
    b.run(30);
    assert_eq!(b.loaded(), [8, 6, 7]);
}

#[test]
fn requests_are_pending_until_their_ack() {
    let sync = u32::from(kind::SYNC_REQ);
    let body = [
        write(TX_LO),
        write(TX_DST),
        read(ACK_PEND),
        write(TX_HI),
        read(ACK_PEND),
        NOP,
        read(ACK_PEND),
        read(WAIT),
    ];
    let mut b = Bench::new(&program(0x1_0006 << 4 | sync, &body));
    // Destinations 0x0061 with a broadcast bit: those of TX_DST, whatever becomes of them.
    b.run_to(BODY + 24);
    b.next.rx = Some(message(kind::ACK, 5, 0));
    b.run(60);
    assert_eq!(b.loaded(), [0, 0x61, 0x41, event::ACK]);
    assert!(b.errors().is_empty());
}

#[test]
fn other_kinds_leave_ack_pend_alone() {
    for kind in (0..16).filter(|&kind| kind != kind::SYNC_REQ) {
        let body = [write(TX_LO), write(TX_DST), write(TX_HI), read(ACK_PEND)];
        let mut b = Bench::new(&program(0xfff0 | u32::from(kind), &body));
        b.run(50);
        assert_eq!(b.loaded(), [0]);
    }
}

#[test]
fn ack_without_request_is_error_7_and_nothing_else() {
    let mut b = Bench::new(&program(0, &[read(RX_STAT), read(ACK_PEND)]));
    b.next.rx = Some(message(kind::ACK, 2, 0));
    b.run(40);
    assert_eq!(b.errors(), [(1, 7)]);
    assert_eq!(b.loaded(), [0, 0]);
}

#[test]
fn ack_at_the_edge_of_the_next_request_belongs_to_the_one_before() {
    let sync = u32::from(kind::SYNC_REQ);
    let body =
        [write(TX_LO), write(TX_DST), write(TX_HI), write(TX_HI), read(ACK_PEND), read(ACK_PEND)];
    let mut b = Bench::new(&program(2 << 4 | sync, &body));
    // Chiplets 0 and 5; the second request acts in BODY + 15 + 3.
    b.run_to(BODY + 18);
    b.next.rx = Some(message(kind::ACK, 5, 0));
    b.run(5);
    b.next.rx = Some(message(kind::ACK, 5, 0));
    b.run(40);
    assert!(b.errors().is_empty());
    assert_eq!(b.loaded(), [0x21, 0x01]);
    // The first request: no ACK is due before its edge.
    let mut b = Bench::new(&program(2 << 4 | sync, &body[..3]));
    b.run_to(BODY + 13);
    b.next.rx = Some(message(kind::ACK, 5, 0));
    b.run(40);
    assert_eq!(b.errors(), [(BODY + 14, 7)]);
}

#[test]
fn everything_but_acks_is_queued_and_read_in_order() {
    let body = [
        read(RX_STAT),
        read(RX_LO),
        read(RX_LO),
        read(RX_HI),
        read(RX_LO),
        read(RX_HI),
        read(RX_STAT),
        read(RX_LO),
        read(RX_HI),
    ];
    let mut b = Bench::new(&program(0, &body));
    for (kind, n) in [(kind::DONE, 1), (kind::NACK, 2)] {
        b.next.rx = Some(message(kind, n, 0x100 + u32::from(n)));
        b.tick();
    }
    b.run(80);
    let low = |kind: u8, n: u32| 0x1234_5500 | n << 4 | u32::from(kind);
    let [done, nack] = [low(kind::DONE, 1), low(kind::NACK, 2)];
    assert_eq!(b.loaded(), [2, done, done, 0x101, nack, 0x102, 0, 0, 0]);
}

#[test]
fn full_fifo_refuses_and_says_so_once() {
    let mut b = Bench::new(&program(0, &[&[NOP; 40][..], &[read(RX_HI), read(RX_STAT)]].concat()));
    for n in 0..30 {
        b.next.rx = Some(message(kind::DONE, 0, n));
        assert_eq!(b.tick().rx_ready, n < 16);
    }
    assert_eq!(b.errors(), [(17, 7)]);
    // Nothing is offered: no error. Offered again without a free entry in between: it was reported.
    b.run(2);
    b.next.rx = Some(message(kind::DONE, 0, 30));
    b.run(2);
    assert_eq!(b.errors().len(), 1);
    // A place shows in BODY + 40 + 4; then it is full again.
    b.run_to(BODY + 40 + 4);
    for n in 0..3 {
        b.next.rx = Some(message(kind::DONE, 0, n));
        assert_eq!(b.tick().rx_ready, n == 0);
    }
    b.run(40);
    assert_eq!(b.errors(), [(17, 7), (BODY + 40 + 6, 7)]);
    assert_eq!(b.loaded(), [0, 16]);
}

#[test]
fn pop_and_push_at_one_edge_both_happen() {
    let mut b = Bench::new(&program(0, &[read(RX_HI), read(RX_STAT), read(RX_HI)]));
    b.next.rx = Some(message(kind::DONE, 0, 5));
    b.run_to(BODY + 3);
    b.next.rx = Some(message(kind::DONE, 0, 6));
    b.run(40);
    assert_eq!(b.loaded(), [5, 1, 6]);
    // Removal from an empty FIFO: what comes at that edge stays.
    let mut b = Bench::new(&program(0, &[read(RX_HI), read(RX_STAT)]));
    b.run_to(BODY + 3);
    b.next.rx = Some(message(kind::DONE, 0, 6));
    b.run(40);
    assert_eq!(b.loaded(), [0, 1]);
}

#[test]
fn error_register_hides_code_7_of_the_same_cycle() {
    let mut b = Bench::new(&program(0, &[write(ERROR)]));
    b.run_to(BODY + 3);
    b.next.rx = Some(message(kind::ACK, 0, 0));
    b.run(20);
    assert_eq!(b.errors(), [(BODY + 4, 0)], "code 0 is shown too");
}
