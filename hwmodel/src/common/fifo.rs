//! A FIFO with a fixed number of places.

use std::hash::{Hash, Hasher};

/// A FIFO of `N` places.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fifo<T, const N: usize> {
    ring: [T; N],
    head: usize,
    len: usize,
}

impl<T: Copy + Default, const N: usize> Default for Fifo<T, N> {
    fn default() -> Self {
        Self { ring: [T::default(); N], head: 0, len: 0 }
    }
}

/// What it holds, wherever in the ring.
impl<T: Copy + Hash, const N: usize> Hash for Fifo<T, N> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.len.hash(hasher);
        (0..self.len).for_each(|nth| self.ring[(self.head + nth) % N].hash(hasher));
    }
}

impl<T: Copy, const N: usize> Fifo<T, N> {
    /// Values held.
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub fn is_full(&self) -> bool {
        self.len == N
    }

    /// The oldest.
    #[inline(always)]
    pub fn front(&self) -> Option<T> {
        (self.len > 0).then(|| self.ring[self.head % N])
    }

    /// The oldest, where it lies.
    #[inline(always)]
    pub fn peek(&self) -> Option<&T> {
        (self.len > 0).then(|| &self.ring[self.head % N])
    }

    /// Adds one; only when there is room.
    pub fn push(&mut self, value: T) {
        debug_assert!(!self.is_full());
        self.ring[(self.head + self.len) % N] = value;
        self.len += 1;
    }

    /// Removes the oldest, if there is one.
    pub fn pop(&mut self) {
        let one = usize::from(self.len > 0);
        self.head += one;
        self.len -= one;
    }
}
