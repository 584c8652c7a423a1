//! Beats from the race detection unit (specification 5.3, 12).

use ports::race::access_validation_unit::err;
use ports::race::types::{Done, Rsp, rsp_kind};

use crate::state::State;

/// What a beat does at the end of its cycle, in this order.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Effects {
    /// Error code; 0 is none.
    pub error: u8,
    pub clears: bool,
    /// Its data are written.
    pub writes: bool,
    /// The answer is complete.
    pub done: Option<Done>,
}

/// The answer that is received, and whether the next must wait.
#[derive(Clone, Debug, Default)]
pub(super) struct Response {
    /// Chunks are to come.
    loading: bool,
    /// The header that they belong to.
    header: Done,
    /// What is shown; in the cycle before it was a synchronisation.
    done: Option<Done>,
    was_sync: bool,
    /// The speculative load queue validated in the cycle before.
    was_busy: bool,
}

impl Response {
    #[inline(always)]
    pub fn loading(&self) -> bool {
        self.loading
    }

    #[inline(always)]
    pub fn done(&self) -> Option<Done> {
        self.done
    }

    #[inline(always)]
    fn is_sync(&self) -> bool {
        self.done.is_some_and(|done| done.sync)
    }

    /// `rsp_ready_o`: the load queue has tested the last signature.
    #[inline(always)]
    pub fn ready(&self) -> bool {
        !self.is_sync() && !self.was_sync && !self.was_busy
    }

    /// The registers stay until a beat is accepted.
    #[inline(always)]
    pub fn waits(&self) -> bool {
        self.done.is_none() && !self.was_sync && !self.was_busy
    }

    /// Accepts a beat in epoch `now`, which `next` follows.
    #[inline(always)]
    fn accept(&mut self, rsp: &Rsp, now: u8, next: u8, has_chunk: bool) -> Effects {
        let refused = |error| Effects { error, ..Effects::default() };
        let Rsp { last, kind, id, epoch, sync, .. } = *rsp;
        if !rsp.hdr {
            if !self.loading {
                return refused(err::CHUNK);
            }
            self.loading = !last;
            let error = if has_chunk { 0 } else { err::INDEX };
            let done = last.then_some(self.header);
            return Effects { error, clears: false, writes: has_chunk, done };
        }
        if self.loading {
            return refused(err::HEADER);
        }
        let legal = if kind == rsp_kind::NORACE { !sync && last } else { sync };
        if !legal || kind > rsp_kind::FORCED {
            return refused(err::KIND);
        }
        if epoch != if sync { next } else { now } {
            return refused(err::EPOCH);
        }
        self.loading = !last;
        self.header = Done { kind, id, epoch, sync };
        Effects { error: 0, clears: sync, writes: false, done: last.then_some(self.header) }
    }

    /// One edge, with the beat that is accepted, if any.
    #[inline(always)]
    pub fn tick(
        &mut self,
        rsp: Option<&Rsp>,
        now: u8,
        next: u8,
        has_chunk: bool,
        busy: bool,
    ) -> Effects {
        let effects = rsp.map_or(Effects::default(), |rsp| self.accept(rsp, now, next, has_chunk));
        (self.was_sync, self.was_busy) = (self.is_sync(), busy);
        self.done = effects.done;
        effects
    }

    /// The registers.
    pub fn show_state(&self, state: &mut State, epoch_w: u32) {
        state.flag("loading", self.loading);
        let mut done = |name: &str, held: bool, done: Done, epoch_w: u32| {
            state.part(name, |state| {
                state.bits_while(held, "kind", 3, done.kind);
                state.bits_while(held, "id", 8, done.id);
                state.bits_while(held, "epoch", epoch_w, done.epoch);
                state.bits_while(held, "sync", 1, u8::from(done.sync));
            });
        };
        done("header", self.loading, self.header, epoch_w);
        done("done", self.done.is_some(), self.done.unwrap_or_default(), 5);
        state.flag("done_valid", self.done.is_some());
        state.flag("synced", self.was_sync);
        state.flag("busy", self.was_busy);
    }
}
