//! Which CUs have used the lines of an L2 bank: what its policy says of sharing must agree.

use ports::sharing::types::Lookup;

use crate::cache::Way;
use crate::engine::Cycle;

/// How long after its fill an access to a line is late (thesis, section 2.5.3).
const LATE: Cycle = 1000;

/// Of each way the CUs that have used its line, one bit each: not for private memory.
#[derive(Debug)]
pub struct Users {
    masks: Vec<u16>,
    /// When the line of each came.
    filled: Vec<Cycle>,
    /// CUs of each line, first uses and others, together.
    pub counted: u64,
    /// Accesses to lines of several CUs that have come; and of these the late ones.
    pub reuses: [u64; 2],
}

impl Users {
    /// Of so many ways, which hold nothing.
    pub fn new(ways: usize) -> Self {
        Self { masks: vec![0; ways], filled: vec![0; ways], counted: 0, reuses: [0; 2] }
    }

    /// A line gets a way, for this access.
    pub fn begin(&mut self, way: Way, lookup: &Lookup) {
        self.masks[way as usize] = 1 << lookup.sm;
        self.counted += 1;
    }

    /// Its line comes in this cycle.
    pub fn fill(&mut self, way: Way, now: Cycle) {
        self.filled[way as usize] = now;
    }

    /// An access in this cycle to a line of several CUs that has come.
    pub fn reuse(&mut self, way: Way, now: Cycle) {
        let [all, late] = &mut self.reuses;
        *all += 1;
        *late += u64::from(now - self.filled[way as usize] >= LATE);
    }

    /// An access to it. Gives whether several CUs have now used it.
    pub fn add(&mut self, way: Way, lookup: &Lookup) -> bool {
        let mask = &mut self.masks[way as usize];
        if !lookup.is_local {
            self.counted += u64::from(*mask >> lookup.sm & 1 == 0);
            *mask |= 1 << lookup.sm;
        }
        self.are_several(way)
    }

    /// Whether several CUs have used it.
    pub fn are_several(&self, way: Way) -> bool {
        self.masks[way as usize].count_ones() > 1
    }

    /// Two ways change places.
    pub fn swap(&mut self, one: usize, two: usize) {
        self.masks.swap(one, two);
        self.filled.swap(one, two);
    }
}
