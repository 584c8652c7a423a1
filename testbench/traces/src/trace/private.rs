//! Private memory: which buffers are, and that each of their words belongs to one work-item.

use std::collections::HashMap;

/// Aligned bytes that belong to one work-item of a kernel.
const WORD: u64 = 4;

/// The live private buffers, and who has used their words in the kernel that runs.
#[derive(Clone, Debug, Default)]
pub struct Private {
    /// First byte and end.
    spans: Vec<(u64, u64)>,
    owners: HashMap<u64, u64>,
}

impl Private {
    /// Adds a buffer.
    pub fn insert(&mut self, addr: u64, bytes: u64) {
        self.spans.push((addr, addr + bytes));
    }

    /// A buffer ends, if it is one of these.
    pub fn remove(&mut self, addr: u64) {
        self.spans.retain(|&(first, _)| first != addr);
    }

    /// A kernel begins: its work-items are others.
    pub fn begin_kernel(&mut self) {
        self.owners.clear();
    }

    /// Whether a byte is of one of these buffers.
    #[inline]
    pub fn holds(&self, addr: u64) -> bool {
        self.spans.iter().any(|&(first, end)| (first..end).contains(&addr))
    }

    /// A work-item of the kernel uses bytes of one of these buffers. False when another one has.
    pub fn access(&mut self, addr: u64, bytes: u64, item: u64) -> bool {
        let mut words = addr / WORD..(addr + bytes).div_ceil(WORD);
        words.all(|word| *self.owners.entry(word).or_insert(item) == item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_belong_to_one_work_item_of_a_kernel() {
        let mut private = Private::default();
        private.insert(4096, 64);
        assert!(private.holds(4159) && !private.holds(4160) && !private.holds(4095));
        assert!(private.access(4096, 8, 1) && private.access(4104, 4, 2));
        assert!(!private.access(4100, 8, 2) && !private.access(4099, 1, 2));
        private.begin_kernel();
        assert!(private.access(4100, 8, 2));
        private.remove(4096);
        assert!(!private.holds(4096));
    }
}
