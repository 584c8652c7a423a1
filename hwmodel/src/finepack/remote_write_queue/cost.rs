//! What byte enables cost.

use ports::finepack::types::runs;

/// How much a mask enables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Size {
    /// Enabled bytes.
    pub bytes: u16,
    /// Payload bytes: the enabled ones and one sub-header for each run (specification 5.1).
    pub cost: u16,
}

/// Size of a mask with sub-headers of `sub_header_bytes` bytes.
#[inline(always)]
pub(super) fn size(mask: u128, sub_header_bytes: u32) -> Size {
    let bytes = mask.count_ones();
    Size { bytes: bytes as u16, cost: (bytes + sub_header_bytes * runs(mask)) as u16 }
}

#[cfg(test)]
mod tests {
    use ports::finepack::types;

    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn size_is_that_of_the_specification(a: u128, b: u128, shift in 0u32..128) {
            let mask = (a & b) >> shift;
            let size = size(mask, 5);
            prop_assert_eq!(u32::from(size.bytes), mask.count_ones());
            prop_assert_eq!(u32::from(size.cost), types::cost(mask, 5));
        }
    }
}
