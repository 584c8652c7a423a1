//! Bounded FIFOs with latency, bandwidth and credits.

use super::rate::{Port, Rate};
use super::{ComponentId, Cycle, Handle, Wheel};
use crate::machine::message::{CLASSES, Class, Message};

/// A channel's number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChannelId(pub u32);

/// What a channel is.
#[derive(Clone, Debug)]
pub struct ChannelSpec {
    /// Name, for statistics and reports.
    pub name: String,
    /// Who sends.
    pub producer: ComponentId,
    /// Who receives.
    pub consumer: ComponentId,
    /// Messages that are under way or wait at the end.
    pub capacity: u32,
    /// Cycles from the last byte's entering to its being visible, at least 1.
    pub latency: u32,
    /// Bandwidth.
    pub rate: Rate,
}

#[derive(Debug)]
struct Channel {
    spec: ChannelSpec,
    /// Which of the consumer's inputs it is, where the consumer asks for those that it was woken for.
    input: Option<u32>,
    /// Time at which each message is visible, and the message.
    ring: Box<[(Cycle, Handle<Message>)]>,
    pushed: u32,
    popped: u32,
    /// `popped` before the cycle of the last pop: what the producer knows in that cycle.
    popped_before: u32,
    pop_cycle: Cycle,
    port: Port,
    /// When the youngest message is visible.
    last: Cycle,
    /// The producer wants to know when there is room.
    producer_waits: bool,
    bytes: [u64; CLASSES],
    messages: u64,
}

/// All channels of a machine.
#[derive(Debug, Default)]
pub struct Channels {
    channels: Vec<Channel>,
    /// When the head of each channel is visible; `MAX` when it is empty.
    heads: Vec<Cycle>,
}

/// Why a channel takes no message now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// No room.
    Full,
    /// A transfer is under way until this cycle.
    Busy(Cycle),
}

impl Channels {
    /// Adds a channel.
    pub fn add(&mut self, spec: ChannelSpec) -> ChannelId {
        assert!(spec.capacity > 0 && spec.latency > 0, "{}: capacity and latency", spec.name);
        let places = spec.capacity.next_power_of_two() as usize;
        self.channels.push(Channel {
            ring: vec![(0, Handle::NONE); places].into(),
            pushed: 0,
            popped: 0,
            popped_before: 0,
            pop_cycle: Cycle::MAX,
            port: Port::new(spec.rate),
            last: 0,
            producer_waits: false,
            bytes: [0; CLASSES],
            messages: 0,
            input: None,
            spec,
        });
        self.heads.push(Cycle::MAX);
        ChannelId(self.heads.len() as u32 - 1)
    }

    /// Makes channels of consecutive numbers the inputs 0, 1, 2 and so on of their consumer, which is told which
    /// of them it is woken for.
    pub fn number_inputs(&mut self, first: ChannelId, count: usize) {
        assert!(count <= 128, "{count} inputs");
        for i in 0..count as u32 {
            self.channels[(first.0 + i) as usize].input = Some(i);
        }
    }

    /// When the oldest message of a channel is visible.
    #[inline]
    pub fn head(&self, id: ChannelId) -> Cycle {
        self.heads[id.0 as usize]
    }

    /// Whether the producer may push in cycle `now`.
    #[inline]
    pub fn refusal(&self, id: ChannelId, now: Cycle) -> Option<Refusal> {
        let c = &self.channels[id.0 as usize];
        let popped = if c.pop_cycle == now { c.popped_before } else { c.popped };
        if c.pushed.wrapping_sub(popped) >= c.spec.capacity {
            return Some(Refusal::Full);
        }
        let free = c.port.free_at();
        (free > now).then_some(Refusal::Busy(free))
    }

    /// Lets the producer be woken when there is room again: in the next cycle, where the consumer has popped in
    /// this one and was visited before.
    pub fn wait(&mut self, wheel: &mut Wheel, id: ChannelId, now: Cycle) {
        let c = &mut self.channels[id.0 as usize];
        match c.pop_cycle == now {
            true => wheel.wake(c.spec.producer, now + 1),
            false => c.producer_waits = true,
        }
    }

    /// Sends a message of `bytes` bytes of accounting class `class`, which takes `extra` cycles longer than
    /// the channel's latency but overtakes nobody. There must be room.
    #[inline]
    pub fn push(
        &mut self,
        wheel: &mut Wheel,
        id: ChannelId,
        now: Cycle,
        message: Handle<Message>,
        (class, bytes): (Class, u64),
        extra: u32,
    ) {
        let c = &mut self.channels[id.0 as usize];
        debug_assert!(c.pushed.wrapping_sub(c.popped) < c.spec.capacity, "{} is full", c.spec.name);
        let sent = c.port.transfer(now, bytes) - 1 + Cycle::from(c.spec.latency + extra);
        let visible = sent.max(now + 1).max(c.last);
        c.last = visible;
        c.bytes[class as usize] += bytes;
        c.messages += 1;
        if c.pushed == c.popped {
            self.heads[id.0 as usize] = visible;
        }
        let place = c.pushed as usize & (c.ring.len() - 1);
        c.ring[place] = (visible, message);
        c.pushed = c.pushed.wrapping_add(1);
        match c.input {
            Some(input) => wheel.wake_input(c.spec.consumer, input, visible),
            None => wheel.wake(c.spec.consumer, visible),
        }
    }

    /// The oldest message, if it is visible in cycle `now`.
    #[inline]
    pub fn peek(&self, id: ChannelId, now: Cycle) -> Option<Handle<Message>> {
        if self.heads[id.0 as usize] > now {
            return None;
        }
        let c = &self.channels[id.0 as usize];
        Some(c.ring[c.popped as usize & (c.ring.len() - 1)].1)
    }

    /// Takes the oldest message, which must be visible.
    #[inline]
    pub fn pop(&mut self, wheel: &mut Wheel, id: ChannelId, now: Cycle) -> Handle<Message> {
        debug_assert!(self.heads[id.0 as usize] <= now, "nothing is visible");
        let c = &mut self.channels[id.0 as usize];
        let message = c.ring[c.popped as usize & (c.ring.len() - 1)].1;
        if c.pop_cycle != now {
            (c.pop_cycle, c.popped_before) = (now, c.popped);
        }
        c.popped = c.popped.wrapping_add(1);
        if c.pushed == c.popped {
            self.heads[id.0 as usize] = Cycle::MAX;
        } else {
            self.heads[id.0 as usize] = c.ring[c.popped as usize & (c.ring.len() - 1)].0;
        }
        if c.producer_waits {
            c.producer_waits = false;
            wheel.wake(c.spec.producer, now + 1);
        }
        message
    }

    /// All channels: what they are and what they have carried, for statistics.
    pub fn iter(&self) -> impl Iterator<Item = (&ChannelSpec, u64, &[u64; CLASSES])> {
        self.channels.iter().map(|c| (&c.spec, c.messages, &c.bytes))
    }

    /// What a channel is.
    pub fn spec(&self, id: ChannelId) -> &ChannelSpec {
        &self.channels[id.0 as usize].spec
    }

    /// Channels whose head waits although it is visible, with the head: for the report of a deadlock.
    pub fn stuck(&self, now: Cycle) -> impl Iterator<Item = (ChannelId, Handle<Message>)> {
        (0..self.heads.len() as u32)
            .map(ChannelId)
            .filter_map(move |id| self.peek(id, now).map(|message| (id, message)))
    }

    /// A full channel into which a component wants to send.
    pub fn waited_for_by(&self, producer: ComponentId) -> Option<ChannelId> {
        let waits = |c: &Channel| c.producer_waits && c.spec.producer == producer;
        self.channels.iter().position(waits).map(|at| ChannelId(at as u32))
    }

    /// Messages that are under way or wait in a channel.
    pub fn len(&self, id: ChannelId) -> u32 {
        let c = &self.channels[id.0 as usize];
        c.pushed.wrapping_sub(c.popped)
    }
}
