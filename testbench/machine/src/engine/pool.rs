//! Slabs: messages and payload lines are passed by handle.

use std::marker::PhantomData;

/// Place of a value in a [`Pool`].
pub struct Handle<T>(u32, PhantomData<fn() -> T>);

impl<T> Handle<T> {
    /// No place.
    pub const NONE: Self = Self(u32::MAX, PhantomData);

    /// False for [`Handle::NONE`].
    pub fn is_some(self) -> bool {
        self.0 != u32::MAX
    }
}

impl<T> Clone for Handle<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Handle<T> {}
impl<T> PartialEq for Handle<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}
impl<T> Eq for Handle<T> {}
impl<T> Default for Handle<T> {
    fn default() -> Self {
        Self::NONE
    }
}
impl<T> std::fmt::Debug for Handle<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.is_some() { write!(f, "#{}", self.0) } else { f.write_str("none") }
    }
}

/// Values that come and go, in one allocation. The value last given back is used first: it is in
/// the host's cache.
#[derive(Debug, Default)]
pub struct Pool<T> {
    values: Vec<T>,
    free: Vec<u32>,
}

impl<T> Pool<T> {
    /// An empty pool.
    pub fn new() -> Self {
        Self { values: Vec::new(), free: Vec::new() }
    }

    /// Puts a value in.
    #[inline]
    pub fn put(&mut self, value: T) -> Handle<T> {
        if let Some(place) = self.free.pop() {
            self.values[place as usize] = value;
            return Handle(place, PhantomData);
        }
        self.values.push(value);
        Handle((self.values.len() - 1) as u32, PhantomData)
    }

    /// A place whose value is whatever lay there last: to be written by the caller.
    #[inline]
    pub fn place(&mut self) -> Handle<T>
    where
        T: Default,
    {
        match self.free.pop() {
            Some(place) => Handle(place, PhantomData),
            None => self.put(T::default()),
        }
    }

    /// Gives a place back.
    #[inline]
    pub fn free(&mut self, handle: Handle<T>) {
        debug_assert!(self.free.len() < self.values.len(), "{handle:?} is given back twice");
        self.free.push(handle.0);
    }

    /// The values in use, in the order of their places.
    pub fn in_order(&self) -> impl Iterator<Item = &T> {
        let mut is_used = vec![true; self.values.len()];
        self.free.iter().for_each(|&place| is_used[place as usize] = false);
        self.values.iter().zip(is_used).filter_map(|(value, is_used)| is_used.then_some(value))
    }

    /// Values in use.
    pub fn in_use(&self) -> usize {
        self.values.len() - self.free.len()
    }
}

impl<T> std::ops::Index<Handle<T>> for Pool<T> {
    type Output = T;
    #[inline]
    fn index(&self, handle: Handle<T>) -> &T {
        &self.values[handle.0 as usize]
    }
}

impl<T> std::ops::IndexMut<Handle<T>> for Pool<T> {
    #[inline]
    fn index_mut(&mut self, handle: Handle<T>) -> &mut T {
        &mut self.values[handle.0 as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_given_back_is_used_again() {
        let mut pool = Pool::new();
        let (a, b) = (pool.put('a'), pool.put('b'));
        pool.free(a);
        let c = pool.put('c');
        assert_eq!((c, pool[b], pool[c], pool.in_use()), (a, 'b', 'c', 2));
        pool.free(b);
        assert_eq!(pool.in_order().collect::<String>(), "c");
    }
}
