//! CPElide: the chiplet coherence table decides which L2s each launch releases and acquires
//! (specification of CPElide, section 5).

mod kernel;
mod memory;
mod packet;
mod rules;
mod setup;
mod space;

use crate::protocol::{Configuration, Protocol, Rule, Seen, named};
use crate::search::{Found, search};
use rules::RULES;
use setup::SETUPS;
use space::{Chiplets, NO_LOSS, NO_STALE_READ, RELEASED};

/// The chiplet coherence table, two chiplets and what programs do on them.
pub struct Cpelide;

impl Protocol for Cpelide {
    fn name(&self) -> &'static str {
        "cpelide"
    }

    fn about(&self) -> &'static str {
        "chiplet coherence table: any sequence of kernels on two chiplets"
    }

    fn properties(&self) -> &'static [(&'static str, &'static str)] {
        &[
            (NO_STALE_READ, "a kernel, or another GPU, loads the newest value of a byte"),
            (NO_LOSS, "an acquire finds no dirty data in its L2"),
            (RELEASED, "memory has the newest values after a system-scope release"),
        ]
    }

    fn configurations(&self) -> Vec<Configuration> {
        let of =
            |setup: &setup::Setup| Configuration { name: setup.name, is_large: setup.is_large };
        SETUPS.iter().map(of).collect()
    }

    fn rules(&self) -> Vec<Rule> {
        let place = |name: &str| SETUPS.iter().position(|setup| setup.name == name);
        let rule = |&(name, _, seen): &(&'static str, _, &str)| {
            let seen = Seen::In(place(seen).expect("a configuration of this name"));
            Rule { name, seen }
        };
        RULES.iter().map(rule).collect()
    }

    fn search(&self, configuration: usize, without: Option<&str>) -> Found {
        search(Chiplets::new(&SETUPS[configuration], named(RULES, without)))
    }
}
