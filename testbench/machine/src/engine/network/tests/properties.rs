//! The network against a plain one that keeps every message in a list and sorts it. The plain one
//! visits everybody in every cycle, in the order of their numbers; the network only whom the wheel
//! names, in random orders: the same messages must move in the same cycles.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use traces::workloads::SplitMix64;

use super::case::{Incoming, Item, Layout, Log, Net, Number, Outgoing, case, empty_log};
use super::plain::run_plain;
use crate::context::message::{CLASSES, Message};
use crate::engine::network::{Network, OutletId, OutletSpec, Refusal};
use crate::engine::pool::Pool;
use crate::engine::{ComponentId, Cycle, InletId, InletSpec, Wheel, numbers};

/// The network, with the numbers of its messages.
struct Real {
    network: Network,
    wheel: Wheel,
    messages: Pool<Message>,
}

impl Real {
    fn new(layout: &Layout) -> Self {
        let mut network = Network::default();
        let component = |number: usize| ComponentId(number as u32);
        for &(Incoming { latency, width }, consumer) in &layout.inlets {
            let consumer = component(consumer);
            network.add_inlet(InletSpec { name: String::new(), consumer, latency, width });
        }
        for (Outgoing { latency, rate, window }, producer, routes) in &layout.outlets {
            // Outlets whose routes are all the same have one.
            let same = routes.iter().all(|inlet| *inlet == routes[0]);
            let inlets = routes.iter().map(|&inlet| InletId(inlet as u32));
            let routes = match same {
                true => network.route_to(InletId(routes[0] as u32)),
                false => network.add_routes(inlets.map(Some)),
            };
            let (name, producer) = (String::new(), component(*producer));
            let (latency, rate, window) = (*latency, *rate, *window);
            network.add_outlet(
                OutletSpec { name, producer, latency, rate, window, array: 0, early: 0 },
                routes,
            );
        }
        let wheel = Wheel::new(layout.components.len());
        Self { network, wheel, messages: Pool::new() }
    }
}

impl Net for Real {
    fn refusal(&self, outlet: usize, now: Cycle) -> Option<Refusal> {
        self.network.refusal(OutletId(outlet as u32), now)
    }

    fn wait(&mut self, outlet: usize, refusal: Refusal, me: usize, now: Cycle) {
        match refusal {
            Refusal::Full => self.network.wait(&mut self.wheel, OutletId(outlet as u32), now),
            Refusal::Busy(until) => self.wake(me, until),
        }
    }

    fn send(&mut self, outlet: usize, now: Cycle, number: Number, item: &Item) {
        let message = self.messages.put(Message { tag: number as u32, ..Message::default() });
        let (outlet, what) = (OutletId(outlet as u32), (message, item.to));
        let size = (item.class, item.bytes);
        let away = self.network.send(&mut self.wheel, outlet, now, what, size, item.extra);
        assert!(away.is_none());
    }

    fn peek(&self, inlet: usize, now: Cycle) -> Option<Number> {
        let message = self.network.peek(InletId(inlet as u32), now)?;
        Some(self.messages[message].tag as Number)
    }

    fn take(&mut self, inlet: usize, now: Cycle) -> Number {
        let message = self.network.take(&mut self.wheel, InletId(inlet as u32), now);
        let number = self.messages[message].tag as Number;
        self.messages.free(message);
        number
    }

    fn wake(&mut self, me: usize, at: Cycle) {
        self.wheel.wake(ComponentId(me as u32), at);
    }
}

/// Whom the wheel names, in an order from `seed`, until it is empty.
fn run_real(layout: &Layout, seed: u64) -> (Log, Real) {
    let mut real = Real::new(layout);
    let mut components = layout.components.clone();
    let mut log = empty_log(layout);
    let mut random = SplitMix64::new(seed);
    (0..components.len()).for_each(|me| real.wake(me, 1));
    let mut bits = Vec::new();
    while let Some(now) = real.wheel.next() {
        real.wheel.advance(now, &mut bits);
        let mut active: Vec<_> = numbers(&bits).collect();
        for i in (1..active.len()).rev() {
            active.swap(i, random.below(i as u64 + 1) as usize);
        }
        for &me in &active {
            let me = me as usize;
            components[me].tick(me, &layout.items, &mut real, now, &mut log);
        }
    }
    (log, real)
}

/// Each message comes to its unit once, those of a source in the order of sending but that early
/// ones overtake others; the outlets have counted their bytes and hold nothing.
fn check_conservation(layout: &Layout, log: &Log, real: &Real) {
    let mut times = vec![0; layout.items.len()];
    let mut source = vec![0; layout.items.len()];
    for (outlet, sent) in log.sent.iter().enumerate() {
        sent.iter().for_each(|&(_, number)| source[number] = source[number].max(outlet));
    }
    for (unit, &inlet) in layout.units.iter().enumerate() {
        let mut last = vec![[None; 2]; layout.outlets.len()];
        for &(_, number) in &log.taken[inlet] {
            times[number] += 1;
            assert_eq!(usize::from(layout.items[number].to.0), unit, "message {number}");
            let early = usize::from(layout.items[number].extra < 0);
            let before = last[source[number]][early].replace(number);
            assert!(before < Some(number), "message {number} comes after {before:?}");
        }
    }
    assert!(times.iter().all(|&times| times == 1), "messages come {times:?} times");
    for (outlet, (sent, (_, bytes))) in log.sent.iter().zip(real.network.iter()).enumerate() {
        let mut right = [0; CLASSES];
        for &(_, number) in sent {
            let Item { class, bytes, .. } = layout.items[number];
            right[class as usize] += u64::from(bytes);
        }
        assert_eq!(*bytes, right, "bytes by class of outlet {outlet}");
        assert_eq!(real.network.outlet(OutletId(outlet as u32)).1, 0, "outlet {outlet} holds some");
    }
    assert_eq!(real.messages.in_use(), 0);
}

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        max_shrink_iters: 2000,
        ..ProptestConfig::with_cases(400)
    })]

    #[test]
    fn messages_move_as_in_a_sorted_list_in_every_order_of_ticks(
        case in case(),
        seed in 0..1000u64,
    ) {
        let layout = case.layout();
        let plain = run_plain(&layout);
        for seed in [seed, seed + 1000, seed + 2000] {
            let (log, real) = run_real(&layout, seed);
            prop_assert_eq!(&log, &plain);
            check_conservation(&layout, &log, &real);
        }
    }
}
