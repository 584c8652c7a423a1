//! Race detection (Tabbakh's thesis, chapter 4): parameters, ports, messages.

pub mod access_validation_unit;
mod parameters;
pub mod race_detection_unit;
pub mod speculative_load_queue;
pub mod types;
