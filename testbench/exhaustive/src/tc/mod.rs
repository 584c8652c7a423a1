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
        "timestamp coherence in physical time: SMs with L1s, an L2 bank, memory"
    }

    fn properties(&self) -> &'static [(&'static str, &'static str)] {
        &[
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
