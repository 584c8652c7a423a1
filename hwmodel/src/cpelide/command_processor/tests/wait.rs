//! The register WAIT.

use ports::cpelide::types::kind;

use super::*;

#[test]
fn wait_as_in_the_timing_diagram() {
    // The read is granted in BODY, the message taken six cycles later.
    let mut b = Bench::new(&program(0, &[read(WAIT)]));
    b.run_to(BODY + 6);
    assert_eq!(b.cp.quiet_cycles(), u64::MAX);
    b.next.rx = Some(message(kind::DONE, 0, 0));
    b.run(20);
    assert_eq!(b.loaded(), [event::RX]);
    assert_eq!(b.retired(), [BODY + 9]);
}

#[test]
fn event_before_the_read_ends_it_at_once() {
    let mut b = Bench::new(&program(0, &[read(WAIT)]));
    b.next.aql = Some(packet(0, 0, false));
    b.run(40);
    assert_eq!((b.loaded(), b.retired()), (vec![event::PKT], vec![BODY + 5]));
}

/// An event at any cycle around the read is seen by this read or the next, and once.
#[test]
fn no_event_is_lost_or_seen_twice() {
    for at in 0..30 {
        let body = [read(WAIT), NOP, read(WAIT), read(RX_STAT)];
        let mut b = Bench::new(&program(0, &body));
        b.next.aql = Some(packet(0, 0, false));
        b.tick();
        b.run_to(at.max(1));
        b.next.rx = Some(message(kind::DONE, 0, 0));
        b.run(60);
        let loaded = b.loaded();
        if at < BODY + 3 {
            // Both causes at once; the second read waits for ever.
            assert_eq!(loaded, [event::PKT | event::RX], "{at}");
            assert!(b.exit().is_none());
            b.next.aql = Some(packet(0, 0, false));
            b.run(40);
            assert_eq!(b.loaded()[1..], [event::PKT, 1]);
        } else {
            assert_eq!(loaded, [event::PKT, event::RX, 1], "{at}");
        }
    }
}

#[test]
fn packet_with_extension_is_an_event_when_it_is_complete() {
    let mut b = Bench::new(&program(0, &[read(WAIT)]));
    b.next.aql = Some(packet(0, 0, true));
    b.run_to(BODY + 20);
    assert!(b.loaded().is_empty());
    b.next.ext = Some(beat(0, false));
    b.run(5);
    assert!(b.loaded().is_empty());
    b.next.ext = Some(beat(0, true));
    b.run(20);
    assert_eq!(b.loaded(), [event::PKT]);
}

#[test]
fn sending_a_request_and_an_unexpected_ack_are_no_events() {
    let sync = u32::from(kind::SYNC_REQ);
    let body = [write(TX_LO), write(TX_DST), write(TX_HI), read(WAIT)];
    let mut b = Bench::new(&program(4 << 4 | sync, &body));
    b.run_to(BODY + 40);
    b.next.rx = Some(message(kind::ACK, 3, 0));
    b.run(20);
    assert!(b.loaded().is_empty());
    b.next.rx = Some(message(kind::ACK, 6, 0));
    b.run(20);
    assert_eq!(b.loaded(), [event::ACK]);
}
