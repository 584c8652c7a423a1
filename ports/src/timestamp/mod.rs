//! G-TSC and TC (Tabbakh's thesis, chapter 3): parameters, ports, messages.

pub mod gtsc_rst;
mod parameters;
pub mod timestamp_l1;
pub mod timestamp_l2;
pub mod types;
