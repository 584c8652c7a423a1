//! The crossbar between command processors: latencies, order, broadcasts, absent chiplets (rules of
//! `rtl/cpelide/cp_crossbar/README.md`, section 5.7 of the command-processor specification).

use duet_tests::{Bench, Body, configs, on_both_bodies as on_bodies, parameters};
use hwmodel::cpelide::cp_crossbar::CpCrossbar;
use ports::cpelide::cp_crossbar::{In, Out};
use ports::cpelide::types::{Command, Message, Tx, error_code, kind};

/// Latencies of configuration `small`: unicast and broadcast.
const UNI: usize = 3;
const BC: usize = 5;

fn message(tag: u8) -> Message {
    // Its chiplet is rewritten on the way.
    Message { kind: kind::WG_COUNT, chiplet: 13, tag, a: 0xABCD, b: 0x1234_5678 }
}

fn to(dst: u16, tag: u8) -> Tx {
    Tx { bcast: false, dst, msg: message(tag) }
}

fn to_all(dst: u16, tag: u8) -> Tx {
    Tx { bcast: true, ..to(dst, tag) }
}

/// A message as chiplet `chiplet` sees it, or as the global processor sees one of that chiplet.
fn at(chiplet: usize, tag: u8) -> Message {
    Message { chiplet: chiplet as u8, ..message(tag) }
}

/// A crossbar of which everything is taken at once, unless `inputs` says otherwise.
struct Crossbar {
    bench: Bench<Body<CpCrossbar>>,
    inputs: In,
    chiplets: usize,
}

impl Crossbar {
    fn new(body: Body<CpCrossbar>, chiplets: u32) -> Self {
        let down_ready = ((1u32 << chiplets) - 1) as u16;
        let inputs = In { rx_ready: true, down_ready, ..In::default() };
        Self { bench: Bench::new(body), inputs, chiplets: chiplets as usize }
    }

    /// One cycle; messages are offered in it alone. Returns its outputs.
    fn cycle(&mut self, tx: Option<Tx>, up: &[(usize, u8)]) -> Out {
        let mut inputs = In { tx, ..self.inputs };
        for (chiplet, tag) in up {
            inputs.up_valid |= 1 << chiplet;
            inputs.up[*chiplet] = message(*tag);
        }
        let cycle = self.bench.cycle(&inputs);
        self.bench.out[cycle]
    }

    fn send(&mut self, tx: Tx) {
        assert!(self.cycle(Some(tx), &[]).tx_ready, "{tx:?} is not accepted");
    }

    fn run(&mut self, cycles: usize) {
        for _ in 0..cycles {
            self.cycle(None, &[]);
        }
    }

    /// Cycle, chiplet and message of everything that was shown and taken below.
    fn delivered(&self) -> Vec<(usize, usize, Message)> {
        let mut all = Vec::new();
        for (cycle, out) in self.bench.out.iter().enumerate() {
            for chiplet in (0..self.chiplets).filter(|c| out.down_valid >> c & 1 == 1) {
                all.push((cycle, chiplet, out.down[chiplet]));
            }
        }
        all
    }

    /// Cycle and message of everything that was shown to the global processor.
    fn shown(&self) -> Vec<(usize, Message)> {
        let out = self.bench.out.iter().enumerate();
        out.filter_map(|(cycle, out)| Some((cycle, out.rx?))).collect()
    }
}

fn on_small(check: impl Fn(Crossbar)) {
    on_bodies::<CpCrossbar>("small", |body| check(Crossbar::new(body, 2)));
}

#[test]
fn latencies_are_those_of_every_configuration() {
    for config in configs::<Command>() {
        let Command { chiplets, unicast_latency, broadcast_latency, .. } = parameters(&config);
        let (n, uni, bc) =
            (chiplets as usize, unicast_latency as usize, broadcast_latency as usize);
        let all = ((1u32 << n) - 1) as u16;
        on_bodies::<CpCrossbar>(&config, |body| {
            let mut x = Crossbar::new(body, chiplets);
            x.send(to(1 << (n - 1), 1));
            x.send(to_all(all, 2));
            x.run(uni.max(bc));
            let start = x.bench.out.len();
            x.cycle(None, &[(n - 1, 3)]);
            x.run(uni + 1);
            let mut expected = vec![(uni, n - 1, at(n - 1, 1))];
            expected.extend((0..n).map(|c| (1 + bc, c, at(c, 2))));
            assert_eq!(x.delivered(), expected, "{config}");
            assert_eq!(x.shown(), [(start + uni, at(n - 1, 3))], "{config}");
        });
    }
}

/// The README's diagram.
#[test]
fn list_and_broadcast_take_their_cycles() {
    on_small(|mut x| {
        let (list, all) = (to(0b11, 1), to_all(0b11, 2));
        let ready: Vec<_> =
            [list, all, all].map(|tx| x.cycle(Some(tx), &[]).tx_ready).into_iter().collect();
        assert_eq!(ready, [true, false, true]);
        x.run(8);
        let expected =
            [(3, 0, at(0, 1)), (4, 1, at(1, 1)), (2 + BC, 0, at(0, 2)), (2 + BC, 1, at(1, 2))];
        assert_eq!(x.delivered(), expected);
    });
}

#[test]
fn list_is_injected_lowest_first_and_holds_tx_for_its_cycles() {
    on_bodies::<CpCrossbar>("paper-16chiplets", |body| {
        let mut x = Crossbar::new(body, 16);
        x.send(to(0b1000_0001_0001_0100, 1));
        let ready: Vec<_> = (0..5).map(|_| x.cycle(None, &[]).tx_ready).collect();
        assert_eq!(ready, [false, false, false, true, true]);
        x.run(80);
        let expected = [2, 4, 8, 15].into_iter().enumerate();
        let expected: Vec<_> = expected.map(|(k, c)| (65 + k, c, at(c, 1))).collect();
        assert_eq!(x.delivered(), expected);
    });
}

#[test]
fn order_of_a_pair_is_kept_behind_a_broadcast() {
    on_small(|mut x| {
        x.send(to_all(0b11, 1)); // due in 5
        x.send(to(0b01, 2)); // due in 4
        x.send(to(0b01, 3)); // due in 5
        x.send(to(0b10, 4)); // due in 6
        x.run(10);
        let expected = [
            (5, 0, at(0, 1)),
            (5, 1, at(1, 1)),
            (6, 0, at(0, 2)),
            (6, 1, at(1, 4)),
            (7, 0, at(0, 3)),
        ];
        assert_eq!(x.delivered(), expected);
    });
}

/// The second message of a link was due 34 cycles before the broadcast that it stays behind.
#[test]
fn unicast_stays_behind_a_much_slower_broadcast() {
    on_bodies::<CpCrossbar>("paper", |body| {
        let mut x = Crossbar::new(body, 4);
        x.send(to_all(0b1111, 1));
        x.send(to(0b1000, 2));
        x.run(110);
        let mut expected: Vec<_> = (0..4).map(|c| (100, c, at(c, 1))).collect();
        expected.push((101, 3, at(3, 2)));
        assert_eq!(x.delivered(), expected);
    });
}

#[test]
fn broadcast_to_some_is_error_7_and_goes_as_unicasts() {
    on_small(|mut x| {
        x.send(to_all(0b01, 1));
        assert_eq!(x.cycle(None, &[]).err, Some(error_code::PROTOCOL));
        assert_eq!(x.cycle(None, &[]).err, None);
        // Without a receiver: an error and nothing else.
        x.send(to_all(0, 2));
        let out = x.cycle(None, &[]);
        assert_eq!((out.err, out.tx_ready), (Some(error_code::PROTOCOL), true));
        // To more than all: the absent one is a destination like the others.
        x.send(to_all(0b111, 3));
        assert_eq!(x.cycle(None, &[]).err, Some(error_code::PROTOCOL));
        x.run(10);
        assert_eq!(x.delivered(), [(3, 0, at(0, 1)), (8, 0, at(0, 3)), (9, 1, at(1, 3))]);
        assert_eq!(x.shown().len(), 1);
        // Without the bit a message without a receiver is ignored.
        x.send(to(0, 4));
        let out = x.cycle(None, &[]);
        assert_eq!((out.err, out.tx_ready), (None, true));
    });
}

fn nack(chiplet: u8, tag: u8) -> Message {
    let a = error_code::ABSENT_CHIPLET.into();
    Message { kind: kind::NACK, chiplet, tag, a, b: 0 }
}

#[test]
fn absent_chiplet_is_answered_after_the_latency_of_a_unicast() {
    on_small(|mut x| {
        x.send(to(0b1000_0000_0000_0110, 9)); // chiplet 1, then 2 and 15, which are absent
        x.run(10);
        assert_eq!(x.delivered(), [(3, 1, at(1, 9))]);
        assert_eq!(x.shown(), [(1 + UNI, nack(2, 9)), (2 + UNI, nack(15, 9))]);
    });
}

#[test]
fn full_link_holds_its_message_and_no_other_link() {
    on_small(|mut x| {
        x.inputs.down_ready = 0b10;
        // A link holds 6. The seventh is accepted and waits.
        for tag in 0..7 {
            x.send(to(0b01, tag));
        }
        assert!(!x.cycle(Some(to(0b10, 99)), &[]).tx_ready);
        x.run(20);
        // Chiplet 0 takes one in cycle 28: room in 29, in which the seventh is injected.
        x.inputs.down_ready = 0b11;
        assert!(!x.cycle(None, &[]).tx_ready);
        x.inputs.down_ready = 0b10;
        assert!(!x.cycle(None, &[]).tx_ready);
        x.send(to(0b10, 7));
        x.inputs.down_ready = 0b11;
        x.run(10);
        let taken: Vec<_> = x.delivered().into_iter().filter(|d| d.0 >= 31).collect();
        let expected = (1..7).map(|tag| (30 + usize::from(tag), 0, at(0, tag)));
        let mut expected: Vec<_> = expected.collect();
        expected.insert(3, (33, 1, at(1, 7)));
        assert_eq!(taken, expected);
    });
}

#[test]
fn broadcast_waits_until_no_link_is_full() {
    on_small(|mut x| {
        x.inputs.down_ready = 0b10;
        for tag in 0..6 {
            x.send(to(0b01, tag));
        }
        x.send(to_all(0b11, 6));
        x.run(3);
        assert!(!x.cycle(None, &[]).tx_ready);
        x.inputs.down_ready = 0b11;
        let (taken, injected) = (11, 12);
        x.run(taken + 1 - x.bench.out.len());
        x.inputs.down_ready = 0;
        x.run(1 + BC);
        assert_eq!(x.bench.out[injected + BC - 1].down_valid, 0b01);
        assert_eq!(x.bench.out[injected + BC].down_valid, 0b11);
        assert_eq!(x.bench.out[injected + BC].down[1], at(1, 6));
    });
}

#[test]
fn message_that_has_waited_for_long_is_still_in_order() {
    on_small(|mut x| {
        x.inputs.down_ready = 0;
        for tag in 0..6 {
            x.send(to(0b01, tag));
        }
        // Longer than any counter of due cycles may be taken to be.
        x.run(5000);
        x.inputs.down_ready = 0b11;
        let from = x.bench.out.len();
        x.run(8);
        let taken: Vec<_> = x.delivered().into_iter().filter(|d| d.0 >= from).collect();
        let expected: Vec<_> = (0..6).map(|k| (from + k, 0, at(0, k as u8))).collect();
        assert_eq!(taken, expected);
    });
}

#[test]
fn way_back_shows_the_lowest_due_chiplet_and_nacks_last() {
    on_bodies::<CpCrossbar>("paper", |body| {
        let mut x = Crossbar::new(body, 4);
        let up: Vec<_> = [3, 0, 2].map(|c| (c, c as u8)).into();
        x.cycle(Some(to(1 << 7, 50)), &up);
        x.cycle(None, &[(1, 1)]);
        x.run(80);
        let expected = [(65, at(0, 0)), (66, at(1, 1)), (67, at(2, 2)), (68, at(3, 3))];
        assert_eq!(x.shown()[..4], expected);
        assert_eq!(x.shown()[4..], [(69, nack(7, 50))]);
    });
}

#[test]
fn message_that_is_shown_stays_when_a_lower_one_becomes_due() {
    on_small(|mut x| {
        x.inputs.rx_ready = false;
        x.cycle(None, &[(1, 1)]);
        x.cycle(None, &[(0, 2)]);
        x.run(10);
        assert!(x.shown().iter().all(|(_, shown)| *shown == at(1, 1)));
        let from = x.bench.out.len();
        x.inputs.rx_ready = true;
        x.run(3);
        assert_eq!(x.shown().split_off(from - 3), [(from, at(1, 1)), (from + 1, at(0, 2))]);
    });
}

#[test]
fn link_up_holds_one_more_than_its_latency() {
    on_small(|mut x| {
        x.inputs.rx_ready = false;
        let ready: Vec<_> = (0..6).map(|tag| x.cycle(None, &[(1, tag)]).up_ready).collect();
        assert_eq!(ready, [0b11, 0b11, 0b11, 0b11, 0b01, 0b01]);
        x.inputs.rx_ready = true;
        assert_eq!(x.cycle(None, &[]).up_ready, 0b01);
        assert_eq!(x.cycle(None, &[]).up_ready, 0b11);
    });
}
