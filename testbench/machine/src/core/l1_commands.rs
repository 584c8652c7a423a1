//! Commands of an L1 design to its CU: it holds waves, delays fences, replays speculative loads.

use traces::trace::{Cursor, InstrKind};

use super::wave::State;
use super::{Core, Value};
use crate::check::sequential::WaveOf;
use crate::context::Context;
use crate::context::transactions::L1Command;
use crate::engine::Cycle;
use crate::l1::{Port, Younger};

/// Where a wave goes back to when a load is replayed.
#[derive(Clone, Debug)]
pub(super) struct Checkpoint {
    /// The load's place in the wave's list.
    place: u32,
    /// The wave's cursor before the load.
    cursor: Cursor,
    /// Instructions that the wave had executed; only with a scoreboard.
    position: u32,
    /// Lines of the load that may still be replayed.
    lines: u32,
}

impl Core {
    /// Gives the L1 its unit's messages and the cycle, then executes the L1's commands.
    #[cold]
    pub(super) fn obey_l1(&mut self, ctx: &mut Context) {
        if let Some(inlet) = self.ports.from_unit {
            while let Some(message) = ctx.peek(inlet) {
                let (l1, mut port) = self.l1_and_port(ctx);
                if !l1.message(&mut port, message) {
                    break;
                }
                ctx.take(inlet);
            }
        }
        if self.callbacks.tick {
            let (l1, mut port) = self.l1_and_port(ctx);
            l1.tick(&mut port);
        }
        if self.transactions.commands.is_empty() {
            return;
        }
        // A wave that passes a fence may cause more commands, which are for the next cycle.
        for command in std::mem::take(&mut self.transactions.commands) {
            match command {
                L1Command::Resume(at) => self.release(ctx, at),
                L1Command::Confirm(tag) => self.confirm(ctx, tag),
                L1Command::Replay(tag) => self.replay(ctx, tag),
                L1Command::Acquired => self.is_acquired = true,
            }
        }
    }

    /// A wave whose instruction is held, or which is delayed at a fence or its end, goes on.
    fn release(&mut self, ctx: &mut Context, at: usize) {
        match self.waves[at].state {
            State::Held => self.resume(ctx, at),
            State::FenceHeld => self.pass_fence(ctx, at),
            State::EndHeld => self.end_wave(ctx, at),
            _ => {}
        }
    }

    /// The wave's next instruction, whose gap has passed, may issue.
    fn resume(&mut self, ctx: &Context, at: usize) {
        self.stopped.change(&mut self.waves[at], State::Ready);
        self.ready.set(at, ctx.now);
    }

    /// Whether the wave may not issue the instruction that was fetched for it. It then stands
    /// before it again.
    #[cold]
    pub(super) fn is_held(&mut self, ctx: &mut Context, at: usize) -> bool {
        let instr = &self.issue.instr;
        // No other CU may see a value that depends on a speculative load.
        let goes_on = instr.kind == InstrKind::Load
            || (self.policy.stores_bypass_speculation && instr.kind == InstrKind::Store);
        let (below, unit) = (self.ports.below, self.ports.to_unit);
        let mut port = Port { ctx, below, unit, transactions: &mut self.transactions };
        if self.callbacks.may_issue && !self.l1.may_issue(&mut port, at, instr) {
            self.stopped.change(&mut self.waves[at], State::Held);
        } else if self.transactions.unconfirmed(at) > 0 && !goes_on {
            self.stopped.change(&mut self.waves[at], State::Unconfirmed);
        } else {
            return false;
        }
        self.waves[at].cursor.clone_from(&self.issue.start);
        true
    }

    /// Whether the L1 delays a wave at a fence or at its end.
    #[cold]
    pub(super) fn is_delayed(&mut self, ctx: &mut Context, at: usize) -> bool {
        let (l1, mut port) = self.l1_and_port(ctx);
        !l1.fence(&mut port, at)
    }

    /// The line just issued may be, or become, one of a speculative load.
    #[cold]
    pub(super) fn keep_checkpoint(&mut self, tag: u32) {
        let t = self.transactions[tag];
        let (at, place) = (usize::from(t.wave), t.place);
        match self.checkpoints[at].last_mut() {
            Some(last) if last.place == place => last.lines += 1,
            _ => {
                let (cursor, position) = (self.issue.start.clone(), self.issue.position);
                self.checkpoints[at].push(Checkpoint { place, cursor, position, lines: 1 });
            }
        }
    }

    /// A line of a load is over, and cannot be replayed.
    #[cold]
    pub(super) fn end_checkpoint(&mut self, at: usize, place: u32) {
        let checkpoints = &mut self.checkpoints[at];
        let which = checkpoints.iter().position(|c| c.place == place).expect("it may be replayed");
        checkpoints[which].lines -= 1;
        if checkpoints[which].lines == 0 {
            checkpoints.remove(which);
        }
    }

    fn confirm(&mut self, ctx: &mut Context, tag: u32) {
        let t = self.transactions[tag];
        if !t.is_speculative() {
            // A replay in the same cycle has dropped it.
            return;
        }
        if t.found.is_some() {
            let found = ctx.lines[t.found];
            ctx.compare(self.unit, &t, &found.0);
            ctx.lines.free(t.found);
            ctx.lines.free(t.expected);
        }
        let at = usize::from(t.wave);
        if self.transactions.confirm(tag) {
            self.end_checkpoint(at, t.place);
        }
        let all = self.transactions.unconfirmed(at) == 0;
        if self.waves[at].state == State::Unconfirmed && all {
            return self.resume(ctx, at);
        }
        self.settle(ctx, at);
    }

    fn replay(&mut self, ctx: &mut Context, tag: u32) {
        let t = self.transactions[tag];
        if !t.is_speculative() {
            return;
        }
        let (at, place) = (usize::from(t.wave), t.place);
        let stay = self.staying(at, place);
        for tag in self.transactions.since(at, place) {
            if !stay.contains(&self.transactions[tag].place) {
                self.drop_load(ctx, tag);
            }
        }
        let first = self.checkpoints[at].iter().find(|c| c.place == place);
        let first = first.expect("it is speculative");
        let (cursor, position) = (first.cursor.clone(), first.position);
        self.checkpoints[at].retain(|c| c.place < place || stay.contains(&c.place));
        let wave = &mut self.waves[at];
        if wave.state == State::Issuing {
            // What is in hand is younger, or the load itself.
            let lines = self.issue.lines.len();
            let unsent = lines - std::mem::replace(&mut self.issue.next, lines);
            if self.issue.instr.kind == InstrKind::Store {
                wave.stores -= unsent as u32;
            } else {
                let left = &mut wave.loads.0[usize::from(self.issue.load)];
                wave.in_flight -= u8::from(*left > 0);
                *left = 0;
                wave.scoreboard.end(self.issue.load.into());
            }
        }
        if let Some(order) = &mut ctx.sequential {
            order.replay(WaveOf { cu: self.unit, slot: at }, place, &stay);
        }
        if !stay.is_empty() {
            wave.stay = stay;
        }
        wave.issued = wave.issued.max(wave.cursor.index());
        wave.cursor = cursor;
        wave.scoreboard.restart(position);
        self.resume(ctx, at);
    }

    /// Whether the instruction just fetched is passed over.
    #[cold]
    pub(super) fn is_passed(&mut self, now: Cycle, at: usize) -> bool {
        let wave = &mut self.waves[at];
        let place = wave.cursor.index() - 1;
        let stays = wave.stay.contains(&place);
        wave.stay.retain(|&other| other > place);
        if stays {
            wave.scoreboard.position += 1;
            self.go_on(at, now);
        }
        stays
    }

    /// Places of the younger instructions that a replay of the load at `place` leaves as they are.
    fn staying(&self, at: usize, place: u32) -> Vec<u32> {
        let wave = &self.waves[at];
        let in_hand = (wave.state == State::Issuing).then_some(self.issue.place);
        let under_way = self.transactions.since(at, place);
        let stays = |&younger: &u32| {
            let own = || under_way.iter().filter(|tag| self.transactions[**tag].place == younger);
            let stays = |&tag: &u32| {
                let is_load = self.transactions[tag].kind == InstrKind::Load;
                !is_load || self.l1.stays(Younger::UnderWay(tag))
            };
            match own().next() {
                Some(_) => own().all(stays),
                None => self.l1.stays(Younger::Over) && Some(younger) != in_hand,
            }
        };
        let last = wave.cursor.index().max(place + 1);
        (place + 1..last).filter(stays).collect()
    }

    /// Drops a load and its value.
    fn drop_load(&mut self, ctx: &mut Context, tag: u32) {
        let t = self.transactions[tag];
        assert!(t.kind == InstrKind::Load, "{:?} behind a speculative load", t.kind);
        let wave = &mut self.waves[usize::from(t.wave)];
        if t.is_speculative() {
            self.l1.dropped(tag);
        }
        if t.found.is_some() {
            ctx.lines.free(t.found);
            ctx.lines.free(t.expected);
        }
        if t.value != Value::Taken {
            wave.dropped += 1;
            // All lines of the load are dropped, those that are still to be issued too.
            let left = &mut wave.loads.0[usize::from(t.load)];
            wave.in_flight -= u8::from(*left > 0);
            *left = 0;
            wave.scoreboard.end(t.load.into());
        }
        self.transactions.drop(tag);
    }

    /// A load that was dropped has been answered.
    #[cold]
    pub(super) fn forget(&mut self, ctx: &mut Context, at: usize) {
        self.waves[at].dropped -= 1;
        self.settle(ctx, at);
    }
}
