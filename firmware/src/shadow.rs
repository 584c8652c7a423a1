//! Entries of the lowest slots in fast memory, in the form in which most launches ask for them.

use crate::record::EMPTY_FIRST;

const WORDS: usize = 680;
/// A range that no bytes are within: it is empty.
const EMPTY: (u32, u32) = (u32::MAX, 0);
/// Nor within this one: it must be looked up in the private memory.
const ELSEWHERE: (u32, u32) = (u32::MAX, 1);

/// For each entry, for each chiplet the lower halves of the addresses of its first and last byte;
/// then the word of the states.
#[derive(Debug)]
pub struct Shadow {
    words: [u32; WORDS],
}

impl Shadow {
    /// Nothing.
    pub const NEW: Self = Self { words: [0; WORDS] };

    /// An entry's ranges and states, if it is here.
    #[inline(always)]
    pub fn entry(&self, slot: usize, chiplets: usize) -> Option<(&[u32], &u32)> {
        let words = 2 * chiplets + 1;
        let (states, ranges) = self.words.get(slot * words..slot * words + words)?.split_last()?;
        Some((ranges, states))
    }

    /// The same, to be changed.
    #[inline]
    pub fn entry_mut(&mut self, slot: usize, chiplets: usize) -> Option<(&mut [u32], &mut u32)> {
        let words = 2 * chiplets + 1;
        let entry = self.words.get_mut(slot * words..slot * words + words)?;
        let (states, ranges) = entry.split_last_mut()?;
        Some((ranges, states))
    }
}

/// True where an entry that ends with this line, counted from address 0, can be kept here: its
/// addresses have one upper half.
pub fn fits(base: u32, last: u64, line_shift: u32) -> bool {
    (last >> (32 - line_shift)) as u32 == base >> 20
}

/// A range of lines of an entry as it is kept here.
#[inline]
pub fn bytes(base: u32, (first, last): (u32, u32), line_shift: u32, fits: bool) -> (u32, u32) {
    if first > last {
        return EMPTY;
    }
    if !fits {
        return ELSEWHERE;
    }
    let address = |line: u32| (base << 12).wrapping_add(line << line_shift);
    (address(first), address(last) + ((1 << line_shift) - 1))
}

/// The lines, unless they must be looked up.
pub fn lines(base: u32, bytes: (u32, u32), line_shift: u32) -> Option<(u32, u32)> {
    match bytes {
        EMPTY => Some((EMPTY_FIRST, 0)),
        ELSEWHERE => None,
        (first, last) => {
            let line = |address: u32| address.wrapping_sub(base << 12) >> line_shift;
            Some((line(first), line(last)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_back_from_bytes() {
        for (base, range) in [(0, (0, 0)), (0x12_3456, (7, 900)), (0xf_ffff, (0, 63)), (3, (5, 4))]
        {
            let last = (u64::from(base) << 6) + u64::from(range.1);
            assert!(fits(base, last, 6), "{base:x} {range:?}");
            let again = lines(base, bytes(base, range, 6, true), 6);
            let expected = if range.0 > range.1 { (EMPTY_FIRST, 0) } else { range };
            assert_eq!(again, Some(expected), "{base:x} {range:?}");
        }
    }

    #[test]
    fn ranges_over_a_border_of_4_gib_are_elsewhere() {
        assert!(!fits(0xf_ffff, (0xf_ffff << 6) + 64, 6));
        assert!(fits(0xf_ffff, (0xf_ffff << 6) + 63, 6));
        assert_eq!(bytes(0xf_ffff, (0, 64), 6, false), ELSEWHERE);
        assert_eq!(lines(0xf_ffff, ELSEWHERE, 6), None);
    }

    #[test]
    fn nothing_is_within_what_is_not_here() {
        for (first, last) in [EMPTY, ELSEWHERE] {
            for byte in [0, 1, 2, u32::MAX - 1, u32::MAX] {
                assert!(!(byte >= first && byte <= last));
            }
        }
    }
}
