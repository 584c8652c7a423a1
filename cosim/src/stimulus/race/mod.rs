//! Race detection (Tabbakh's thesis, chapter 4): stimuli.

pub mod access_validation_unit;
pub mod race_detection_unit;
pub mod speculative_load_queue;
