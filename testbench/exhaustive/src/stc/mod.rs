//! STC: epochs in which CUs may write bands of addresses (specification of STC, sections 5 and 6).

mod rules;
mod setup;
mod space;

use std::convert::identity;

use crate::protocol::protocol;
use rules::RULES;
use setup::SETUPS;
use space::{Cus, GRANTED, NO_ERROR};

protocol! {
    /// The epoch manager and the epoch agents of two CUs.
    SpatiotemporalCoherence: "stc",
    "STC: the epoch manager and the epoch agents of two CUs, without L1s",
    Cus, identity,
    [
        (GRANTED, "in flight: from acceptance by the L1 until the L2 has performed it"),
        (NO_ERROR, "no block raises an error"),
    ]
}
