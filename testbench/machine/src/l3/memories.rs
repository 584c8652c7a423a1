//! What the memory channels hold.

use crate::context::pages::Bytes;

/// One memory for all GPUs, of which each page lies on one of them; or one for each GPU, where
/// pages have copies.
#[derive(Debug)]
pub struct Memories {
    each: Vec<Bytes>,
}

impl Memories {
    /// Nothing is written. `copies`: GPUs with a memory of their own, or 1.
    pub fn new(copies: u16) -> Self {
        Self { each: (0..copies).map(|_| Bytes::default()).collect() }
    }

    fn number(&self, gpu: u16) -> usize {
        usize::from(gpu).min(self.each.len() - 1)
    }

    /// The memory that a GPU's channels have.
    #[inline]
    pub fn of(&self, gpu: u16) -> &Bytes {
        &self.each[self.number(gpu)]
    }

    /// The same, to change it.
    #[inline]
    pub fn of_mut(&mut self, gpu: u16) -> &mut Bytes {
        let number = self.number(gpu);
        &mut self.each[number]
    }

    /// Forgets pages that lie in these bytes in whole.
    pub fn forget(&mut self, addr: u64, bytes: u64) {
        self.each.iter_mut().for_each(|memory| memory.forget(addr, bytes));
    }
}
