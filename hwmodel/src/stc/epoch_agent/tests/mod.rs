//! Illegal parameters, and idle-skipping. What the block does is tested on model and RTL
//! (`tests/blocks/stc`).

mod parameters;
mod quiet;

use ports::stc::types::Variant;

use super::*;

/// The small parameters of specification 2.1: 4 bands of 16 bytes.
fn small(variant: Variant) -> Config {
    (&crate::stc::small::small(variant)).into()
}

fn epoch(gvec: u32) -> Epoch {
    Epoch { seb: 4, gvec }
}

/// An address in a band, with the start epoch bit 4.
fn of(band: u32) -> u32 {
    band << 4
}
