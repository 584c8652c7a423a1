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

/// Copies the bytes of `mask`.
#[inline]
pub fn copy(to: &mut [u8], from: &[u8], mask: u128) {
    runs(mask, |first, len| to[first..first + len].copy_from_slice(&from[first..first + len]));
}

/// The bytes of `mask` in which `a` and `b` differ.
#[inline]
pub fn differences(a: &[u8], b: &[u8], mask: u128) -> u128 {
    let mut differ = 0;
    runs(mask, |first, len| {
        if a[first..first + len] != b[first..first + len] {
            for k in first..first + len {
                differ |= u128::from(a[k] != b[k]) << k;
            }
        }
    });
    differ
}

/// How many sectors of `sector` bytes (a power of 2) the mask touches.
#[inline]
pub fn sectors(mask: u128, sector: usize) -> u32 {
    let mut folded = mask;
    let mut step = 1;
    while step < sector {
        folded |= folded >> step;
        step *= 2;
    }
    // The lowest bit of each sector now tells of the whole sector.
    let lowest = u128::MAX / (u128::MAX >> (128 - sector.min(127)));
    match sector {
        128 => u32::from(mask != 0),
        _ => (folded & lowest).count_ones(),
    }
}

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
    fn sectors_are_counted_once() {
        for sector in [8, 16, 32, 64, 128] {
            for mask in [0, 1, span(31, 2), span(0, 128), 1 << 127, span(60, 10) | 1] {
                let slow =
                    (0..128 / sector).filter(|s| mask & span(s * sector, sector) != 0).count();
                assert_eq!(sectors(mask, sector), slow as u32, "{mask:#x} in {sector}");
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
}
