//! Reads, writes and atomics of the chiplet's CUs, and those of other chiplets whose home this is.

use super::{Bank, Outcome, copy};
use crate::atomic;
use crate::cache::Way;
use crate::context::Context;
use crate::engine::{Handle, InletId, OutletId};
use crate::layout::Site;
use crate::masks;
use crate::message::{Kind, Line, Message, Unit};
use crate::pages::PAGE;

/// Bytes of the shortest line of a directory.
const MIN_LINE: u32 = 64;

impl Bank {
    /// A new request, of the own CUs and of other chiplets in turns.
    pub(super) fn serve_next(&mut self, ctx: &mut Context) -> Outcome {
        if let Some(&releaser) = self.fences.front()
            && self.fence(ctx, releaser) == Outcome::Done
        {
            self.fences.pop_front();
            return Outcome::Done;
        }
        let own = Some(self.ports.requests);
        let peers = self.ports.peers.map(|(inlet, _)| inlet);
        let order = if self.peers_turn { [peers, own] } else { [own, peers] };
        let mut last = Outcome::Blocked;
        for (i, inlet) in order.into_iter().enumerate() {
            let Some(request) = inlet.and_then(|inlet| ctx.peek(inlet)) else { continue };
            let outcome = self.serve(ctx, request, inlet.expect("it has shown a request"));
            // Whoever waits does not stop the other side.
            if outcome != Outcome::Blocked {
                self.peers_turn ^= i == 0;
                return outcome;
            }
            last = outcome;
        }
        last
    }

    fn serve(&mut self, ctx: &mut Context, request: Handle<Message>, inlet: InletId) -> Outcome {
        let Message { kind, addr, from, .. } = ctx.messages[request];
        if let Kind::Coherence(_) = kind {
            let outcome = self.fence(ctx, from);
            if outcome == Outcome::Done {
                ctx.take(inlet);
                ctx.messages.free(request);
            }
            return outcome;
        }
        let way = self.array.find(self.addresses.local(addr));
        let outcome = match way.and_then(|way| self.array.miss(way)) {
            Some(at) => {
                self.misses.park(ctx, at, request);
                Outcome::Done
            }
            None => self.perform(ctx, request, way),
        };
        if outcome == Outcome::Done {
            ctx.take(inlet);
        }
        outcome
    }

    /// Serves a request that has waited for a line that has come, the oldest line first.
    pub(super) fn serve_waiters(&mut self, ctx: &mut Context) -> Outcome {
        for k in 0..self.filled.len() {
            let outcome = self.serve_waiter(ctx, k);
            if outcome != Outcome::Blocked {
                return outcome;
            }
        }
        Outcome::Blocked
    }

    /// Serves the oldest request that has waited for the line of `filled[k]`.
    fn serve_waiter(&mut self, ctx: &mut Context, k: usize) -> Outcome {
        let at = self.filled[k];
        let request = self.misses[at].waiters.first();
        // Once served the request is an answer on its way, or gone.
        let next = ctx.messages[request].next;
        let outcome = self.perform(ctx, request, Some(self.misses[at].way));
        if outcome != Outcome::Done {
            return outcome;
        }
        self.misses[at].waiters.advance(next);
        if self.misses[at].waiters.is_empty() {
            let miss = self.misses[at];
            self.misses.end(at);
            self.filled.remove(k);
            self.array.release(miss.way);
            self.remote_misses -= u32::from(!self.is_home(ctx, miss.addr));
            if self.array.valid(miss.way) == 0 {
                self.array.invalidate_clean(miss.way);
            }
        }
        Outcome::Done
    }

    fn is_home(&self, ctx: &Context, addr: u64) -> bool {
        ctx.places.home(addr) == self.chiplet
    }

    /// Serves a request whose line is in `way`, if it is here at all.
    fn perform(
        &mut self,
        ctx: &mut Context,
        request: Handle<Message>,
        way: Option<Way>,
    ) -> Outcome {
        let Message { kind, addr, .. } = ctx.messages[request];
        let home = self.is_home(ctx, addr);
        if home && !self.may_present(ctx) {
            return Outcome::Blocked;
        }
        match kind {
            Kind::Read => self.read(ctx, request, way, home),
            Kind::Write if home => self.write_here(ctx, request, way),
            Kind::Write => self.write_through(ctx, request, way),
            Kind::Atomic(_) if home => self.atomic_here(ctx, request, way),
            Kind::Atomic(_) => self.atomic_there(ctx, request, way),
            kind => unreachable!("{kind:?} is no request"),
        }
    }

    fn read(
        &mut self,
        ctx: &mut Context,
        request: Handle<Message>,
        found: Option<Way>,
        home: bool,
    ) -> Outcome {
        let asked = ctx.messages[request];
        match found {
            Some(way) if asked.mask & !self.array.valid(way) == 0 => {
                if !self.may_answer(ctx) {
                    return Outcome::Blocked;
                }
                self.array.touch(way);
                self.counters.reads += 1;
                let from = ctx.layout.site(asked.from);
                if matches!(from, Site::Core(chiplet, _) if chiplet == self.chiplet) {
                    self.counters.own_reads += 1;
                    self.counters.read_cycles += ctx.now - asked.born;
                }
                let line = copy(ctx, &self.array, way);
                self.answer(ctx, request, Kind::Data, line);
                if home {
                    self.present(ctx, &asked);
                }
                Outcome::Done
            }
            found => self.miss(ctx, request, found),
        }
    }

    /// Fetches the request's line, from below or from its home; the request waits.
    fn miss(&mut self, ctx: &mut Context, request: Handle<Message>, found: Option<Way>) -> Outcome {
        let addr = ctx.messages[request].addr;
        let remote = !self.is_home(ctx, addr);
        let outlet = match self.ports.peers {
            Some((_, peers)) if remote => peers,
            _ => self.ports.below,
        };
        if !ctx.may_send(outlet) {
            return Outcome::Blocked;
        }
        if let Some(at) = found.and_then(|way| self.array.miss(way)) {
            // The request has waited for the line, and it was taken away again before its turn.
            self.fetch(ctx, at, request);
            self.misses[at].filled = false;
            self.filled.retain(|&other| other != at);
            return Outcome::Again;
        }
        if self.misses.is_full() || (remote && !self.may_wait_for_others(addr)) {
            return Outcome::Blocked;
        }
        let way = match found.map_or_else(|| self.make_room(ctx, addr), Ok) {
            Ok(way) => way,
            Err(outcome) => return outcome,
        };
        let at = self.misses.start(addr, way);
        self.array.hold(way, at);
        self.remote_misses += u32::from(remote);
        self.fetch(ctx, at, request);
        self.misses.park(ctx, at, request);
        Outcome::Done
    }

    /// Whether one more line may be waited for that another chiplet must give. Half of the miss
    /// registers, and a way of each set, are left for what others may be waiting for here: that is
    /// served sooner, and they could wait for each other.
    fn may_wait_for_others(&self, addr: u64) -> bool {
        self.remote_misses < self.misses.count() / 2
            && self.array.unheld(self.addresses.local(addr)) > 1
    }

    /// Asks for a whole line. The way must be free.
    fn fetch(&mut self, ctx: &mut Context, at: usize, request: Handle<Message>) {
        let Message { addr, born, .. } = ctx.messages[request];
        let mask = masks::span(0, ctx.layout.line as usize);
        let local = self.addresses.local(addr);
        let (seen, bit) = (self.seen.get_mut(local), 1 << (local % PAGE / u64::from(MIN_LINE)));
        let again = u64::from(*seen & bit != 0);
        *seen |= bit;
        self.counters.again += again;
        let (to, outlet) = match self.ports.peers {
            Some((_, peers)) if !self.is_home(ctx, addr) => {
                self.counters.remote_fetches += 1;
                self.counters.remote_again += again;
                (self.home_of(ctx, addr), peers)
            }
            _ => {
                self.counters.fetches += 1;
                (ctx.places.slice(&ctx.layout, addr), self.ports.below)
            }
        };
        let tag = at as u32;
        let fetch = Message { mask, addr, born, tag, to, from: self.unit, ..Message::default() };
        let fetch = ctx.messages.put(fetch);
        ctx.send(outlet, fetch);
    }

    /// The bank that is a line's home.
    fn home_of(&self, ctx: &Context, addr: u64) -> Unit {
        ctx.layout.bank(ctx.places.home(addr), ctx.layout.bank_of(addr))
    }

    /// A way with the line placed in it, nothing valid; or what to do when a victim had to be
    /// written back first, or all ways are held.
    fn make_room(&mut self, ctx: &mut Context, addr: u64) -> Result<Way, Outcome> {
        let local = self.addresses.local(addr);
        let way = self.array.victim(local).ok_or(Outcome::Blocked)?;
        if self.array.dirty(way) != 0 {
            if !ctx.may_send(self.ports.below) {
                return Err(Outcome::Blocked);
            }
            self.write_back(ctx, way);
            self.counters.write_backs += 1;
            return Err(Outcome::Again);
        }
        self.array.place(way, local);
        Ok(way)
    }

    /// Sends the dirty bytes of a way below, which must be free.
    pub(super) fn write_back(&mut self, ctx: &mut Context, way: Way) {
        let addr = self.addresses.global(self.array.addr(way));
        let mask = self.array.dirty(way);
        let line = copy(ctx, &self.array, way);
        self.writes.send(ctx, addr, mask, line, Handle::NONE);
        self.array.clean(way);
    }

    /// A write to a line of this chiplet: what it changes is dirty, or written through for another
    /// GPU, whose release may come after this one's.
    fn write_here(
        &mut self,
        ctx: &mut Context,
        request: Handle<Message>,
        found: Option<Way>,
    ) -> Outcome {
        let asked = ctx.messages[request];
        let Message { addr, mask, line, .. } = asked;
        let through = is_from_gate(ctx, &asked);
        if !self.may_finish(ctx, through) {
            return Outcome::Blocked;
        }
        let way = match found.map_or_else(|| self.make_room(ctx, addr), Ok) {
            Ok(way) => way,
            Err(outcome) => return outcome,
        };
        self.array.write(way, &ctx.lines[line].0, mask, !through);
        self.counters.writes += 1;
        if through {
            // The payload goes on.
            self.answer_later(ctx, request, line, Kind::Ack, Handle::NONE);
        } else {
            ctx.lines.free(line);
            self.answer(ctx, request, Kind::Ack, Handle::NONE);
        }
        self.present(ctx, &asked);
        Outcome::Done
    }

    /// A write to another chiplet's line: the copy here is updated, the home does it and answers
    /// the CU (specification, section 6, rule 5).
    fn write_through(
        &mut self,
        ctx: &mut Context,
        request: Handle<Message>,
        found: Option<Way>,
    ) -> Outcome {
        let Message { mask, line, .. } = ctx.messages[request];
        let (_, peers) = self.ports.peers.expect("another chiplet has the line");
        if !ctx.may_send(peers) {
            return Outcome::Blocked;
        }
        if let Some(way) = found.filter(|&way| self.array.valid(way) != 0) {
            self.array.write(way, &ctx.lines[line].0, mask, false);
        }
        self.counters.writes_through += 1;
        self.pass_on(ctx, request, peers)
    }

    /// The home performs it and answers the CU; the copy here is old then.
    fn atomic_there(
        &mut self,
        ctx: &mut Context,
        request: Handle<Message>,
        found: Option<Way>,
    ) -> Outcome {
        let (_, peers) = self.ports.peers.expect("another chiplet has the line");
        if !ctx.may_send(peers) {
            return Outcome::Blocked;
        }
        if let Some(way) = found {
            self.array.invalidate_clean(way);
        }
        self.pass_on(ctx, request, peers)
    }

    /// The home of its line serves the request, and answers it.
    fn pass_on(&self, ctx: &mut Context, request: Handle<Message>, peers: OutletId) -> Outcome {
        ctx.messages[request].to = self.home_of(ctx, ctx.messages[request].addr);
        ctx.send(peers, request);
        Outcome::Done
    }

    /// An atomic on a line of this chiplet.
    fn atomic_here(
        &mut self,
        ctx: &mut Context,
        request: Handle<Message>,
        found: Option<Way>,
    ) -> Outcome {
        let asked = ctx.messages[request];
        let Message { mask, line, kind, size, .. } = asked;
        let Kind::Atomic(op) = kind else { unreachable!("an atomic") };
        match found {
            Some(way) if mask & !self.array.valid(way) == 0 => {
                let through = is_from_gate(ctx, &asked);
                if !self.may_finish(ctx, through) {
                    return Outcome::Blocked;
                }
                let old = copy(ctx, &self.array, way);
                atomic::apply(op, size.into(), mask, self.array.data_mut(way), &ctx.lines[line].0);
                self.array.mark(way, mask, !through);
                self.array.touch(way);
                self.counters.atomics += 1;
                ctx.lines.free(line);
                if through {
                    let new = copy(ctx, &self.array, way);
                    self.answer_later(ctx, request, new, Kind::Data, old);
                } else {
                    self.answer(ctx, request, Kind::Data, old);
                }
                self.present(ctx, &asked);
                Outcome::Done
            }
            found => self.miss(ctx, request, found),
        }
    }

    /// Whether a change here may be done and answered now, or sent below first.
    fn may_finish(&self, ctx: &mut Context, through: bool) -> bool {
        if through { ctx.may_send(self.ports.below) } else { self.may_answer(ctx) }
    }

    /// Whether an answer may leave now: behind what the outbox holds.
    fn may_answer(&self, ctx: &mut Context) -> bool {
        self.outbox.is_empty() && ctx.may_send(self.ports.answers)
    }

    /// Turns a request into its answer and sends it; the way must be free.
    fn answer(
        &mut self,
        ctx: &mut Context,
        request: Handle<Message>,
        kind: Kind,
        line: Handle<Line>,
    ) {
        self.make_answer(ctx, request, kind, line);
        ctx.send(self.ports.answers, request);
    }

    /// Sends what a request has changed below, which must be free, and its answer when the L3 has
    /// acknowledged that.
    fn answer_later(
        &mut self,
        ctx: &mut Context,
        request: Handle<Message>,
        new: Handle<Line>,
        kind: Kind,
        line: Handle<Line>,
    ) {
        let Message { addr, mask, .. } = ctx.messages[request];
        self.writes.send(ctx, addr, mask, new, request);
        self.make_answer(ctx, request, kind, line);
    }

    fn make_answer(
        &self,
        ctx: &mut Context,
        request: Handle<Message>,
        kind: Kind,
        line: Handle<Line>,
    ) {
        let message = &mut ctx.messages[request];
        (message.kind, message.line) = (kind, line);
        (message.to, message.from) = (message.from, self.unit);
    }
}

fn is_from_gate(ctx: &Context, message: &Message) -> bool {
    matches!(ctx.layout.site(message.from), Site::Gate(_))
}
