//! Releases and acquires: a walk over the sets.

use super::bank::Bank;
use super::hook::Outcome;
use crate::context::Context;
use crate::context::message::{Kind, Message, Packed, Sync, Synced};
use crate::engine::Cycle;
use crate::engine::pool::Handle;

#[derive(Clone, Copy, Debug)]
pub(super) struct Walk {
    sync: Sync,
    set: u32,
    /// First cycle of the next step: sets without work pass one in a cycle, without a
    /// wake-up.
    next: Cycle,
    /// A cycle whose operation has been done ahead, as nothing could come between.
    done: Cycle,
    written: u32,
    dropped: u32,
    /// The requester.
    command: Handle<Message>,
}

impl Bank {
    pub(super) fn start_walk(&mut self, ctx: &Context, command: Handle<Message>) {
        let Kind::Sync(sync) = ctx.messages[command].kind else { unreachable!("a command") };
        let (next, done) = (ctx.now, 0);
        self.walk = Some(Walk { sync, set: 0, next, done, written: 0, dropped: 0, command });
        if sync.acquire {
            // What is on its way may have been read before another chiplet's release.
            self.misses.make_all_stale();
        }
        if sync.release {
            self.hooks.begin_release();
        }
    }

    /// Whether what comes now must not stay.
    pub(super) fn is_acquiring(&self) -> bool {
        self.walk.is_some_and(|walk| walk.sync.acquire)
    }

    /// The operation of a cycle in a walk: a step of it; what the hooks do behind its last one.
    /// While the bank passes sets without work it serves others.
    pub(super) fn step_walk(&mut self, ctx: &mut Context) -> Option<Outcome> {
        let mut walk = self.walk?;
        if walk.done == ctx.now {
            return Some(Outcome::Done);
        }
        if walk.next > ctx.now {
            ctx.wake_at(walk.next);
            return None;
        }
        if walk.set == self.array.sets() {
            let may = walk.sync.release && self.writes.are_done() && self.hooks.are_there();
            return if may { self.hooks.release(ctx) } else { None };
        }
        let outcome = self.walk_on(ctx, &mut walk);
        self.walk = Some(walk);
        Some(outcome)
    }

    /// A dirty line is written back, or a set is done. While no fill is pending no request
    /// sees the sets: those without work are done at once, and take their cycles.
    fn walk_on(&mut self, ctx: &mut Context, walk: &mut Walk) -> Outcome {
        if walk.sync.release
            && let Some(way) = self.array.dirty_way(walk.set)
        {
            if !ctx.may_send(self.ports.below) {
                return Outcome::Blocked;
            }
            self.write_back(ctx, way);
            walk.written += 1;
            self.counters.released += 1;
            if self.plain && self.misses.is_idle() && self.array.dirty_way(walk.set).is_none() {
                walk.done = ctx.now + 1;
                self.pass_sets(walk, ctx.now + 1);
            }
            return Outcome::Done;
        }
        self.pass_sets(walk, ctx.now);
        Outcome::Done
    }

    /// Sets without work pass, from cycle `now` on.
    fn pass_sets(&mut self, walk: &mut Walk, now: Cycle) {
        let first = walk.set;
        let at_once = self.coherent || self.misses.is_idle();
        let end = if at_once { self.array.sets() } else { first + 1 };
        let Sync { release, acquire, .. } = walk.sync;
        if acquire && !self.hooks.are_there() {
            let (set, lines) = self.array.invalidate_sets(first..end, release);
            (walk.set, walk.dropped) = (set, walk.dropped + lines);
        } else {
            while walk.set < end && !(release && self.array.dirty_way(walk.set).is_some()) {
                walk.dropped += if acquire { self.invalidate_set(walk.set) } else { 0 };
                walk.set += 1;
            }
        }
        walk.next = now + Cycle::from(walk.set - first);
    }

    /// When the walk has its next step, if there is one.
    pub(super) fn next_step(&self) -> Option<Cycle> {
        self.walk.map(|walk| walk.next)
    }

    /// As the array does, and notifies the hooks of the evicted lines.
    #[cold]
    pub(super) fn invalidate_set(&mut self, set: u32) -> u32 {
        let ways = set * self.ways..(set + 1) * self.ways;
        let held: Vec<_> = ways.filter(|&way| self.holds(way)).collect();
        let lines = self.array.invalidate_set(set);
        for way in held {
            if !self.holds(way) {
                self.hooks.evict(way);
            }
        }
        lines
    }

    /// Answers a walk that is over, once everything written is acknowledged.
    pub(super) fn finish_walk(&mut self, ctx: &mut Context) {
        let Some(walk) = self.walk else { return };
        let over = walk.set == self.array.sets()
            && walk.next <= ctx.now
            && self.writes.are_done()
            && (!walk.sync.release || self.hooks.are_released());
        if over && ctx.may_send(self.ports.done) {
            let synced = Synced { written: walk.written, dropped: walk.dropped > 0 };
            let message = &mut ctx.messages[walk.command];
            (message.kind, message.sideband) = (Kind::SyncDone, Packed::new(&synced, ()));
            self.counters.invalidated += u64::from(walk.dropped);
            ctx.written_past += u64::from(walk.dropped);
            ctx.send(self.ports.done, walk.command);
            self.walk = None;
        }
    }
}
