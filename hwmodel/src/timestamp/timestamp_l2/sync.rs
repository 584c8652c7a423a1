//! Release and acquire: dirty lines are written back, set by set, and at an acquire all lines go.

use ports::timestamp::types::{Event, event, sync};

use super::TimestampL2;
use super::action::{Action, Hold};
use super::lines::Line;
use crate::state::State;

/// The one that is under way.
#[derive(Clone, Debug, Default, Hash)]
pub(super) struct Sync {
    kind: Option<u8>,
    /// The set that comes next.
    set: usize,
    /// The pulse of this cycle.
    pub done: bool,
}

impl Sync {
    #[inline(always)]
    pub fn is_on(&self) -> bool {
        self.kind.is_some()
    }

    pub fn start(&mut self, kind: u8) {
        self.kind = Some(kind);
        self.set = 0;
    }

    /// Its registers.
    pub fn show_state(&self, state: &mut State, width: u32) {
        state.flag("sync", self.is_on());
        state.bits_while(self.is_on(), "sync_kind", 1, self.kind.unwrap_or_default());
        state.bits_while(self.is_on(), "sync_set", width, self.set as u16);
        state.flag("sync_done", self.done);
    }
}

impl TimestampL2 {
    /// The next step.
    pub(super) fn sync_step(&self) -> Action {
        if !self.misses.is_empty() {
            return Action::Hold(Hold::SyncMisses);
        }
        let set = self.sync.set;
        let lines = self.lines.set(set);
        if let Some(way) = lines.iter().position(|line| line.valid && line.dirty) {
            return match self.channels.has_places(1) {
                true => Action::WriteBack(self.lines.place(set, way)),
                false => Action::Hold(Hold::SyncPlace),
            };
        }
        let acquires = self.sync.kind == Some(sync::ACQUIRE);
        let stays = |line: &Line| line.valid && !self.leases.may_go(&line.lease);
        if acquires && lines.iter().any(stays) {
            return Action::Hold(Hold::SyncLent);
        }
        Action::Pass { acquires, last: set + 1 == self.lines.sets() }
    }

    /// A set is passed.
    pub(super) fn pass(&mut self, acquires: bool, last: bool) {
        let set = self.sync.set;
        if acquires {
            for line in self.lines.set_mut(set).iter_mut().filter(|line| line.valid) {
                self.leases.goes(&line.lease);
                line.valid = false;
            }
            self.event = last.then_some(Event { kind: event::ALL_GONE, way: 0, line: 0 });
        }
        self.sync.set = set + 1;
        if last {
            (self.sync.kind, self.sync.done) = (None, true);
        }
    }
}
