//! TC, with which G-TSC is compared: timestamp coherence in physical time (specification of G-TSC,
//! section 5.8).

mod program;
mod rules;
mod setup;
mod space;

use crate::protocol::{Configuration, Protocol, Rule, named};
use crate::search::search;
use rules::RULES;
use setup::{SETUPS, Setup};
use space::{Gpu, NO_ERROR, OWN_ORDER, VALUES};

/// L1s of SMs and a bank of the L2.
pub const TC: Protocol = Protocol {
    name: "tc",
    about: "timestamp coherence in physical time: SMs with L1s, an L2 bank, memory",
    properties: &[
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
    ],
    configurations: || {
        let of = |setup: &Setup| Configuration { name: setup.name, is_large: setup.is_large };
        SETUPS.iter().map(of).collect()
    },
    rules: || RULES.iter().map(|&(name, _, seen)| Rule { name, seen }).collect(),
    search: |at, without| search(Gpu::new(&SETUPS[at], named(RULES, without))),
};
