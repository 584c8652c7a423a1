//! The state of one structure in each chiplet's L2 (specification 4 and 5.2): two bits each.

/// States of one chiplet.
pub mod state {
    /// Not Present.
    pub const NP: u32 = 0;
    /// Valid: clean lines, none of them old.
    pub const V: u32 = 1;
    /// Dirty.
    pub const D: u32 = 2;
    /// Stale: clean lines, some of which may be old.
    pub const S: u32 = 3;
}

/// Bit `2i` of each chiplet.
pub const LOW: u32 = 0x5555_5555;

/// The states of all chiplets, chiplet i in bits `2i + 1` and `2i`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Vector(pub u32);

impl Vector {
    #[inline]
    pub fn get(self, chiplet: usize) -> u32 {
        self.0 >> (2 * chiplet) & 3
    }

    #[inline]
    pub fn set(&mut self, chiplet: usize, state: u32) {
        self.0 = self.0 & !(3 << (2 * chiplet)) | state << (2 * chiplet);
    }

    /// Bit `2i` for each chiplet that is Dirty.
    pub fn dirty_bits(self) -> u32 {
        self.0 >> 1 & !self.0 & LOW
    }

    /// Bit `2i` for each chiplet with any line.
    pub fn present_bits(self) -> u32 {
        (self.0 >> 1 | self.0) & LOW
    }

    /// Bit `2i` for each chiplet that is Stale.
    pub fn stale_bits(self) -> u32 {
        self.0 >> 1 & self.0 & LOW
    }

    /// After a kernel's accesses, bit `2i` for each chiplet.
    #[inline]
    pub fn accessed(self, touched: u32, write: bool) -> Self {
        if write {
            Self(self.0 & !(3 * touched) | (2 * touched))
        } else {
            Self(self.0 | touched & !self.present_bits())
        }
    }

    /// After releases and acquires of whole L2s (specification 5.3), bit `2i` for each chiplet;
    /// `mixed`: dirty copies may hold old lines too.
    #[inline]
    pub fn after(self, release: u32, acquire: u32, mixed: bool) -> Self {
        let released = self.dirty_bits() & release;
        // 10 becomes 01, or 11 where mixed.
        let kept = if mixed { self.0 | released } else { self.0 ^ (3 * released) };
        Self(kept & !(3 * acquire))
    }
}

/// Bit i goes to bit `2i`.
#[inline]
pub fn spread(mask: u16) -> u32 {
    let mut bits = u32::from(mask);
    bits = (bits | bits << 8) & 0x00ff_00ff;
    bits = (bits | bits << 4) & 0x0f0f_0f0f;
    bits = (bits | bits << 2) & 0x3333_3333;
    (bits | bits << 1) & LOW
}

/// Bit `2i` goes to bit i; the others are dropped.
pub fn squeeze(bits: u32) -> u16 {
    let mut bits = bits & LOW;
    bits = (bits | bits >> 1) & 0x3333_3333;
    bits = (bits | bits >> 2) & 0x0f0f_0f0f;
    bits = (bits | bits >> 4) & 0x00ff_00ff;
    (bits | bits >> 8) as u16
}

#[cfg(test)]
mod tests {
    use super::state::{D, NP, S, V};
    use super::*;

    #[test]
    fn bits_are_spread_and_squeezed() {
        for mask in [0, 1, 0x8000, 0xffff, 0x1234, 0xa5c3] {
            let slow = (0..16).fold(0, |sum, i| sum | u32::from(mask >> i & 1) << (2 * i));
            assert_eq!(spread(mask), slow);
            assert_eq!(squeeze(slow | slow << 1), mask);
        }
    }

    #[test]
    fn accesses_add_and_overwrite() {
        let mut vector = Vector::default();
        for (chiplet, state) in [NP, V, D, NP, V, D].into_iter().enumerate() {
            vector.set(chiplet, state);
        }
        let after = |write| vector.accessed(spread(0b00_0111), write);
        assert_eq!([0, 1, 2, 3, 4, 5].map(|i| after(false).get(i)), [V, V, D, NP, V, D]);
        assert_eq!([0, 1, 2, 3, 4, 5].map(|i| after(true).get(i)), [D, D, D, NP, V, D]);
    }

    #[test]
    fn whole_caches_are_released_and_acquired() {
        let mut vector = Vector::default();
        for (chiplet, state) in [NP, V, D, S, D, D].into_iter().enumerate() {
            vector.set(chiplet, state);
        }
        let bits = [vector.dirty_bits(), vector.present_bits(), vector.stale_bits()];
        assert_eq!(bits.map(squeeze), [0b11_0100, 0b11_1110, 0b00_1000]);
        let after = |release, acquire, mixed| vector.after(spread(release), spread(acquire), mixed);
        let states = |v: Vector| [0, 1, 2, 3, 4, 5].map(|i| v.get(i));
        assert_eq!(states(after(0b00_1111, 0, false)), [NP, V, V, S, D, D]);
        assert_eq!(states(after(0b00_1111, 0, true)), [NP, V, S, S, D, D]);
        assert_eq!(states(after(0, 0b10_1010, false)), [NP, NP, D, NP, D, NP]);
        assert_eq!(states(after(0b11_0000, 0b10_0000, false)), [NP, V, D, S, V, NP]);
    }
}
