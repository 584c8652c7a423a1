//! G-TSC and TC (Tabbakh's thesis, chapter 3): models.

pub mod gtsc_rst;
#[cfg(test)]
pub(crate) mod small;
pub mod timestamp_l1;
pub mod timestamp_l2;

use ports::timestamp::types::LineData;

/// Writes the bytes of a mask.
#[inline(always)]
fn write(line: &mut LineData, data: &LineData, mut mask: u128) {
    while mask != 0 {
        let byte = mask.trailing_zeros() as usize;
        mask &= mask - 1;
        line.0[byte] = data.0[byte];
    }
}
