//! How often work-items execute an instruction: stands for the iteration where loops are not known.

use std::collections::HashMap;

use super::Key;

/// Counts of one work-group since its last barrier, where all its work-items met.
#[derive(Debug, Default)]
pub struct Occurrences {
    counts: HashMap<(u32, u32), u32>,
}

impl Occurrences {
    /// The key of a work-item's next execution of an instruction.
    pub fn next(&mut self, item: u32, pc: u32) -> Key {
        let count = self.counts.entry((item, pc)).or_default();
        let key = Key { pc, iteration: [*count, 0, 0, 0] };
        *count = count.wrapping_add(1);
        key
    }

    /// Begins again.
    pub fn clear(&mut self) {
        self.counts.clear();
    }
}
