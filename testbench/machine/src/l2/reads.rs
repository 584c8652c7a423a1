//! Reads of a bank, and the fetches of lines that requests miss.

use super::bank::Bank;
use super::hook::Outcome;
use super::requests::copy;
use super::ways::Unallocated;
use crate::cache::Way;
use crate::context::Context;
use crate::context::masks;
use crate::context::message::{Kind, Message};
use crate::context::pages::PAGE;
use crate::engine::OutletId;
use crate::engine::pool::Handle;

/// Bytes of the shortest line of a directory.
const MIN_LINE: u32 = 64;

impl Bank {
    pub(super) fn read(
        &mut self,
        ctx: &mut Context,
        request: Handle<Message>,
        found: Option<Way>,
    ) -> Outcome {
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
    pub(super) fn miss(
        &mut self,
        ctx: &mut Context,
        request: Handle<Message>,
        found: Option<Way>,
    ) -> Outcome {
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
}
