//! Full queues, and unrequested acknowledgements (specification 3.5, 12): nothing is
//! lost.

use cosim::cpelide::packet::Dispatch;
use cosim::cpelide::{Conf, Native, Sent, SyncMode};
use duet_tests::firmware::Host;
use duet_tests::firmware::driver::{Driver, MACHINE, NONE, kernel};
use firmware::Cached;
use firmware::map::message::{ACK, LAUNCH_EN, SYNC_REQ, WG_COUNT, WG_DESC};
use ports::Bytes;
use ports::cpelide::command_processor::In;
use ports::cpelide::types::{Aql, Message, error_code};

use super::hosts::{each, each_core};

const ALL: u16 = 15;
/// Longer than the firmware computes between two messages here.
const LONG: usize = 20_000;
/// Sixteen chiplets: a launch is more messages than the queue to the crossbar holds, an end as many
/// as the one from it does.
const LARGE: Conf = Conf { chiplets: 16, ..MACHINE };

/// A kernel without labels, with this completion signal.
fn plain(signal: u64) -> [u8; 64] {
    Dispatch { completion_signal: signal, ..kernel() }.encode()
}

/// ACK of a chiplet.
fn ack(chiplet: u64) -> u64 {
    u64::from(ACK) | chiplet << 4
}

/// Type of a message.
fn kind(sent: &Sent) -> u32 {
    sent.message as u32 & 15
}

#[test]
fn fifth_packet_waits_for_a_slot_and_all_run_in_order() {
    let mut native = Native::<Cached>::new(MACHINE.bits());
    for slots in [3, 2, 1, 0] {
        assert!(native.submit(&plain(1), &[], 0, ALL));
        assert_eq!(native.free_slots(), slots);
    }
    assert!(!native.submit(&plain(1), &[], 0, ALL));

    each_core(&MACHINE, |_, core| {
        let mut driver = Driver::new(core, &MACHINE);
        for signal in 1..5 {
            driver.host.submit(&plain(signal), &[], 0, ALL);
        }
        let mut started = driver.settle().1;
        let aql = Aql { mask: ALL, stream: 0, packet: Bytes(plain(5)) };
        let fifth = In { aql: Some(aql), ..driver.host.nothing() };
        for _ in 0..LONG {
            assert!(!driver.host.tick(&fifth).aql_ready);
        }
        for signal in 1..6 {
            driver.done(started.expect("the next one starts").tag);
            started = driver.settle().1;
            assert_eq!(driver.host.signals(), [signal]);
            if signal == 1 {
                assert!(driver.host.tick(&fifth).aql_ready);
            }
        }
        assert_eq!((started, driver.host.errors()), (None, vec![]));
    });
}

#[test]
fn messages_that_the_crossbar_does_not_take_stall_the_core() {
    let mut native = Native::<Cached>::new(LARGE.bits());
    Host::submit(&mut native, &plain(1), &[], 0, u16::MAX);
    let sent = Host::run(&mut native);
    assert_eq!(sent.len(), 1 + 2 * 16, "operations, then two messages for each chiplet");

    each_core(&LARGE, |_, core| {
        core.submit(&plain(1), &[], 0, u16::MAX);
        let blocked = In { tx_ready: false, ..core.nothing() };
        let mut last = 0;
        for cycle in 0..LONG {
            if core.tick(&blocked).trace.is_some() {
                last = cycle;
            }
        }
        assert!(last < LONG / 2, "it still runs in {last}");
        assert_eq!(core.run(), sent);
    });
}

#[test]
fn messages_beyond_sixteen_wait_and_are_not_lost() {
    each_core(&LARGE, |_, core| {
        let mut driver = Driver::new(core, &LARGE);
        let tags = [1, 2].map(|signal| {
            driver.host.submit(&plain(signal), &[], signal as u8, u16::MAX);
            driver.settle().1.expect("it starts").tag
        });
        // A third kernel cannot be described: the core stands, and leaves what comes where it is.
        driver.host.submit(&plain(3), &[], 3, u16::MAX);
        let blocked = In { tx_ready: false, ..driver.host.nothing() };
        for _ in 0..LONG {
            driver.host.tick(&blocked);
        }
        let done = |chiplet: u64, tag: u8| In {
            rx: Some(Message::from_bits(9 | chiplet << 4 | u64::from(tag) << 8)),
            ..blocked
        };
        for chiplet in 0..16 {
            assert!(driver.host.tick(&done(chiplet, tags[0])).rx_ready, "chiplet {chiplet}");
        }
        for _ in 0..LONG {
            assert!(!driver.host.tick(&done(0, tags[1])).rx_ready);
        }
        assert_eq!(driver.host.errors(), [error_code::PROTOCOL]);
        driver.done(tags[1]);
        let third = driver.settle().1.expect("it starts");
        assert_eq!(driver.host.signals(), [1, 2]);
        driver.done(third.tag);
        assert_eq!(driver.settle(), (NONE, None));
        assert_eq!(driver.host.signals(), [3]);
    });
}

#[test]
fn unrequested_acknowledgement_is_reported_and_ignored() {
    each(&MACHINE, |driver| {
        driver.host.receive(ack(2));
        assert!(driver.host.run().is_empty());
        assert_eq!(driver.host.errors(), [error_code::PROTOCOL]);
        // Nor does it count for the next request, which waits for chiplet 2 like for all.
        let launches = |sent: Vec<Sent>| sent.iter().any(|sent| kind(sent) == LAUNCH_EN);
        driver.host.submit(&plain(1), &[], 0, ALL);
        assert!(!launches(driver.host.run()));
        [0, 1, 3].into_iter().for_each(|chiplet| driver.host.receive(ack(chiplet)));
        assert!(!launches(driver.host.run()));
        driver.host.receive(ack(2));
        assert!(launches(driver.host.run()));
        assert_eq!((driver.host.errors(), driver.host.exit()), (vec![], None));
    });
}

/// Arrivals are numbered in 7 bits, which the packets of other streams use up while a kernel runs.
#[test]
fn packets_of_a_stream_stay_in_order_behind_a_kernel_that_runs_for_long() {
    let machine = Conf { sync_mode: SyncMode::None, ..MACHINE };
    each(&machine, |driver| {
        let submit = |driver: &mut Driver<_>, signal, stream| {
            let host: &mut &mut dyn Host = &mut driver.host;
            host.submit(&plain(signal), &[], stream, ALL);
            driver.settle().1.map(|started| started.tag)
        };
        let long = submit(driver, 1, 0).expect("it starts");
        for pair in 0..70 {
            let first = submit(driver, 2, 1).expect("it starts");
            assert_eq!(submit(driver, 3, 1), None, "pair {pair}: beside the one before it");
            driver.done(first);
            let second = driver.settle().1.expect("it starts").tag;
            driver.end(second);
            assert_eq!(driver.host.signals(), [2, 3]);
        }
        driver.end(long);
        assert_eq!((driver.host.signals(), driver.host.errors()), (vec![1], vec![]));
    });
}

/// Steps 4 to 9 of a launch are one section (specification 5.1): no other launch until its
/// operations are acknowledged.
#[test]
fn launch_waits_until_the_operations_of_another_are_done() {
    each(&MACHINE, |driver| {
        let types = |sent: Vec<Sent>| sent.iter().map(kind).collect::<Vec<_>>();
        let requested = [&[SYNC_REQ][..], &[WG_DESC, WG_COUNT].repeat(4)].concat();
        driver.host.submit(&plain(1), &[], 1, ALL);
        assert_eq!(types(driver.host.run()), requested);
        driver.host.submit(&plain(2), &[], 2, ALL);
        [0, 1, 3].into_iter().for_each(|chiplet| driver.host.receive(ack(chiplet)));
        assert!(driver.host.run().is_empty());
        // The last one lets the first kernel go, and the second one's operations begin.
        driver.host.receive(ack(2));
        assert_eq!(types(driver.host.run()), [&[LAUNCH_EN], &requested[..]].concat());
        // The first one runs, so that all is released before anything is acquired.
        (0..4).for_each(|chiplet| driver.host.receive(ack(chiplet)));
        assert_eq!(types(driver.host.run()), [SYNC_REQ]);
        (0..4).for_each(|chiplet| driver.host.receive(ack(chiplet)));
        assert_eq!(types(driver.host.run()), [LAUNCH_EN]);
        assert_eq!((driver.host.errors(), driver.host.exit()), (vec![], None));
    });
}

/// The lowest free tag (specification 5.7): a tag that is used again while a chiplet still runs the
/// kernel before would mix up their DONEs.
#[test]
fn kernel_keeps_its_tag_until_its_last_chiplet_is_done() {
    each(&MACHINE, |driver| {
        let launch = |driver: &mut Driver<_>, signal, stream| {
            let host: &mut &mut dyn Host = &mut driver.host;
            host.submit(&plain(signal), &[], stream, ALL);
            driver.settle().1.expect("it starts").tag
        };
        assert_eq!(launch(driver, 1, 0), 0);
        // Between any two of the first kernel's DONEs another one starts.
        for (stream, chiplets) in [(1, 0b0100), (2, 0b1000), (3, 0b0001)] {
            driver.done_on(0, chiplets);
            assert_eq!(driver.settle(), (NONE, None));
            assert_eq!(launch(driver, 1 + u64::from(stream), stream), stream);
        }
        assert_eq!(driver.host.signals(), []);
        driver.end(0);
        assert_eq!(driver.host.signals(), [1]);
        // Now it is free, and the others' are not.
        driver.done_on(2, 0b0011);
        assert_eq!(launch(driver, 5, 0), 0);
        for (tag, signal) in [(1, 2), (2, 3), (3, 4), (0, 5)] {
            driver.end(tag);
            assert_eq!(driver.host.signals(), [signal]);
        }
        assert_eq!((driver.host.errors(), driver.host.exit()), (vec![], None));
    });
}
