//! CPElide: the chiplet coherence table decides which L2s each launch releases and acquires
//! (specification of CPElide, section 5).

mod kernel;
mod memory;
mod packet;
mod rules;
mod setup;
mod space;

use crate::protocol::{Seen, protocol};
use rules::RULES;
use setup::SETUPS;
use space::{Chiplets, NO_LOSS, NO_STALE_READ, RELEASED};

protocol! {
    /// The chiplet coherence table, two chiplets and what programs do on them.
    Cpelide: "cpelide",
    "chiplet coherence table: any sequence of kernels on two chiplets",
    Chiplets, seen_in,
    [
        (NO_STALE_READ, "a kernel, or another GPU, loads the newest value of a byte"),
        (NO_LOSS, "an acquire finds no dirty data in its L2"),
        (RELEASED, "memory has the newest values after a system-scope release"),
    ]
}

fn seen_in(name: &str) -> Seen {
    let place = SETUPS.iter().position(|setup| setup.name == name);
    Seen::In(place.expect("a configuration of this name"))
}
