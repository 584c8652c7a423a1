//! Walks: the loads that wait for a line are answered one per cycle, where their time is within its
//! lease (specification 5.1, 5.8).

use ports::timestamp::types::LineData;

use super::{Row, Rule, TimestampL1};

/// A walk that is on.
#[derive(Clone, Copy, Debug, Hash)]
pub(super) struct Walk {
    pub m: usize,
    /// Loads that were there when it began and have not had their turn.
    pub left: usize,
    /// Who is not served begins anew.
    pub stale: bool,
    /// Generation, begin and end of the lease.
    pub rep: u8,
    pub wts: u32,
    pub rts: u32,
    pub data: LineData,
}

impl TimestampL1 {
    /// Starts a walk with a line that is here.
    pub(super) fn walk_line(&mut self, m: usize, place: usize, rep: u8) {
        let lease = *self.lines.lease(place);
        self.walk(Walk {
            m,
            left: self.misses.len(m),
            stale: false,
            rep,
            wts: lease.wts,
            rts: lease.rts,
            data: *self.lines.data(place),
        });
    }

    /// Starts a walk: its first step is that of this cycle.
    pub(super) fn walk(&mut self, walk: Walk) {
        self.misses.forget(walk.m);
        self.walk = Some(walk);
        self.step();
    }

    /// A0.
    pub(super) fn step(&mut self) {
        let Some(mut walk) = self.walk else { return };
        let mut waiter = self.misses.pop(walk.m);
        if self.time.covers(walk.rts, waiter.ts) || !self.keeps(Rule::WaiterLease) {
            let old = walk.rep != self.rep;
            self.is(if old { Row::WalkServesOld } else { Row::WalkServes });
            self.load(waiter.warp, waiter.id, (walk.rep, waiter.ts.max(walk.wts)), walk.data);
            self.warps.answered(waiter.warp);
        } else {
            self.is(if walk.stale { Row::WalkDefersStale } else { Row::WalkDefers });
            if walk.stale {
                waiter.ts = 1;
            }
            self.misses.push(walk.m, waiter);
        }
        walk.left -= 1;
        self.walk = (walk.left > 0).then_some(walk);
        if walk.left == 0 {
            self.misses.walked(walk.m);
        }
    }
}
