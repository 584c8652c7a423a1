//! Illegal parameters, and idle-skipping. What the block does is tested on model and RTL
//! (`tests/blocks/stc`).

mod parameters;
mod quiet;

use ports::stc::types::{Req, Variant};

use super::*;

/// The small parameters of specification 2.1.
fn small(variant: Variant) -> Config {
    (&crate::stc::small::small(variant)).into()
}
