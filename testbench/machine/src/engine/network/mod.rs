//! How components send to each other: outlets, inlets, and the crossbars between them.
//!
//! A message leaves through its sender's outlet, at the outlet's rate, and reaches the inlet of its
//! receiver after the outlet's latency. The inlet takes messages in the order in which they reach
//! it, each in as many cycles as its width needs, and shows each after its own latency. An outlet
//! that leads to one inlet is a channel; outlets that share routes to many inlets are a crossbar
//! with a queue at each output. No component wakes up on the way: both ports are time stamps.
//!
//! Everything is bounded by the outlets' windows: a message counts there from its sending until its
//! receiver takes it.

mod shown;

use super::inlet::{Entry, Inlet, InletId, InletSpec, MOST_OUTLETS};
use super::passage::{HERE, Passage};
use super::rate::{Port, Rate};
use super::{ComponentId, Cycle, Wheel};
use crate::context::message::{CLASSES, Class, Message, Unit};
use crate::engine::pool::Handle;

/// An outlet's number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OutletId(pub u32);

/// Where outlets lead: an inlet for each unit.
#[derive(Clone, Copy, Debug)]
pub struct Routes {
    first: u32,
    /// 0 where all units have the same.
    step: u32,
    len: u32,
}

/// What an outlet is.
#[derive(Clone, Debug)]
pub struct OutletSpec {
    /// Name, for statistics and reports.
    pub name: String,
    /// Who sends.
    pub producer: ComponentId,
    /// Cycles from the last byte's leaving to its reaching the inlet, at least 1.
    pub latency: u32,
    /// Bandwidth.
    pub rate: Rate,
    /// Messages that are under way or wait to be taken.
    pub window: u32,
    /// Of the latency, cycles in the producer's arrays: for timelines.
    pub array: u32,
    /// Cycles that a message may leave early.
    pub early: u32,
}

/// In this order, and so aligned, what the producer asks and a receiver changes is one line of the
/// host's cache; a sending needs the next one, too.
#[derive(Debug)]
#[repr(C, align(64))]
struct Outlet {
    port: Port,
    taken_at: Cycle,
    sent: u32,
    taken: u32,
    /// `taken` before the cycle of the last taking: what the producer knows in that cycle.
    taken_before: u32,
    window: u32,
    producer: ComponentId,
    /// The producer wants to know when there is room.
    producer_waits: bool,
    /// The shard that has the producer, where that is another one.
    shard: u8,
    /// When the youngest message reaches its inlet: none overtakes another one of its kind.
    last: Cycle,
    /// The same of those that leave early.
    last_early: Cycle,
    routes: Routes,
    latency: u32,
    /// Messages for other shards that are not known to be taken.
    afar: u32,
    bytes: [u64; CLASSES],
}

impl Outlet {
    /// A message leaves. Gives the cycle in which it reaches its inlet.
    #[inline(always)]
    fn depart(&mut self, now: Cycle, (class, bytes): (Class, u32), extra: i32) -> Cycle {
        debug_assert!(self.sent.wrapping_sub(self.taken) < self.window, "the window is full");
        // A way may be as short as 0; the transfer takes its time.
        let latency = (self.latency as i32 + extra).max(0) as Cycle;
        let left = self.port.transfer(now, bytes.into()) - 1 + latency;
        let last = if extra < 0 { &mut self.last_early } else { &mut self.last };
        let reached = left.max(now + 1).max(*last);
        *last = reached;
        self.bytes[class as usize] += u64::from(bytes);
        self.sent = self.sent.wrapping_add(1);
        reached
    }
}

/// All outlets and inlets of a machine.
#[derive(Debug, Default)]
pub struct Network {
    outlets: Vec<Outlet>,
    inlets: Vec<Inlet>,
    /// When the oldest message of each inlet is visible; `MAX` without one.
    heads: Vec<Cycle>,
    routes: Vec<InletId>,
    outlet_specs: Vec<OutletSpec>,
    inlet_specs: Vec<InletSpec>,
    /// Outlets of other shards whose messages were taken, with these.
    taken: Vec<(u8, OutletId)>,
    /// Messages for other shards that are not known to be taken.
    afar: u32,
    /// Outlets with such messages whose producers wait for a free entry.
    awaited: u32,
}

/// Why an outlet takes no message now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Its window is full.
    Full,
    /// A transfer is under way until this cycle.
    Busy(Cycle),
}

impl Network {
    /// Adds an inlet.
    pub fn add_inlet(&mut self, spec: InletSpec) -> InletId {
        self.inlets.push(Inlet::new(&spec));
        self.heads.push(Cycle::MAX);
        self.inlet_specs.push(spec);
        InletId(self.inlets.len() as u32 - 1)
    }

    /// Routes to one inlet, whatever the unit.
    pub fn route_to(&mut self, inlet: InletId) -> Routes {
        self.routes.push(inlet);
        Routes { first: self.routes.len() as u32 - 1, step: 0, len: 1 }
    }

    /// Routes to the inlet of each unit; none where no message for the unit comes by.
    pub fn add_routes(&mut self, inlets: impl IntoIterator<Item = Option<InletId>>) -> Routes {
        let first = self.routes.len() as u32;
        self.routes.extend(inlets.into_iter().map(|inlet| inlet.unwrap_or(InletId(u32::MAX))));
        Routes { first, step: 1, len: self.routes.len() as u32 - first }
    }

    /// Adds an outlet.
    pub fn add_outlet(&mut self, spec: OutletSpec, routes: Routes) -> OutletId {
        assert!(spec.window > 0 && spec.latency > 0, "{}: window and latency", spec.name);
        assert!(self.outlets.len() < MOST_OUTLETS, "{}: too many outlets", spec.name);
        self.outlets.push(Outlet {
            port: Port::new(spec.rate),
            last: 0,
            last_early: 0,
            sent: 0,
            taken: 0,
            taken_before: 0,
            taken_at: Cycle::MAX,
            producer_waits: false,
            shard: HERE,
            routes,
            window: spec.window,
            latency: spec.latency,
            producer: spec.producer,
            afar: 0,
            bytes: [0; CLASSES],
        });
        self.outlet_specs.push(spec);
        OutletId(self.outlets.len() as u32 - 1)
    }

    /// Says which components other shards have; [`HERE`] of those that none has.
    pub fn share(&mut self, shard_of: impl Fn(ComponentId) -> u8) {
        self.outlets.iter_mut().for_each(|o| o.shard = shard_of(o.producer));
        self.inlets.iter_mut().for_each(|inlet| inlet.shard = shard_of(inlet.consumer));
    }

    /// Least cycles from a message's sending to its being visible in another shard; none where no
    /// message goes there. Of the ways between components that are `exempt` the caller knows more.
    pub fn lookahead(
        &self,
        shard_of: impl Fn(ComponentId) -> u8,
        is_exempt: impl Fn(ComponentId) -> bool,
    ) -> Option<Cycle> {
        let mut least = None;
        for (o, spec) in self.outlets.iter().zip(&self.outlet_specs) {
            let routes = &self.routes[o.routes.first as usize..];
            for inlet in &routes[..o.routes.len as usize] {
                let Some(inlet) = self.inlet_specs.get(inlet.0 as usize) else { continue };
                let leaves = shard_of(spec.producer) != shard_of(inlet.consumer);
                if leaves && !is_exempt(spec.producer) && !is_exempt(inlet.consumer) {
                    let outlet = spec.latency.saturating_sub(spec.early).max(1);
                    let cycles = Cycle::from(outlet + inlet.latency);
                    least = Some(least.map_or(cycles, |least: Cycle| least.min(cycles)));
                }
            }
        }
        least
    }

    /// Gives each outlet so many cycles beyond its latency: what meets then meets in another order.
    pub fn perturb(&mut self, mut extra: impl FnMut() -> u32) {
        for (outlet, spec) in self.outlets.iter_mut().zip(&self.outlet_specs) {
            outlet.latency = spec.latency + extra();
        }
    }

    /// Why the producer may not send in cycle `now`.
    #[inline]
    pub fn refusal(&self, id: OutletId, now: Cycle) -> Option<Refusal> {
        let o = &self.outlets[id.0 as usize];
        let taken = if o.taken_at == now { o.taken_before } else { o.taken };
        if o.sent.wrapping_sub(taken) >= o.window {
            return Some(Refusal::Full);
        }
        let free = o.port.free_at();
        (free > now).then_some(Refusal::Busy(free))
    }

    /// Lets the producer be woken when there is room again: in the next cycle, where a receiver has
    /// taken a message in this one and was visited before.
    pub fn wait(&mut self, wheel: &mut Wheel, id: OutletId, now: Cycle) {
        let o = &mut self.outlets[id.0 as usize];
        match o.taken_at == now {
            true => wheel.wake(o.producer, now + 1),
            false => {
                self.awaited += u32::from(!o.producer_waits && o.afar > 0);
                o.producer_waits = true;
            }
        }
    }

    /// Whether an outlet has messages for other shards that are not known to be taken.
    pub fn is_afar(&self, id: OutletId) -> bool {
        self.outlets[id.0 as usize].afar > 0
    }

    /// Messages for other shards that are not known to be taken.
    pub fn afar(&self) -> u32 {
        self.afar
    }

    /// Whether a producer waits for a free entry that another shard may make.
    pub fn awaits(&self) -> bool {
        self.awaited > 0
    }

    /// Sends a message of `bytes` bytes of accounting class `class` to a unit. It takes `extra`
    /// cycles longer than the latencies but overtakes no message. With a negative `extra` it is
    /// early: it overtakes those that are not, and no other. There must be room. Gives what is to
    /// be handed to another shard, if that has the receiver.
    #[inline(always)]
    #[must_use]
    pub fn send(
        &mut self,
        wheel: &mut Wheel,
        id: OutletId,
        now: Cycle,
        (message, to): (Handle<Message>, Unit),
        (class, bytes): (Class, u32),
        extra: i32,
    ) -> Option<Passage> {
        debug_assert!(extra + self.outlet_specs[id.0 as usize].early as i32 >= 0, "too early");
        let o = &mut self.outlets[id.0 as usize];
        let reached = o.depart(now, (class, bytes), extra);
        let route = o.routes.first + o.routes.step * u32::from(to.0);
        let to = self.routes[route as usize].0 as usize;
        let inlet = &mut self.inlets[to];
        let cycles = match inlet.width {
            0 => 0,
            width if bytes <= width => 1,
            width => bytes.div_ceil(width),
        };
        let entry = Entry::new(reached, id, message, cycles);
        if inlet.shard != HERE {
            o.afar += 1;
            self.afar += 1;
            return Some(Passage { shard: inlet.shard, inlet: InletId(to as u32), entry });
        }
        self.reach(wheel, to, entry);
        None
    }

    /// A message leaves whose receiver does not use its inlet, but a queue that it shares with the
    /// sender. Gives when it reaches the inlet. There must be room, which [`Network::has_taken`]
    /// makes.
    #[inline]
    pub fn depart(&mut self, id: OutletId, now: Cycle, size: (Class, u32)) -> Cycle {
        self.outlets[id.0 as usize].depart(now, size, 0)
    }

    /// So many messages that left by `depart` were taken before cycle `now`, which is visited.
    #[inline]
    pub fn has_taken(&mut self, wheel: &mut Wheel, id: OutletId, (messages, now): (u32, Cycle)) {
        let o = &mut self.outlets[id.0 as usize];
        o.taken = o.taken.wrapping_add(messages);
        if o.taken_at == now {
            o.taken_before = o.taken_before.wrapping_add(messages);
        }
        if o.producer_waits {
            o.producer_waits = false;
            wheel.wake(o.producer, now + 1);
        }
    }

    /// Visits the receiver of an outlet that leads to one inlet.
    #[inline]
    pub fn wake_receiver(&self, wheel: &mut Wheel, id: OutletId, at: Cycle) {
        wheel.wake(self.inlets[self.route(id, Unit::default())].consumer, at);
    }

    #[inline(always)]
    fn reach(&mut self, wheel: &mut Wheel, to: usize, entry: Entry) {
        let inlet = &mut self.inlets[to];
        if inlet.insert(entry) {
            let head = inlet.look();
            self.heads[to] = head;
            wheel.wake(inlet.consumer, head);
        }
    }

    /// A message of another shard's outlet is on its way to an inlet, as if its sender had been
    /// visited last in this cycle.
    pub fn arrive(&mut self, wheel: &mut Wheel, passage: &Passage, message: Handle<Message>) {
        self.reach(wheel, passage.inlet.0 as usize, Entry { message, ..passage.entry });
    }

    /// Whether a message is visible in cycle `now`.
    #[inline]
    pub fn has(&self, id: InletId, now: Cycle) -> bool {
        self.heads[id.0 as usize] <= now
    }

    /// Whether any of these shows a message in cycle `now`.
    #[inline]
    pub fn any_has(&self, ids: &[InletId], now: Cycle) -> bool {
        ids.iter().fold(false, |any, &id| any | self.has(id, now))
    }

    /// The oldest message, if it is visible in cycle `now`.
    #[inline]
    pub fn peek(&self, id: InletId, now: Cycle) -> Option<Handle<Message>> {
        self.has(id, now).then(|| self.inlets[id.0 as usize].at(0).message)
    }

    /// Takes the oldest message, which must be visible. The consumer will be visited when the next
    /// one is, unless that is visible already.
    #[inline]
    pub fn take(&mut self, wheel: &mut Wheel, id: InletId, now: Cycle) -> Handle<Message> {
        debug_assert!(self.has(id, now), "nothing is visible");
        let inlet = &mut self.inlets[id.0 as usize];
        let (entry, head) = inlet.pop();
        self.heads[id.0 as usize] = head;
        if head > now && head != Cycle::MAX {
            wheel.wake(inlet.consumer, head);
        }
        let outlet = OutletId(entry.outlet() as u32);
        match self.outlets[entry.outlet()].shard {
            HERE => self.make_room(wheel, outlet, now),
            shard => self.taken.push((shard, outlet)),
        }
        entry.message
    }

    /// A message of an outlet was taken in cycle `now`: there is room from the next one on.
    #[inline(always)]
    pub fn make_room(&mut self, wheel: &mut Wheel, id: OutletId, now: Cycle) {
        let o = &mut self.outlets[id.0 as usize];
        if o.taken_at != now {
            (o.taken_at, o.taken_before) = (now, o.taken);
        }
        o.taken = o.taken.wrapping_add(1);
        if o.producer_waits {
            o.producer_waits = false;
            self.awaited -= u32::from(o.afar > 0);
            wheel.wake(o.producer, now + 1);
        }
    }

    /// Another shard has taken a message of an outlet in cycle `at`, before the cycle `now` that
    /// this shard visits: there is room from `at` + 1 on.
    pub fn credit(&mut self, wheel: &mut Wheel, id: OutletId, (at, now): (Cycle, Cycle)) {
        let o = &mut self.outlets[id.0 as usize];
        o.taken = o.taken.wrapping_add(1);
        if o.taken_at == now {
            o.taken_before = o.taken_before.wrapping_add(1);
        }
        if o.producer_waits {
            o.producer_waits = false;
            self.awaited -= 1;
            wheel.wake(o.producer, at + 1);
        }
        o.afar -= 1;
        self.afar -= 1;
    }

    /// Outlets of other shards whose messages were taken since this was asked last, with these.
    pub fn take_taken(&mut self) -> &mut Vec<(u8, OutletId)> {
        &mut self.taken
    }

    fn route(&self, id: OutletId, to: Unit) -> usize {
        let routes = &self.outlets[id.0 as usize].routes;
        self.routes[(routes.first + routes.step * u32::from(to.0)) as usize].0 as usize
    }
}

#[cfg(test)]
mod tests;
