//! STC: epochs in which CUs may write bands of addresses (specification of STC, sections 5 and 6).

mod rules;
mod setup;
mod space;

use crate::protocol::{Configuration, Protocol, Rule, named};
use crate::search::{Found, search};
use rules::RULES;
use setup::{SETUPS, Setup};
use space::{Cus, GRANTED, NO_ERROR};

/// The epoch manager and the epoch agents of two CUs.
pub struct SpatiotemporalCoherence;

impl Protocol for SpatiotemporalCoherence {
    fn name(&self) -> &'static str {
        "stc"
    }

    fn about(&self) -> &'static str {
        "STC: the epoch manager and the epoch agents of two CUs, without L1s"
    }

    fn properties(&self) -> &'static [(&'static str, &'static str)] {
        &[
            (GRANTED, "in flight: from acceptance by the L1 until the L2 has performed it"),
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
        search(Cus::new(&SETUPS[configuration], named(RULES, without)))
    }
}
