//! A bank of an L2 that caches lines of other chiplets, kept coherent by a directory beside the
//! bank at the home of each line (REC, J. Systems Architecture 160, 2025, section 2; directory
//! specification, section 6). Lines of the own chiplet are written back, those of others are
//! written through to their home; atomics run at the home.

mod addresses;
mod home;
mod release;
mod requests;

use std::collections::VecDeque;

use cosim::command_processor::SyncMode;
use hwmodel::Block;
use ports::coherence_directory::{Variant, cause};

use super::writes::Writes;
use super::{Design, L2, Ports, Seat, Spec};
use crate::cache::{Array, Misses};
use crate::context::Context;
use crate::engine::Handle;
use crate::memory_model::MemoryModel;
use crate::message::{Coherence, Kind, Line, Message, Unit};
use crate::pages::PageMap;
use addresses::Addresses;
use home::Home;
use release::Release;

pub const DESIGN: Design = Design {
    about: "remote lines are cached; the home's directory has an entry for each line",
    promises: MemoryModel::Rc,
    directory: Some(Variant::Baseline),
    bank: |spec| Box::new(Bank::new(spec)),
    sync: SyncMode::Hmg,
};

pub const HMG: Design = Design {
    about: "the same; an entry covers four lines with one set of sharers",
    directory: Some(Variant::Hmg),
    ..DESIGN
};

pub const REC: Design = Design {
    about: "the same; an entry covers a range of lines, each with its sharers",
    directory: Some(Variant::Rec),
    ..DESIGN
};

pub const IDEAL: Design = Design {
    about: "the same; the directory never evicts an entry",
    directory: Some(Variant::Ideal),
    ..DESIGN
};

/// Counters.
#[derive(Clone, Copy, Debug, Default)]
struct Counters {
    reads: u64,
    /// Of these, of CUs of the own chiplet; and cycles from their leaving the CU to their answer's
    /// leaving here, together.
    own_reads: u64,
    read_cycles: u64,
    fetches: u64,
    remote_fetches: u64,
    /// Fetches of lines that have been here before, from below and from other chiplets.
    again: u64,
    remote_again: u64,
    writes: u64,
    writes_through: u64,
    atomics: u64,
    write_backs: u64,
    released: u64,
    /// Invalidations that found their line here, by cause.
    inv_hit: [u64; 2],
    /// Those that did not.
    inv_miss: u64,
    /// Invalidations sent for a write to another line of the entry.
    inv_false: u64,
}

/// One bank.
#[derive(Debug)]
pub struct Bank {
    unit: Unit,
    chiplet: u16,
    ports: Ports,
    addresses: Addresses,
    /// Lines by their local address.
    array: Array,
    misses: Misses,
    /// Lines that have been fetched: a bit for each of a page.
    seen: PageMap<u64>,
    /// Registers that wait for other chiplets.
    remote_misses: u32,
    /// Registers whose line has come and whose requests are being served, oldest first.
    filled: VecDeque<usize>,
    /// Whose turn it is: other chiplets' banks, or the own CUs.
    peers_turn: bool,
    release: Option<Release>,
    writes: Writes,
    home: Option<Box<Home>>,
    /// Fences of other GPUs, whose stores are here.
    fences: VecDeque<Unit>,
    /// Answers that have waited for writes, and short messages, waiting for the way of answers.
    outbox: VecDeque<Handle<Message>>,
    seat: Seat,
    counters: Counters,
}

/// What became of a request.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// Served or parked.
    Done,
    /// Something was done for it: try again in the next cycle.
    Again,
    /// Nothing can be done before somebody wakes the bank.
    Blocked,
}

impl Bank {
    /// Empty.
    pub fn new(spec: Spec) -> Self {
        let home = spec.directory.map(|body| Box::new(Home::new(body, spec.chiplet)));
        Self {
            unit: spec.unit,
            chiplet: spec.chiplet,
            ports: spec.ports,
            addresses: Addresses::new(&spec.layout, spec.number),
            array: Array::new(spec.shape),
            misses: Misses::new(spec.misses),
            seen: PageMap::default(),
            remote_misses: 0,
            filled: VecDeque::with_capacity(spec.misses as usize),
            peers_turn: false,
            release: None,
            writes: Writes::new(spec.unit, spec.ports.below),
            home,
            fences: VecDeque::new(),
            outbox: VecDeque::new(),
            seat: Seat::new(None, spec.ports.requests, None),
            counters: Counters::default(),
        }
    }

    fn take_answer(&mut self, ctx: &mut Context, message: Handle<Message>) {
        let Message { kind, tag, line, addr, from, .. } = ctx.messages[message];
        match kind {
            Kind::Data => {
                let at = tag as usize;
                self.array.fill(self.misses[at].way, &ctx.lines[line].0);
                self.misses[at].filled = true;
                self.filled.push_back(at);
            }
            Kind::Ack => self.outbox.extend(self.writes.acknowledged(tag)),
            Kind::Coherence(Coherence::Invalidate(cause)) => self.invalidate(addr, cause),
            Kind::Coherence(Coherence::Marker) => {
                // All invalidations before it on this way have been obeyed.
                self.say(ctx, from, Coherence::Marked, tag);
            }
            Kind::Coherence(Coherence::Marked) => {
                let home = self.home.as_mut().expect("it has sent a marker");
                if let Some(releaser) = home.marked(tag as u8) {
                    self.say(ctx, releaser, Coherence::Fenced, 0);
                }
            }
            Kind::Coherence(Coherence::Fence) => self.fences.push_back(from),
            Kind::Coherence(Coherence::Fenced) => {
                self.release.as_mut().expect("it has asked").fenced();
            }
            kind => unreachable!("{kind:?} is no answer"),
        }
        ctx.drop_message(message);
    }

    /// A line of another chiplet goes; a miss register that waits for it is not concerned: what
    /// comes is newer.
    fn invalidate(&mut self, addr: u64, why: u8) {
        let held = self.array.find(self.addresses.local(addr));
        match held.filter(|&way| self.array.valid(way) != 0) {
            Some(way) => {
                self.array.invalidate_clean(way);
                self.counters.inv_hit[usize::from(why == cause::EVICT)] += 1;
            }
            None => self.counters.inv_miss += 1,
        }
    }

    /// Puts a short message on its way to another bank.
    fn say(&mut self, ctx: &mut Context, to: Unit, what: Coherence, tag: u32) {
        let kind = Kind::Coherence(what);
        let message = Message { kind, to, from: self.unit, tag, ..Message::default() };
        self.outbox.push_back(ctx.messages.put(message));
    }

    /// Sends an answer, or a message of the directory, where the way is free.
    fn send_outbox(&mut self, ctx: &mut Context) {
        while let Some(&message) = self.outbox.front() {
            if !ctx.may_send(self.ports.answers) {
                return;
            }
            self.outbox.pop_front();
            ctx.send(self.ports.answers, message);
        }
    }

    fn has_more(&self, ctx: &Context) -> bool {
        !self.filled.is_empty()
            || self.release.is_some()
            || !self.fences.is_empty()
            || ctx.peek(self.ports.requests).is_some()
            || self.ports.peers.is_some_and(|(peers, _)| ctx.peek(peers).is_some())
            || ctx.peek(self.ports.commands).is_some()
    }
}

impl L2 for Bank {
    /// One cycle: what has come is taken, the directory ticks, and one operation is done.
    fn tick(&mut self, ctx: &mut Context) {
        while let Some(message) = ctx.peek(self.ports.fills) {
            ctx.take(self.ports.fills);
            self.take_answer(ctx, message);
        }
        self.tick_home(ctx);
        self.send_outbox(ctx);
        if self.release.is_none()
            && let Some(command) = ctx.peek(self.ports.commands)
        {
            ctx.take(self.ports.commands);
            self.release = Some(Release::new(ctx, command));
        }
        let outcome = match self.serve_waiters(ctx) {
            Outcome::Blocked if self.filled.is_empty() => match self.step_release(ctx) {
                Some(outcome) => outcome,
                None => self.serve_next(ctx),
            },
            // A waiter whose home takes nothing now must not stop what that home waits for here.
            Outcome::Blocked => self.serve_next(ctx),
            outcome => outcome,
        };
        self.finish_release(ctx);
        if outcome != Outcome::Blocked && self.has_more(ctx) {
            ctx.wake_at(ctx.now + 1);
        }
        if let Some(home) = &self.home {
            ctx.wake_after(home.quiet_cycles());
        }
    }

    fn counters(&self) -> Vec<(&'static str, u64)> {
        let c = &self.counters;
        let mut all = vec![
            ("reads", c.reads),
            ("own_reads", c.own_reads),
            ("read_cycles", c.read_cycles),
            ("fetches", c.fetches),
            ("remote_fetches", c.remote_fetches),
            ("fetches_again", c.again),
            ("remote_fetches_again", c.remote_again),
            ("writes", c.writes),
            ("writes_through", c.writes_through),
            ("atomics", c.atomics),
            ("write_backs", c.write_backs),
            ("released", c.released),
            ("inv_hit_write", c.inv_hit[0]),
            ("inv_hit_evict", c.inv_hit[1]),
            ("inv_miss", c.inv_miss),
            ("inv_false", c.inv_false),
        ];
        if let Some(home) = &self.home {
            let d = home.block.outputs().cnt;
            let requests = [d.req_lrd, d.req_rrd, d.req_lwr, d.req_rwr];
            all.extend([
                ("directory.requests", requests.into_iter().map(u64::from).sum()),
                ("directory.allocated", d.alloc.into()),
                ("directory.evicted", d.evict.into()),
                ("directory.lines_written", d.inv_lines_write.into()),
                ("directory.lines_evicted", d.inv_lines_evict.into()),
                ("directory.messages_written", d.inv_msgs_write.into()),
                ("directory.messages_evicted", d.inv_msgs_evict.into()),
                ("directory.waits", d.ready_low_cycles.into()),
            ]);
        }
        all
    }

    fn seat(&self) -> &Seat {
        &self.seat
    }

    fn forget_line(&mut self, addr: u64) {
        if let Some(way) = self.array.find(self.addresses.local(addr)) {
            self.array.invalidate_clean(way);
        }
    }
}

/// A payload that is a copy of a way's bytes.
fn copy(ctx: &mut Context, array: &Array, way: u32) -> Handle<Line> {
    ctx.payload(array.data(way))
}
