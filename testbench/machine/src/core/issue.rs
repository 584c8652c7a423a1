//! A CU issues: it fetches an instruction of a wave, coalesces it, and requests a line per cycle.

use traces::trace::{Cursor, Instr, InstrKind};

use super::Core;
use super::coalesce::{LineAccess, Lines, coalesce};
use super::wave::State;
use crate::check::life::Issuer;
use crate::context::message::{Kind, Message};
use crate::context::transactions::{Transaction, Transactions};
use crate::context::{Context, Stop};
use crate::engine::Cycle;
use crate::engine::pool::Handle;

/// The instruction that is being cut into line requests, one in each cycle.
#[derive(Debug, Default)]
pub(super) struct Issue {
    pub wave: usize,
    pub instr: Box<Instr>,
    pub lines: Lines,
    pub next: usize,
    pub load: u8,
    pub launch: u8,
    pub place: u32,
    /// The wave's cursor before the instruction; only where the L1 may send it back there.
    pub start: Cursor,
    /// Instructions that the wave has executed before this one; only with a scoreboard.
    pub position: u32,
}

impl Issue {
    /// Whether this CU has a request for its next line in flight.
    fn must_wait(&self, transactions: &Transactions) -> bool {
        transactions.is_under_way(self.lines[self.next].addr)
    }
}

impl Core {
    /// Issues the next line of the current instruction, else the next instruction. Returns the
    /// first cycle in which nothing can be issued before an answer arrives, if there is one, and
    /// whether a line was issued.
    pub(super) fn step(&mut self, ctx: &mut Context) -> (Option<Cycle>, bool) {
        let mut issued = false;
        if self.steers && self.policy.exclusive_lines {
            self.choose(ctx);
        } else if self.issue.next == self.issue.lines.len() && self.ready.is_due(ctx.now) {
            self.fetch(ctx);
        }
        let pipeline = self.pipelines.as_ref().map_or(0, |pipelines| pipelines.load_store);
        if self.issue.next < self.issue.lines.len()
            && !self.transactions.is_full()
            && pipeline <= ctx.now
        {
            if !self.issue_line(ctx) {
                return (Some(ctx.now), false);
            }
            issued = true;
            if self.issue.next == self.issue.lines.len() {
                self.end_issue(ctx.now);
            }
        }
        let next = match self.issue.next < self.issue.lines.len() {
            true if self.transactions.is_full() => None,
            true => Some(pipeline.max(ctx.now + 1)),
            false if self.steers && self.next_parked().is_some() => Some(ctx.now + 1),
            false => self.ready.next(),
        };
        match next {
            Some(next) => {
                ctx.wake_at(next.max(ctx.now + 1));
                (None, issued)
            }
            None => (Some(ctx.now + Cycle::from(issued)), issued),
        }
    }

    /// Selects an instruction with no request for its next line in flight, if there is one; the
    /// others are parked, oldest first. The selected one stays while nothing can be issued.
    fn choose(&mut self, ctx: &mut Context) {
        if self.issue.next < self.issue.lines.len() && self.transactions.is_full() {
            return;
        }
        if let Some(at) = self.next_parked() {
            if self.issue.next == self.issue.lines.len() {
                let next = self.parked.remove(at).expect("it is there");
                self.spare.push(std::mem::replace(&mut self.issue, next));
            }
        } else if self.issue.next == self.issue.lines.len() {
            self.fetch(ctx);
        }
        while self.issue.next < self.issue.lines.len() && self.issue.must_wait(&self.transactions) {
            let next = self.spare.pop().unwrap_or_default();
            self.parked.push_back(std::mem::replace(&mut self.issue, next));
            self.fetch(ctx);
        }
    }

    /// The oldest parked instruction with no request for its next line in flight.
    fn next_parked(&self) -> Option<usize> {
        if self.parked.is_empty() {
            return None;
        }
        self.parked.iter().position(|issue| !issue.must_wait(&self.transactions))
    }

    /// Takes the next instruction of the next wave that may issue.
    fn fetch(&mut self, ctx: &mut Context) {
        while let Some(at) = self.ready.take(ctx.now) {
            if self.pipelines.is_some() && !self.may_fetch(ctx.now, at) {
                continue;
            }
            let wave = &mut self.waves[at];
            let slot = usize::from(wave.group);
            let running = self.groups[slot].as_mut().expect("a wave's group runs");
            self.issue.launch = running.launch;
            if self.returns {
                self.issue.start.clone_from(&wave.cursor);
            }
            match wave.cursor.next(&running.group, &mut self.issue.instr) {
                Ok(true) => {}
                Ok(false) => {
                    self.stopped.change(wave, State::Ended);
                    self.settle(ctx, at);
                    continue;
                }
                Err(error) => {
                    ctx.stop = Some(Stop::Trace(error));
                    return;
                }
            }
            if self.returns && !wave.stay.is_empty() && self.is_passed(ctx.now, at) {
                continue;
            }
            let wave = &mut self.waves[at];
            match self.issue.instr.kind {
                InstrKind::Barrier => {
                    if self.returns && self.is_held(ctx, at) {
                        continue;
                    }
                    self.synchronise(at, ctx.now);
                    self.stopped.change(&mut self.waves[at], State::Barrier);
                    self.groups[slot].as_mut().expect("it runs").at_barrier += 1;
                    self.meet(ctx, slot);
                }
                InstrKind::Fence => {
                    self.synchronise(at, ctx.now);
                    self.stopped.change(&mut self.waves[at], State::Fence);
                    self.settle(ctx, at);
                }
                _ => {
                    self.issue.instr.lanes &= wave.lanes;
                    if self.issue.instr.lanes == 0 {
                        self.go_on(at, ctx.now);
                    } else if !self.returns || !self.is_held(ctx, at) {
                        self.begin_issue(ctx, at);
                        return;
                    }
                }
            }
        }
    }

    /// The wave's next instruction may issue after its gap.
    pub(super) fn go_on(&mut self, at: usize, now: Cycle) {
        let wave = &mut self.waves[at];
        self.stopped.change(wave, State::Ready);
        let running = self.groups[usize::from(wave.group)].as_ref().expect("a wave's group runs");
        if self.pipelines.is_some() {
            wave.scoreboard.left = wave.cursor.work(&running.group);
            return self.execute(at, now);
        }
        let gap = Cycle::from(wave.cursor.gap(&running.group)) * Cycle::from(self.spec.gap_cycles);
        self.ready.set(at, now + gap);
    }

    fn begin_issue(&mut self, ctx: &mut Context, at: usize) {
        let issue = &mut self.issue;
        coalesce(&issue.instr, ctx.layout.line.into(), &mut issue.lines);
        (issue.wave, issue.next) = (at, 0);
        self.counters.instructions += 1;
        self.counters.accesses += issue.lines.len() as u64;
        let wave = &mut self.waves[at];
        self.stopped.change(wave, State::Issuing);
        issue.place = wave.cursor.index() - 1;
        if issue.instr.kind == InstrKind::Store {
            wave.stores += issue.lines.len() as u32;
        } else {
            let load = wave.free_load();
            wave.loads.0[load] = issue.lines.len() as u16;
            wave.in_flight += 1;
            issue.load = load as u8;
        }
        if let Some(pipelines) = &mut self.pipelines {
            issue.position = wave.scoreboard.position;
            wave.scoreboard.position += 1;
            if issue.instr.kind != InstrKind::Store {
                wave.scoreboard.issue(issue.load.into(), issue.instr.first_use);
            }
            let is_load = issue.instr.kind == InstrKind::Load;
            pipelines.access(at, ctx.now, issue.instr.lanes, is_load);
        }
        if issue.place < wave.issued {
            // It is issued again, and was counted the first time.
            return;
        }
        let (lanes, racy) = (issue.instr.lanes, issue.instr.racy & issue.instr.lanes);
        let checked = &mut ctx.check.checked;
        match issue.instr.kind {
            InstrKind::Load => {
                checked.loads += u64::from(lanes.count_ones());
                checked.racy += u64::from(racy.count_ones());
                checked.determined += u64::from((lanes & !racy).count_ones());
            }
            InstrKind::Atomic(_) => checked.atomics += u64::from(lanes.count_ones()),
            _ => {}
        }
    }

    /// Hands one line to the L1. False when it does not take it now.
    fn issue_line(&mut self, ctx: &mut Context) -> bool {
        if self.callbacks.may_request && !self.l1.may_request(self.issue.instr.kind) {
            return false;
        }
        let Issue { instr, lines, next, wave, load, launch, place, .. } = &self.issue;
        let LineAccess { addr, mask, racy, ref bytes, ref olds } = lines[*next];
        let length = ctx.layout.line as usize;
        let (bytes, olds) = (&bytes[..length], &olds[..length]);
        let (kind, expected, line) = match instr.kind {
            InstrKind::Load => (Kind::Read, ctx.payload(bytes), Handle::NONE),
            InstrKind::Store => (Kind::Write, Handle::NONE, ctx.payload(bytes)),
            InstrKind::Atomic(op) => (Kind::Atomic(op), ctx.payload(olds), ctx.payload(bytes)),
            kind => unreachable!("{kind:?} has no lines"),
        };
        let (kind_of_access, wave, load, place) = (instr.kind, *wave as u16, *load, *place);
        let transaction = Transaction {
            mask,
            racy,
            addr,
            expected,
            kind: kind_of_access,
            wave,
            load,
            launch: *launch,
            place,
            ..Transaction::default()
        };
        let tag = self.transactions.start(transaction);
        let (born, from, size) = (ctx.now as u32, self.unit, instr.size);
        let rest = Message::default();
        let message = Message { mask, addr, born, line, tag, from, kind, size, ..rest };
        let request = ctx.messages.put(message);
        if ctx.sequential.is_some() {
            self.record_issue(ctx, tag);
        }
        let (l1, mut port) = self.l1_and_port(ctx);
        if !l1.request(&mut port, request) {
            if ctx.sequential.is_some() {
                self.record_cancel(ctx, tag);
            }
            ctx.drop_message(request);
            self.transactions.cancel(tag);
            if expected.is_some() {
                ctx.lines.free(expected);
            }
            return false;
        }
        if self.callbacks.speculation && kind_of_access == InstrKind::Load {
            self.keep_checkpoint(tag);
        }
        // The oracle's memory changes in the order of issue, which is each work-item's program
        // order.
        if ctx.life.is_about(addr) {
            self.record_life(ctx, mask);
        }
        let LineAccess { ref bytes, .. } = self.issue.lines[self.issue.next];
        match self.issue.instr.kind {
            InstrKind::Store => ctx.change_memory((addr, mask), None, bytes),
            InstrKind::Atomic(op) => ctx.change_memory((addr, mask), Some((op, size)), bytes),
            _ => {}
        }
        if let Some(pipelines) = &mut self.pipelines {
            pipelines.line(ctx.now, self.issue.lines[self.issue.next].mask);
        }
        self.issue.next += 1;
        true
    }

    /// Records the issue of a line with a watched byte.
    #[cold]
    fn record_life(&self, ctx: &mut Context, mask: u128) {
        let wave = self.issue.wave;
        let running = self.groups[usize::from(self.waves[wave].group)].as_ref();
        let (kernel, group) = running.map_or((0, 0), |r| (r.group.kernel(), r.group.group()));
        let issuer = Issuer { unit: self.unit, wave: wave as u16, kernel, group };
        let is_load = self.issue.instr.kind == InstrKind::Load;
        let bytes = &self.issue.lines[self.issue.next].bytes;
        ctx.life.see_issue(ctx.now, issuer, mask, (!is_load).then_some(bytes));
    }

    fn end_issue(&mut self, now: Cycle) {
        let at = self.issue.wave;
        let wave = &mut self.waves[at];
        if self.pipelines.is_none() && u32::from(wave.in_flight) >= self.spec.loads {
            self.stopped.change(wave, State::Loads);
        } else {
            self.go_on(at, now + 1);
        }
    }
}
