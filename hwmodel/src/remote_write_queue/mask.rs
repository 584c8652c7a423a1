//! Byte enables: what they cost, and writing the bytes that they enable.

use crate::common::finepack_types::{LineData, runs};

/// For each pattern of eight enables, 0xFF in the enabled bytes.
static BYTES: [u64; 256] = {
    let mut table = [0; 256];
    let mut bits = 0;
    while bits < 256 {
        let mut byte = 0;
        while byte < 8 {
            if bits >> byte & 1 == 1 {
                table[bits] |= 0xFF << (8 * byte);
            }
            byte += 1;
        }
        bits += 1;
    }
    table
};

/// How much a mask enables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Size {
    /// Enabled bytes.
    pub bytes: u16,
    /// Payload bytes: the enabled ones and one sub-header for each run (specification 5.1).
    pub cost: u16,
}

/// Size of a mask with sub-headers of `sh` bytes.
#[inline(always)]
pub(super) fn size(mask: u128, sh: u32) -> Size {
    let bytes = mask.count_ones();
    Size { bytes: bytes as u16, cost: (bytes + sh * runs(mask)) as u16 }
}

/// True for 4 or 8 contiguous bytes at a multiple of their number: a legal atomic.
#[inline]
pub(super) fn is_atomic_size(mask: u128) -> bool {
    let first = mask.trailing_zeros();
    mask != 0
        && match mask >> first {
            0xF => first % 4 == 0,
            0xFF => first % 8 == 0,
            _ => false,
        }
}

/// Bytes that a narrow line has at most. Short lines take short cuts.
pub(super) const NARROW: usize = 16;

/// Word `word` of eight bytes.
#[inline(always)]
fn get(line: &LineData, word: usize) -> u64 {
    u64::from_le_bytes(line.0[8 * word..8 * word + 8].try_into().expect("8 bytes"))
}

#[inline(always)]
fn put(line: &mut LineData, word: usize, value: u64) {
    line.0[8 * word..8 * word + 8].copy_from_slice(&value.to_le_bytes());
}

/// Copies the whole of a line, of `NARROW` bytes if `narrow`.
#[inline(always)]
pub(super) fn copy(to: &mut LineData, from: &LineData, narrow: bool) {
    if narrow {
        to.0[..NARROW].copy_from_slice(&from.0[..NARROW]);
    } else {
        to.0 = from.0;
    }
}

/// Copies the enabled bytes of `from` and leaves the others.
#[inline(always)]
pub(super) fn merge(to: &mut LineData, from: &LineData, mask: u128, narrow: bool) {
    if narrow {
        for word in 0..2 {
            let select = BYTES[usize::from((mask >> (8 * word)) as u8)];
            let old = get(to, word);
            put(to, word, old ^ ((old ^ get(from, word)) & select));
        }
        return;
    }
    let halves = [mask as u64, (mask >> 64) as u64];
    for (half, mut left) in halves.into_iter().enumerate() {
        if left == u64::MAX {
            let bytes = 64 * half..64 * half + 64;
            to.0[bytes.clone()].copy_from_slice(&from.0[bytes]);
            continue;
        }
        // Only words with an enabled byte: most stores touch one or two.
        while left != 0 {
            let word = left.trailing_zeros() as usize / 8;
            let enables = (left >> (8 * word)) as u8;
            left &= !(0xFF << (8 * word));
            let select = BYTES[usize::from(enables)];
            let word = (8 * half + word) % 16;
            let old = get(to, word);
            put(to, word, old ^ ((old ^ get(from, word)) & select));
        }
    }
}

/// Copies the enabled bytes of `from` and clears the others.
#[inline(always)]
pub(super) fn write(to: &mut LineData, from: &LineData, mask: u128, narrow: bool) {
    if narrow {
        put(to, 0, get(from, 0) & BYTES[usize::from(mask as u8)]);
        put(to, 1, get(from, 1) & BYTES[usize::from((mask >> 8) as u8)]);
    } else {
        *to = LineData::default();
        merge(to, from, mask, false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::common::finepack_types;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn size_is_that_of_the_specification(a: u128, b: u128, shift in 0u32..128) {
            let mask = (a & b) >> shift;
            let size = size(mask, 5);
            prop_assert_eq!(u32::from(size.bytes), mask.count_ones());
            prop_assert_eq!(u32::from(size.cost), finepack_types::cost(mask, 5));
        }

        #[test]
        fn merge_writes_enabled_bytes_and_no_others(
            mask: u128, all: [bool; 2], old: [u8; 32], new: [u8; 32],
        ) {
            let widen = |seed: [u8; 32]| {
                crate::ports::Bytes(std::array::from_fn(|k| seed[k % 32] ^ k as u8))
            };
            let mask = mask
                | if all[0] { u128::from(u64::MAX) } else { 0 }
                | if all[1] { u128::MAX << 64 } else { 0 };
            let (old, new): (LineData, LineData) = (widen(old), widen(new));
            let (mut merged, mut written) = (old, old);
            merge(&mut merged, &new, mask, false);
            write(&mut written, &new, mask, false);
            for k in 0..128 {
                let on = mask >> k & 1 == 1;
                prop_assert_eq!(merged.0[k], if on { new.0[k] } else { old.0[k] });
                prop_assert_eq!(written.0[k], if on { new.0[k] } else { 0 });
            }
        }

        #[test]
        fn narrow_lines_have_16_bytes(mask: u16, old: [u8; 16], new: [u8; 16]) {
            let widen = |seed: [u8; 16]| {
                crate::ports::Bytes(std::array::from_fn(|k| if k < 16 { seed[k] } else { 0 }))
            };
            let (old, new): (LineData, LineData) = (widen(old), widen(new));
            let (mut merged, mut written, mut copied) = (old, old, old);
            merge(&mut merged, &new, mask.into(), true);
            write(&mut written, &new, mask.into(), true);
            copy(&mut copied, &new, true);
            prop_assert_eq!(copied, new);
            for k in 0..16 {
                let on = mask >> k & 1 == 1;
                prop_assert_eq!(merged.0[k], if on { new.0[k] } else { old.0[k] });
                prop_assert_eq!(written.0[k], if on { new.0[k] } else { 0 });
            }
        }
    }

    #[test]
    fn atomics_have_4_or_8_aligned_bytes() {
        for legal in [0xF, 0xF0, 0xFF, 0xFF00, 0xF << 124, 0xFF << 120] {
            assert!(is_atomic_size(legal), "{legal:#x}");
        }
        for illegal in [0, 1, 3, 0x1E, 0xFF0, 0xFFF, 0xFFFF, 0xF0F, 0x7F, u128::MAX] {
            assert!(!is_atomic_size(illegal), "{illegal:#x}");
        }
    }
}
