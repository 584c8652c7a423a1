//! The FIFO in front of the memory system: the output buffer (DQ in the specification).

use ports::finepack::types::Ingress;

/// Places in the ring: the largest depth. A smaller FIFO leaves some of them unused, so that the
/// places need no division.
const RING: usize = 64;

/// Accesses in order, in a fixed ring. They stand there as the port shows them, and behind them
/// what it shows when there is none: so showing either is one copy, without a branch.
#[derive(Clone, Debug)]
pub(super) struct Fifo {
    ring: Box<[Option<Ingress>; RING + 1]>,
    depth: usize,
    head: usize,
    count: usize,
}

impl Fifo {
    /// An empty FIFO of `depth` (at most 64) accesses.
    pub fn new(depth: usize) -> Self {
        Self { ring: Box::new([None; RING + 1]), depth: depth.min(RING), head: 0, count: 0 }
    }

    /// Accesses held: `count_q`.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Nothing is held.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// A push is possible; a pop in the same cycle makes no room.
    #[inline(always)]
    pub fn has_room(&self) -> bool {
        self.count < self.depth
    }

    /// The oldest access: `st_o`.
    #[inline(always)]
    pub fn front(&self) -> &Option<Ingress> {
        &self.ring[if self.count > 0 { self.head % RING } else { RING }]
    }

    /// Adds an access; only with `has_room`. It still holds an old one, to be written in place.
    #[inline(always)]
    pub fn push(&mut self) -> &mut Ingress {
        let end = self.head + self.count;
        self.count += 1;
        self.ring[end % RING].get_or_insert_default()
    }

    /// The youngest access overtakes the one before it, unless that is shown already.
    #[cold]
    pub fn overtake(&mut self) {
        if self.count > 2 {
            let last = self.head + self.count - 1;
            self.ring.swap(last % RING, (last - 1) % RING);
        }
    }

    /// Removes the oldest access if it is `taken`. No branch: it would be hard to predict.
    #[inline(always)]
    pub fn pop(&mut self, taken: bool) {
        self.count -= usize::from(taken);
        self.head += usize::from(taken);
    }
}
