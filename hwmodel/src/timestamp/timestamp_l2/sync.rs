//! Release and acquire: dirty lines are written back, set by set, and at an acquire all lines go.

use ports::timestamp::types::{Event, event, sync};

use super::lines::Line;
use super::{Did, Hold, TimestampL2};
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
    /// A step of what is under way.
    pub(super) fn sync_step(&mut self) -> Did {
        if !self.misses.is_empty() {
            return Did::Hold(Hold::SyncMisses);
        }
        let set = self.sync.set;
        let dirty = |line: &Line| line.valid && line.dirty;
        if let Some(way) = self.lines.set(set).iter().position(dirty) {
            if !self.channels.has_places(1) {
                return Did::Hold(Hold::SyncPlace);
            }
            self.write_back(self.lines.place(set, way));
            return Did::WroteBack;
        }
        let acquires = self.sync.kind == Some(sync::ACQUIRE);
        let last = set + 1 == self.lines.sets();
        if acquires {
            let stays = |line: &Line| line.valid && !self.leases.may_go(&line.lease);
            if self.lines.set(set).iter().any(stays) {
                return Did::Hold(Hold::SyncLent);
            }
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
        Did::Passed { acquires, last }
    }
}
