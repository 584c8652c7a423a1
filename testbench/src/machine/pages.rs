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

/// Bytes of the space, 0 until they are written.
#[derive(Debug, Default)]
pub struct Bytes {
    pages: PageMap<Option<Box<[u8]>>>,
}

impl Bytes {
    /// `len` bytes from `addr` on, which lie in one page; none when nobody has written the page.
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
    fn the_last_page_of_the_space_has_a_place() {
        let mut map = PageMap::default();
        *map.get_mut(SPACE - 1) = 7u32;
        assert_eq!((map.get(SPACE - PAGE), map.get(0)), (Some(&7), None));
    }
}
