//! Which addresses exist.

use std::collections::BTreeMap;

use super::limits::PAGE;

/// The live buffers.
#[derive(Clone, Debug, Default)]
pub struct Buffers {
    sizes: BTreeMap<u64, u64>,
    /// The buffers of the last look-ups that found another one: first byte and end.
    recent: [(u64, u64); 4],
}

impl Buffers {
    /// Adds a buffer; false when another has bytes in one of its pages.
    pub fn insert(&mut self, addr: u64, bytes: u64) -> bool {
        let first = addr / PAGE * PAGE;
        let end = addr.saturating_add(bytes).next_multiple_of(PAGE);
        let before = self.sizes.range(..end).next_back();
        if before.is_some_and(|(&start, &size)| start + size > first) {
            return false;
        }
        self.sizes.insert(addr, bytes);
        true
    }

    /// Removes the buffer that begins here; gives its size.
    pub fn remove(&mut self, addr: u64) -> Option<u64> {
        self.recent = Default::default();
        self.sizes.remove(&addr)
    }

    /// True when one buffer holds all these bytes. Most often it is one of the last look-ups: a
    /// work-item goes from buffer to buffer.
    #[inline]
    pub fn hold(&mut self, addr: u64, bytes: u64) -> bool {
        let inside = |(start, end): (u64, u64)| addr >= start && addr < end && bytes <= end - addr;
        if self.recent.iter().any(|&span| inside(span)) {
            return true;
        }
        if let Some((&start, &size)) = self.sizes.range(..=addr).next_back() {
            self.recent.rotate_right(1);
            self.recent[0] = (start, start + size);
        }
        inside(self.recent[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_bytes_of_one_live_buffer_are_held() {
        let mut buffers = Buffers::default();
        assert!(buffers.insert(4096, 100) && buffers.insert(8192, 4096));
        assert!(!buffers.insert(4000, 100) && !buffers.insert(4195, 1) && !buffers.insert(8192, 1));
        assert!(!buffers.insert(4224, 1) && !buffers.insert(2048, 2049), "a page for each");
        assert!(buffers.hold(4096, 100) && !buffers.hold(4096, 101) && !buffers.hold(4095, 2));
        assert!(buffers.hold(4100, 96) && !buffers.hold(5000, 1));
        assert_eq!(buffers.remove(4096), Some(100));
        assert_eq!(buffers.remove(4096), None);
        assert!(!buffers.hold(4096, 1));
    }
}
