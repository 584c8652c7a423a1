//! In which order the ways of a set were used.

/// Ways, at most.
pub const WAYS: u32 = 16;

/// Numbers of ways in 4 bits each, the one used least recently first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UseOrder(u64);

impl UseOrder {
    /// As if used in the order of their numbers.
    pub const NEW: Self = Self(0xfedc_ba98_7654_3210);

    /// The way is used.
    #[inline]
    pub fn touch(&mut self, way: u8) {
        let at = self.place(way);
        let below = self.0 & ((1 << at) - 1);
        let above = (self.0 >> at >> 4) << at;
        self.0 = below | above | u64::from(way) << 60;
    }

    /// Of the ways of a mask the one used least recently.
    #[inline]
    pub fn oldest(self, ways: u16) -> Option<u8> {
        let all = (0..WAYS).map(|place| (self.0 >> (4 * place)) as u8 & 15);
        all.into_iter().find(|way| ways >> way & 1 == 1)
    }

    /// Where a way's number is, in bits.
    #[inline]
    fn place(self, way: u8) -> u32 {
        // The nibble that is 0 once the way's number is in all of them exclusively or-ed.
        let other = self.0 ^ (0x1111_1111_1111_1111 * u64::from(way));
        let is_zero = other.wrapping_sub(0x1111_1111_1111_1111) & !other & 0x8888_8888_8888_8888;
        is_zero.trailing_zeros() & !3
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_that_of_a_list() {
        let (mut order, mut list) = (UseOrder::NEW, (0..16).collect::<Vec<u8>>());
        let mut seed = 7u32;
        for _ in 0..10_000 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let (way, ways) = ((seed >> 28) as u8, (seed >> 8) as u16);
            order.touch(way);
            list.retain(|&other| other != way);
            list.push(way);
            let oldest = list.iter().find(|&&way| ways >> way & 1 == 1);
            assert_eq!(order.oldest(ways), oldest.copied());
        }
    }
}
