//! Atomics of a bank: what it does with a request; the unit that performs them, with its rate and
//! the latency of a result.

use std::collections::VecDeque;

use super::bank::Bank;
use super::data_port::{PARTS, is_occupied};
use super::hook::Outcome;
use super::requests::copy;
use crate::cache::Way;
use crate::check::atomic;
use crate::config::L2Section;
use crate::context::Context;
use crate::context::masks;
use crate::context::message::{Kind, Line, Message};
use crate::engine::pool::Handle;
use crate::engine::{Cycle, Port, Rate};

/// The unit.
#[derive(Debug)]
pub struct Atomics {
    port: Port,
    /// Parts of a cycle that each request takes, and each sector of one.
    request: u64,
    sector: u64,
    latency: Cycle,
    /// Answers with a result, and when each may leave; in order of time.
    late: VecDeque<(Cycle, Handle<Message>)>,
}

impl Atomics {
    /// Of a bank. None where atomics cost what stores do.
    pub fn of(l2: &L2Section) -> Option<Self> {
        let (request, sector) = (l2.atomic_request.millionths(), l2.atomic_sector.millionths());
        (request + sector > 0 || l2.atomic_latency > 0).then(|| Self {
            port: Port::new(Rate { bytes: PARTS, cycles: 1 }),
            request,
            sector,
            latency: l2.atomic_latency.into(),
            late: VecDeque::new(),
        })
    }

    /// Performs a request of so many sectors.
    pub fn perform(&mut self, now: Cycle, sectors: u32) {
        self.port.transfer(now, self.request + u64::from(sectors) * self.sector);
    }

    /// Holds an answer until its result is there. Gives when.
    pub fn hold(&mut self, now: Cycle, answer: Handle<Message>) -> Cycle {
        let due = now + self.latency;
        self.late.push_back((due, answer));
        due
    }

    /// When the oldest answer may leave.
    pub fn due(&self) -> Option<Cycle> {
        self.late.front().map(|(due, _)| *due)
    }

    /// The oldest answer, which leaves.
    pub fn take(&mut self) -> Option<Handle<Message>> {
        self.late.pop_front().map(|(_, answer)| answer)
    }
}

impl Bank {
    /// Whether an atomic has to wait for those before it. Then the bank is visited when the unit is
    /// free.
    pub(super) fn is_busy(&self, ctx: &mut Context) -> bool {
        self.atomics.as_ref().is_some_and(|atomics| is_occupied(&atomics.port, ctx))
    }

    /// Holds an answer for the latency of its result.
    #[cold]
    pub(super) fn answer_late(
        &mut self,
        ctx: &mut Context,
        request: Handle<Message>,
        old: Handle<Line>,
    ) {
        self.make_answer(ctx, request, Kind::Data, old);
        let atomics = self.atomics.as_mut().expect("a unit of its own");
        let due = atomics.hold(ctx.now, request);
        ctx.wake_at(due.max(ctx.now + 1));
    }

    /// Sends the results of atomics whose latency has passed.
    pub(super) fn send_results(&mut self, ctx: &mut Context) {
        while let Some(due) = self.atomics.as_ref().and_then(Atomics::due) {
            if due > ctx.now {
                return ctx.wake_at(due);
            }
            if !self.may_answer(ctx) {
                return;
            }
            let answer = self.atomics.as_mut().and_then(Atomics::take).expect("it is due");
            self.send_answer(ctx, answer);
        }
    }

    /// The home performs it and answers the CU; the copy here is old then.
    pub(super) fn atomic_there(
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

    /// The L3 performs it and answers: what is held here of the line goes there first.
    pub(super) fn atomic_below(
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

    /// Performed here.
    pub(super) fn atomic(
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
}
