//! Replay: the loads that wait for a line are answered one per cycle, if its lease covers their
//! time (specification 5.1, 5.8).

use ports::timestamp::types::LineData;

use super::{Row, Rule, TimestampL1};

/// A replay in progress.
#[derive(Clone, Copy, Debug, Hash)]
pub(super) struct Replay {
    pub m: usize,
    /// Loads that were there when it began and have not had their turn.
    pub left: usize,
    /// A load that the lease does not cover restarts at logical time 1.
    pub stale: bool,
    /// Generation, begin and end of the lease.
    pub rep: u8,
    pub wts: u32,
    pub rts: u32,
    pub data: LineData,
}

impl TimestampL1 {
    /// Starts a replay with a line that is here.
    pub(super) fn replay_line(&mut self, m: usize, place: usize, rep: u8) {
        let lease = *self.lines.lease(place);
        self.replay(Replay {
            m,
            left: self.misses.len(m),
            stale: false,
            rep,
            wts: lease.wts,
            rts: lease.rts,
            data: *self.lines.data(place),
        });
    }

    /// Starts a replay: its first step is that of this cycle.
    pub(super) fn replay(&mut self, replay: Replay) {
        self.misses.forget(replay.m);
        self.replay = Some(replay);
        self.step();
    }

    /// A0.
    pub(super) fn step(&mut self) {
        let Some(mut replay) = self.replay else { return };
        let mut waiter = self.misses.pop(replay.m);
        if self.time.covers(replay.rts, waiter.ts) || !self.keeps(Rule::WaiterLease) {
            let old = replay.rep != self.rep;
            self.is(if old { Row::WalkServesOld } else { Row::WalkServes });
            self.load(waiter.warp, waiter.id, (replay.rep, waiter.ts.max(replay.wts)), replay.data);
            self.warps.answered(waiter.warp);
        } else {
            self.is(if replay.stale { Row::WalkDefersStale } else { Row::WalkDefers });
            if replay.stale {
                waiter.ts = 1;
            }
            self.misses.push(replay.m, waiter);
        }
        replay.left -= 1;
        self.replay = (replay.left > 0).then_some(replay);
        if replay.left == 0 {
            self.misses.replayed(replay.m);
        }
    }
}
