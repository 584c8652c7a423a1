//! Random numbers that are the same on every machine.

/// splitmix64 (Steele, Lea, Flood, OOPSLA'14): a 64-bit counter and a mixing function. Integers
/// only, so inputs depend on the seed alone and on no library version.
#[derive(Clone, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// Starts from `seed`.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `n`, which is at least 1.
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(n)) >> 64) as u64
    }

    /// `k` with probability `2^-(k + 1)`: powers of two of it follow a power law of exponent 2.
    pub fn halvings(&mut self) -> u32 {
        self.bits().trailing_zeros()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequence_is_that_of_the_published_generator() {
        // First outputs of the reference C code for seed 1234567.
        let mut rng = SplitMix64::new(1_234_567);
        assert_eq!(rng.bits(), 6_457_827_717_110_365_317);
        assert_eq!(rng.bits(), 3_203_168_211_198_807_973);
        assert_eq!(rng.bits(), 9_817_491_932_198_370_423);
    }
}
