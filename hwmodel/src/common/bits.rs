//! Bits of masks.

/// The places of the ones of a mask, lowest first.
pub(crate) fn ones(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let one = mask.trailing_zeros() as usize;
        mask &= mask.wrapping_sub(1);
        (one < 32).then_some(one)
    })
}
