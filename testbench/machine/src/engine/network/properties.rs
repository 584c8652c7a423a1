//! The network against a plain one that keeps every message in a list and sorts it. The plain one
//! visits everybody in every cycle, in the order of their numbers; the network only whom the wheel
//! names, in random orders: the same messages must move in the same cycles.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use traces::workloads::SplitMix64;

use super::*;
use crate::engine::numbers;
use crate::engine::pool::Pool;

/// A message's number, in the order in which scripts name them.
type Number = usize;

/// What a component may ask of a network.
trait Net {
    fn refusal(&self, outlet: usize, now: Cycle) -> Option<Refusal>;
    /// Visits the component when the refusal may be over.
    fn wait(&mut self, outlet: usize, refusal: Refusal, me: usize, now: Cycle);
    fn send(&mut self, outlet: usize, now: Cycle, message: Number, item: &Item);
    fn peek(&self, inlet: usize, now: Cycle) -> Option<Number>;
    fn take(&mut self, inlet: usize, now: Cycle) -> Number;
    fn wake(&mut self, me: usize, at: Cycle);
}

/// A message, and when its source has it.
#[derive(Clone, Copy, Debug)]
struct Item {
    at: Cycle,
    to: Unit,
    class: Class,
    bytes: u32,
    extra: i32,
}

/// Latency, rate and window of an outlet.
#[derive(Clone, Copy, Debug)]
struct Outgoing {
    latency: u32,
    rate: Rate,
    window: u32,
}

/// Latency and width of an inlet.
#[derive(Clone, Copy, Debug)]
struct Incoming {
    latency: u32,
    width: u32,
}

/// Takes up to `most` messages in a cycle, in the first `open` of every `period` cycles.
#[derive(Clone, Copy, Debug)]
struct Sink {
    port: Incoming,
    most: u32,
    open: Cycle,
    period: Cycle,
}

/// Two crossbars with a link each way, as two chiplets have them.
#[derive(Clone, Debug)]
struct Case {
    /// Sources, with cycles between messages.
    sources: [Vec<(Outgoing, Vec<Item>)>; 2],
    sinks: [Vec<Sink>; 2],
    links: [(Incoming, Outgoing); 2],
}

/// What is visited.
#[derive(Clone, Debug)]
enum Component {
    Source { outlet: usize, script: Vec<Number>, next: usize },
    Sink { inlet: usize, sink: Sink },
    Link { inlet: usize, outlet: usize },
}

/// What has happened: cycle and message, by outlet and by inlet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Log {
    sent: Vec<Vec<(Cycle, Number)>>,
    taken: Vec<Vec<(Cycle, Number)>>,
}

impl Component {
    fn tick(&mut self, me: usize, items: &[Item], net: &mut impl Net, now: Cycle, log: &mut Log) {
        match self {
            Self::Source { outlet, script, next } => {
                while let Some(&message) = script.get(*next) {
                    let item = &items[message];
                    if item.at > now {
                        return net.wake(me, item.at);
                    }
                    if let Some(refusal) = net.refusal(*outlet, now) {
                        return net.wait(*outlet, refusal, me, now);
                    }
                    net.send(*outlet, now, message, item);
                    log.sent[*outlet].push((now, message));
                    *next += 1;
                }
            }
            Self::Sink { inlet, sink } => {
                for _ in 0..if now % sink.period < sink.open { sink.most } else { 0 } {
                    if net.peek(*inlet, now).is_some() {
                        log.taken[*inlet].push((now, net.take(*inlet, now)));
                    }
                }
                if net.peek(*inlet, now).is_some() {
                    net.wake(me, now + 1);
                }
            }
            Self::Link { inlet, outlet } => {
                while let Some(message) = net.peek(*inlet, now) {
                    if let Some(refusal) = net.refusal(*outlet, now) {
                        return net.wait(*outlet, refusal, me, now);
                    }
                    log.taken[*inlet].push((now, net.take(*inlet, now)));
                    net.send(*outlet, now, message, &Item { extra: 0, ..items[message] });
                    log.sent[*outlet].push((now, message));
                }
            }
        }
    }
}

/// Components, messages and ports of a case. Outlets and inlets have the numbers of their places
/// here.
struct Layout {
    items: Vec<Item>,
    components: Vec<Component>,
    /// With its producer, and the inlet of each unit.
    outlets: Vec<(Outgoing, usize, Vec<usize>)>,
    /// With its consumer.
    inlets: Vec<(Incoming, usize)>,
    /// The inlet of each unit's own.
    units: Vec<usize>,
}

impl Case {
    fn layout(&self) -> Layout {
        let mut l = Layout {
            items: Vec::new(),
            components: Vec::new(),
            outlets: Vec::new(),
            inlets: Vec::new(),
            units: Vec::new(),
        };
        let side = |unit: usize| usize::from(unit >= self.sinks[0].len());
        for sink in self.sinks.iter().flatten() {
            let inlet = l.inlets.len();
            l.inlets.push((sink.port, l.components.len()));
            l.components.push(Component::Sink { inlet, sink: *sink });
            l.units.push(inlet);
        }
        let first_link = l.inlets.len();
        let all = l.units.len();
        // From a side to a unit: its own at once, the other's over the link.
        let route = |from: usize| -> Vec<usize> {
            (0..all).map(|unit| if side(unit) == from { unit } else { first_link + from }).collect()
        };
        for (from, (incoming, outgoing)) in self.links.iter().enumerate() {
            let (inlet, outlet, me) = (first_link + from, l.outlets.len(), l.components.len());
            l.inlets.push((*incoming, me));
            l.outlets.push((*outgoing, me, route(1 - from)));
            l.components.push(Component::Link { inlet, outlet });
        }
        for (from, sources) in self.sources.iter().enumerate() {
            for (outgoing, items) in sources {
                let (outlet, me) = (l.outlets.len(), l.components.len());
                let first = l.items.len();
                let mut at = 1;
                for item in items {
                    at += item.at;
                    let to = Unit(item.to.0 % all as u16);
                    l.items.push(Item { at, to, ..*item });
                }
                let script = (first..l.items.len()).collect();
                l.outlets.push((*outgoing, me, route(from)));
                l.components.push(Component::Source { outlet, script, next: 0 });
            }
        }
        l
    }
}

/// A message on its way to an inlet, or taken there.
#[derive(Clone, Copy, Debug)]
struct Flight {
    message: Number,
    outlet: usize,
    reached: Cycle,
    bytes: u32,
    early: bool,
    taken: Option<Cycle>,
}

/// The plain network.
struct Plain<'a> {
    layout: &'a Layout,
    /// For each outlet the end of its last transfer, in parts of a cycle, 1 / `rate.bytes` each.
    ends: Vec<u64>,
    /// For each inlet, in the order of sending.
    flights: Vec<Vec<Flight>>,
}

impl Plain<'_> {
    fn of(&self, outlet: usize) -> impl Iterator<Item = &Flight> {
        self.flights.iter().flatten().filter(move |flight| flight.outlet == outlet)
    }

    /// The oldest message of an inlet: its place in the list, and when it is visible.
    fn oldest(&self, inlet: usize) -> Option<(usize, Cycle)> {
        let Incoming { latency, width } = self.layout.inlets[inlet].0;
        let flights = &self.flights[inlet];
        let mut order: Vec<_> = (0..flights.len()).collect();
        // Of several in one cycle the turn goes round; those of an outlet stay in the order of
        // sending.
        order.sort_by_key(|&at| {
            let Flight { reached, outlet, .. } = flights[at];
            (reached, outlet as u64 ^ (reached % 64), at)
        });
        let mut free = 0;
        for at in order {
            let Flight { reached, bytes, taken, .. } = flights[at];
            let start = reached.max(free);
            let cycles = if width == 0 { 0 } else { Cycle::from(bytes.div_ceil(width)) };
            free = start + cycles;
            if taken.is_none() {
                return Some((at, start + Cycle::from(latency) + cycles.max(1) - 1));
            }
        }
        None
    }
}

impl Net for Plain<'_> {
    fn refusal(&self, outlet: usize, now: Cycle) -> Option<Refusal> {
        let Outgoing { rate, window, .. } = self.layout.outlets[outlet].0;
        // What is taken in a cycle is known in the next one.
        let held = self.of(outlet).filter(|flight| flight.taken.is_none_or(|at| at >= now));
        if held.count() >= window as usize {
            return Some(Refusal::Full);
        }
        let free = self.ends[outlet] / rate.bytes;
        (free > now).then_some(Refusal::Busy(free))
    }

    fn wait(&mut self, _: usize, _: Refusal, _: usize, _: Cycle) {}

    fn send(&mut self, outlet: usize, now: Cycle, message: Number, item: &Item) {
        let (Outgoing { latency, rate, .. }, _, routes) = &self.layout.outlets[outlet];
        let start = self.ends[outlet].max(now * rate.bytes);
        self.ends[outlet] = start + u64::from(item.bytes) * rate.cycles;
        let latency = latency.saturating_add_signed(item.extra);
        let left = self.ends[outlet].div_ceil(rate.bytes) - 1 + Cycle::from(latency);
        let early = item.extra < 0;
        let alike = self.of(outlet).filter(|flight| flight.early == early);
        let before = alike.map(|flight| flight.reached).max().unwrap_or(0);
        // Nothing arrives in the cycle in which it is sent, and nothing overtakes what is as early.
        let reached = left.max(now + 1).max(before);
        let inlet = routes[usize::from(item.to.0)];
        let flight = Flight { message, outlet, reached, bytes: item.bytes, early, taken: None };
        self.flights[inlet].push(flight);
    }

    fn peek(&self, inlet: usize, now: Cycle) -> Option<Number> {
        let (at, visible) = self.oldest(inlet)?;
        (visible <= now).then(|| self.flights[inlet][at].message)
    }

    fn take(&mut self, inlet: usize, now: Cycle) -> Number {
        let (at, _) = self.oldest(inlet).expect("a component has looked");
        self.flights[inlet][at].taken = Some(now);
        self.flights[inlet][at].message
    }

    fn wake(&mut self, _: usize, _: Cycle) {}
}

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

fn empty_log(layout: &Layout) -> Log {
    let none = |count: usize| vec![Vec::new(); count];
    Log { sent: none(layout.outlets.len()), taken: none(layout.inlets.len()) }
}

/// Everybody in every cycle, until all messages have come to their units.
fn run_plain(layout: &Layout) -> Log {
    let flights = vec![Vec::new(); layout.inlets.len()];
    let mut plain = Plain { layout, ends: vec![0; layout.outlets.len()], flights };
    let mut components = layout.components.clone();
    let mut log = empty_log(layout);
    let mut now = 0;
    let arrived = |log: &Log| layout.units.iter().map(|&inlet| log.taken[inlet].len()).sum();
    while layout.items.len() > arrived(&log) {
        now += 1;
        assert!(now < 1 << 20, "the plain network stands still");
        for (me, component) in components.iter_mut().enumerate() {
            component.tick(me, &layout.items, &mut plain, now, &mut log);
        }
    }
    log
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

fn outgoing() -> impl Strategy<Value = Outgoing> {
    let rate = (1..=64u64, 1..=3u64).prop_map(|(bytes, cycles)| Rate { bytes, cycles });
    (1..=8u32, rate, 1..=8u32).prop_map(|(latency, rate, window)| Outgoing {
        latency,
        rate,
        window,
    })
}

fn incoming() -> impl Strategy<Value = Incoming> {
    let width = prop_oneof![1 => Just(0), 2 => 1..=64u32];
    (0..=6u32, width).prop_map(|(latency, width)| Incoming { latency, width })
}

fn sink() -> impl Strategy<Value = Sink> {
    let free = (1..=3u32).prop_map(|most| (most, 1, 1));
    let blocked =
        (1..=3u32, 1..=4u64, 1..=40u64).prop_map(|(most, open, shut)| (most, open, open + shut));
    (incoming(), prop_oneof![free, blocked]).prop_map(|(port, (most, open, period))| Sink {
        port,
        most,
        open,
        period,
    })
}

fn item() -> impl Strategy<Value = Item> {
    let gap = prop_oneof![30 => Just(0), 30 => 1..=5u64, 4 => 20..=90u64, 1 => 1000..=1100u64];
    let extra = prop_oneof![8 => Just(0), 1 => 1..=20, 1 => -12..=-1];
    let class = (0..CLASSES).prop_map(|class| Class::ALL[class]);
    (gap, any::<u16>(), class, 1..=150u32, extra).prop_map(|(at, to, class, bytes, extra)| Item {
        at,
        to: Unit(to),
        class,
        bytes,
        extra,
    })
}

fn case() -> impl Strategy<Value = Case> {
    let source = || (outgoing(), prop::collection::vec(item(), 0..20));
    let sources = || prop::collection::vec(source(), 0..=4);
    let sinks = || prop::collection::vec(sink(), 1..=3);
    let link = || (incoming(), outgoing());
    ([sources(), sources()], [sinks(), sinks()], [link(), link()])
        .prop_map(|(sources, sinks, links)| Case { sources, sinks, links })
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
