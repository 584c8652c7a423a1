//! CPElide: the chiplet coherence table decides which L2s each launch releases and acquires
//! (specification of CPElide, section 5).

mod kernel;
mod memory;
mod packet;
mod rules;
mod setup;
mod space;

use crate::protocol::{Configuration, Protocol, Rule, Seen, named};
use crate::search::search;
use rules::RULES;
use setup::SETUPS;
use space::{Chiplets, NO_LOSS, NO_STALE_READ, RELEASED};

/// The chiplet coherence table, two chiplets and what programs do on them.
pub const CPELIDE: Protocol = Protocol {
    name: "cpelide",
    about: "chiplet coherence table: any sequence of kernels on two chiplets",
    properties: &[
        (NO_STALE_READ, "a kernel, or another GPU, loads the newest value of a byte"),
        (NO_LOSS, "an acquire finds no dirty data in its L2"),
        (RELEASED, "memory has the newest values after a system-scope release"),
    ],
    configurations: || {
        let of =
            |setup: &setup::Setup| Configuration { name: setup.name, is_large: setup.is_large };
        SETUPS.iter().map(of).collect()
    },
    rules: || {
        let place = |name: &str| SETUPS.iter().position(|setup| setup.name == name);
        let rule = |&(name, _, seen): &(&'static str, _, &str)| {
            let seen = Seen::In(place(seen).expect("a configuration of this name"));
            Rule { name, seen }
        };
        RULES.iter().map(rule).collect()
    },
    search: |at, without| search(Chiplets::new(&SETUPS[at], named(RULES, without))),
};
