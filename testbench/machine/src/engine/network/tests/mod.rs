//! Small networks, and random ones against a plain one.

mod case;
mod plain;
mod properties;

use super::*;
use crate::engine::pool::Pool;

const WIDE: Rate = Rate::per_cycle(64);

/// Two outlets, latencies 2 and 3, into one inlet of latency 4 that moves a byte in each cycle.
fn two_into_one() -> (Network, Wheel, [OutletId; 2], InletId) {
    let mut network = Network::default();
    let spec = InletSpec { name: "in".into(), consumer: ComponentId(2), latency: 4, width: 1 };
    let inlet = network.add_inlet(spec);
    let routes = network.route_to(inlet);
    let outlets = [2, 3].map(|latency| {
        let (name, producer) = (format!("out{latency}"), ComponentId(latency - 2));
        let spec =
            OutletSpec { name, producer, latency, rate: WIDE, window: 2, array: 0, early: 0 };
        network.add_outlet(spec, routes)
    });
    (network, Wheel::new(3), outlets, inlet)
}

fn send(n: &mut Network, w: &mut Wheel, from: OutletId, now: Cycle, m: Handle<Message>) {
    assert!(n.send(w, from, now, (m, Unit(0)), (Class::Request, 1), 0).is_none());
}

#[test]
fn messages_come_in_the_order_in_which_they_reach_the_inlet() {
    let (mut n, mut w, [fast, slow], inlet) = two_into_one();
    let mut pool = Pool::new();
    let [a, b, c] = [(); 3].map(|()| pool.put(Message::default()));
    send(&mut n, &mut w, slow, 0, a);
    // Reaches the inlet in cycle 2, before the one that was sent first.
    send(&mut n, &mut w, fast, 0, b);
    send(&mut n, &mut w, fast, 1, c);
    assert_eq!((n.peek(inlet, 5), n.peek(inlet, 6)), (None, Some(b)));
    assert_eq!(n.take(&mut w, inlet, 6), b);
    // Two reach it in cycle 3; the port needs a cycle for each.
    let first = n.peek(inlet, 7).expect("one is visible");
    n.take(&mut w, inlet, 7);
    assert_eq!(n.peek(inlet, 7), None);
    let second = n.take(&mut w, inlet, 8);
    assert!([(a, c), (c, a)].contains(&(first, second)));
}

#[test]
fn a_window_is_full_until_the_receiver_takes() {
    let (mut n, mut w, [fast, _], inlet) = two_into_one();
    let mut pool = Pool::new();
    for now in 0..2 {
        assert_eq!(n.refusal(fast, now), None);
        send(&mut n, &mut w, fast, now, pool.put(Message::default()));
    }
    assert_eq!(n.refusal(fast, 2), Some(Refusal::Full));
    n.wait(&mut w, fast, 2);
    n.take(&mut w, inlet, 6);
    // The sender knows in the next cycle, in every order of ticks, and is woken then.
    assert_eq!((n.refusal(fast, 6), n.refusal(fast, 7)), (Some(Refusal::Full), None));
    let mut active = Vec::new();
    while w.next().is_some_and(|at| at <= 7) {
        let at = w.next().expect("seen");
        w.advance(at, &mut active);
    }
    assert!(crate::engine::numbers(&active).any(|component| component == 0));
}

#[test]
fn outlets_that_meet_take_turns() {
    let (mut n, mut w, _, inlet) = two_into_one();
    let routes = n.route_to(inlet);
    let spec = |i: u32| OutletSpec {
        name: String::new(),
        producer: ComponentId(i),
        latency: 1,
        rate: WIDE,
        window: 2,
        array: 0,
        early: 0,
    };
    let even = [0, 1].map(|i| n.add_outlet(spec(i), routes));
    let mut pool = Pool::new();
    let mut first = [0; 2];
    for now in (0..100).map(|i| 7 * i) {
        let sent = even.map(|outlet| {
            let message = pool.put(Message::default());
            send(&mut n, &mut w, outlet, now, message);
            message
        });
        let won = n.take(&mut w, inlet, now + 6);
        first[sent.iter().position(|m| *m == won).expect("one of them")] += 1;
        n.take(&mut w, inlet, now + 6);
    }
    assert_eq!(first, [50, 50]);
}
