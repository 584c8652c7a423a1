//! Releases and acquires: a walk over the sets.

use super::{Bank, Outcome};
use crate::cache::Array;
use crate::context::Context;
use crate::engine::{Cycle, Handle};
use crate::message::{Kind, Message, Sync};

#[derive(Clone, Copy, Debug)]
pub(super) struct Walk {
    pub(super) sync: Sync,
    set: u32,
    /// First cycle of the next step: sets without work pass one in a cycle, and nobody need be
    /// there.
    next: Cycle,
    written: u32,
    dropped: u32,
    /// Whoever asked.
    command: Handle<Message>,
}

impl Bank {
    pub(super) fn start_walk(&mut self, ctx: &Context, command: Handle<Message>) {
        let Kind::Sync(sync) = ctx.messages[command].kind else { unreachable!("a command") };
        self.walk = Some(Walk { sync, set: 0, next: ctx.now, written: 0, dropped: 0, command });
        if sync.acquire {
            // What is on its way may have been read before somebody else's release.
            self.misses.make_all_stale();
        }
    }

    /// The operation of a cycle in a walk: a step of it; what comes after its last one while it
    /// waits for acknowledgements.
    pub(super) fn walk(&mut self, ctx: &mut Context) -> Outcome {
        match self.walk {
            Some(walk) if walk.next > ctx.now => {
                ctx.wake_at(walk.next);
                Outcome::Blocked
            }
            Some(walk) if walk.set < self.array.sets() => self.step_walk(ctx, walk),
            _ => self.serve_next(ctx),
        }
    }

    /// One step of a release or acquire: a dirty line is written back, or a set is done. While
    /// nothing is on its way nobody sees the sets: those without work are done at once, and take
    /// their cycles.
    fn step_walk(&mut self, ctx: &mut Context, mut walk: Walk) -> Outcome {
        let dirty = |array: &Array, set: u32| array.dirty_way(set).filter(|_| walk.sync.release);
        if let Some(way) = dirty(&self.array, walk.set) {
            if !ctx.may_send(self.ports.below) {
                return Outcome::Blocked;
            }
            self.write_back(ctx, way);
            walk.written += 1;
            self.counters.released += 1;
        } else {
            let first = walk.set;
            let end = if self.misses.is_idle() { self.array.sets() } else { first + 1 };
            while walk.set < end && dirty(&self.array, walk.set).is_none() {
                if walk.sync.acquire {
                    walk.dropped += match self.seat.is_taken() {
                        false => self.array.invalidate_set(walk.set),
                        true => self.invalidate_set(walk.set),
                    };
                }
                walk.set += 1;
            }
            walk.next = ctx.now + Cycle::from(walk.set - first);
        }
        self.walk = Some(walk);
        Outcome::Done
    }

    /// As the array does, and tells the hook which lines have gone.
    #[cold]
    fn invalidate_set(&mut self, set: u32) -> u32 {
        let ways = set * self.ways..(set + 1) * self.ways;
        let held: Vec<_> = ways.filter(|&way| self.holds(way)).collect();
        let lines = self.array.invalidate_set(set);
        for way in held {
            if !self.holds(way) {
                self.seat.evict(way);
            }
        }
        lines
    }

    /// Answers a walk that is over, once everything written is acknowledged.
    pub(super) fn finish_walk(&mut self, ctx: &mut Context) {
        let Some(walk) = self.walk else { return };
        let over = walk.set == self.array.sets() && walk.next <= ctx.now && self.writes.are_done();
        if over && ctx.may_send(self.ports.done) {
            let message = &mut ctx.messages[walk.command];
            (message.kind, message.tag) = (Kind::SyncDone, walk.written);
            message.meta = walk.dropped.into();
            self.counters.invalidated += u64::from(walk.dropped);
            ctx.send(self.ports.done, walk.command);
            self.walk = None;
        }
    }
}
