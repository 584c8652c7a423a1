//! STC: epochs in which CUs may write bands of addresses (specification of STC, sections 5 and 6).

mod rules;
mod setup;
mod space;

use crate::protocol::{Configuration, Protocol, Rule, named};
use crate::search::search;
use rules::RULES;
use setup::{SETUPS, Setup};
use space::{Cus, GRANTED, NO_ERROR};

/// The epoch manager and the epoch agents of two CUs.
pub const STC: Protocol = Protocol {
    name: "stc",
    about: "STC: the epoch manager and the epoch agents of two CUs, without L1s",
    properties: &[
        (GRANTED, "in flight: from acceptance by the L1 until the L2 has performed it"),
        (NO_ERROR, "no block raises an error"),
    ],
    configurations: || {
        let of = |setup: &Setup| Configuration { name: setup.name, is_large: setup.is_large };
        SETUPS.iter().map(of).collect()
    },
    rules: || RULES.iter().map(|&(name, _, seen)| Rule { name, seen }).collect(),
    search: |at, without| search(Cus::new(&SETUPS[at], named(RULES, without))),
};
