//! The hash functions, the same in both bodies (specification 5.1): maps H_0 to H_6 of 32 bits to
//! 32, linear over GF(2), of which a signature uses the lowest bits.

/// Bits that a key sets.
const HASHES: usize = 6;
const MAPS: usize = HASHES + 1;
const SEED: u32 = 0x9E37_79B9;

/// `Q[j][i]`: what bit i of a key adds to H_j. Marsaglia's xorshift32, one step for each.
pub(super) const Q: [[u32; 32]; MAPS] = {
    let (mut q, mut s, mut j) = ([[0; 32]; MAPS], SEED, 0);
    while j < MAPS {
        let mut i = 0;
        while i < 32 {
            s ^= s << 13;
            s ^= s >> 17;
            s ^= s << 5;
            q[j][i] = s;
            i += 1;
        }
        j += 1;
    }
    q
};

/// What the 4 bits n of a key add to all maps, by their value: 16 bits of each map, H_0 lowest.
static NIBBLES: [[u128; 16]; 8] = {
    let (mut table, mut n) = ([[0; 16]; 8], 0);
    while n < 8 {
        let mut value = 1usize;
        while value < 16 {
            let rest = value & (value - 1);
            let bit = 4 * n + value.trailing_zeros() as usize;
            let (mut lanes, mut j) = (0, 0);
            while j < MAPS {
                lanes |= ((Q[j][bit] & 0xFFFF) as u128) << (16 * j);
                j += 1;
            }
            table[n][value] = table[n][rest] ^ lanes;
            value += 1;
        }
        n += 1;
    }
    table
};

/// Places of a key's bits in a signature, in different banks.
pub type Indices = [u16; HASHES];

/// The functions for signatures of one size.
#[derive(Clone, Copy, Debug)]
pub struct Hash {
    /// R: log2 of the bits of a bank.
    row_bits: u32,
}

impl Hash {
    /// For signatures of `m` bits, a power of 2 from 256 to 16384.
    pub fn new(m: u32) -> Self {
        Self { row_bits: m.trailing_zeros() - 3 }
    }

    /// The bits of a key.
    #[inline(always)]
    pub fn indices(self, key: u32) -> Indices {
        let maps = (0..8).fold(0, |maps, n| maps ^ NIBBLES[n][(key >> (4 * n) & 15) as usize]);
        let map = |j: usize| (maps >> (16 * j)) as u16;
        let first = map(HASHES);
        let rows = (1 << self.row_bits) - 1;
        std::array::from_fn(|j| (first.wrapping_add(j as u16) & 7) << self.row_bits | map(j) & rows)
    }
}
