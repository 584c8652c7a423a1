//! TC, with which G-TSC is compared: timestamp coherence in physical time (specification of G-TSC,
//! section 5.8).

mod program;
mod rules;
mod setup;
mod space;

use crate::protocol::{Configuration, Protocol, Rule, named};
use crate::search::{Found, search};
use rules::RULES;
use setup::{SETUPS, Setup};
use space::{Gpu, NO_ERROR, OWN_ORDER, VALUES};

/// L1s of SMs and a bank of the L2.
pub struct Tc;

impl Protocol for Tc {
    fn name(&self) -> &'static str {
        "tc"
    }

    fn about(&self) -> &'static str {
        "timestamp coherence in physical time: SMs with their L1s, a bank of the L2, memory"
    }

    fn properties(&self) -> &'static [(&'static str, &'static str)] {
        &[
            (
                VALUES,
                "TC-Strong: by a store that was performed; TC-Weak: and then passed by a fence",
            ),
            (OWN_ORDER, "it finds its own stores, not later ones, and never an older value again"),
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
