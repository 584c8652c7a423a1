//! G-TSC and TC (Tabbakh's thesis, chapter 3): stimuli.

pub mod gtsc_rst;
pub mod timestamp_l1;
pub mod timestamp_l2;
