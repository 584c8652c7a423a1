//! Byte masks of a line: bit k stands for byte k.

/// The mask of `len` bytes from `first` on. `len` is 1 to 128.
#[inline]
pub fn span(first: usize, len: usize) -> u128 {
    (u128::MAX >> (128 - len)) << first
}

/// Calls `f` with each run of set bits: first byte and length.
#[inline]
pub fn runs(mask: u128, mut f: impl FnMut(usize, usize)) {
    let mut left = mask;
    while left != 0 {
        let first = left.trailing_zeros() as usize;
        let len = (left >> first).trailing_ones() as usize;
        f(first, len);
        left &= !span(first, len);
    }
}

/// Copies a line's bytes to the front of `to`. Most lines have 64 bytes: a copy of a length that is
/// known is a few moves.
#[inline]
pub fn copy_line(to: &mut [u8], from: &[u8]) {
    match (to.first_chunk_mut::<64>(), <&[u8; 64]>::try_from(from)) {
        (Some(to), Ok(from)) => *to = *from,
        _ => copy_other(to, from),
    }
}

/// Apart, or the compiler makes one copy of both, of any length.
#[inline(never)]
fn copy_other(to: &mut [u8], from: &[u8]) {
    to[..from.len()].copy_from_slice(from);
}

/// Copies the bytes of `mask`, which are bytes of `to`.
#[inline]
pub fn copy(to: &mut [u8], from: &[u8], mask: u128) {
    // Most lines are written whole.
    if mask.count_ones() as usize == to.len() {
        return copy_line(to, &from[..to.len()]);
    }
    runs(mask, |first, len| to[first..first + len].copy_from_slice(&from[first..first + len]));
}

/// Whether two lines have the same bytes. Most have 64: of a length that is known that is a few
/// comparisons.
#[inline]
pub fn are_equal(a: &[u8], b: &[u8]) -> bool {
    match (<&[u8; 64]>::try_from(a), <&[u8; 64]>::try_from(b)) {
        (Ok(a), Ok(b)) => a == b,
        _ => a == b,
    }
}

/// The bytes of `mask` in which `a` and `b` differ.
#[inline]
pub fn differences(a: &[u8], b: &[u8], mask: u128) -> u128 {
    let len = a.len().min(b.len());
    if mask.count_ones() as usize == len && are_equal(&a[..len], &b[..len]) {
        return 0;
    }
    bytes_that_differ(a, b, mask)
}

/// Eight bytes at a time, where the mask has some: a word's bytes that differ have their highest
/// bit set, and a product gathers these bits in its highest byte.
#[inline(never)]
fn bytes_that_differ(a: &[u8], b: &[u8], mask: u128) -> u128 {
    let of_half = |half: usize| -> u64 {
        let mut left = (mask >> (64 * half)) as u64;
        let (Some(a), Some(b)) = (a.as_chunks().0.get(8 * half..), b.as_chunks().0.get(8 * half..))
        else {
            return 0;
        };
        let mut differ = 0;
        while left != 0 {
            let at = left.trailing_zeros() / 8;
            let (Some(a), Some(b)) = (a.get(at as usize), b.get(at as usize)) else { break };
            // They differ only after an error.
            if a != b {
                let word = u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b);
                differ |= word_bytes(word) << (8 * at);
            }
            left &= !(0xff << (8 * at));
        }
        differ
    };
    (u128::from(of_half(1)) << 64 | u128::from(of_half(0))) & mask
}

/// A bit for each byte of a word that is not 0.
#[inline]
fn word_bytes(word: u64) -> u64 {
    const LOW_BITS: u64 = u64::MAX / 0xff * 0x7f;
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let highest = (((word & LOW_BITS) + LOW_BITS) | word) & !LOW_BITS;
    (highest >> 7).wrapping_mul(GATHER) >> 56
}

/// All bytes of the granules that the mask touches.
pub fn widen(mask: u128, granule: usize) -> u128 {
    let (mut left, mut wide) = (mask, 0);
    while left != 0 {
        let touched = span(left.trailing_zeros() as usize / granule * granule, granule);
        wide |= touched;
        left &= !touched;
    }
    wide
}

/// How many sectors of `1 << log` bytes the mask touches.
#[inline]
pub fn sectors(mask: u128, log: u32) -> u32 {
    let half = |mut folded: u64| {
        if folded == u64::MAX {
            return 64 >> log.min(6);
        }
        for step in 0..log.min(6) {
            folded |= folded >> (1 << step);
        }
        // The lowest bit of each sector now tells of the whole sector.
        (folded & LOWEST[log.min(6) as usize]).count_ones()
    };
    let (low, high) = (mask as u64, (mask >> 64) as u64);
    match log {
        7 => u32::from(mask != 0),
        _ if high == 0 => half(low) * u32::from(low != 0),
        _ => half(low) + half(high),
    }
}

/// How many sectors of `1 << log` bytes the mask touches in part.
#[inline]
pub fn partial_sectors(mask: u128, log: u32) -> u32 {
    // A sector of which bytes are set and others are not counts on both sides.
    sectors(mask, log) + sectors(!mask, log) - (128 >> log)
}

/// The lowest bit of each sector of 1, 2, 4, ... 64 bytes.
const LOWEST: [u64; 7] = [
    u64::MAX,
    0x5555_5555_5555_5555,
    0x1111_1111_1111_1111,
    0x0101_0101_0101_0101,
    0x0001_0001_0001_0001,
    0x0000_0001_0000_0001,
    1,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_and_spans() {
        let mut seen = Vec::new();
        runs(span(0, 2) | span(5, 1) | span(120, 8), |first, len| seen.push((first, len)));
        assert_eq!(seen, [(0, 2), (5, 1), (120, 8)]);
        assert_eq!(span(0, 128), u128::MAX);
    }

    #[test]
    fn granules_are_taken_whole() {
        assert_eq!(widen(1 << 31 | 1 << 32, 32), span(0, 64));
        assert_eq!(widen(span(60, 10), 64), u128::MAX);
        assert_eq!(widen(1 << 127, 128), u128::MAX);
        assert_eq!(widen(0, 16), 0);
        for granule in [4, 16, 32, 64] {
            let wide = widen(span(31, 2) | 1 << 100, granule);
            assert_eq!(wide.count_ones(), sectors(wide, granule.ilog2()) * granule as u32);
        }
    }

    #[test]
    fn sectors_are_counted_once() {
        for log in 0..8 {
            let sector = 1 << log;
            for mask in [0, 1, span(31, 2), span(0, 64), u128::MAX, 1 << 127, span(60, 10) | 1] {
                let slow =
                    (0..128 / sector).filter(|s| mask & span(s * sector, sector) != 0).count();
                assert_eq!(sectors(mask, log), slow as u32, "{mask:#x} in {sector}");
                let partial = (0..128 / sector).filter(|s| {
                    let sector = span(s * sector, sector);
                    mask & sector != 0 && mask & sector != sector
                });
                assert_eq!(partial_sectors(mask, log), partial.count() as u32, "{mask:#x}");
                let whole = widen(mask, sector);
                assert_eq!((whole & mask, whole.count_ones()), (mask, (slow * sector) as u32));
            }
        }
    }

    #[test]
    fn differences_are_named_by_byte() {
        let (a, mut b) = ([7; 128], [7; 128]);
        (b[3], b[64]) = (0, 1);
        assert_eq!(differences(&a, &b, u128::MAX), 1 << 3 | 1 << 64);
        assert_eq!(differences(&a, &b, 1 << 64), 1 << 64);
    }

    #[test]
    fn each_byte_of_each_length_of_a_line_may_differ_in_any_bit() {
        for (len, at) in [32, 64, 128].into_iter().flat_map(|len| (0..len).map(move |at| (len, at)))
        {
            for bit in 0..8 {
                let (a, mut b) = ([0xa5; 128], [0xa5; 128]);
                b[at] ^= 1 << bit;
                let others = span(0, len) & !(1 << at);
                assert_eq!(differences(&a[..len], &b[..len], span(0, len)), 1 << at);
                assert_eq!(differences(&a[..len], &b[..len], others), 0);
                b.iter_mut().for_each(|byte| *byte ^= 0xff);
                assert_eq!(differences(&a, &b[..len], others), others);
            }
        }
    }
}
