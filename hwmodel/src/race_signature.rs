//! Signatures of race detection, for what has them without the blocks.

pub use crate::common::bloom::{Granules, Hash, Indices, Keys, Signature};
