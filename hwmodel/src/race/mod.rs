//! Race detection (Tabbakh's thesis, chapter 4): models.

pub mod access_validation_unit;
pub(crate) mod bloom;
pub mod race_detection_unit;
pub mod race_signature;
#[cfg(test)]
pub(crate) mod small;
pub mod speculative_load_queue;
