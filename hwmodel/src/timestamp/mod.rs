//! G-TSC and TC (Tabbakh's thesis, chapter 3): models.

pub mod gtsc_rst;
#[cfg(test)]
pub(crate) mod small;
pub mod timestamp_l1;
pub mod timestamp_l2;
