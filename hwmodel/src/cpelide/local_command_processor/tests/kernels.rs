//! Launches, work groups, DONE.

use super::*;

fn group(tag: u8, group: u32) -> WorkGroup {
    WorkGroup { tag, slot: 2, group }
}

#[test]
fn launch_invalidates_hands_out_and_reports() {
    let mut b = Bench::new();
    b.send(desc(7, 10));
    b.send(count(7, 3));
    b.send(enable(7));
    b.run(3);
    b.next.l1_inv_done = true;
    b.run(6);
    let pulses: Vec<_> = b.out.iter().map(|out| out.l1_inv).collect();
    assert_eq!(pulses[..7], [false, false, false, true, false, false, false]);
    assert_eq!(b.groups(), [(7, group(7, 10)), (8, group(7, 11)), (9, group(7, 12))]);
    for done in 0..3 {
        assert!(b.sent().is_empty(), "{done} are done");
        b.next.wg_done = Some(7);
        b.run(1);
    }
    b.run(2);
    assert_eq!(b.sent(), [(15, answer(kind::DONE, 7, 0, 0))]);
    assert!(b.block.is_idle());
}

#[test]
fn answer_of_the_l1s_may_come_with_the_pulse_but_not_before() {
    let mut b = Bench::new();
    b.send(desc(7, 0));
    b.send(count(7, 1));
    b.next.l1_inv_done = true;
    b.send(enable(7));
    b.run(3);
    assert!(b.groups().is_empty() && b.block.is_idle(), "it waits for the L1s");
    let mut b = Bench::new();
    b.launch(7, 0, 1);
    b.run(1);
    assert_eq!(b.groups(), [(4, group(7, 0))]);
}

#[test]
fn no_work_groups_is_done_the_cycle_after_the_invalidate() {
    let mut b = Bench::new();
    b.launch(7, 0, 0);
    b.run(3);
    assert_eq!(b.sent(), [(4, answer(kind::DONE, 7, 0, 0))]);
    assert!(b.groups().is_empty());
    b.send(desc(7, 0));
    b.run(3);
    assert_eq!(b.sent().len(), 1, "it never ran: the next description is legal");
}

#[test]
fn kernels_are_handed_out_in_the_order_of_their_launch() {
    let mut b = Bench::new();
    b.next.wg_ready = false;
    b.launch(9, 100, 2);
    b.launch(3, 200, 1);
    b.launch(5, u32::MAX, 2);
    b.next.wg_ready = true;
    let start = b.cycle();
    b.run(6);
    let order: Vec<_> = b.groups().into_iter().filter(|(cycle, _)| *cycle >= start).collect();
    let expected = [(9, 100), (9, 101), (3, 200), (5, u32::MAX), (5, 0)];
    let expected = expected.iter().zip(start..).map(|((tag, n), cycle)| (cycle, group(*tag, *n)));
    assert_eq!(order, expected.collect::<Vec<_>>());
}

#[test]
fn queue_goes_on_while_kernels_run() {
    let mut b = Bench::new();
    b.next.wg_ready = false;
    b.launch(9, 0, 1000);
    b.send(sync(1, 1));
    b.run(1);
    b.next.l2_sync_done = Some(5);
    b.run(2);
    assert_eq!(b.sent(), [(7, answer(kind::ACK, 1, 1, 5))]);
}

#[test]
fn of_several_finished_tags_the_lowest_is_sent_first_after_the_heads_answer() {
    let mut b = Bench::new();
    for tag in [200, 64, 63, 0] {
        b.launch(tag, 0, 1);
    }
    b.next.tx_ready = false;
    b.send(sync(1, 0));
    for tag in [200, 63, 64, 0] {
        b.next.wg_done = Some(tag);
        b.run(1);
    }
    b.send(message(0, 8, 0, 0));
    b.run(3);
    b.next.tx_ready = true;
    let start = b.cycle();
    b.run(7);
    let order: Vec<_> =
        b.out[start..].iter().filter_map(|out| out.tx.map(|m| (m.kind, m.tag))).collect();
    let done = |tag| (kind::DONE, tag);
    let first = [(kind::ACK, 1), (kind::NACK, 8)];
    assert_eq!(order, [&first[..], &[done(0), done(63), done(64), done(200)]].concat());
}

#[test]
fn done_of_a_tag_that_does_not_run_is_ignored() {
    let mut b = Bench::new();
    b.next.wg_done = Some(7);
    b.run(2);
    b.send(desc(7, 0));
    b.send(count(7, 1));
    b.send(enable(7));
    b.next.l1_inv_done = true;
    // In the very cycle of the launch it is not running yet.
    b.next.wg_done = Some(7);
    b.run(4);
    assert!(b.sent().is_empty());
    b.next.wg_done = Some(7);
    b.run(2);
    assert_eq!(b.sent().len(), 1);
    b.next.wg_done = Some(7);
    b.run(3);
    assert_eq!(b.sent().len(), 1);
}
