//! Walks: the loads that wait for a line are answered one per cycle, where they came within its
//! lease (specification 5.1, 5.8).

use ports::timestamp::types::LineData;

use super::{Row, Rule, TcL1};

/// A walk that is on.
#[derive(Clone, Copy, Debug, Hash)]
pub(super) struct Walk {
    pub m: usize,
    /// Loads that were there when it began and have not had their turn.
    pub left: usize,
    pub exp: u32,
    pub data: LineData,
}

impl TcL1 {
    /// Starts a walk: its first step is that of this cycle.
    pub(super) fn walk(&mut self, m: usize, exp: u32, data: LineData) {
        self.misses.forget(m);
        self.walk = Some(Walk { m, left: self.misses.len(m), exp, data });
        self.step();
    }

    /// A0.
    pub(super) fn step(&mut self) {
        let Some(mut walk) = self.walk else { return };
        let waiter = self.misses.pop(walk.m);
        if waiter.ts < walk.exp || !self.keeps(Rule::WaiterLease) {
            self.is(Row::WalkServes);
            self.load(waiter.warp, waiter.id, walk.data);
        } else {
            self.is(Row::WalkDefers);
            self.misses.push(walk.m, waiter);
        }
        walk.left -= 1;
        self.walk = (walk.left > 0).then_some(walk);
        if walk.left == 0 {
            self.misses.walked(walk.m);
        }
    }
}
