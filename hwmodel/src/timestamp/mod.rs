//! G-TSC and TC (Tabbakh's thesis, chapter 3): models.

pub mod gtsc_l1;
pub mod gtsc_l2;
pub mod gtsc_rst;
pub(crate) mod l1;
pub(crate) mod l2;
#[cfg(test)]
pub(crate) mod small;
pub mod tc_l1;
pub mod tc_l2;
