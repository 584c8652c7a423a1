//! The response FIFO (specification 5.1).

use super::Rsp;

/// Places in the ring: the largest depth. The credits bound what is held.
const RING: usize = 16;

/// One response in one word, in the bits of `rsp_o`. Fields that were stored one by one would be slow
/// to move as a whole in the next cycle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word(u64);

impl Word {
    /// There is a response.
    const VALID: u64 = 1 << 63;
    const ERR: u64 = 1 << 11;

    /// A response to request number `seq`, without result.
    #[inline(always)]
    pub fn new(id: u8, seq: u8) -> Self {
        Self(Self::VALID | u64::from(id) | u64::from(seq) << 32)
    }

    /// The request did nothing.
    pub fn with_err(self) -> Self {
        Self(self.0 | Self::ERR)
    }

    /// What the request has found and done; it found its line tracked if there were sharers.
    #[inline(always)]
    pub fn with_result(self, sharers: u16, alloc: bool, evicted: bool) -> Self {
        let found = u64::from(sharers != 0) << 8 | u64::from(sharers) << 16;
        Self(self.0 | found | u64::from(alloc) << 9 | u64::from(evicted) << 10)
    }

    #[inline(always)]
    fn show(self) -> Option<Rsp> {
        let bit = |at: u32| self.0 >> at & 1 != 0;
        let rsp = Rsp {
            seq: (self.0 >> 32) as u8,
            sharers: (self.0 >> 16) as u16,
            reserved: 0,
            err: bit(11),
            evicted: bit(10),
            alloc: bit(9),
            hit: bit(8),
            id: self.0 as u8,
        };
        (self.0 & Self::VALID != 0).then_some(rsp)
    }
}

/// Responses in order.
#[derive(Debug)]
pub(super) struct Responses {
    /// Behind the ring lies what is shown when nothing is held.
    ring: [Word; RING + 1],
    head: u32,
    count: u32,
}

impl Responses {
    pub fn new() -> Self {
        Self { ring: [Word(0); RING + 1], head: 0, count: 0 }
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
        self.ring[if self.count > 0 { head } else { RING }].show()
    }

    /// One edge: the oldest response leaves if it is `taken`, the one that was put behind the others
    /// joins them if it is `ready`.
    #[inline(always)]
    pub fn tick(&mut self, taken: bool, ready: bool) {
        self.count = self.count + u32::from(ready) - u32::from(taken);
        self.head = self.head.wrapping_add(u32::from(taken));
    }

    /// Puts a response behind the others, which it joins at the next edge. There must be a credit.
    #[inline(always)]
    pub fn put(&mut self, rsp: Word) {
        self.ring[self.head.wrapping_add(self.count) as usize % RING] = rsp;
    }
}
