//! Ways that a bank allocates for lines, and the victims that it writes back.

use super::bank::Bank;
use super::hook::Outcome;
use super::requests::copy;
use crate::cache::{Choice, Way};
use crate::context::Context;
use crate::context::message::Message;
use crate::engine::pool::Handle;

/// Why a request gets no way.
pub(super) enum Unallocated {
    /// The policy does not cache the line: the request bypasses this L2.
    Bypass,
    /// A victim had to be written back first, or all ways are held.
    Stalled(Outcome),
}

impl Bank {
    /// Allocates a way for the line, with no valid byte. `goes_below`: the request needs the outlet
    /// below, which a victim's write-back takes for this cycle.
    #[inline(always)]
    pub(super) fn allocate(
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
}
