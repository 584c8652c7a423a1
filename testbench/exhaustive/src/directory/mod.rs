//! The coherence directory of a home L2: which GPUs hold copies of its lines (specification of the
//! directory, sections 5 and 6).

mod messages;
mod rules;
mod setup;
mod space;

use crate::protocol::{Configuration, Protocol, Rule, Seen, named};
use crate::search::search;
use rules::RULES;
use setup::{SETUPS, Setup};
use space::{COVERED, Directory, RELEASED};

/// A home with its directory, and GPUs that read and write its lines.
pub const DIRECTORY: Protocol = Protocol {
    name: "directory",
    about: "coherence directory: GPUs that read and write lines of one home",
    properties: &[
        (COVERED, "a copy that is older than the home's line has a pending invalidation"),
        (
            RELEASED,
            "copies that are stale when a release passes the home are invalidated \
                        before it completes",
        ),
    ],
    configurations: || {
        let of = |setup: &Setup| Configuration { name: setup.name, is_large: setup.is_large };
        SETUPS.iter().map(of).collect()
    },
    rules: || {
        let rule = |&(name, _, at): &(&'static str, _, usize)| Rule { name, seen: Seen::In(at) };
        RULES.iter().map(rule).collect()
    },
    search: |at, without| search(Directory::new(&SETUPS[at], named(RULES, without))),
};
