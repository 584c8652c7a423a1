//! Bits appended to and taken from an image.

/// Appends bits to an image, least significant first.
pub struct Writer<'a> {
    words: &'a mut [u32],
    at: usize,
    /// Bits that do not fill a word yet: fewer than 32.
    acc: u64,
    have: u32,
}

impl<'a> Writer<'a> {
    /// Writes from bit 0 of `words`.
    #[inline]
    pub fn new(words: &'a mut [u32]) -> Self {
        Self { words, at: 0, acc: 0, have: 0 }
    }

    /// Appends the low `bits` (0..=32) bits of `value`.
    #[inline(always)]
    fn short(&mut self, value: u64, bits: u32) {
        self.acc |= (value & ((1 << bits) - 1)) << self.have;
        self.have += bits;
        if self.have >= 32 {
            self.words[self.at] = self.acc as u32;
            self.at += 1;
            self.acc >>= 32;
            self.have -= 32;
        }
    }

    /// Appends the low `bits` (0..=64) bits of `value`.
    #[inline(always)]
    pub fn put(&mut self, value: u64, bits: u32) {
        if bits == 64 {
            // Whole words: no test for how many are full.
            let wide = u128::from(self.acc) | u128::from(value) << self.have;
            let [low, high] = &mut self.words[self.at..][..2] else { unreachable!("two words") };
            (*low, *high) = (wide as u32, (wide >> 32) as u32);
            self.at += 2;
            self.acc = (wide >> 64) as u64;
            return;
        }
        self.short(value, bits.min(32));
        if bits > 32 {
            self.short(value >> 32, bits - 32);
        }
    }

    /// Appends bytes, a multiple of 4 of them. One shift serves all, so that the loop is
    /// vectorised.
    #[inline(always)]
    pub(super) fn put_bytes(&mut self, bytes: &[u8]) {
        let to = &mut self.words[self.at..][..bytes.len() / 4];
        self.at += bytes.len() / 4;
        if self.have == 0 {
            to.iter_mut().zip(bytes.chunks_exact(4)).for_each(|(to, word)| *to = le_word(word));
            return;
        }
        let (up, down) = (self.have, 32 - self.have);
        let [first, to @ ..] = to else { return };
        *first = self.acc as u32 | le_word(&bytes[..4]) << up;
        let pairs = bytes.chunks_exact(4).zip(bytes[4..].chunks_exact(4));
        for (to, (low, high)) in to.iter_mut().zip(pairs) {
            *to = le_word(low) >> down | le_word(high) << up;
        }
        self.acc = u64::from(le_word(&bytes[bytes.len() - 4..]) >> down);
    }

    /// Ends a word that is not full.
    #[inline(always)]
    pub fn align(&mut self) {
        if self.have > 0 {
            self.words[self.at] = self.acc as u32;
            self.at += 1;
            (self.acc, self.have) = (0, 0);
        }
    }

    #[inline(always)]
    pub(super) fn skip_port(&mut self, bits: u32) {
        self.at += bits.div_ceil(32) as usize;
    }
}

/// Takes bits from an image, least significant first.
pub struct Reader<'a> {
    words: &'a [u32],
    at: usize,
    /// Bits that were read and not taken: fewer than 32.
    acc: u64,
    have: u32,
}

impl<'a> Reader<'a> {
    /// Reads from bit 0 of `words`.
    #[inline]
    pub fn new(words: &'a [u32]) -> Self {
        Self { words, at: 0, acc: 0, have: 0 }
    }

    #[inline(always)]
    fn short(&mut self, bits: u32) -> u64 {
        if self.have < bits {
            self.acc |= u64::from(self.words[self.at]) << self.have;
            self.at += 1;
            self.have += 32;
        }
        let value = self.acc & ((1 << bits) - 1);
        self.acc >>= bits;
        self.have -= bits;
        value
    }

    /// The next `bits` (0..=64) bits.
    #[inline(always)]
    pub fn get(&mut self, bits: u32) -> u64 {
        if bits == 64 {
            let [low, high] = self.words[self.at..][..2] else { unreachable!("two words") };
            self.at += 2;
            let next = u64::from(low) | u64::from(high) << 32;
            let wide = u128::from(self.acc) | u128::from(next) << self.have;
            self.acc = (wide >> 64) as u64;
            return wide as u64;
        }
        let low = self.short(bits.min(32));
        if bits > 32 { low | self.short(bits - 32) << 32 } else { low }
    }

    /// Takes bytes, a multiple of 4 of them. One shift serves all, so that the loop is vectorised.
    #[inline(always)]
    pub(super) fn get_bytes(&mut self, bytes: &mut [u8]) {
        let from = &self.words[self.at..][..bytes.len() / 4];
        self.at += from.len();
        if self.have == 0 {
            let words = bytes.chunks_exact_mut(4).zip(from);
            words.for_each(|(to, word)| to.copy_from_slice(&word.to_le_bytes()));
            return;
        }
        let (up, down) = (self.have, 32 - self.have);
        let [first, .., last] = from else { return self.get_one_word(bytes, from) };
        bytes[..4].copy_from_slice(&(self.acc as u32 | first << up).to_le_bytes());
        for (to, pair) in bytes[4..].chunks_exact_mut(4).zip(from.windows(2)) {
            to.copy_from_slice(&(pair[0] >> down | pair[1] << up).to_le_bytes());
        }
        self.acc = u64::from(last >> down);
    }

    #[inline(always)]
    fn get_one_word(&mut self, bytes: &mut [u8], from: &[u32]) {
        if let [word] = from {
            bytes.copy_from_slice(&(self.acc as u32 | word << self.have).to_le_bytes());
            self.acc = u64::from(word >> (32 - self.have));
        }
    }

    #[inline(always)]
    pub(super) fn align(&mut self) {
        (self.acc, self.have) = (0, 0);
    }

    #[inline(always)]
    pub(super) fn skip_port(&mut self, bits: u32) {
        self.at += bits.div_ceil(32) as usize;
    }
}

#[inline(always)]
fn le_word(bytes: &[u8]) -> u32 {
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}
