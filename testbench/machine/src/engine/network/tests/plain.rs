//! A network that keeps every message in a list and sorts it.

use super::case::{Incoming, Item, Layout, Log, Net, Number, Outgoing, empty_log};
use crate::engine::Cycle;
use crate::engine::network::Refusal;

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

/// Everybody in every cycle, until all messages have come to their units.
pub fn run_plain(layout: &Layout) -> Log {
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
