//! Releases: dirty lines are written back, then a fence to each home sees to it that what this
//! chiplet has stored there is visible to all (directory specification, section 6, rule 7).

use super::{Bank, Outcome};
use crate::context::Context;
use crate::engine::{Cycle, Handle};
use crate::layout::Site;
use crate::message::{Coherence, Kind, Message, Sync};

/// A release that is under way.
#[derive(Clone, Copy, Debug)]
pub struct Release {
    /// Whoever asked.
    command: Handle<Message>,
    sync: Sync,
    set: u32,
    /// First cycle of the next step: sets without work pass one in a cycle.
    next: Cycle,
    written: u32,
    /// Homes that have been sent a fence, and those that have answered.
    asked: u16,
    answered: u16,
}

impl Release {
    pub fn new(ctx: &Context, command: Handle<Message>) -> Self {
        let Kind::Sync(sync) = ctx.messages[command].kind else { unreachable!("a command") };
        Self { command, sync, set: 0, next: ctx.now, written: 0, asked: 0, answered: 0 }
    }

    /// A home has answered.
    pub fn fenced(&mut self) {
        self.answered += 1;
    }
}

impl Bank {
    /// The operation of a cycle in a release, if it has one now.
    pub(super) fn step_release(&mut self, ctx: &mut Context) -> Option<Outcome> {
        let mut release = self.release?;
        let outcome = if release.next > ctx.now {
            ctx.wake_at(release.next);
            None
        } else if release.set < self.array.sets() {
            self.step_walk(ctx, &mut release)
        } else if self.writes.are_done() && release.sync.release && self.home.is_some() {
            self.ask_home(ctx, &mut release)
        } else {
            None
        };
        self.release = Some(release);
        outcome
    }

    /// A dirty line is written back, or sets without any are passed.
    fn step_walk(&mut self, ctx: &mut Context, release: &mut Release) -> Option<Outcome> {
        let dirty = self.array.dirty_way(release.set).filter(|_| release.sync.release);
        if let Some(way) = dirty {
            if !ctx.may_send(self.ports.below) {
                return Some(Outcome::Blocked);
            }
            self.write_back(ctx, way);
            self.counters.released += 1;
            release.written += 1;
        } else {
            let first = release.set;
            let sets = self.array.sets();
            let wanted = |set: u32| release.sync.release && self.array.dirty_way(set).is_some();
            let end = (first..sets).find(|&set| wanted(set)).unwrap_or(sets);
            if release.sync.acquire {
                for set in first..end {
                    self.array.invalidate_set(set);
                }
            }
            release.set = end;
            release.next = ctx.now + Cycle::from(end - first);
        }
        Some(Outcome::Done)
    }

    /// The fence to the next home.
    fn ask_home(&mut self, ctx: &mut Context, release: &mut Release) -> Option<Outcome> {
        if release.asked == ctx.layout.all_chiplets() {
            return None;
        }
        let to = release.asked;
        if to == self.chiplet {
            let outcome = self.fence(ctx, self.unit);
            release.asked += u16::from(outcome == Outcome::Done);
            return Some(outcome);
        }
        let Site::Bank(_, number) = ctx.layout.site(self.unit) else { unreachable!("a bank") };
        let (_, peers) = self.ports.peers.expect("there are others");
        if !ctx.may_send(peers) {
            return None;
        }
        let (kind, to) = (Kind::Coherence(Coherence::Fence), ctx.layout.bank(to, number));
        let message = Message { kind, to, from: self.unit, ..Message::default() };
        let message = ctx.messages.put(message);
        ctx.send(peers, message);
        release.asked += 1;
        Some(Outcome::Done)
    }

    /// Answers a release that is over.
    pub(super) fn finish_release(&mut self, ctx: &mut Context) {
        let Some(release) = self.release else { return };
        let fenced = self.home.is_none()
            || !release.sync.release
            || release.answered == ctx.layout.all_chiplets();
        let walked = release.set == self.array.sets() && release.next <= ctx.now;
        if walked && self.writes.are_done() && fenced && ctx.may_send(self.ports.done) {
            let message = &mut ctx.messages[release.command];
            (message.kind, message.tag) = (Kind::SyncDone, release.written);
            ctx.send(self.ports.done, release.command);
            self.release = None;
        }
    }
}
