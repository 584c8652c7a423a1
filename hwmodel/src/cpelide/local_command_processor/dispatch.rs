//! Hands out the work groups of the launched kernels, the oldest first.

use ports::cpelide::types::{TAGS, WorkGroup};

use super::tags::Tags;
use crate::common::fifo::Fifo;
use crate::state::{State, width_of};

/// Launched kernels that have work groups to hand out, in the order of their launch.
#[derive(Clone, Debug, Default)]
pub(super) struct Dispatch {
    /// There is always room: a tag is here at most once.
    tags: Fifo<u8, TAGS>,
    /// Work groups of the oldest that are taken.
    issued: u32,
}

impl Dispatch {
    pub fn is_empty(&self) -> bool {
        self.tags.is_empty()
    }

    /// The registers.
    pub fn show_state(&self, state: &mut State, tags: &Tags) {
        let width = width_of(tags.count().into());
        state.part("fifo", |state| state.bits("count", width, self.tags.len() as u32));
        state.bits("issued", 32, self.issued);
    }

    /// The work group that is offered.
    #[inline]
    pub fn offer(&self, tags: &Tags) -> Option<WorkGroup> {
        let tag = self.tags.front()?;
        let kernel = &tags.kernels[usize::from(tag)];
        Some(WorkGroup { tag, slot: kernel.slot, group: kernel.first.wrapping_add(self.issued) })
    }

    /// The offered work group, of this tag, is taken.
    pub fn take(&mut self, tag: u8, tags: &Tags) {
        self.issued += 1;
        if self.issued == tags.kernels[usize::from(tag)].number {
            self.tags.pop();
            self.issued = 0;
        }
    }

    /// A kernel is launched.
    pub fn push(&mut self, tag: u8) {
        self.tags.push(tag);
    }
}
