//! Replacement order of one set: its ways by age (specification 4.3).

/// One in each of 16 nibbles.
const ONES: u64 = 0x1111_1111_1111_1111;

/// The ways of a set by age, one nibble each, the oldest in the lowest nibble. Equivalent to the
/// RTL's order matrix, but the oldest way needs no search. The nibbles above the last way are
/// unused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Order(u64);

impl Order {
    /// Way 0 is the oldest.
    pub const RESET: Self = Self(0xFEDC_BA98_7654_3210);

    /// The way that was renewed longest ago.
    #[inline(always)]
    pub fn oldest(self) -> usize {
        (self.0 & 0xF) as usize
    }

    /// Makes `way`, one of `ways`, the newest if `enable`. A mask avoids a branch, which would be
    /// unpredictable.
    #[inline(always)]
    pub fn renew(&mut self, way: usize, ways: usize, enable: bool) {
        let differs = self.0 ^ (way as u64).wrapping_mul(ONES);
        // Sets the top bit of the zero nibble, that of `way`; its borrow can set higher ones.
        let same = differs.wrapping_sub(ONES) & !differs & (ONES << 3);
        let older = (1u64 << (same.trailing_zeros() & 0x3C)).wrapping_sub(1);
        let newest = 4 * (ways as u32 - 1);
        let moved = self.0 >> 4 & !older & ((1u64 << newest) - 1);
        let renewed = self.0 & older | moved | (way as u64) << newest;
        self.0 ^= (self.0 ^ renewed) & u64::from(enable).wrapping_neg();
    }
}
