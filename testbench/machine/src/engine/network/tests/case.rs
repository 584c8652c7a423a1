//! Components with messages for each other, and how they use a network.

use proptest::prelude::*;

use crate::context::message::{CLASSES, Class, Unit};
use crate::engine::network::Refusal;
use crate::engine::{Cycle, Rate};

/// A message's number, in the order in which scripts name them.
pub type Number = usize;

/// What a component may ask of a network.
pub trait Net {
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
pub struct Item {
    pub at: Cycle,
    pub to: Unit,
    pub class: Class,
    pub bytes: u32,
    pub extra: i32,
}

/// Latency, rate and window of an outlet.
#[derive(Clone, Copy, Debug)]
pub struct Outgoing {
    pub latency: u32,
    pub rate: Rate,
    pub window: u32,
}

/// Latency and width of an inlet.
#[derive(Clone, Copy, Debug)]
pub struct Incoming {
    pub latency: u32,
    pub width: u32,
}

/// Takes up to `most` messages in a cycle, in the first `open` of every `period` cycles.
#[derive(Clone, Copy, Debug)]
pub struct Sink {
    pub port: Incoming,
    pub most: u32,
    pub open: Cycle,
    pub period: Cycle,
}

/// Two crossbars with a link each way, as two chiplets have them.
#[derive(Clone, Debug)]
pub struct Case {
    /// Sources, with cycles between messages.
    pub sources: [Vec<(Outgoing, Vec<Item>)>; 2],
    pub sinks: [Vec<Sink>; 2],
    pub links: [(Incoming, Outgoing); 2],
}

/// What is visited.
#[derive(Clone, Debug)]
pub enum Component {
    Source { outlet: usize, script: Vec<Number>, next: usize },
    Sink { inlet: usize, sink: Sink },
    Link { inlet: usize, outlet: usize },
}

/// What has happened: cycle and message, by outlet and by inlet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Log {
    pub sent: Vec<Vec<(Cycle, Number)>>,
    pub taken: Vec<Vec<(Cycle, Number)>>,
}

impl Component {
    pub fn tick(
        &mut self,
        me: usize,
        items: &[Item],
        net: &mut impl Net,
        now: Cycle,
        log: &mut Log,
    ) {
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
pub struct Layout {
    pub items: Vec<Item>,
    pub components: Vec<Component>,
    /// With its producer, and the inlet of each unit.
    pub outlets: Vec<(Outgoing, usize, Vec<usize>)>,
    /// With its consumer.
    pub inlets: Vec<(Incoming, usize)>,
    /// The inlet of each unit's own.
    pub units: Vec<usize>,
}

impl Case {
    pub fn layout(&self) -> Layout {
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

pub fn empty_log(layout: &Layout) -> Log {
    let none = |count: usize| vec![Vec::new(); count];
    Log { sent: none(layout.outlets.len()), taken: none(layout.inlets.len()) }
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

pub fn case() -> impl Strategy<Value = Case> {
    let source = || (outgoing(), prop::collection::vec(item(), 0..20));
    let sources = || prop::collection::vec(source(), 0..=4);
    let sinks = || prop::collection::vec(sink(), 1..=3);
    let link = || (incoming(), outgoing());
    ([sources(), sources()], [sinks(), sinks()], [link(), link()])
        .prop_map(|(sources, sinks, links)| Case { sources, sinks, links })
}
