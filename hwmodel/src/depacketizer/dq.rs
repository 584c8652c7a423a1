//! The FIFO in front of the memory system.

use crate::common::finepack_types::Ingress;

/// Places in the ring: the largest depth. A smaller FIFO leaves some of them unused, so that the
/// places need no division.
const RING: usize = 64;

/// Accesses in order, in a fixed ring.
#[derive(Clone, Debug)]
pub(super) struct Dq {
    ring: Box<[Ingress; RING]>,
    depth: usize,
    head: usize,
    count: usize,
}

impl Dq {
    /// An empty FIFO of `depth` (at most 64) accesses.
    pub fn new(depth: usize) -> Self {
        Self { ring: Box::new([Ingress::default(); RING]), depth, head: 0, count: 0 }
    }

    /// Accesses held: `count_q`.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Nothing is held.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// A push is possible; a pop in the same cycle makes no room.
    #[inline(always)]
    pub fn has_room(&self) -> bool {
        self.count < self.depth
    }

    /// Where the oldest access stands, if there is one.
    #[inline(always)]
    pub fn front(&self) -> usize {
        self.head
    }

    /// The access at a place that `front` gave.
    #[inline(always)]
    pub fn get(&self, at: usize) -> &Ingress {
        &self.ring[at % RING]
    }

    /// Adds an access; only with `has_room`. It still holds an old one, to be written in place.
    #[inline(always)]
    pub fn push(&mut self) -> &mut Ingress {
        let end = self.head + self.count;
        self.count += 1;
        &mut self.ring[end % RING]
    }

    /// Removes the oldest access.
    #[inline(always)]
    pub fn pop(&mut self) {
        self.count -= 1;
        self.head += 1;
    }
}
