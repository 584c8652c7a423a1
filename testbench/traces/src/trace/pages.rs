//! Tables with one entry for each page of the address space that something happens in.

use super::AtomicOp;
use super::limits::{ADDRESS_END, PAGE};
use super::wire::little_endian;

/// Bits of a page number that the second level takes.
const LEAF_BITS: u32 = 10;
const LEAF: usize = 1 << LEAF_BITS;
/// Pages of the address space.
const PAGES: u64 = ADDRESS_END / PAGE;

type Leaf<T> = Box<[Option<Box<T>>]>;

/// Page number to `T`, in two levels: two loads for a look-up, and memory for what is used.
#[derive(Debug)]
pub struct PageTable<T> {
    top: Vec<Option<Leaf<T>>>,
}

impl<T> Default for PageTable<T> {
    fn default() -> Self {
        Self { top: Vec::new() }
    }
}

impl<T> PageTable<T> {
    /// The entry of a page.
    pub fn get(&self, page: u64) -> Option<&T> {
        let leaf = self.top.get((page >> LEAF_BITS) as usize)?.as_ref()?;
        leaf[page as usize % LEAF].as_deref()
    }

    /// The entry of a page, to be changed.
    pub fn get_mut(&mut self, page: u64) -> Option<&mut T> {
        let leaf = self.top.get_mut((page >> LEAF_BITS) as usize)?.as_mut()?;
        leaf[page as usize % LEAF].as_deref_mut()
    }

    /// The entry of a page below 2^32, made when there is none.
    pub fn entry(&mut self, page: u64, make: impl FnOnce() -> T) -> &mut T {
        debug_assert!(page < PAGES);
        let at = ((page % PAGES) >> LEAF_BITS) as usize;
        if at >= self.top.len() {
            self.top.resize_with(at + 1, || None);
        }
        let leaf = self.top[at].get_or_insert_with(|| (0..LEAF).map(|_| None).collect());
        leaf[page as usize % LEAF].get_or_insert_with(|| Box::new(make()))
    }

    /// Removes the entries of pages from `first` to before `end`. Takes time only for what is
    /// there.
    pub fn remove_range(&mut self, first: u64, end: u64) {
        let mut page = first;
        while page < end.min((self.top.len() as u64) << LEAF_BITS) {
            let next = ((page >> LEAF_BITS) + 1) << LEAF_BITS;
            let top = &mut self.top[(page >> LEAF_BITS) as usize];
            if let Some(leaf) = top {
                leaf[page as usize % LEAF..][..(end.min(next) - page) as usize].fill_with(|| None);
                if leaf.iter().all(Option::is_none) {
                    *top = None;
                }
            }
            page = next;
        }
    }
}

/// Number of the page of an address.
pub fn page_of(addr: u64) -> u64 {
    addr / PAGE
}

/// The byte's place in its page.
pub fn offset_of(addr: u64) -> usize {
    (addr % PAGE) as usize
}

/// A set of addresses.
#[derive(Debug, Default)]
pub struct AddressSet {
    pages: PageTable<[u64; PAGE as usize / 64]>,
    members: u64,
}

impl AddressSet {
    /// True for a member.
    pub fn contains(&self, addr: u64) -> bool {
        let at = offset_of(addr);
        self.members > 0
            && self.pages.get(page_of(addr)).is_some_and(|bits| bits[at / 64] >> (at % 64) & 1 == 1)
    }

    /// Adds an address below 2^44.
    pub fn insert(&mut self, addr: u64) {
        let at = offset_of(addr);
        let bits = self.pages.entry(page_of(addr), || [0; PAGE as usize / 64]);
        self.members += u64::from(bits[at / 64] >> (at % 64) & 1 == 0);
        bits[at / 64] |= 1 << (at % 64);
    }

    /// Takes an address out.
    pub fn remove(&mut self, addr: u64) {
        let at = offset_of(addr);
        if let Some(bits) = self.pages.get_mut(page_of(addr)) {
            self.members -= bits[at / 64] >> (at % 64) & 1;
            bits[at / 64] &= !(1 << (at % 64));
        }
    }
}

/// Bytes of memory; 0 where nothing was written.
#[derive(Debug, Default)]
pub struct Memory {
    pages: PageTable<[u8; PAGE as usize]>,
}

impl Memory {
    /// Reads bytes below 2^44.
    pub fn read(&self, addr: u64, bytes: &mut [u8]) {
        let mut done = 0;
        while done < bytes.len() {
            let at = offset_of(addr + done as u64);
            let n = (bytes.len() - done).min(PAGE as usize - at);
            let place = &mut bytes[done..done + n];
            match self.pages.get(page_of(addr + done as u64)) {
                Some(page) => place.copy_from_slice(&page[at..at + n]),
                None => place.fill(0),
            }
            done += n;
        }
    }

    /// Writes bytes below 2^44.
    pub fn write(&mut self, addr: u64, bytes: &[u8]) {
        let mut done = 0;
        while done < bytes.len() {
            let at = offset_of(addr + done as u64);
            let n = (bytes.len() - done).min(PAGE as usize - at);
            let page = self.pages.entry(page_of(addr + done as u64), || [0; PAGE as usize]);
            page[at..at + n].copy_from_slice(&bytes[done..done + n]);
            done += n;
        }
    }

    /// One byte.
    pub fn byte(&self, addr: u64) -> u8 {
        self.pages.get(page_of(addr)).map_or(0, |page| page[offset_of(addr)])
    }

    /// A little-endian number of `size` bytes, 1 to 8.
    pub fn number(&self, addr: u64, size: u8) -> u64 {
        let mut bytes = [0; 8];
        self.read(addr, &mut bytes[..usize::from(size.min(8))]);
        u64::from_le_bytes(bytes)
    }

    /// Does what an atomic of up to 8 bytes does.
    pub fn update(&mut self, op: AtomicOp, addr: u64, operand: &[u8]) {
        let size = operand.len().min(8);
        let old = self.number(addr, size as u8);
        let new = op.apply(old, little_endian(&operand[..size]), size as u8);
        self.write(addr, &new.to_le_bytes()[..size]);
    }

    /// A copy of a page.
    pub fn page(&self, page: u64) -> [u8; PAGE as usize] {
        self.pages.get(page).copied().unwrap_or([0; PAGE as usize])
    }

    /// Forgets the pages of a buffer.
    pub fn forget(&mut self, addr: u64, bytes: u64) {
        self.pages.remove_range(page_of(addr), addr.saturating_add(bytes).div_ceil(PAGE));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_holds_what_was_written_across_pages() {
        let mut memory = Memory::default();
        memory.write(4094, &[1, 2, 3, 4]);
        let mut bytes = [9; 6];
        memory.read(4093, &mut bytes);
        assert_eq!(bytes, [0, 1, 2, 3, 4, 0]);
        assert_eq!(memory.number(4094, 4), 0x0403_0201);
        memory.write(ADDRESS_END - 1, &[7]);
        assert_eq!(memory.byte(ADDRESS_END - 1), 7);
        memory.write(8192, &[5]);
        memory.forget(4096, 4096);
        assert_eq!((memory.number(4094, 4), memory.byte(8192)), (0x0201, 5));
    }

    #[test]
    fn a_set_counts_its_members_once() {
        let mut set = AddressSet::default();
        set.insert(5);
        set.insert(5);
        set.insert(1 << 40);
        assert_eq!((set.members, set.contains(5), set.contains(6)), (2, true, false));
        set.remove(5);
        set.remove(5);
        assert_eq!((set.members, set.contains(5)), (1, false));
    }
}
