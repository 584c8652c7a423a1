//! Which work-group touches a page first.

use super::FirstTouch;
use super::limits::PAGE;
use super::pages::{PageTable, page_of};

/// Pages that the program has touched, and those of the current kernel that were not touched
/// before.
#[derive(Debug, Default)]
pub struct FirstTouches {
    touched: PageTable<()>,
    /// Pages of the last accesses to others, counted from 1: most accesses repeat one of them.
    recent: [u64; 4],
    new: Vec<FirstTouch>,
    /// Pages that were ever touched.
    pages: u64,
}

impl FirstTouches {
    /// An access of work-group `group` to `bytes` bytes.
    #[inline]
    pub fn access(&mut self, addr: u64, bytes: u64, group: u32) {
        let (first, last) = (addr / PAGE, (addr + bytes - 1) / PAGE);
        if first != last || !self.recent.contains(&(first + 1)) {
            (first..=last).for_each(|page| self.touch(page, group));
        }
    }

    #[inline(never)]
    fn touch(&mut self, page: u64, group: u32) {
        if self.touched.get(page).is_none() {
            self.touched.entry(page, || ());
            self.pages += 1;
            self.new.push(FirstTouch { page: page * PAGE, group });
        }
        self.recent.rotate_right(1);
        self.recent[0] = page + 1;
    }

    /// A buffer ends: its pages will not be touched again.
    pub fn free(&mut self, addr: u64, bytes: u64) {
        self.touched.remove_range(page_of(addr), (addr + bytes).div_ceil(PAGE));
    }

    /// Pages that kernels have touched so far.
    pub fn pages(&self) -> u64 {
        self.pages
    }

    /// The kernel ends: its first touches.
    pub fn take(&mut self) -> Vec<FirstTouch> {
        std::mem::take(&mut self.new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_page_is_touched_first_once() {
        let mut touches = FirstTouches::default();
        for (addr, bytes, group) in [(4096, 4, 0), (4100, 4, 1), (8190, 4, 1), (4096, 4, 2)] {
            touches.access(addr, bytes, group);
        }
        let touch = |page, group| FirstTouch { page, group };
        assert_eq!(touches.take(), [touch(4096, 0), touch(8192, 1)]);
        touches.access(8192, 16, 0);
        assert_eq!(touches.take(), []);
    }
}
