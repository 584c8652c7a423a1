//! A bank of a write-back L2 with byte masks: in a cycle what has come is taken, a request that has
//! waited for its line is served, and a new one. Which these are is in `serve`, what a request does
//! in `requests`, what a release or acquire does in `walk`; what keeps copies in several L2s
//! coherent stands beside it as a hook.

use std::collections::VecDeque;

use super::atomics::Atomics;
use super::data_port::DataPort;
use super::hook::{BankHook, Outcome};
use super::hooks::BankHooks;
use super::walk::Walk;
use super::writes::Writes;
use super::{L2, Ports, Spec};
use crate::cache::{Array, Misses, Way};
use crate::config::policy::Policy;
use crate::context::Context;
use crate::context::masks;
use crate::context::message::{Coherence, Kind, Message, Unit};
use crate::context::pages::PageMap;
use crate::engine::InletId;
use crate::engine::pool::Handle;
use crate::statistics::CounterValues;
use ports::directory::coherence_directory::cause;

/// Counters.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counters {
    pub(super) reads: u64,
    /// Of these, answered at once; parked at a line under way; parked with a fetch of their own.
    pub(super) hits: u64,
    pub(super) merges: u64,
    pub(super) misses: u64,
    /// Of these, of CUs of the own chiplet; and cycles from their leaving the CU to their answer's
    /// leaving here, together.
    pub(super) own_reads: u64,
    pub(super) read_cycles: u64,
    pub(super) fetches: u64,
    pub(super) remote_fetches: u64,
    /// Fetches of lines that have been here before, from below and from other chiplets.
    pub(super) again: u64,
    pub(super) remote_again: u64,
    /// Sectors of reads, writes and atomics that have arrived.
    pub(super) sectors: [u64; 3],
    pub(super) writes: u64,
    pub(super) writes_through: u64,
    /// Stores sent to copies of other GPUs.
    pub(super) pushes: u64,
    pub(super) atomics: u64,
    pub(super) write_backs: u64,
    pub(super) released: u64,
    /// Lines written back ahead of an atomic that the L3 performs.
    pub(super) written_for_atomics: u64,
    pub(super) invalidated: u64,
    /// Invalidations that found their line here, by cause.
    inv_hit: [u64; 2],
    /// Those that did not.
    inv_miss: u64,
}

/// One bank. In this order: what each cycle looks at comes first, close together.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Bank {
    pub(super) ports: Ports,
    /// Nothing stands beside it: no hook, no other chiplet's bank that asks, and no copies of other
    /// GPUs. A look-up here first saves the one there.
    pub(super) plain: bool,
    /// It holds lines of other homes, which are kept coherent.
    pub(super) coherent: bool,
    /// The request that is served has waited for a line of another chiplet.
    pub(super) comes_from_afar: bool,
    /// Requests beside those of the own CUs: of other chiplets' banks, or of other GPUs.
    pub(super) beside: Option<InletId>,
    /// Whose turn it is: theirs, or the own CUs'.
    pub(super) peers_turn: bool,
    /// Bytes of a sector; none: whole lines are filled.
    pub(super) sector: Option<usize>,
    pub(super) data_port: Option<DataPort>,
    pub(super) atomics: Option<Atomics>,
    pub(super) policy: Policy,
    pub(super) through: bool,
    pub(super) unit: Unit,
    pub(super) chiplet: u16,
    pub(super) gpu: u16,
    pub(super) walk: Option<Walk>,
    /// Registers whose line has come and whose requests are being served, oldest first.
    pub(super) filled: VecDeque<usize>,
    pub(super) misses: Misses,
    pub(super) writes: Writes,
    /// Lines by their local address.
    pub(super) array: Array,
    pub(super) hooks: BankHooks,
    pub(super) counters: Counters,
    /// Registers for lines from below, and in a coherent bank as many again for those of other
    /// chiplets; and how many of these are in use.
    pub(super) of_each_kind: u32,
    pub(super) remote_misses: u32,
    pub(super) ways: u32,
    /// Lines that have been fetched: a bit for each of a page. Of coherent banks alone.
    pub(super) seen: PageMap<u64>,
}

impl Bank {
    /// Empty, with a hook of the L2 design if it has one.
    pub fn new(spec: Spec, l2_hook: Option<Box<dyn BankHook>>) -> Self {
        let ports = spec.ports;
        let view = spec.view();
        let from_unit = ports.unit.map(|(_, from)| from);
        let hooks = BankHooks::new(spec.hook, l2_hook, spec.keeps, from_unit, view);
        Self {
            unit: spec.unit,
            chiplet: spec.chiplet,
            gpu: spec.gpu,
            sector: spec.sector,
            data_port: spec.data_port,
            atomics: spec.atomics,
            policy: spec.policy,
            through: spec.through,
            coherent: spec.policy == Policy::Coherent,
            plain: !hooks.are_there() && ports.peers.is_none() && ports.pushes.is_none(),
            beside: ports.peers.map(|(from, _)| from).or(ports.arrivals),
            ports,
            array: Array::new(spec.shape),
            misses: Misses::new(if ports.peers.is_some() { 2 } else { 1 } * spec.misses),
            of_each_kind: spec.misses,
            seen: PageMap::default(),
            remote_misses: 0,
            comes_from_afar: false,
            filled: VecDeque::with_capacity(spec.misses as usize),
            peers_turn: false,
            walk: None,
            writes: Writes::new((spec.unit, spec.gpu), spec.ports),
            ways: spec.shape.ways,
            hooks,
            counters: Counters::default(),
        }
    }

    fn take_from_below(&mut self, ctx: &mut Context, message: Handle<Message>) {
        let Message { kind, tag, line, addr, mask, has_passed_a_link, .. } = ctx.messages[message];
        match kind {
            Kind::Data => {
                let at = tag as usize;
                self.misses[at].has_passed_a_link |= has_passed_a_link;
                self.array.fill_bytes(self.misses[at].way, &ctx.lines[line].0, mask);
                if !self.plain {
                    self.hooks.fill(ctx, self.misses[at].way);
                }
                if self.misses.answer(at) {
                    self.misses[at].filled = true;
                    self.filled.push_back(at);
                }
            }
            Kind::Ack => self.writes.acknowledged(tag, &mut self.hooks.bank.outbox),
            Kind::Coherence(Coherence::Invalidate(cause)) => self.invalidate(addr, cause),
            _ => {
                let message = ctx.messages[message];
                self.hooks.peer_message(ctx, &message);
            }
        }
        ctx.drop_message(message);
    }

    /// A line of another chiplet goes; a miss register that waits for it is not concerned: what
    /// comes is newer.
    #[cold]
    fn invalidate(&mut self, addr: u64, why: u8) {
        let held = self.array.find(self.hooks.bank.addresses.local(addr));
        match held.filter(|&way| self.array.valid(way) != 0) {
            Some(way) => {
                self.forget(way);
                self.counters.inv_hit[usize::from(why == cause::EVICT)] += 1;
            }
            None => self.counters.inv_miss += 1,
        }
    }

    /// Sends answers that have waited, where the way is free: one in a cycle, but all that fit
    /// where messages to other banks are among them.
    #[cold]
    fn send_outbox(&mut self, ctx: &mut Context) {
        while let Some(&message) = self.hooks.bank.outbox.front() {
            if !ctx.may_send(self.ports.answers) {
                return;
            }
            self.hooks.bank.outbox.pop_front();
            self.send_answer(ctx, message);
            if !self.coherent {
                if !self.hooks.bank.outbox.is_empty() {
                    ctx.wake_at(ctx.now + 1);
                }
                return;
            }
        }
    }

    /// Whether a way holds a line.
    pub(super) fn holds(&self, way: Way) -> bool {
        self.array.find(self.array.addr(way)) == Some(way)
    }

    /// Drops the clean bytes of a way that holds a line.
    pub(super) fn forget(&mut self, way: Way) {
        self.array.invalidate_clean(way);
        if self.hooks.are_there() && !self.holds(way) {
            self.hooks.evict(way);
        }
    }

    fn has_more(&self, ctx: &Context) -> bool {
        !self.filled.is_empty()
            || ctx.has(self.ports.requests)
            || ctx.has(self.ports.commands)
            || !self.plain && self.has_more_beside(ctx)
    }

    fn has_more_beside(&self, ctx: &Context) -> bool {
        self.hooks.keep_requests() || self.beside.is_some_and(|inlet| ctx.has(inlet))
    }
}

impl L2 for Bank {
    fn tick(&mut self, ctx: &mut Context) {
        if !self.plain {
            self.hooks.hear(ctx);
        }
        while let Some(message) = ctx.receive(self.ports.fills) {
            self.take_from_below(ctx, message);
        }
        if !self.plain {
            self.hooks.tick(ctx);
        }
        if !self.hooks.bank.outbox.is_empty() {
            self.send_outbox(ctx);
        }
        if self.walk.is_none()
            && let Some(command) = ctx.receive(self.ports.commands)
        {
            self.start_walk(ctx, command);
        }
        if self.atomics.is_some() {
            self.send_results(ctx);
        }
        let outcome = self.operate(ctx);
        if self.walk.is_some() {
            self.finish_walk(ctx);
        }
        // A blocked bank is woken by the outlet or the fill that it waits for.
        if outcome != Outcome::Blocked {
            match self.next_step() {
                _ if self.has_more(ctx) => ctx.wake_at(ctx.now + 1),
                Some(next) => ctx.wake_at(next.max(ctx.now + 1)),
                None => {}
            }
        }
        if !self.plain {
            ctx.wake_after(self.hooks.quiet_cycles());
        }
    }

    fn counters(&self, all: &mut CounterValues) {
        let c = &self.counters;
        all.extend([
            ("reads", c.reads),
            ("hits", c.hits),
            ("merges", c.merges),
            ("misses", c.misses),
            ("fetches", c.fetches),
            ("writes", c.writes),
            ("atomics", c.atomics),
            ("write_backs", c.write_backs),
            ("released", c.released),
            ("dirtied", self.array.dirtied),
            ("written_for_atomics", c.written_for_atomics),
            ("overwritten", self.array.overwritten),
            ("dirty_lines", self.array.dirty_lines()),
        ]);
        if self.sector.is_some() {
            let [reads, writes, atomics] = c.sectors;
            let sectors =
                [("read_sectors", reads), ("write_sectors", writes), ("atomic_sectors", atomics)];
            all.extend(sectors);
        }
        if self.ports.pushes.is_some() {
            all.push(("pushes", c.pushes));
        }
        match self.coherent {
            false => all.push(("invalidated", c.invalidated)),
            true => all.extend([
                ("own_reads", c.own_reads),
                ("read_cycles", c.read_cycles),
                ("remote_fetches", c.remote_fetches),
                ("fetches_again", c.again),
                ("remote_fetches_again", c.remote_again),
                ("writes_through", c.writes_through),
                ("inv_hit_write", c.inv_hit[0]),
                ("inv_hit_evict", c.inv_hit[1]),
                ("inv_miss", c.inv_miss),
                // Added to by the directory, where a line can be shared.
                ("inv_false", 0),
            ]),
        }
        self.hooks.l2_counters(all);
    }

    fn l1_counters(&self, all: &mut CounterValues) {
        self.hooks.l1_counters(all);
    }

    fn mshrs(&self) -> (u32, u32) {
        (self.misses.used(), self.misses.number())
    }

    fn unit(&self) -> Unit {
        self.unit
    }

    fn line(&self, addr: u64) -> Option<(u128, &[u8])> {
        let way = self.array.find(self.hooks.bank.addresses.local(addr))?;
        Some((self.array.valid(way), self.array.data(way)))
    }

    fn forget_line(&mut self, addr: u64) {
        if let Some(way) = self.array.find(self.hooks.bank.addresses.local(addr)) {
            self.forget(way);
        }
    }

    fn forget_all(&mut self) {
        for set in 0..self.array.sets() {
            self.invalidate_set(set);
        }
    }

    fn renew_line(&mut self, addr: u64, mask: u128, bytes: &[u8]) {
        if let Some(way) = self.array.find(self.hooks.bank.addresses.local(addr)) {
            let valid = mask & self.array.valid(way);
            masks::copy(self.array.data_mut(way), bytes, valid);
        }
    }
}
