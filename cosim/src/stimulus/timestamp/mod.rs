//! G-TSC and TC (Tabbakh's thesis, chapter 3): stimuli.

pub mod gtsc_l1;
pub mod gtsc_l2;
pub mod gtsc_rst;
pub mod tc_l1;
pub mod tc_l2;
mod timestamp_l1;
mod timestamp_l2;
