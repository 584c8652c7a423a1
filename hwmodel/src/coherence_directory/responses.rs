//! The response FIFO (specification 5.1).

use super::Rsp;

/// Places in the ring: the largest depth. The credits bound what is held.
const RING: usize = 16;

/// Responses in order. They lie in the ring as the port shows them, and behind them what it shows
/// when there is none: showing either is one copy without a decision.
#[derive(Debug)]
pub(super) struct Responses {
    ring: [Option<Rsp>; RING + 1],
    head: usize,
    count: usize,
}

impl Responses {
    pub fn new() -> Self {
        Self { ring: [None; RING + 1], head: 0, count: 0 }
    }

    /// Responses held.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.count
    }

    /// What `rsp_o` shows.
    #[inline(always)]
    pub fn front(&self) -> Option<Rsp> {
        self.ring[if self.count > 0 { self.head % RING } else { RING }]
    }

    /// Removes the oldest response if it is `taken`.
    #[inline(always)]
    pub fn pop(&mut self, taken: bool) {
        self.count -= usize::from(taken);
        self.head += usize::from(taken);
    }

    /// Appends a response, for which there must be a credit.
    #[inline(always)]
    pub fn push(&mut self, rsp: Rsp) {
        debug_assert!(self.count < RING, "a response without a credit");
        self.ring[(self.head + self.count) % RING] = Some(rsp);
        self.count += 1;
    }
}
