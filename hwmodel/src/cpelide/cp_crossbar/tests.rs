//! Directed tests of the rules in `rtl/cpelide/cp_crossbar/README.md`, and random ones against the
//! formula of the specification's section 5.7.

use ports::cpelide::types::{MAX_CHIPLETS, Tx};

use super::*;
use crate::common::random::Random;

const SMALL: Config = Config { chiplets: 2, unicast_latency: 3, broadcast_latency: 5 };
const PAPER: Config = Config { chiplets: 4, unicast_latency: 65, broadcast_latency: 100 };

fn message(b: u32) -> Message {
    Message { kind: kind::SYNC_REQ, tag: 7, a: 1, b, chiplet: 9 }
}

fn tx(dst: u16, bcast: bool, b: u32) -> Option<Tx> {
    Some(Tx { bcast, dst, msg: message(b) })
}

/// A crossbar, its inputs, and what was delivered.
struct Bench {
    xbar: CpCrossbar,
    next: In,
    cycle: u64,
    /// Cycle, chiplet, message.
    down: Vec<(u64, usize, Message)>,
    /// Cycle, message.
    rx: Vec<(u64, Message)>,
    err: Vec<(u64, u8)>,
}

impl Bench {
    fn new(config: &Config) -> Self {
        let xbar = CpCrossbar::new(config).expect("legal parameters");
        let next = In { rx_ready: true, down_ready: u16::MAX, ..In::default() };
        Self { xbar, next, cycle: 0, down: Vec::new(), rx: Vec::new(), err: Vec::new() }
    }

    /// One cycle; `tx` and `up_valid` are cleared after it.
    fn tick(&mut self) -> Out {
        let shown = self.xbar.outputs();
        let out = self.xbar.tick(&self.next);
        assert_eq!(shown, out);
        for c in ones((out.down_valid & self.next.down_ready).into()) {
            self.down.push((self.cycle, c, out.down[c]));
        }
        self.rx.extend(out.rx.filter(|_| self.next.rx_ready).map(|m| (self.cycle, m)));
        self.err.extend(out.err.map(|code| (self.cycle, code)));
        (self.next.tx, self.next.up_valid) = (None, 0);
        self.cycle += 1;
        out
    }

    fn run(&mut self, cycles: u64) {
        for _ in 0..cycles {
            self.tick();
        }
    }

    /// Offers until it is taken; returns the cycle of the acceptance.
    fn send(&mut self, tx: Option<Tx>) -> u64 {
        loop {
            self.next.tx = tx;
            if self.tick().tx_ready {
                return self.cycle - 1;
            }
        }
    }

    fn arrivals(&self) -> Vec<(u64, usize, u32)> {
        self.down.iter().map(|(cycle, c, m)| (*cycle, *c, m.b)).collect()
    }
}

#[test]
fn list_of_two_then_broadcast_arrive_as_in_the_timing_diagram() {
    let mut b = Bench::new(&SMALL);
    assert_eq!(b.send(tx(0b11, false, 1)), 0);
    assert_eq!(b.send(tx(0b11, true, 2)), 2, "two destinations take two cycles");
    b.run(20);
    assert_eq!(b.arrivals(), [(3, 0, 1), (4, 1, 1), (7, 0, 2), (7, 1, 2)]);
    assert!(b.xbar.is_idle() && b.err.is_empty());
}

#[test]
fn destination_is_rewritten_and_nothing_else() {
    let mut b = Bench::new(&PAPER);
    b.send(tx(0b1010, false, 1));
    b.send(tx(0b1111, true, 2));
    b.run(200);
    for (_, c, m) in &b.down {
        assert_eq!(*m, Message { chiplet: *c as u8, ..message(m.b) });
    }
    assert_eq!(b.down.len(), 6);
}

#[test]
fn broadcast_is_never_before_what_was_sent_first() {
    // The broadcast is faster here: the unicast before it delays chiplet 1 only.
    let mut b = Bench::new(&Config { chiplets: 2, unicast_latency: 9, broadcast_latency: 5 });
    b.send(tx(0b10, false, 1));
    b.send(tx(0b11, true, 2));
    b.run(20);
    assert_eq!(b.arrivals(), [(6, 0, 2), (9, 1, 1), (10, 1, 2)]);
}

#[test]
fn broadcast_to_some_is_error_7_and_unicasts() {
    for dst in [0b01, 0b111, 0b0, 0x8003] {
        let mut b = Bench::new(&SMALL);
        b.send(tx(dst, true, 1));
        b.run(20);
        assert_eq!(b.err, [(1, error_code::PROTOCOL)], "{dst:#b}");
        let present: Vec<_> = ones((dst & 0b11).into()).map(|c| (3 + c as u64, c, 1)).collect();
        assert_eq!(b.arrivals(), present);
        assert_eq!(b.rx.len() as u32, (dst & !0b11).count_ones());
    }
}

#[test]
fn absent_chiplets_answer_with_nack_6_in_their_turn() {
    let mut b = Bench::new(&SMALL);
    b.send(tx(0b1000_0000_0000_1101, false, 1));
    assert_eq!(b.send(tx(0, false, 0)), 4, "a turn is a cycle, present or not");
    b.run(20);
    assert_eq!(b.arrivals(), [(3, 0, 1)]);
    let nack = |chiplet| Message { kind: kind::NACK, chiplet, tag: 7, a: 6, b: 0 };
    assert_eq!(b.rx, [(4, nack(2)), (5, nack(3)), (6, nack(15))]);
    assert!(b.err.is_empty());
}

#[test]
fn way_back_takes_a_unicast_latency_and_names_its_source() {
    for config in [SMALL, PAPER, Config { chiplets: 2, unicast_latency: 1, broadcast_latency: 1 }] {
        let mut b = Bench::new(&config);
        b.next.up_valid = 0b10;
        b.next.up[1] = message(5);
        b.run(100);
        let arrival = Message { chiplet: 1, ..message(5) };
        assert_eq!(b.rx, [(config.unicast_latency.into(), arrival)]);
    }
}

#[test]
fn lowest_chiplet_comes_first_and_what_is_shown_stays() {
    let mut b = Bench::new(&SMALL);
    b.next.rx_ready = false;
    b.next.up = [message(1); MAX_CHIPLETS];
    b.next.up_valid = 0b10;
    b.tick();
    b.next.up_valid = 0b11;
    b.run(6);
    b.next.rx_ready = true;
    b.run(10);
    let order: Vec<_> = b.rx.iter().map(|(cycle, m)| (*cycle, m.chiplet)).collect();
    assert_eq!(order, [(7, 1), (8, 0), (9, 1)], "chiplet 1 was shown from cycle 3 on");
}

#[test]
fn nacks_come_after_all_chiplets() {
    let mut b = Bench::new(&SMALL);
    b.next.up_valid = 0b10;
    b.send(tx(0b100, false, 1));
    b.run(10);
    let order: Vec<_> = b.rx.iter().map(|(cycle, m)| (*cycle, m.chiplet)).collect();
    assert_eq!(order, [(3, 1), (4, 2)]);
}

#[test]
fn one_message_per_cycle_is_sustained_on_one_link() {
    let mut b = Bench::new(&PAPER);
    for n in 0..500 {
        assert_eq!(b.send(tx(0b100, false, n)), n.into());
    }
    b.run(100);
    assert_eq!(b.arrivals(), (0..500).map(|n| (u64::from(n) + 65, 2, n)).collect::<Vec<_>>());
}

#[test]
fn stalled_chiplet_holds_only_itself_up_until_its_link_is_full() {
    let mut b = Bench::new(&SMALL);
    b.next.down_ready = 0b10;
    // Six fit: max(3, 5) + 1.
    for n in 0..6 {
        b.send(tx(0b01, false, n));
        b.send(tx(0b10, false, n));
    }
    assert_eq!(b.send(tx(0b01, false, 6)), 12, "it is accepted, and waits for room");
    b.run(5);
    assert!(!b.xbar.outputs().tx_ready);
    assert_eq!(b.arrivals(), (0..6).map(|n| (2 * u64::from(n) + 4, 1, n)).collect::<Vec<_>>());
    b.next.down_ready = 0b11;
    b.down.clear();
    let start = b.cycle;
    b.run(20);
    // One is taken in `start`, room shows in start + 1, the seventh is injected there and due 3
    // later.
    let expected: Vec<_> = (0..7).map(|n| (start + u64::from(n), 0, n)).collect();
    assert_eq!(b.arrivals(), expected);
    assert!(b.xbar.is_idle());
}

#[test]
fn broadcast_waits_for_room_on_every_link() {
    let mut b = Bench::new(&SMALL);
    b.next.down_ready = 0b10;
    for n in 0..6 {
        b.send(tx(0b01, false, n));
    }
    b.run(5);
    let accepted = b.send(tx(0b11, true, 9));
    b.run(3);
    assert!(b.down.is_empty());
    b.next.down_ready = 0b11;
    b.run(20);
    let last: Vec<_> =
        b.down.iter().filter(|(.., m)| m.b == 9).map(|(at, c, _)| (*at, *c)).collect();
    // The first is taken in accepted + 4, the broadcast injected in accepted + 5.
    assert_eq!(last, [(accepted + 10, 0), (accepted + 10, 1)]);
}

#[test]
fn full_way_back_refuses_its_chiplet_only() {
    let mut b = Bench::new(&SMALL);
    b.next.rx_ready = false;
    for n in 0..6 {
        b.next.up_valid = 0b01;
        let ready = b.tick().up_ready;
        assert_eq!(ready, if n < 4 { 0b11 } else { 0b10 }, "3 + 1 places");
    }
    b.next.rx_ready = true;
    b.tick();
    assert_eq!(b.tick().up_ready, 0b11, "room shows in the cycle after");
}

#[test]
fn illegal_parameters_are_refused() {
    let cases = [
        (Config { chiplets: 1, ..PAPER }, "chiplets = 1: must be 2 to 16"),
        (Config { chiplets: 17, ..PAPER }, "chiplets = 17: must be 2 to 16"),
        (Config { unicast_latency: 0, ..PAPER }, "unicast_latency = 0: must be 1 to 255"),
        (Config { broadcast_latency: 256, ..PAPER }, "broadcast_latency = 256: must be 1 to 255"),
    ];
    for (config, message) in cases {
        assert_eq!(CpCrossbar::new(&config).unwrap_err().to_string(), message);
    }
}

/// Section 5.7: arrival = max(accept + latency, last arrival on that pair + 1), for every chiplet
/// in the order of the messages, while no receiver stalls.
#[test]
fn arrivals_follow_the_formula_for_random_traffic() {
    for seed in 1..40 {
        let mut r = Random::new(seed);
        let chiplets = 2 + r.below(15);
        let (unicast_latency, broadcast_latency) = (1 + r.below(70), 1 + r.below(110));
        let mut b = Bench::new(&Config { chiplets, unicast_latency, broadcast_latency });
        let all = u16::MAX >> (16 - chiplets);
        let mut last = [None::<u64>; MAX_CHIPLETS];
        let mut expected = Vec::new();
        for n in 0..300 {
            let (dst, bcast) = match r.below(3) {
                0 => (all, true),
                1 => (1 << r.below(chiplets), false),
                _ => (r.below(1 << 16) as u16 & all, false),
            };
            let accepted = b.send(tx(dst, bcast, n));
            for (turn, c) in ones(dst.into()).enumerate() {
                let due = if bcast {
                    accepted + u64::from(broadcast_latency)
                } else {
                    accepted + turn as u64 + u64::from(unicast_latency)
                };
                let arrival = last[c].map_or(due, |last| due.max(last + 1));
                last[c] = Some(arrival);
                expected.push((arrival, c, n));
            }
            b.run(u64::from(r.below(2) * r.below(5)));
        }
        b.run(400);
        expected.sort();
        assert_eq!(b.arrivals(), expected, "seed {seed}");
        assert!(b.xbar.is_idle());
    }
}

/// With random stalls: order is kept per link, nothing is lost, nothing comes early, and an idle
/// crossbar may be left alone.
#[test]
fn stalls_lose_and_reorder_nothing() {
    for seed in 1..40 {
        let mut r = Random::new(seed);
        let chiplets = 2 + r.below(15);
        let config =
            Config { chiplets, unicast_latency: 1 + r.below(6), broadcast_latency: 1 + r.below(9) };
        let mut b = Bench::new(&config);
        let (mut sent, mut up) = (vec![Vec::new(); MAX_CHIPLETS], vec![Vec::new(); MAX_CHIPLETS]);
        let mut held: Option<Tx> = None;
        for n in 0..4000 {
            let offer = n < 3000 && r.below(2) == 0;
            if held.is_none() && offer {
                let dst = r.below(1 << chiplets) as u16;
                held = tx(dst, dst.count_ones() == chiplets, n);
            }
            b.next.tx = held;
            b.next.rx_ready = n > 3000 || r.below(3) > 0;
            b.next.down_ready = if n > 3000 { u16::MAX } else { r.below(1 << 16) as u16 };
            if n < 3000 && r.below(4) == 0 {
                b.next.up_valid = r.below(1 << chiplets) as u16;
                b.next.up = [message(n); MAX_CHIPLETS];
            }
            let (valid, idle) = (b.next.up_valid, b.xbar.is_idle() && held.is_none());
            let left_alone = b.xbar.clone();
            let out = b.tick();
            if idle && valid == 0 {
                assert_eq!(left_alone.outputs(), b.xbar.outputs());
            }
            if let (Some(tx), true) = (held, out.tx_ready) {
                ones(tx.dst.into()).for_each(|c| sent[c].push(n_of(&tx)));
                held = None;
            }
            ones((valid & out.up_ready).into()).for_each(|c| up[c].push(n));
        }
        assert!(b.xbar.is_idle(), "seed {seed}");
        for c in 0..chiplets as usize {
            let got: Vec<_> = b.down.iter().filter(|d| d.1 == c).map(|d| d.2.b).collect();
            assert_eq!(got, sent[c], "seed {seed}");
            let got: Vec<_> =
                b.rx.iter().filter(|d| usize::from(d.1.chiplet) == c).map(|d| d.1.b).collect();
            assert_eq!(got, up[c], "seed {seed}");
        }
    }
}

/// A crossbar that is left alone for as long as it says shows the same as one that is ticked.
#[test]
fn messages_on_their_way_need_no_tick() {
    let config = Config { chiplets: 3, unicast_latency: 40, broadcast_latency: 65 };
    let mut r = Random::new(7);
    let mut ticked = CpCrossbar::new(&config).unwrap();
    let (mut skipping, mut skipped) = (ticked.clone(), 0);
    for n in 0..2000 {
        let dst = r.below(8) as u16;
        let input = In {
            tx: tx(dst, dst == 7, n).filter(|_| r.below(3) == 0),
            up_valid: r.below(8) as u16 & r.below(8) as u16,
            up: [message(n); MAX_CHIPLETS],
            down_ready: u16::MAX,
            rx_ready: true,
        };
        assert_eq!(ticked.tick(&input), skipping.tick(&input), "step {n}");
        let mut wait = u64::from(r.below(90));
        let idle = In { down_ready: u16::MAX, rx_ready: true, ..In::default() };
        while wait > 0 {
            let quiet = skipping.quiet_cycles().min(wait);
            if quiet > 0 {
                let shown = skipping.outputs();
                (0..quiet).for_each(|_| assert_eq!(ticked.tick(&idle), shown, "step {n}"));
                skipping.skip_quiet(quiet);
                (wait, skipped) = (wait - quiet, skipped + quiet);
                continue;
            }
            assert_eq!(ticked.tick(&idle), skipping.tick(&idle), "step {n}");
            wait -= 1;
        }
    }
    assert!(skipped > 40_000, "{skipped} cycles skipped");
}

fn n_of(tx: &Tx) -> u32 {
    tx.msg.b
}
