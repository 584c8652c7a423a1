//! Sharing-aware caches and work-group scheduling (Tabbakh's thesis, chapter 2): stimuli.

pub mod cta_scheduler;
pub mod sharing_l1_policy;
pub mod sharing_l2_policy;
