//! Which CUs have used the lines of an L2 bank: what its policy says of sharing must agree.

use ports::common::sharing_types::Lookup;

use crate::cache::Way;

/// Of each way the CUs that have used its line, one bit each: not for private memory.
#[derive(Debug)]
pub struct Users {
    masks: Vec<u16>,
    /// CUs of each line, first uses and others, together.
    pub counted: u64,
}

impl Users {
    /// Of so many ways, which hold nothing.
    pub fn new(ways: usize) -> Self {
        Self { masks: vec![0; ways], counted: 0 }
    }

    /// A line gets a way, for this access.
    pub fn begin(&mut self, way: Way, lookup: &Lookup) {
        self.masks[way as usize] = 1 << lookup.sm;
        self.counted += 1;
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
    }
}
