//! The local command processor: its answers, launches and work groups, and the cycle of each (rules
//! of `rtl/cpelide/local_command_processor/README.md`).

use duet_tests::{Bench, Body, on_both_bodies as on_bodies};
use hwmodel::cpelide::local_command_processor::LocalCommandProcessor;
use ports::cpelide::local_command_processor::{In, Out};
use ports::cpelide::types::{Message, WorkGroup, error_code, kind, sync_op};

/// All tags.
const CONFIG: &str = "paper";

fn sync(tag: u8, ops: u8) -> Message {
    Message { kind: kind::SYNC_REQ, tag, a: ops.into(), ..Message::default() }
}

fn desc(tag: u8, slot: u16, first: u32) -> Message {
    Message { kind: kind::WG_DESC, tag, a: slot, b: first, ..Message::default() }
}

fn count(tag: u8, number: u32) -> Message {
    Message { kind: kind::WG_COUNT, tag, b: number, ..Message::default() }
}

fn launch(tag: u8) -> Message {
    Message { kind: kind::LAUNCH_EN, tag, ..Message::default() }
}

fn ack(tag: u8, ops: u8, lines: u32) -> Message {
    Message { kind: kind::ACK, tag, a: ops.into(), b: lines, ..Message::default() }
}

fn nack(tag: u8) -> Message {
    Message { kind: kind::NACK, tag, a: error_code::PROTOCOL.into(), ..Message::default() }
}

fn done(tag: u8) -> Message {
    Message { kind: kind::DONE, tag, ..Message::default() }
}

/// A local command processor whose crossbar, L2, L1s and dispatcher do what `inputs` says.
struct Local {
    bench: Bench<Body<LocalCommandProcessor>>,
    /// Inputs of the next cycle; readies stay, pulses and messages are for one cycle.
    inputs: In,
}

impl Local {
    fn new(body: Body<LocalCommandProcessor>) -> Self {
        let inputs = In { tx_ready: true, l2_sync_ready: true, wg_ready: true, ..In::default() };
        Self { bench: Bench::new(body), inputs }
    }

    /// One cycle; returns its outputs.
    fn cycle(&mut self) -> Out {
        let cycle = self.bench.cycle(&self.inputs);
        let In { tx_ready, l2_sync_ready, wg_ready, .. } = self.inputs;
        self.inputs = In { tx_ready, l2_sync_ready, wg_ready, ..In::default() };
        self.bench.out[cycle]
    }

    /// Offers a message in this cycle, in which it must be accepted.
    fn send(&mut self, message: Message) -> Out {
        self.inputs.rx = Some(message);
        let out = self.cycle();
        assert!(out.rx_ready, "{message:?} is not accepted");
        out
    }

    /// Describes, counts and launches a kernel, with L1s that are invalidated at once; from an
    /// empty queue to an empty one. Its first work group may show in the next cycle.
    fn start(&mut self, tag: u8, slot: u16, first: u32, number: u32) {
        self.send(desc(tag, slot, first));
        self.send(count(tag, number));
        self.send(launch(tag));
        self.inputs.l1_inv_done = true;
        assert!(self.cycle().l1_inv);
    }

    /// A work group of this tag ends in this cycle.
    fn end(&mut self, tag: u8) -> Out {
        self.inputs.wg_done = Some(tag);
        self.cycle()
    }
}

/// The README's diagram.
#[test]
fn two_sync_reqs_take_their_cycles() {
    on_bodies::<LocalCommandProcessor>(CONFIG, |body| {
        let mut local = Local::new(body);
        for cycle in 0..9 {
            local.inputs.rx = match cycle {
                0 => Some(sync(3, sync_op::REL)),
                1 => Some(sync(4, sync_op::REL | sync_op::ACQ)),
                _ => None,
            };
            local.inputs.l2_sync_done = match cycle {
                3 => Some(17),
                6 => Some(0),
                _ => None,
            };
            let out = local.cycle();
            let l2_sync = match cycle {
                1 => Some(sync_op::REL),
                4 => Some(sync_op::REL | sync_op::ACQ),
                _ => None,
            };
            let tx = match cycle {
                4 => Some(ack(3, sync_op::REL, 17)),
                7 => Some(ack(4, sync_op::REL | sync_op::ACQ, 0)),
                _ => None,
            };
            assert_eq!(out, Out { rx_ready: true, l2_sync, tx, ..Out::default() }, "cycle {cycle}");
        }
    });
}

#[test]
fn sync_req_without_operation_is_answered_from_its_first_cycle_at_the_head() {
    on_bodies::<LocalCommandProcessor>(CONFIG, |body| {
        let mut local = Local::new(body);
        // Bits above the operations are ignored, and not answered.
        local.send(Message { a: 0xFFFC, b: 9, ..sync(8, 0) });
        assert_eq!(local.cycle(), Out { rx_ready: true, ..Out::default() });
        assert_eq!(local.cycle().tx, Some(ack(8, 0, 0)));
        assert_eq!(local.cycle().tx, None);
    });
}

#[test]
fn operation_waits_for_the_l2_and_its_ack_for_the_crossbar() {
    on_bodies::<LocalCommandProcessor>(CONFIG, |body| {
        let mut local = Local::new(body);
        local.inputs.l2_sync_ready = false;
        local.inputs.tx_ready = false;
        local.send(sync(1, sync_op::ACQ));
        // A pulse before the L2 has taken the operation means nothing.
        local.inputs.l2_sync_done = Some(99);
        assert_eq!(local.cycle().l2_sync, Some(sync_op::ACQ));
        assert_eq!(local.cycle().l2_sync, Some(sync_op::ACQ));
        local.inputs.l2_sync_ready = true;
        // Nor does one in the cycle in which it is taken.
        local.inputs.l2_sync_done = Some(98);
        assert_eq!(local.cycle().l2_sync, Some(sync_op::ACQ));
        assert_eq!(local.cycle().l2_sync, None);
        local.inputs.l2_sync_done = Some(5);
        assert_eq!(local.cycle().tx, None);
        // The next operation is done too, but its answer finds the first one's still there, and is
        // kept.
        local.send(sync(2, sync_op::REL));
        assert_eq!(local.cycle().l2_sync, Some(sync_op::REL));
        local.inputs.l2_sync_done = Some(6);
        local.cycle();
        for _ in 0..3 {
            local.inputs.l2_sync_done = Some(7);
            let out = local.cycle();
            assert_eq!((out.tx, out.l2_sync), (Some(ack(1, sync_op::ACQ, 5)), None));
        }
        local.inputs.tx_ready = true;
        assert_eq!(local.cycle().tx, Some(ack(1, sync_op::ACQ, 5)));
        assert_eq!(local.cycle().tx, Some(ack(2, sync_op::REL, 6)));
        assert_eq!(local.cycle().tx, None);
    });
}

#[test]
fn queue_holds_four_messages_and_one_that_leaves_makes_room_a_cycle_later() {
    on_bodies::<LocalCommandProcessor>(CONFIG, |body| {
        let mut local = Local::new(body);
        local.inputs.l2_sync_ready = false;
        for tag in 0..4 {
            local.send(sync(tag, sync_op::REL));
        }
        assert!(!local.cycle().rx_ready);
        local.inputs.l2_sync_ready = true;
        assert!(!local.cycle().rx_ready);
        local.inputs.l2_sync_done = Some(0);
        // The head leaves at the end of this cycle.
        assert!(!local.cycle().rx_ready);
        let out = local.cycle();
        assert_eq!((out.rx_ready, out.tx), (true, Some(ack(0, sync_op::REL, 0))));
    });
}

#[test]
fn launch_invalidates_the_l1s_once_and_then_hands_out_the_work_groups() {
    on_bodies::<LocalCommandProcessor>(CONFIG, |body| {
        let mut local = Local::new(body);
        local.send(desc(9, 0x0102, u32::MAX));
        local.send(count(9, 3));
        local.send(launch(9));
        assert!(local.cycle().l1_inv);
        for _ in 0..5 {
            assert_eq!(local.cycle(), Out { rx_ready: true, ..Out::default() });
        }
        local.inputs.l1_inv_done = true;
        assert_eq!(local.cycle(), Out { rx_ready: true, ..Out::default() });
        // The number wraps. Slot is the low byte of A.
        let wg = |group| Some(WorkGroup { tag: 9, slot: 2, group });
        local.inputs.wg_ready = false;
        assert_eq!(local.cycle().wg, wg(u32::MAX));
        assert_eq!(local.cycle().wg, wg(u32::MAX));
        local.inputs.wg_ready = true;
        assert_eq!(local.cycle().wg, wg(u32::MAX));
        assert_eq!(local.cycle().wg, wg(0));
        assert_eq!(local.cycle().wg, wg(1));
        assert_eq!(local.cycle().wg, None);
        for _ in 0..2 {
            assert_eq!(local.end(9).tx, None);
        }
        assert_eq!(local.end(9).tx, None);
        assert_eq!(local.cycle().tx, Some(done(9)));
        assert_eq!(local.cycle().tx, None);
        // It runs no more: its end is ignored.
        local.end(9);
        assert_eq!(local.cycle().tx, None);
    });
}

#[test]
fn kernel_without_work_groups_is_done_in_the_cycle_after_the_invalidation() {
    on_bodies::<LocalCommandProcessor>(CONFIG, |body| {
        let mut local = Local::new(body);
        local.start(0, 0, 0, 0);
        assert_eq!(local.cycle(), Out { rx_ready: true, tx: Some(done(0)), ..Out::default() });
        assert_eq!(local.cycle().tx, None);
        // The tag is free for another one, which must be described anew.
        local.send(launch(0));
        local.cycle();
        assert_eq!(local.cycle().tx, Some(nack(0)));
        local.start(0, 1, 5, 1);
        assert_eq!(local.cycle().wg, Some(WorkGroup { tag: 0, slot: 1, group: 5 }));
    });
}

#[test]
fn kernels_are_handed_out_in_the_order_of_their_launch() {
    on_bodies::<LocalCommandProcessor>(CONFIG, |body| {
        let mut local = Local::new(body);
        local.inputs.wg_ready = false;
        local.start(255, 3, 10, 2);
        local.start(4, 1, 20, 1);
        local.inputs.wg_ready = true;
        let shown: Vec<_> = (0..4).map(|_| local.cycle().wg).collect();
        let of = |tag, slot, group| Some(WorkGroup { tag, slot, group });
        assert_eq!(shown, [of(255, 3, 10), of(255, 3, 11), of(4, 1, 20), None]);
        // Both end while the crossbar takes nothing: the lowest tag goes first.
        local.inputs.tx_ready = false;
        local.end(255);
        local.end(255);
        assert_eq!(local.end(4).tx, Some(done(255)));
        local.inputs.tx_ready = true;
        assert_eq!(local.cycle().tx, Some(done(255)));
        assert_eq!(local.cycle().tx, Some(done(4)));
        assert_eq!(local.cycle().tx, None);
    });
}

#[test]
fn lowest_finished_tag_goes_first_and_an_answer_before_it() {
    on_bodies::<LocalCommandProcessor>(CONFIG, |body| {
        let mut local = Local::new(body);
        for tag in [200, 60, 130] {
            local.start(tag, 0, 0, 1);
        }
        local.run_out();
        local.inputs.tx_ready = false;
        local.send(sync(7, 0));
        local.end(200); // the ACK goes into the register at the end of this cycle
        local.end(130);
        local.end(60);
        local.send(sync(8, 0));
        local.cycle();
        local.inputs.tx_ready = true;
        let sent: Vec<_> = (0..6).map(|_| local.cycle().tx).collect();
        let expected = [ack(7, 0, 0), ack(8, 0, 0), done(60), done(130), done(200)];
        assert_eq!(sent[..5], expected.map(Some));
        assert_eq!(sent[5], None);
    });
}

impl Local {
    /// Takes all work groups that are shown.
    fn run_out(&mut self) {
        while self.cycle().wg.is_some() {}
    }
}

#[test]
fn messages_against_the_protocol_are_refused() {
    on_bodies::<LocalCommandProcessor>(CONFIG, |body| {
        let mut local = Local::new(body);
        let refused = |local: &mut Local, message: Message| {
            local.send(message);
            assert_eq!(local.cycle(), Out { rx_ready: true, ..Out::default() }, "{message:?}");
            assert_eq!(local.cycle().tx, Some(nack(message.tag)), "{message:?}");
        };
        for kind in [0, 5, 6, 7, kind::ACK, kind::DONE, kind::NACK, 11, 12, 13, 14, 15] {
            refused(&mut local, Message { kind, tag: 77, a: 3, b: 4, chiplet: 5 });
        }
        // Not described, not counted.
        refused(&mut local, launch(6));
        local.send(desc(6, 0, 0));
        refused(&mut local, launch(6));
        local.send(count(7, 1));
        refused(&mut local, launch(7));
        // Described twice and counted twice is well: the last one counts.
        local.send(count(6, 9));
        local.send(desc(6, 1, 100));
        local.start(6, 2, 200, 1);
        assert_eq!(local.cycle().wg, Some(WorkGroup { tag: 6, slot: 2, group: 200 }));
        // A running tag is left alone.
        refused(&mut local, desc(6, 0, 0));
        refused(&mut local, count(6, 5));
        refused(&mut local, launch(6));
        local.end(6);
        assert_eq!(local.cycle().tx, Some(done(6)));
    });
}

#[test]
fn message_for_a_tag_that_ends_while_its_refusal_waits_is_legal() {
    on_bodies::<LocalCommandProcessor>(CONFIG, |body| {
        let mut local = Local::new(body);
        local.start(1, 0, 0, 1);
        local.run_out();
        local.inputs.tx_ready = false;
        local.send(sync(9, 0));
        local.cycle(); // its ACK fills the register, and stays there
        local.send(desc(1, 3, 30));
        local.cycle();
        local.end(1);
        local.cycle(); // not running any more: taken, not refused
        local.inputs.tx_ready = true;
        local.send(count(1, 1));
        local.send(launch(1));
        local.inputs.l1_inv_done = true;
        assert!(local.cycle().l1_inv);
        assert_eq!(local.cycle().wg, Some(WorkGroup { tag: 1, slot: 3, group: 30 }));
        let sent: Vec<_> = local.bench.out.iter().filter_map(|out| out.tx).collect();
        assert!(!sent.contains(&nack(1)), "{sent:?}");
    });
}

#[test]
fn invalidation_that_is_done_at_once_counts() {
    on_bodies::<LocalCommandProcessor>(CONFIG, |body| {
        let mut local = Local::new(body);
        local.send(desc(1, 0, 0));
        local.send(count(1, 1));
        // A pulse before the LAUNCH_EN is the head means nothing.
        local.inputs.l1_inv_done = true;
        local.send(launch(1));
        local.inputs.l1_inv_done = true;
        assert!(local.cycle().l1_inv);
        assert!(local.cycle().wg.is_some());
    });
}

#[test]
fn all_tags_run_at_once() {
    on_bodies::<LocalCommandProcessor>(CONFIG, |body| {
        let mut local = Local::new(body);
        local.inputs.wg_ready = false;
        for tag in (0..=255).rev() {
            local.start(tag, u16::from(tag), 1000 * u32::from(tag), 2);
        }
        local.inputs.wg_ready = true;
        for tag in (0..=255).rev() {
            for group in 0..2 {
                let group = 1000 * u32::from(tag) + group;
                assert_eq!(local.cycle().wg, Some(WorkGroup { tag, slot: tag, group }));
            }
        }
        assert_eq!(local.cycle().wg, None);
        for _ in 0..2 {
            for tag in 0..=255 {
                local.end(tag);
            }
        }
        local.cycle();
        let sent: Vec<_> = local.bench.out.iter().filter_map(|out| out.tx).collect();
        assert_eq!(sent, (0..=255).map(done).collect::<Vec<_>>());
    });
}

/// Rule 13: eight kernels. Answers have the request's tag, DONE and work groups the kernel's.
#[test]
fn tags_that_differ_in_high_bits_are_one_kernel_where_few_bits_count() {
    on_bodies::<LocalCommandProcessor>("small", |body| {
        let mut local = Local::new(body);
        local.send(desc(0x15, 2, 7));
        local.send(count(0xfd, 1));
        local.inputs.wg_ready = false;
        local.inputs.l1_inv_done = true;
        local.send(launch(0x4d));
        local.inputs.l1_inv_done = true;
        local.cycle();
        local.send(launch(0x85));
        local.send(sync(0xa5, 0));
        local.cycle();
        local.inputs.wg_ready = true;
        assert_eq!(local.cycle().wg, Some(WorkGroup { tag: 5, slot: 2, group: 7 }));
        local.end(0x35);
        local.cycle();
        let sent: Vec<_> = local.bench.out.iter().filter_map(|out| out.tx).collect();
        assert_eq!(sent, [nack(0x85), ack(0xa5, 0, 0), done(5)]);
    });
}

#[test]
fn kernel_of_more_work_groups_than_16_bits_count_is_done_with_its_last() {
    on_bodies::<LocalCommandProcessor>(CONFIG, |body| {
        const NUMBER: u32 = 0x1_0000 + 3;
        let mut local = Local::new(body);
        local.start(9, 2, 5, NUMBER);
        for k in 0..NUMBER {
            // Each ends in the cycle after the one in which it is taken.
            local.inputs.wg_done = (k > 0).then_some(9);
            let out = local.cycle();
            assert_eq!(out.wg, Some(WorkGroup { tag: 9, slot: 2, group: 5 + k }));
            assert_eq!(out.tx, None);
        }
        assert_eq!(local.end(9).wg, None);
        assert_eq!(local.cycle().tx, Some(done(9)));
    });
}
