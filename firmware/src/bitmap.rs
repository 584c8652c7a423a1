//! Sets of table slots.

/// A set of up to 256 slots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bitmap {
    words: [u32; 8],
}

impl Bitmap {
    /// Nothing.
    pub const EMPTY: Self = Self { words: [0; 8] };

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    #[inline]
    pub fn contains(&self, slot: usize) -> bool {
        self.words[(slot / 32) & 7] >> (slot % 32) & 1 == 1
    }

    #[inline]
    pub fn insert(&mut self, slot: usize) {
        self.words[(slot / 32) & 7] |= 1 << (slot % 32);
    }

    /// Inserts a slot that was no member; false where it was one.
    #[inline]
    pub fn insert_new(&mut self, slot: usize) -> bool {
        let (word, bit) = (&mut self.words[(slot / 32) & 7], 1 << (slot % 32));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    #[inline]
    pub fn remove(&mut self, slot: usize) {
        self.words[(slot / 32) & 7] &= !(1 << (slot % 32));
    }

    pub fn set(&mut self, slot: usize, member: bool) {
        if member { self.insert(slot) } else { self.remove(slot) }
    }

    /// Inserts all members of another one.
    pub fn include(&mut self, other: &Self) {
        self.words.iter_mut().zip(other.words).for_each(|(word, other)| *word |= other);
    }

    /// The lowest member.
    #[inline]
    pub fn lowest(&self) -> Option<usize> {
        let word = self.words.iter().position(|&word| word != 0)?;
        Some(32 * word + self.words[word].trailing_zeros() as usize)
    }

    /// The lowest slot that is no member.
    pub fn lowest_free(&self) -> usize {
        let word = self.words.iter().position(|&word| word != u32::MAX).unwrap_or(0);
        32 * word + self.words[word].trailing_ones() as usize
    }

    /// Members in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + use<> {
        let words = self.words;
        (0..8).flat_map(move |at| {
            let mut rest = words[at];
            core::iter::from_fn(move || {
                let bit = rest.trailing_zeros();
                rest &= rest.wrapping_sub(1);
                (bit < 32).then_some(32 * at + bit as usize)
            })
        })
    }
}
