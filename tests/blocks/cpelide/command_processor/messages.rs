//! Messages to and from the crossbar, WAIT, and the completion of what waits (rules 13, 19 to 29).

use duet_tests::parameters;
use hwmodel::cpelide::command_processor::CommandProcessor;
use ports::cpelide::types::{Command, Message, Tx, error_code, kind};

use super::assembler::*;
use super::machine::Machine;
use super::on_bodies;

const TX_LO: i32 = 0x30;
const TX_DST: i32 = 0x34;
const TX_HI: i32 = 0x38;
const TX_FREE: i32 = 0x3C;
const ACK_PEND: i32 = 0x40;
const RX_STAT: i32 = 0x44;
const RX_LO: i32 = 0x48;
const RX_HI: i32 = 0x4C;
const WAIT: i32 = 0x58;

/// Starts a program in configuration `small`.
fn on_small(code: &Code, check: impl Fn(Machine)) {
    on_bodies::<CommandProcessor>("small", |body| {
        let config = (&parameters::<Command>("small")).into();
        check(Machine::new(body, &config, &code.clone().exit(0), &Code::default()));
    });
}

fn ack(chiplet: u8) -> Message {
    Message { kind: kind::ACK, chiplet, ..Message::default() }
}

fn done(tag: u8) -> Message {
    Message { kind: kind::DONE, tag, b: u32::from(tag) << 16, ..Message::default() }
}

impl Machine {
    /// Offers a message in one cycle of the processor.
    fn message(&mut self, time: usize, message: Message) {
        self.run_to(time);
        self.inputs.rx = Some(message);
        self.cycle();
        self.inputs.rx = None;
    }

    /// The cycles in which the stores so far acted: two before they show.
    fn acted(&self) -> Vec<usize> {
        let trace = self.trace().into_iter();
        trace.filter(|(_, r)| r.mem_wmask != 0).map(|(shown, _)| shown - 2).collect()
    }
}

#[test]
fn message_is_sent_in_the_cycle_after_its_high_half_is_written() {
    let code = Code::with_bases()
        .read(TX_FREE)
        .write(TX_LO, 0x1234_5672)
        .write(TX_DST, 0x1_8001)
        .write(TX_HI, 0x9ABC_DEF0)
        // Both keep their values.
        .write(TX_HI, 7)
        .read(TX_FREE);
    on_small(&code, |mut machine| {
        machine.run_to_exit();
        let acted = machine.acted();
        let msg = |b| Message { b, a: 0x1234, tag: 0x56, chiplet: 7, kind: 2 };
        let tx = |b| Tx { bcast: true, dst: 0x8001, msg: msg(b) };
        let expected = [(acted[2] + 1, tx(0x9ABC_DEF0)), (acted[3] + 1, tx(7))];
        assert_eq!(machine.shown(|out| out.tx), expected);
        assert_eq!(machine.values(), [8, 8]);
    });
}

#[test]
fn send_waits_for_a_free_place() {
    let mut code = Code::with_bases();
    for k in 0..8 {
        code = code.write(TX_HI, k).read(TX_FREE);
    }
    code = code.write(TX_HI, 8).read(TX_FREE);
    on_small(&code, |mut machine| {
        machine.inputs.tx_ready = false;
        machine.run_to(300);
        assert_eq!(machine.values(), [7, 6, 5, 4, 3, 2, 1, 0]);
        assert_eq!(machine.acted().len(), 8);
        // Taken in 300, the place is free in 301.
        machine.inputs.tx_ready = true;
        machine.cycle();
        machine.inputs.tx_ready = false;
        machine.run_to(330);
        assert_eq!((machine.acted()[8], machine.values()[8]), (301, 0));
        machine.inputs.tx_ready = true;
        machine.run_to_exit();
        // The queue empties though the core has halted.
        machine.run(10);
        let sent = machine.shown(|out| out.tx).into_iter().map(|(_, tx)| tx.msg.b);
        let mut sent: Vec<_> = sent.collect();
        sent.dedup();
        assert_eq!(sent, (0..9).collect::<Vec<_>>());
    });
}

#[test]
fn place_that_is_taken_and_filled_at_one_edge_counts_once() {
    let code = Code::with_bases().write(TX_HI, 1).write(TX_HI, 2).read(TX_FREE);
    on_small(&code, |mut machine| {
        machine.inputs.tx_ready = false;
        // The second one acts in 16: three instructions and four cycles behind the first.
        machine.run_to(20);
        machine.inputs.tx_ready = true;
        machine.cycle();
        machine.inputs.tx_ready = false;
        machine.run(20);
        let acted = machine.acted();
        assert_eq!(acted, [13, 20]);
        assert_eq!(machine.values(), [7]);
        let sent = machine.shown(|out| out.tx);
        assert_eq!(sent.iter().filter(|(_, tx)| tx.msg.b == 1).map(|(c, _)| *c).max(), Some(20));
        assert_eq!(sent.iter().filter(|(_, tx)| tx.msg.b == 2).map(|(c, _)| *c).min(), Some(21));
    });
}

#[test]
fn ack_pend_follows_requests_and_acks() {
    let code = Code::with_bases()
        .write(TX_LO, kind::SYNC_REQ.into())
        .write(TX_DST, 0b1011)
        .write(TX_HI, 0)
        .read(ACK_PEND)
        .read(WAIT)
        .read(ACK_PEND)
        .write(TX_LO, kind::LAUNCH_EN.into())
        .write(TX_HI, 0)
        .reads(&[ACK_PEND, RX_STAT]);
    on_small(&code, |mut machine| {
        // The first read acts in 27, WAIT stands from 32 on.
        machine.message(40, ack(1));
        machine.run_to_exit();
        let loads = machine.loads();
        assert_eq!(loads[0].1, 0b1011);
        // Accepted in 40, the event is there in 41, in which WAIT acts.
        assert_eq!(loads[1], (43, 0b100));
        assert_eq!((loads[2].1, loads[3].1, loads[4].1), (0b1001, 0b1001, 0));
    });
}

#[test]
fn unexpected_ack_is_error_7_and_no_event() {
    let code = Code::with_bases()
        .write(TX_LO, kind::SYNC_REQ.into())
        .write(TX_DST, 0b1)
        .write(TX_HI, 0)
        .read(WAIT)
        .reads(&[ACK_PEND, RX_STAT]);
    on_small(&code, |mut machine| {
        machine.message(3, ack(0));
        machine.message(60, ack(1));
        machine.message(80, Message { kind: kind::NACK, ..ack(0) });
        machine.run_to_exit();
        let errors = machine.shown(|out| out.err);
        assert_eq!(errors, [(4, error_code::PROTOCOL), (61, error_code::PROTOCOL)]);
        // The NACK is a message for the firmware: event rx, and the bit stays.
        assert_eq!(machine.loads()[0], (83, 0b010));
        assert_eq!(machine.values()[1..], [1, 1]);
    });
}

#[test]
fn ack_and_request_at_one_edge() {
    let request = |code: Code| code.write(TX_HI, 0);
    let code = Code::with_bases().write(TX_LO, kind::SYNC_REQ.into()).write(TX_DST, 1);
    let code = request(request(code)).read(ACK_PEND);
    on_small(&code, |mut machine| {
        machine.run_to(20);
        let acts = [27, 34];
        // Before the request no load waits for it; with the second one the first is answered, and
        // one is left.
        machine.message(acts[0], ack(0));
        machine.message(acts[1], ack(0));
        machine.run_to_exit();
        assert_eq!(machine.acted()[2..4], acts);
        assert_eq!(machine.shown(|out| out.err), [(acts[0] + 1, error_code::PROTOCOL)]);
        assert_eq!(machine.values(), [1]);
    });
}

#[test]
fn other_messages_wait_in_order_and_reading_the_high_half_removes_them() {
    let code = Code::with_bases()
        .reads(&[RX_STAT, RX_LO, RX_HI])
        .wait(20)
        .reads(&[RX_STAT, RX_LO, RX_LO, RX_HI, RX_STAT, RX_LO, RX_HI, RX_STAT, RX_HI]);
    on_small(&code, |mut machine| {
        machine.message(30, done(0x12));
        machine.message(31, Message { kind: 0, chiplet: 5, tag: 1, a: 2, b: 3 });
        machine.run_to_exit();
        let expected = [0, 0, 0, 2, 0x1209, 0x1209, 0x12_0000, 1, 0x2_0150, 3, 0, 0];
        assert_eq!(machine.values(), expected);
    });
}

#[test]
fn full_fifo_pushes_back_and_reports_once_until_an_entry_is_free() {
    let code = Code::with_bases().wait(60).reads(&[RX_STAT, RX_HI]).wait(20).read(RX_STAT);
    on_small(&code, |mut machine| {
        machine.run_to(10);
        let mut accepted = Vec::new();
        for time in 10..130 {
            machine.inputs.rx = (time != 40).then_some(done(time as u8));
            if machine.cycle().1.rx_ready && time != 40 {
                accepted.push(time);
            }
        }
        // 16 from 10 on, and one when RX_HI has removed one.
        let popped = machine.loads()[1].0 - 2;
        assert_eq!(accepted, (10..26).chain([popped + 1]).collect::<Vec<_>>());
        assert_eq!(machine.values(), [16, 10 << 16, 16]);
        // Not again in 41: the FIFO has been full all the time.
        let errors = machine.shown(|out| out.err);
        assert_eq!(errors, [(27, error_code::PROTOCOL), (popped + 3, error_code::PROTOCOL)]);
    });
}

/// The README's diagram: WAIT is granted in g, and the message comes in g + 6.
#[test]
fn wait_completes_in_the_cycle_in_which_an_event_is_there() {
    let code = Code::with_bases().reads(&[WAIT, WAIT]);
    on_small(&code, |mut machine| {
        let granted = 8;
        machine.message(granted + 6, done(0));
        machine.message(40, done(1));
        machine.run_to_exit();
        assert_eq!(machine.loads(), [(granted + 9, 0b010), (43, 0b010)]);
    });
}

#[test]
fn events_of_the_past_and_of_the_very_cycle_are_not_lost() {
    let code = Code::with_bases()
        .write(TX_LO, kind::SYNC_REQ.into())
        .write(TX_DST, 3)
        .write(TX_HI, 0)
        .wait(20)
        .reads(&[WAIT, WAIT]);
    on_small(&code, |mut machine| {
        machine.message(31, done(0));
        machine.message(33, ack(0));
        // WAIT is granted in 49 and acts in 52: this one comes in that cycle.
        machine.message(52, ack(1));
        machine.run_to_exit();
        // The second WAIT acts at once: the event has been there.
        assert_eq!(machine.loads(), [(54, 0b110), (59, 0b100)]);
    });
}
