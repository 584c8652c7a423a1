//! Hands out the work groups of the launched kernels, the oldest first.

use super::tags::Tags;
use crate::common::command_types::{TAGS, WorkGroup};

/// Launched kernels that have work groups to hand out, in the order of their launch.
#[derive(Clone, Debug)]
pub(super) struct Dispatch {
    ring: Box<[u8; TAGS]>,
    head: usize,
    len: usize,
    /// Work groups of the oldest that are taken.
    issued: u32,
}

impl Dispatch {
    pub fn new() -> Self {
        Self { ring: Box::new([0; TAGS]), head: 0, len: 0, issued: 0 }
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    fn tag(&self) -> u8 {
        self.ring[self.head % TAGS]
    }

    /// The work group that is offered.
    #[inline]
    pub fn offer(&self, tags: &Tags) -> Option<WorkGroup> {
        if self.is_empty() {
            return None;
        }
        let tag = self.tag();
        let kernel = &tags.kernels[usize::from(tag)];
        Some(WorkGroup { tag, slot: kernel.slot, group: kernel.first.wrapping_add(self.issued) })
    }

    /// The offered work group is taken.
    pub fn take(&mut self, tags: &Tags) {
        self.issued += 1;
        if self.issued == tags.kernels[usize::from(self.tag())].number {
            self.head += 1;
            self.len -= 1;
            self.issued = 0;
        }
    }

    /// A kernel is launched. There is always room: a tag is here at most once.
    pub fn push(&mut self, tag: u8) {
        debug_assert!(self.len < TAGS);
        self.ring[(self.head + self.len) % TAGS] = tag;
        self.len += 1;
    }
}
