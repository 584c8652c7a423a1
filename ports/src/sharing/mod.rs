//! Sharing-aware caches and work-group scheduling (Tabbakh's thesis, chapter 2): parameters, ports,
//! messages.

pub mod cta_scheduler;
mod parameters;
pub mod sharing_l1_policy;
pub mod sharing_l2_policy;
pub mod types;
