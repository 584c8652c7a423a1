//! Beats of answers on their way from the race detection unit to an SM. They leave by a channel of
//! the network, and wait in a queue that both ends share: most are chunks of a signature, by which
//! the access validation unit changes nothing that it shows, and of each it is known when it is
//! taken. So the SM is not visited for them; it takes them when it is visited for something else.

use std::cell::RefCell;
use std::collections::VecDeque;

use ports::race::types::Rsp;

use crate::context::Context;
use crate::engine::{Cycle, OutletId};

/// The queues of all SMs of a GPU.
pub type AllBeats = Vec<RefCell<Beats>>;

/// Those of an SM.
#[derive(Debug, Default)]
pub struct Beats {
    /// Where they leave.
    outlet: OutletId,
    /// Oldest first, and when each shows; of one that flows, when it was taken.
    queue: VecDeque<(Cycle, Rsp)>,
    /// The oldest ones that were taken, but are still here.
    flowed: usize,
    /// Of the others, those that are no chunks between.
    ends: usize,
    /// A header was taken, and chunks are taken as soon as they show.
    flows: bool,
    /// When the last one was taken.
    last: Cycle,
    /// The SM need not be visited for chunks between.
    pub may_flow: bool,
}

/// Neither the first beat of an answer nor the last.
fn is_between(rsp: &Rsp) -> bool {
    !rsp.hdr && !rsp.last
}

impl Beats {
    /// They leave by this outlet, which leads to the SM alone.
    pub fn leave_by(&mut self, outlet: OutletId) {
        self.outlet = outlet;
    }

    /// Takes the chunks that the SM has taken before this cycle.
    #[inline]
    pub fn flow(&mut self, ctx: &mut Context) {
        let before = self.flowed;
        while self.flows
            && let Some((at, rsp)) = self.queue.get_mut(self.flowed)
            && is_between(rsp)
        {
            let taken = (*at).max(self.last + 1);
            if taken >= ctx.now {
                break;
            }
            (*at, self.last) = (taken, taken);
            self.flowed += 1;
        }
        if self.flowed > before {
            let taken = (self.flowed - before) as u32;
            ctx.network.has_taken(&mut ctx.wheel, self.outlet, (taken, ctx.now));
        }
    }

    /// One leaves, which must be possible, and shows in cycle `at`.
    pub fn push(&mut self, ctx: &mut Context, at: Cycle, rsp: &Rsp) {
        self.queue.push_back((at, *rsp));
        let is_end = !is_between(rsp);
        self.ends += usize::from(is_end);
        if is_end || !self.may_flow {
            ctx.network.wake_receiver(&mut ctx.wheel, self.outlet, at);
        }
    }

    /// The oldest that was taken by [`Beats::flow`], and when.
    pub fn next_flowed(&mut self) -> Option<(Cycle, Rsp)> {
        self.flowed = self.flowed.checked_sub(1)?;
        self.queue.pop_front()
    }

    /// Of those that [`Beats::flow`] has taken, when the oldest was, and how many were in a row.
    pub fn run(&self) -> Option<(Cycle, usize)> {
        let &(first, _) = self.queue.front().filter(|_| self.flowed > 0)?;
        let times = self.queue.iter().take(self.flowed).map(|(at, _)| *at);
        Some((first, times.zip(first..).take_while(|(at, next)| at == next).count()))
    }

    /// The one that shows, behind those that have flowed.
    pub fn oldest(&self, now: Cycle) -> Option<&Rsp> {
        self.queue.front().filter(|(at, _)| *at <= now).map(|(_, rsp)| rsp)
    }

    /// The one that shows is taken, in this cycle.
    pub fn take(&mut self, ctx: &mut Context) -> Rsp {
        let (_, rsp) = self.queue.pop_front().expect("one shows");
        self.ends -= usize::from(!is_between(&rsp));
        self.flows = self.may_flow && !rsp.last;
        self.last = ctx.now;
        ctx.network.make_room(&mut ctx.wheel, self.outlet, ctx.now);
        rsp
    }

    /// When the SM is to be visited next for a beat that is here, behind cycle `now`, which is
    /// over.
    pub fn next(&self, now: Cycle) -> Option<Cycle> {
        if !self.flows {
            return self.queue.front().map(|(at, _)| *at.max(&(now + 1)));
        }
        if self.ends == 0 {
            return None;
        }
        let mut taken = self.last;
        for (at, rsp) in self.queue.range(self.flowed..) {
            taken = (*at).max(taken + 1);
            if !is_between(rsp) {
                break;
            }
        }
        Some(taken.max(now + 1))
    }
}
