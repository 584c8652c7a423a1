//! The lowest run of enabled bytes of a mask.

/// `mask` without its lowest run.
#[inline(always)]
pub(super) fn rest(mask: u128) -> u128 {
    mask & mask.wrapping_add(mask & mask.wrapping_neg())
}

/// First byte and length of the lowest run of `mask`, which is not 0; `rest` is that of the mask.
#[inline(always)]
pub(super) fn place(mask: u128, rest: u128) -> (u32, u32) {
    let start = mask.trailing_zeros();
    (start, 128 - (mask ^ rest).leading_zeros() - start)
}
