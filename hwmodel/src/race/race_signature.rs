//! Signatures of race detection, for what has them without the blocks.

pub use crate::race::bloom::{Granules, Hash, Indices, Keys, Signature};
