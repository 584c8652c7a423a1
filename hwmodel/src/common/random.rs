//! Random choices for the tests of the command-processor blocks, the same everywhere (Marsaglia's
//! xorshift).

/// A seeded source of random choices.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// Any seed but 0.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    pub fn word(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 24) as u32
    }

    /// 0 to `end` - 1.
    pub fn below(&mut self, end: u32) -> u32 {
        self.word() % end
    }
}
