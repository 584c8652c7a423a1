//! Allocation on the fill: a policy selects the way of a filled line, or drops the line. A private
//! line is written back when it is evicted.

use std::collections::VecDeque;

use super::{SoftwareL1, WRITE_BACK};
use crate::cache::{Choice, Miss, Misses, Shape, Way};
use crate::context::Context;
use crate::context::message::{Kind, Message, Unit};
use crate::engine::pool::Handle;
use crate::l1::{L1Policy, Port};

/// The policy, and the lines that have no way yet.
#[derive(Debug)]
pub(super) struct OnFill {
    pub(super) policy: Box<dyn L1Policy>,
    /// Miss registers in use.
    pub(super) fetched: Vec<usize>,
    /// Those that are filled, oldest first, with the fill message. Their loads were answered.
    pub(super) filled: VecDeque<(usize, Handle<Message>)>,
    /// The policy was queried for the oldest.
    pub(super) was_queried: bool,
    /// Where that goes, once what is dirty there has left.
    pub(super) chosen: Option<Way>,
    /// The CU.
    pub(super) unit: Unit,
    /// A kernel is to begin: what is dirty leaves, then all is dropped.
    pub(super) flushes: bool,
    pub(super) write_backs: u64,
    /// Of each way: its line was shared when it was filled.
    pub(super) shared: Vec<bool>,
    pub(super) of_shared: OfShared,
}

/// Loads of lines that were shared when they were filled.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OfShared {
    pub(super) hits: u64,
    /// The first of those that waited, and the others.
    pub(super) misses: u64,
    pub(super) merges: u64,
}

impl OnFill {
    pub(super) fn new(policy: Box<dyn L1Policy>, shape: Shape) -> Self {
        Self {
            policy,
            fetched: Vec::new(),
            filled: VecDeque::new(),
            was_queried: false,
            chosen: None,
            unit: Unit::default(),
            flushes: false,
            write_backs: 0,
            shared: vec![false; (shape.sets * shape.ways) as usize],
            of_shared: OfShared::default(),
        }
    }

    #[cold]
    pub(super) fn find(&self, misses: &Misses, addr: u64) -> Option<usize> {
        self.fetched.iter().copied().find(|&at| misses[at].addr == addr)
    }
}

impl SoftwareL1 {
    /// Notifies the policy of a load that hits.
    #[cold]
    pub(super) fn hit(&mut self, port: &mut Port, way: Way) {
        let on_fill = self.on_fill.as_mut().expect("there is a policy");
        on_fill.policy.touch(port.ctx, way);
        on_fill.of_shared.hits += u64::from(on_fill.shared[way as usize]);
    }

    /// A fill arrives: the policy selects its way.
    #[cold]
    pub(super) fn arrive(&mut self, port: &mut Port, at: usize, answer: Handle<Message>) {
        let Message { line, hint, .. } = port.ctx.messages[answer];
        let data = port.ctx.lines[line];
        let miss = &mut self.misses[at];
        miss.filled = true;
        let mut request = std::mem::take(&mut miss.waiters).first();
        let mut waited = 0;
        while request.is_some() {
            let next = port.ctx.messages[request].next;
            port.finish(request, Some(&data.0), 0);
            request = next;
            waited += 1;
        }
        let on_fill = self.on_fill.as_mut().expect("there is a policy");
        if hint != 0 && waited > 0 {
            on_fill.of_shared.misses += 1;
            on_fill.of_shared.merges += waited - 1;
        }
        on_fill.filled.push_back((at, answer));
        self.place(port);
    }

    /// Answers a load of a filled line that waits for its way.
    #[cold]
    pub(super) fn answer_filled(&mut self, port: &mut Port, at: usize, request: Handle<Message>) {
        let on_fill = self.on_fill.as_ref().expect("there is a policy");
        let filled = on_fill.filled.iter().find(|(other, _)| *other == at);
        let (_, answer) = filled.expect("it is filled");
        let data = port.ctx.lines[port.ctx.messages[*answer].line];
        port.finish(request, Some(&data.0), self.hit_latency.into());
    }

    /// A private line that is here is changed here, and written back when it goes (thesis, section
    /// 1.2.4). False for any other.
    #[cold]
    pub(super) fn keep_private(&mut self, port: &mut Port, request: Handle<Message>) -> bool {
        let Message { addr, mask, line, from, .. } = port.ctx.messages[request];
        let Some(on_fill) = self.on_fill.as_mut().filter(|on_fill| !on_fill.flushes) else {
            return false;
        };
        let Some(way) = self.array.find(addr).filter(|_| port.ctx.is_private(addr)) else {
            return false;
        };
        if on_fill.find(&self.misses, addr).is_some() || on_fill.chosen == Some(way) {
            return false;
        }
        on_fill.unit = from;
        self.array.write(way, &port.ctx.lines[line].0, mask, true);
        on_fill.policy.touch(port.ctx, way);
        self.counters.stores += 1;
        port.finish(request, None, self.hit_latency.into());
        true
    }

    /// What is dirty of a way leaves. False when it cannot now; the CU is then visited when it may.
    #[cold]
    pub(super) fn write_back(&mut self, port: &mut Port, way: Way) -> bool {
        let mask = self.array.dirty(way);
        let on_fill = self.on_fill.as_mut().expect("there is a policy");
        if mask == 0 {
            return true;
        }
        let line = port.ctx.payload(self.array.data(way));
        let (kind, addr, from) = (Kind::Write, self.array.addr(way), on_fill.unit);
        let tag = WRITE_BACK;
        let born = port.ctx.now as u32;
        let rest = Message::default();
        let message = Message { kind, mask, addr, line, born, tag, from, ..rest };
        let message = port.ctx.messages.put(message);
        let sent = port.send(message);
        match sent {
            true => {
                on_fill.write_backs += 1;
                self.array.clean(way);
            }
            false => port.ctx.drop_message(message),
        }
        sent
    }

    /// A kernel is to begin: a dirty line leaves in each cycle; then all are dropped.
    #[cold]
    pub(super) fn flush(&mut self, port: &mut Port) {
        let dirty = (0..self.array.sets()).find_map(|set| self.array.dirty_way(set));
        match dirty {
            Some(way) => {
                if self.write_back(port, way) {
                    port.ctx.wake_at(port.ctx.now + 1);
                }
            }
            None => {
                self.drop_all(port);
                port.acquired();
            }
        }
    }

    pub(super) fn drop_all(&mut self, port: &mut Port) {
        self.counters.invalidated += u64::from(self.array.invalidate_all_clean());
        self.misses.make_all_stale();
        self.notify(port, |policy, ctx| policy.drop_all(ctx));
        if let Some(on_fill) = &mut self.on_fill {
            on_fill.flushes = false;
            // Its way is no longer taken.
            if on_fill.chosen.take().is_some() {
                on_fill.was_queried = false;
            }
        }
    }

    /// Notifies the policy, if there is one.
    #[inline]
    pub(super) fn notify(
        &mut self,
        port: &mut Port,
        what: impl Fn(&mut dyn L1Policy, &mut Context),
    ) {
        if let Some(on_fill) = &mut self.on_fill {
            what(&mut *on_fill.policy, port.ctx);
        }
    }

    /// Filled lines, oldest first, take the ways that the policy selects. The policy is not queried
    /// for a stale line; a line that becomes stale after the query is dropped at once.
    #[cold]
    pub(super) fn place(&mut self, port: &mut Port) {
        while let Some(on_fill) = &mut self.on_fill
            && let Some(&(at, answer)) = on_fill.filled.front()
        {
            let Miss { addr, stale, .. } = self.misses[at];
            let (ways, message) = (self.array.ways(addr), port.ctx.messages[answer]);
            let choice = match (on_fill.chosen, stale && !on_fill.was_queried) {
                (Some(way), _) => Choice::Way(way),
                (None, true) => Choice::Nowhere,
                (None, false) => on_fill.policy.choose(port.ctx, &message, ways),
            };
            on_fill.was_queried = choice == Choice::NotYet;
            if on_fill.was_queried {
                return;
            }
            if let Choice::Way(way) = choice
                && !self.write_back(port, way)
            {
                let on_fill = self.on_fill.as_mut().expect("there is a policy");
                (on_fill.chosen, on_fill.was_queried) = (Some(way), true);
                return;
            }
            let on_fill = self.on_fill.as_mut().expect("there is a policy");
            on_fill.chosen = None;
            if let Choice::Way(way) = choice {
                assert!(ways.free >> (way - ways.first) & 1 == 1, "a way of the line's set");
                on_fill.shared[way as usize] = message.hint != 0;
                self.array.place(way, addr);
                self.array.fill(way, &port.ctx.lines[message.line].0);
                self.array.touch(way);
                if stale {
                    self.array.invalidate_clean(way);
                    on_fill.policy.drop_line(port.ctx, way);
                }
            }
            port.ctx.drop_message(answer);
            on_fill.filled.pop_front();
            on_fill.fetched.retain(|&other| other != at);
            self.misses.end(at);
        }
    }
}
