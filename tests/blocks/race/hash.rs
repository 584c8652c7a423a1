//! The hash of specification 5.1, written down as it stands there: what the bodies are compared
//! with.

use ports::Bytes;

/// `Q[j][i]`.
pub fn matrix() -> [[u32; 32]; 7] {
    let mut s: u32 = 0x9E37_79B9;
    let mut step = || {
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
        s
    };
    std::array::from_fn(|_| std::array::from_fn(|_| step()))
}

/// The six bits of a key in a signature of `m` bits, by their hash.
pub fn indices(m: u32, key: u32) -> [u32; 6] {
    let q = matrix();
    let map =
        |j: usize| (0..32).filter(|i| key >> i & 1 != 0).fold(0, |map, i: usize| map ^ q[j][i]);
    let first = map(6) & 7;
    std::array::from_fn(|j| (first + j as u32) % 8 * (m / 8) + map(j) % (m / 8))
}

/// The bits of keys in a signature, ascending.
pub fn bits(m: u32, keys: &[u32]) -> Vec<u32> {
    let mut bits: Vec<_> = keys.iter().flat_map(|&key| indices(m, key)).collect();
    bits.sort();
    bits.dedup();
    bits
}

/// The chunks of a signature of these keys that are not 0, ascending.
pub fn chunks(m: u32, keys: &[u32]) -> Vec<(u8, Bytes<32>)> {
    let mut all = vec![Bytes::<32>::default(); m as usize / 256];
    for bit in bits(m, keys) {
        all[bit as usize / 256].0[bit as usize % 256 / 8] |= 1 << (bit % 8);
    }
    (0..).zip(all).filter(|(_, data)| data.0 != [0; 32]).collect()
}

/// The key is no member of a signature that has only the others.
pub fn is_exact(m: u32, key: u32, others: &[u32]) -> bool {
    let bits = bits(m, others);
    indices(m, key).iter().any(|index| !bits.contains(index))
}
