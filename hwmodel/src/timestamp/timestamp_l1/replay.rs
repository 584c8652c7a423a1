//! Replay: one waiter per cycle is answered, if the line's lease covers its time (specification
//! 5.1, 5.8).

use ports::timestamp::types::LineData;

use super::TimestampL1;
use super::action::Step;

/// A replay in progress.
#[derive(Clone, Copy, Debug, Hash)]
pub(super) struct Replay {
    /// The MSHR.
    pub miss: usize,
    /// Waiters, counted at the start, that have not had their step.
    pub left: usize,
    /// A waiter that the lease does not cover restarts at logical time 1.
    pub stale: bool,
    /// Generation, begin and end of the lease.
    pub rep: u8,
    pub wts: u32,
    pub rts: u32,
    pub data: LineData,
}

impl TimestampL1 {
    /// The next step of an MSHR's replay with a lease of generation `rep` that ends at `rts`.
    #[inline(always)]
    pub(super) fn next_step(&self, miss: usize, rep: u8, rts: u32, stale: bool) -> Step {
        let ts = self.misses.oldest(miss).ts;
        match self.time.covers(rts, ts) || !self.choices.defers {
            true if rep == self.rep => Step::Served,
            true => Step::ServedOld,
            false if stale => Step::DeferredStale,
            false => Step::Deferred,
        }
    }

    /// Starts a replay from a present line.
    pub(super) fn replay_line(&mut self, miss: usize, place: usize, rep: u8, step: Step) {
        let lease = *self.lines.lease(place);
        let (left, data) = (self.misses.len(miss), *self.lines.data(place));
        let (wts, rts) = (lease.wts, lease.rts);
        self.replay(Replay { miss, left, stale: false, rep, wts, rts, data }, step);
    }

    /// Starts a replay, with its first step in the same cycle.
    pub(super) fn replay(&mut self, replay: Replay, step: Step) {
        self.misses.clear_flags(replay.miss);
        self.replay = Some(replay);
        self.step(step);
    }

    /// A0, or the first step.
    pub(super) fn step(&mut self, step: Step) {
        let Some(mut replay) = self.replay else { return };
        let mut waiter = self.misses.pop(replay.miss);
        match step {
            Step::Served | Step::ServedOld => {
                let at = (replay.rep, waiter.ts.max(replay.wts));
                self.load(waiter.warp, waiter.id, at, replay.data);
                self.warps.answered(waiter.warp);
            }
            Step::Deferred => self.misses.push(replay.miss, waiter),
            Step::DeferredStale => {
                waiter.ts = 1;
                self.misses.push(replay.miss, waiter);
            }
        }
        replay.left -= 1;
        self.replay = (replay.left > 0).then_some(replay);
        if replay.left == 0 {
            self.misses.replayed(replay.miss);
        }
    }
}
