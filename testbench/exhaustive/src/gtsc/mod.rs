//! G-TSC: timestamp coherence in logical time (specification of G-TSC, sections 5 to 8).

mod program;
mod rules;
mod setup;
mod space;

use crate::protocol::{Configuration, Protocol, Rule, named};
use crate::search::search;
use rules::RULES;
use setup::{SETUPS, Setup};
use space::{Gpu, IN_ORDER, NO_ERROR, PROGRESS, VALUES};

/// L1s of SMs, a bank of the L2, and the reset of timestamps.
pub const GTSC: Protocol = Protocol {
    name: "gtsc",
    about: "timestamp coherence in logical time: SMs with L1s, an L2 bank, memory",
    properties: &[
        (VALUES, "the last store to the word at or before the load's time"),
        (
            IN_ORDER,
            "SC: all accesses; RC: accesses to one location, and accesses that a fence \
                        separates",
        ),
        (PROGRESS, "at most two resets per access"),
        (NO_ERROR, "no block raises an error"),
    ],
    configurations: || {
        let of = |setup: &Setup| Configuration { name: setup.name, is_large: setup.is_large };
        SETUPS.iter().map(of).collect()
    },
    rules: || RULES.iter().map(|&(name, _, seen)| Rule { name, seen }).collect(),
    search: |at, without| search(Gpu::new(&SETUPS[at], named(RULES, without))),
};
