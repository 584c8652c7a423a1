//! Tables over the physical space, by page of 4 KiB.

/// Bytes of a page.
pub const PAGE: u64 = 4096;
/// Addresses are below this.
pub const SPACE: u64 = 1 << 44;

const LEAF: usize = 1 << 12;

/// One value for each page, `T::default()` until it is set. Two loads to look one up.
#[derive(Debug)]
pub struct PageMap<T> {
    leaves: Vec<Option<Box<[T]>>>,
}

impl<T> Default for PageMap<T> {
    fn default() -> Self {
        Self { leaves: Vec::new() }
    }
}

impl<T: Default + Clone> PageMap<T> {
    /// The value of the page that holds `addr`, if it was ever set.
    #[inline]
    pub fn get(&self, addr: u64) -> Option<&T> {
        let page = (addr / PAGE) as usize;
        self.leaves.get(page / LEAF)?.as_ref().map(|leaf| &leaf[page % LEAF])
    }

    /// The value of the page that holds `addr`, to change it. `addr` is below [`SPACE`].
    #[inline]
    pub fn get_mut(&mut self, addr: u64) -> &mut T {
        debug_assert!(addr < SPACE, "{addr:#x} is outside the space");
        let page = (addr / PAGE) as usize;
        if self.leaves.len() <= page / LEAF {
            self.leaves.resize_with(page / LEAF + 1, || None);
        }
        let leaf = &mut self.leaves[page / LEAF];
        &mut leaf.get_or_insert_with(|| vec![T::default(); LEAF].into())[page % LEAF]
    }
}

impl<T: Default + Clone + PartialEq> PageMap<T> {
    /// Forgets pages that lie in these bytes in whole.
    pub fn forget(&mut self, addr: u64, bytes: u64) {
        let pages = addr.div_ceil(PAGE) as usize..((addr + bytes) / PAGE) as usize;
        let numbers = pages.start / LEAF..pages.end.div_ceil(LEAF).min(self.leaves.len());
        for number in numbers {
            let (first, end) = (pages.start.max(number * LEAF), pages.end.min((number + 1) * LEAF));
            let place = &mut self.leaves[number];
            let Some(leaf) = place.as_mut().filter(|_| first < end) else { continue };
            leaf[first % LEAF..][..end - first].fill(T::default());
            if leaf.iter().all(|value| *value == T::default()) {
                *place = None;
            }
        }
    }
}

/// Bytes of the space, 0 until they are written.
#[derive(Debug, Default)]
pub struct Bytes {
    pages: PageMap<Option<Box<[u8]>>>,
}

impl Bytes {
    /// `len` bytes from `addr` on, which lie in one page; none when the page was not written.
    #[inline]
    pub fn get(&self, addr: u64, len: usize) -> Option<&[u8]> {
        let page = self.pages.get(addr)?.as_ref()?;
        Some(&page[(addr % PAGE) as usize..][..len])
    }

    /// `len` bytes from `addr` on, which lie in one page, to change them.
    #[inline]
    pub fn get_mut(&mut self, addr: u64, len: usize) -> &mut [u8] {
        let page = self.pages.get_mut(addr);
        let page = page.get_or_insert_with(|| vec![0; PAGE as usize].into());
        &mut page[(addr % PAGE) as usize..][..len]
    }

    /// Forgets pages that lie in these bytes in whole.
    pub fn forget(&mut self, addr: u64, bytes: u64) {
        self.pages.forget(addr, bytes);
    }

    /// Writes bytes that may cross pages.
    pub fn write(&mut self, addr: u64, data: &[u8]) {
        let mut at = addr;
        let mut left = data;
        while !left.is_empty() {
            let len = left.len().min((PAGE - at % PAGE) as usize);
            self.get_mut(at, len).copy_from_slice(&left[..len]);
            (at, left) = (at + len as u64, &left[len..]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_zero_until_written_and_writes_cross_pages() {
        let mut bytes = Bytes::default();
        assert_eq!(bytes.get(0x5000, 4), None);
        bytes.write(0x5ffe, &[1, 2, 3, 4]);
        assert_eq!(bytes.get(0x5ffc, 4), Some(&[0, 0, 1, 2][..]));
        assert_eq!(bytes.get(0x6000, 4), Some(&[3, 4, 0, 0][..]));
    }

    #[test]
    fn a_buffer_that_ends_leaves_its_neighbours() {
        let mut bytes = Bytes::default();
        let (addr, size) = (PAGE * LEAF as u64 - PAGE, 2 * PAGE);
        bytes.write(addr - 1, &vec![7; size as usize + 2]);
        bytes.forget(addr, size);
        bytes.forget(addr - PAGE + 1, 2);
        let held = [addr - 1, addr, addr + PAGE, addr + size].map(|at| bytes.get(at, 1).is_some());
        assert_eq!(held, [true, false, false, true]);
        bytes.forget(0, addr);
        assert!(bytes.pages.leaves[0].is_none() && bytes.pages.leaves[1].is_some());
    }

    #[test]
    fn the_last_page_of_the_space_has_a_place() {
        let mut map = PageMap::default();
        *map.get_mut(SPACE - 1) = 7u32;
        assert_eq!((map.get(SPACE - PAGE), map.get(0)), (Some(&7), None));
    }
}
