//! TC, with which G-TSC is compared: timestamp coherence in physical time (specification of G-TSC,
//! section 5.8).

mod program;
mod rules;
mod setup;
mod space;

use std::convert::identity;

use crate::protocol::protocol;
use rules::RULES;
use setup::SETUPS;
use space::{Gpu, NO_ERROR, OWN_ORDER, VALUES};

protocol! {
    /// L1s of SMs and a bank of the L2.
    Tc: "tc",
    "timestamp coherence in physical time: SMs with L1s, an L2 bank, memory",
    Gpu, identity,
    [
        (
            VALUES,
            "TC-Strong: by a performed store; TC-Weak: by a performed store that a fence \
             follows",
        ),
        (
            OWN_ORDER,
            "a load returns earlier stores of its warp, no later ones, and never an \
             older value again",
        ),
        (NO_ERROR, "no block raises an error"),
    ]
}
