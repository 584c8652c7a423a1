//! G-TSC: timestamp coherence in logical time (specification of G-TSC, sections 5 to 8).

mod program;
mod rules;
mod setup;
mod space;

use std::convert::identity;

use crate::protocol::protocol;
use rules::RULES;
use setup::SETUPS;
use space::{Gpu, IN_ORDER, NO_ERROR, PROGRESS, VALUES};

protocol! {
    /// L1s of SMs, a bank of the L2, and the reset of timestamps.
    Gtsc: "gtsc",
    "timestamp coherence in logical time: SMs with L1s, an L2 bank, memory",
    Gpu, identity,
    [
        (VALUES, "the last store to the word at or before the load's time"),
        (
            IN_ORDER,
            "SC: all accesses; RC: accesses to one location, and accesses that a fence \
             separates",
        ),
        (PROGRESS, "at most two resets per access"),
        (NO_ERROR, "no block raises an error"),
    ]
}
