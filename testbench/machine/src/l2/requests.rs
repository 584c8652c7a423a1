//! Reads, writes and atomics of a bank: of CUs, and of other chiplets whose home this is.

use super::bank::Bank;
use super::hook::Outcome;
use crate::cache::{Array, Choice, Way};
use crate::check::atomic;
use crate::config::policy::Policy;
use crate::context::Context;
use crate::context::layout::Site;
use crate::context::masks;
use crate::context::message::{Kind, Line, Message, Unit};
use crate::context::pages::PAGE;
use crate::engine::OutletId;
use crate::engine::pool::Handle;

/// Bytes of the shortest line of a directory.
const MIN_LINE: u32 = 64;

/// Why a request gets no way.
enum Unallocated {
    /// The policy does not cache the line: the request bypasses this L2.
    Bypass,
    /// A victim had to be written back first, or all ways are held.
    Stalled(Outcome),
}

impl Bank {
    pub(super) fn is_home(&self, ctx: &Context, addr: u64) -> bool {
        ctx.places.home(addr) == self.chiplet
    }

    /// Serves a request whose line is in `way`, if it is here at all.
    #[inline(never)]
    pub(super) fn perform(
        &mut self,
        ctx: &mut Context,
        request: Handle<Message>,
        way: Option<Way>,
    ) -> Outcome {
        if !self.plain && !self.hooks.may_perform(ctx, request, way) {
            return Outcome::Blocked;
        }
        let Message { kind, addr, .. } = ctx.messages[request];
        let here = !self.coherent || self.is_home(ctx, addr);
        match kind {
            Kind::Read => self.read(ctx, request, way),
            Kind::Write if here => self.write(ctx, request, way),
            Kind::Write => self.write_there(ctx, request, way),
            Kind::Atomic(_) if !here => self.atomic_there(ctx, request, way),
            Kind::Atomic(_) if self.policy == Policy::Private => {
                self.atomic_below(ctx, request, way)
            }
            Kind::Atomic(_) => self.atomic(ctx, request, way),
            kind => unreachable!("{kind:?} is no request"),
        }
    }

    fn read(&mut self, ctx: &mut Context, request: Handle<Message>, found: Option<Way>) -> Outcome {
        let Message { mask, from, born, .. } = ctx.messages[request];
        match found {
            Some(way) if mask & !self.array.valid(way) == 0 => {
                if !self.may_answer(ctx) || !self.may_load(ctx, mask) {
                    return Outcome::Blocked;
                }
                self.array.touch(way);
                self.counters.reads += 1;
                self.counters.hits += u64::from(self.array.miss(way).is_none());
                if self.coherent && self.is_own(ctx, from) {
                    self.counters.own_reads += 1;
                    self.counters.read_cycles += u64::from((ctx.now as u32).wrapping_sub(born));
                }
                let line = copy(ctx, &self.array, way);
                self.answer(ctx, request, Kind::Data, line);
                Outcome::Done
            }
            found => self.miss(ctx, request, found),
        }
    }

    /// Fetches the request's line, from below or from its home; the request waits.
    fn miss(&mut self, ctx: &mut Context, request: Handle<Message>, found: Option<Way>) -> Outcome {
        let addr = ctx.messages[request].addr;
        let (remote, outlet) = self.source(ctx, addr);
        if !ctx.may_send(outlet) {
            return Outcome::Blocked;
        }
        if let Some(at) = found.and_then(|way| self.array.miss(way)) {
            // The request has waited for the line, and it was taken away again before its turn, or
            // the request needs other sectors.
            self.count_fetch(addr, remote);
            self.fetch(ctx, at, request, outlet, 0);
            self.misses[at].filled = false;
            self.filled.retain(|&other| other != at);
            return Outcome::Again;
        }
        if !self.may_wait(addr, remote) {
            return Outcome::Blocked;
        }
        let way = match found.map_or_else(|| self.allocate(ctx, request, addr, !remote), Ok) {
            Ok(way) => way,
            Err(Unallocated::Stalled(outcome)) => return outcome,
            Err(Unallocated::Bypass) if remote => return self.pass_on(ctx, request, outlet),
            Err(Unallocated::Bypass) => return self.pass_below(ctx, request),
        };
        let at = self.misses.start(addr, way);
        self.misses[at].stale = self.is_acquiring();
        self.array.hold(way, at);
        self.remote_misses += u32::from(remote);
        self.misses.park(ctx, at, request);
        self.counters.misses += u64::from(ctx.messages[request].kind == Kind::Read);
        self.count_fetch(addr, remote);
        self.fetch(ctx, at, request, outlet, 0);
        Outcome::Done
    }

    /// Whether another chiplet's bank has a line, and where to it is requested.
    fn source(&self, ctx: &Context, addr: u64) -> (bool, OutletId) {
        let remote = self.coherent && !self.is_home(ctx, addr);
        let outlet = match self.ports.peers {
            Some((_, peers)) if remote => peers,
            _ => self.ports.below,
        };
        (remote, outlet)
    }

    /// Requests the sectors that one more request for a line under way needs. False where that
    /// cannot be now.
    #[cold]
    pub(super) fn fetch_more(
        &mut self,
        ctx: &mut Context,
        at: usize,
        request: Handle<Message>,
    ) -> bool {
        let Message { addr, mask, kind, .. } = ctx.messages[request];
        let requested = self.misses[at].requested;
        let has = self.array.valid(self.misses[at].way) | requested;
        if self.misses[at].filled || kind == Kind::Write || mask & !has == 0 {
            return true;
        }
        let (remote, outlet) = self.source(ctx, addr);
        if !ctx.may_send(outlet) {
            return false;
        }
        self.count_fetch(addr, remote);
        self.fetch(ctx, at, request, outlet, requested);
        true
    }

    /// Whether one more line may be waited for, from below or from another chiplet. Lines of either
    /// kind have miss registers of their own, and a way of each set is left for lines from below:
    /// those are what others may be waiting for here, and they could wait for each other.
    fn may_wait(&self, addr: u64, remote: bool) -> bool {
        match remote {
            false => self.misses.used() - self.remote_misses < self.of_each_kind,
            true => {
                self.remote_misses < self.of_each_kind
                    && self.array.unheld(self.hooks.bank.addresses.local(addr)) > 1
            }
        }
    }

    #[inline(always)]
    fn count_fetch(&mut self, addr: u64, remote: bool) {
        self.counters.fetches += u64::from(!remote);
        if self.coherent {
            self.count_again(addr, remote);
        }
    }

    /// Whether a line has been here before.
    #[inline(never)]
    fn count_again(&mut self, addr: u64, remote: bool) {
        let local = self.hooks.bank.addresses.local(addr);
        let bit = 1 << (local % PAGE / u64::from(MIN_LINE));
        let seen = self.seen.get_mut(local);
        let again = u64::from(*seen & bit != 0);
        *seen |= bit;
        let c = &mut self.counters;
        c.again += again;
        c.remote_fetches += u64::from(remote);
        c.remote_again += again * u64::from(remote);
    }

    /// Asks for a whole line, or for the sectors that a request needs beside those of `requested`.
    /// The way, below or to other homes, must be free.
    #[inline(always)]
    fn fetch(
        &mut self,
        ctx: &mut Context,
        at: usize,
        request: Handle<Message>,
        outlet: OutletId,
        requested: u128,
    ) {
        let Message { addr, born, sample, mask, .. } = ctx.messages[request];
        let to = match self.coherent && outlet != self.ports.below {
            false => ctx.places.slice(&ctx.layout, self.gpu, addr),
            true => self.home_of(ctx, addr),
        };
        let line = ctx.layout.line as usize;
        let mask = match self.sector {
            None => masks::span(0, line),
            Some(sector) => {
                let missing = mask & !self.array.valid(self.misses[at].way) & !requested;
                masks::widen(missing, sector)
            }
        };
        self.misses.request(at, mask);
        let tag = at as u32;
        let rest = Message { sample, ..Message::default() };
        let fetch = Message { mask, addr, born, tag, to, from: self.unit, ..rest };
        let fetch = ctx.messages.put(fetch);
        ctx.send(outlet, fetch);
    }

    /// The bank that is a line's home.
    fn home_of(&self, ctx: &Context, addr: u64) -> Unit {
        ctx.layout.bank(ctx.places.home(addr), ctx.layout.bank_of(addr))
    }

    /// Allocates a way for the line, with no valid byte. `goes_below`: the request needs the outlet
    /// below, which a victim's write-back takes for this cycle.
    #[inline(always)]
    fn allocate(
        &mut self,
        ctx: &mut Context,
        request: Handle<Message>,
        addr: u64,
        goes_below: bool,
    ) -> Result<Way, Unallocated> {
        let local = self.hooks.bank.addresses.local(addr);
        let way = match self.plain || !self.hooks.choose_ways() {
            true => self.array.victim(local).ok_or(Unallocated::Stalled(Outcome::Blocked))?,
            false => self.choose(ctx, request, local)?,
        };
        if self.array.dirty(way) != 0 {
            if !ctx.may_send(self.ports.below) {
                return Err(Unallocated::Stalled(Outcome::Blocked));
            }
            self.write_back(ctx, way);
            self.counters.write_backs += 1;
            if goes_below {
                return Err(Unallocated::Stalled(Outcome::Again));
            }
        }
        if !self.plain && !self.may_change(ctx, way, addr) {
            return Err(Unallocated::Stalled(Outcome::Blocked));
        }
        self.array.place(way, local);
        Ok(way)
    }

    /// Asks the policy for a way.
    #[cold]
    fn choose(
        &mut self,
        ctx: &mut Context,
        request: Handle<Message>,
        local: u64,
    ) -> Result<Way, Unallocated> {
        match self.hooks.choose(ctx, request, self.array.ways(local)) {
            Choice::Way(way) => Ok(way),
            Choice::Nowhere => Err(Unallocated::Bypass),
            Choice::NotYet => Err(Unallocated::Stalled(Outcome::Blocked)),
        }
    }

    /// Asks the hooks whether the line in a way may go, and shows them that another one, or the
    /// first, comes.
    #[cold]
    fn may_change(&mut self, ctx: &mut Context, way: Way, addr: u64) -> bool {
        if self.holds(way) {
            if !self.hooks.may_evict(ctx, way) {
                return false;
            }
            self.hooks.evict(way);
        }
        self.hooks.place(way, addr);
        true
    }

    /// Sends the dirty bytes of a way below, which must be free.
    pub(super) fn write_back(&mut self, ctx: &mut Context, way: Way) {
        let addr = self.hooks.bank.addresses.global(self.array.addr(way));
        let mask = self.array.dirty(way);
        let line = copy(ctx, &self.array, way);
        self.writes.send(ctx, addr, mask, line, Handle::NONE);
        self.array.clean(way);
    }

    /// What a write or atomic changes here is dirty; or also written through, for readers
    /// after this chiplet's release: other chiplets, and where those have L2s of their own other
    /// GPUs; or where the design writes all through.
    fn write(
        &mut self,
        ctx: &mut Context,
        request: Handle<Message>,
        found: Option<Way>,
    ) -> Outcome {
        let Message { addr, mask, line, from, .. } = ctx.messages[request];
        let through = self.is_through(ctx, from);
        if !self.may_finish(ctx, from, through, found.is_none()) || self.must_wait(ctx) {
            return Outcome::Blocked;
        }
        let way = match found.map_or_else(|| self.allocate(ctx, request, addr, through), Ok) {
            Ok(way) => way,
            Err(Unallocated::Stalled(outcome)) => return outcome,
            Err(Unallocated::Bypass) => return self.write_below(ctx, request, line),
        };
        self.array.write(way, &ctx.lines[line].0, mask, !through);
        self.stored(ctx, mask);
        self.counters.writes += 1;
        if through {
            // The payload goes on.
            self.write_through(ctx, request, line, Kind::Ack, Handle::NONE);
        } else {
            ctx.lines.free(line);
            self.answer(ctx, request, Kind::Ack, Handle::NONE);
        }
        Outcome::Done
    }

    /// A write whose line shall not be here goes below, as one that is written through.
    #[cold]
    fn write_below(
        &mut self,
        ctx: &mut Context,
        request: Handle<Message>,
        line: Handle<Line>,
    ) -> Outcome {
        if !ctx.may_send(self.ports.below) {
            return Outcome::Blocked;
        }
        self.hooks.pass(ctx, request);
        self.counters.writes += 1;
        self.write_through(ctx, request, line, Kind::Ack, Handle::NONE);
        Outcome::Done
    }

    fn is_through(&self, ctx: &Context, from: Unit) -> bool {
        match self.policy {
            Policy::Private => false,
            Policy::HomeForward => !self.is_own(ctx, from),
            Policy::Coherent => self.through || is_gate(ctx, from),
        }
    }

    /// Whether a change here may be done and answered now, and sent below where that is needed:
    /// what is written through, or a victim.
    fn may_finish(&self, ctx: &mut Context, from: Unit, through: bool, victim: bool) -> bool {
        if through && !self.is_own(ctx, from) {
            // Its answer leaves later.
            return ctx.may_send(self.ports.below);
        }
        let below = through || (!self.coherent && victim);
        self.may_answer(ctx) && (!below || ctx.may_send(self.ports.below))
    }

    /// Sends what a request has changed below, and its answer. A CU of this chiplet is answered at
    /// once, as the release of its chiplet waits here for the L3. The release of any other source
    /// does not reach this bank: its answer leaves when the L3 has acknowledged the write. The
    /// outlets that this needs must be free.
    fn write_through(
        &mut self,
        ctx: &mut Context,
        request: Handle<Message>,
        new: Handle<Line>,
        kind: Kind,
        line: Handle<Line>,
    ) {
        let Message { addr, mask, from, .. } = ctx.messages[request];
        if self.is_own(ctx, from) {
            self.writes.send(ctx, addr, mask, new, Handle::NONE);
            return self.answer(ctx, request, kind, line);
        }
        self.writes.send(ctx, addr, mask, new, request);
        self.make_answer(ctx, request, kind, line);
    }

    /// True for a CU of this chiplet.
    fn is_own(&self, ctx: &Context, from: Unit) -> bool {
        matches!(ctx.layout.site(from), Site::Core(chiplet, _) if chiplet == self.chiplet)
    }

    /// A write to another chiplet's line: the copy here is updated, the home does it and answers
    /// the CU (directory specification, section 6, rule 5).
    fn write_there(
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
            self.forget(way);
        }
        self.pass_on(ctx, request, peers)
    }

    /// The home of its line serves the request, and answers it. The way must be free.
    fn pass_on(&mut self, ctx: &mut Context, request: Handle<Message>, peers: OutletId) -> Outcome {
        if self.hooks.are_there() {
            self.hooks.pass(ctx, request);
        }
        ctx.messages[request].to = self.home_of(ctx, ctx.messages[request].addr);
        ctx.send(peers, request);
        Outcome::Done
    }

    /// The L3 performs it and answers: what is held here of the line goes there first.
    fn atomic_below(
        &mut self,
        ctx: &mut Context,
        request: Handle<Message>,
        found: Option<Way>,
    ) -> Outcome {
        if !ctx.may_send(self.ports.below) {
            return Outcome::Blocked;
        }
        if let Some(way) = found {
            if self.array.dirty(way) != 0 {
                self.write_back(ctx, way);
                self.counters.written_for_atomics += 1;
                return Outcome::Again;
            }
            self.forget(way);
        }
        self.counters.atomics += 1;
        self.pass_below(ctx, request)
    }

    /// The L3 performs a request and answers it. The way must be free.
    fn pass_below(&mut self, ctx: &mut Context, request: Handle<Message>) -> Outcome {
        if self.hooks.are_there() {
            self.hooks.pass(ctx, request);
        }
        let addr = ctx.messages[request].addr;
        ctx.messages[request].to = ctx.places.slice(&ctx.layout, self.gpu, addr);
        ctx.send(self.ports.below, request);
        Outcome::Done
    }

    /// Performed here.
    fn atomic(
        &mut self,
        ctx: &mut Context,
        request: Handle<Message>,
        found: Option<Way>,
    ) -> Outcome {
        let Message { mask, line, kind, size, from, .. } = ctx.messages[request];
        let Kind::Atomic(op) = kind else { unreachable!("an atomic") };
        match found {
            Some(way) if mask & !self.array.valid(way) == 0 => {
                let through = self.is_through(ctx, from);
                if self.is_busy(ctx) || !self.may_finish(ctx, from, through, false) {
                    return Outcome::Blocked;
                }
                let old = copy(ctx, &self.array, way);
                atomic::apply(op, size.into(), mask, self.array.data_mut(way), &ctx.lines[line].0);
                self.array.mark(way, mask, !through);
                self.array.touch(way);
                self.counters.atomics += 1;
                ctx.lines.free(line);
                if let Some(atomics) = &mut self.atomics {
                    atomics.perform(ctx.now, masks::sectors(mask, ctx.layout.sector_log));
                }
                if through {
                    let new = copy(ctx, &self.array, way);
                    self.write_through(ctx, request, new, Kind::Data, old);
                } else if self.atomics.is_some() {
                    self.answer_late(ctx, request, old);
                } else {
                    self.answer(ctx, request, Kind::Data, old);
                }
                Outcome::Done
            }
            found => self.miss(ctx, request, found),
        }
    }

    /// Whether an answer may leave now: behind what the outbox of a coherent bank holds.
    pub(super) fn may_answer(&self, ctx: &mut Context) -> bool {
        let behind = self.coherent && !self.hooks.bank.outbox.is_empty();
        !behind && ctx.may_send(self.ports.answers)
    }

    /// Turns a request into its answer and sends it; the way must be free.
    #[inline(always)]
    fn answer(
        &mut self,
        ctx: &mut Context,
        request: Handle<Message>,
        kind: Kind,
        line: Handle<Line>,
    ) {
        self.make_answer(ctx, request, kind, line);
        self.send_answer(ctx, request);
    }

    /// Sends an answer; the way must be free.
    #[inline(always)]
    pub(super) fn send_answer(&mut self, ctx: &mut Context, answer: Handle<Message>) {
        match self.coherent {
            false => ctx.send(self.ports.answers, answer),
            true => self.send_coherent(ctx, answer),
        }
    }

    /// A line of another chiplet passes the bank of its home and this one.
    #[inline(never)]
    fn send_coherent(&mut self, ctx: &mut Context, answer: Handle<Message>) {
        let to_core = matches!(ctx.layout.site(ctx.messages[answer].to), Site::Core(..));
        match to_core && !self.comes_from_afar {
            true => ctx.send(self.ports.answers, answer),
            false => self.hooks.bank.send_away(ctx, answer),
        }
    }

    #[inline(always)]
    pub(super) fn make_answer(
        &mut self,
        ctx: &mut Context,
        request: Handle<Message>,
        kind: Kind,
        line: Handle<Line>,
    ) {
        let asked = (!self.plain).then(|| ctx.messages[request]);
        let message = &mut ctx.messages[request];
        (message.kind, message.line) = (kind, line);
        (message.to, message.from) = (message.from, self.unit);
        if let Some(asked) = asked {
            self.show_answer(ctx, request, &asked);
        }
    }

    #[cold]
    fn show_answer(&mut self, ctx: &mut Context, answer: Handle<Message>, asked: &Message) {
        // A write that was passed on is not.
        if let Some(way) = self.array.find(self.hooks.bank.addresses.local(asked.addr)) {
            self.hooks.answer(ctx, way, asked, answer, self.array.data(way));
        }
    }
}

/// True for another GPU's gate.
fn is_gate(ctx: &Context, from: Unit) -> bool {
    matches!(ctx.layout.site(from), Site::Gate(_))
}

/// A payload that is a copy of a way's bytes.
#[inline(always)]
fn copy(ctx: &mut Context, array: &Array, way: Way) -> Handle<Line> {
    ctx.payload(array.data(way))
}
