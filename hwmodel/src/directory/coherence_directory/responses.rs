//! The response FIFO (specification 5.1).

use super::Rsp;

/// Slots of the ring: the largest depth. The credits limit the responses held.
const RING: usize = 16;

/// Responses in order, stored as the port shows them. The last element is always `None`, which an
/// empty FIFO shows: either is one copy without a branch.
#[derive(Clone, Debug)]
pub(super) struct Responses {
    ring: [Option<Rsp>; RING + 1],
    head: u32,
    count: u32,
}

impl Responses {
    pub fn new() -> Self {
        Self { ring: [None; RING + 1], head: 0, count: 0 }
    }

    /// Responses held.
    #[inline(always)]
    pub fn len(&self) -> u32 {
        self.count
    }

    /// What `rsp_o` shows.
    #[inline(always)]
    pub fn front(&self) -> Option<Rsp> {
        let head = self.head as usize % RING;
        self.ring[if self.count > 0 { head } else { RING }]
    }

    /// One edge: dequeues the oldest response if it is `taken`, enqueues the one at the tail if it
    /// is `ready`.
    #[inline(always)]
    pub fn tick(&mut self, taken: bool, ready: bool) {
        self.count = self.count + u32::from(ready) - u32::from(taken);
        self.head = self.head.wrapping_add(u32::from(taken));
    }

    /// Writes a response to the tail; the next `tick` enqueues it. There must be a credit.
    #[inline(always)]
    pub fn put(&mut self, rsp: Rsp) -> &mut Rsp {
        self.ring[self.head.wrapping_add(self.count) as usize % RING].insert(rsp)
    }
}
