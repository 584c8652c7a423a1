//! G-TSC: timestamp coherence in logical time (specification of G-TSC, sections 5 to 8).

mod program;
mod rules;
mod setup;
mod space;

use crate::protocol::{Configuration, Protocol, Rule, named};
use crate::search::{Found, search};
use rules::RULES;
use setup::{SETUPS, Setup};
use space::{Gpu, IN_ORDER, NO_ERROR, PROGRESS, VALUES};

/// L1s of SMs, a bank of the L2, and the reset of timestamps.
pub struct Gtsc;

impl Protocol for Gtsc {
    fn name(&self) -> &'static str {
        "gtsc"
    }

    fn about(&self) -> &'static str {
        "timestamp coherence in logical time: SMs with L1s, an L2 bank, memory"
    }

    fn properties(&self) -> &'static [(&'static str, &'static str)] {
        &[
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

    fn configurations(&self) -> Vec<Configuration> {
        let of = |setup: &Setup| Configuration { name: setup.name, is_large: setup.is_large };
        SETUPS.iter().map(of).collect()
    }

    fn rules(&self) -> Vec<Rule> {
        RULES.iter().map(|&(name, _, seen)| Rule { name, seen }).collect()
    }

    fn search(&self, configuration: usize, without: Option<&str>) -> Found {
        search(Gpu::new(&SETUPS[configuration], named(RULES, without)))
    }
}
