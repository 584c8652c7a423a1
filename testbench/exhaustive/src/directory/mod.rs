//! The coherence directory of a home L2: which GPUs hold copies of its lines (specification of the
//! directory, sections 5 and 6).

mod messages;
mod rules;
mod setup;
mod space;

use crate::protocol::{Configuration, Protocol, Rule, Seen, named};
use crate::search::{Found, search};
use rules::RULES;
use setup::{SETUPS, Setup};
use space::{COVERED, Directory, RELEASED};

/// A home with its directory, and GPUs that read and write its lines.
pub struct CoherenceDirectory;

impl Protocol for CoherenceDirectory {
    fn name(&self) -> &'static str {
        "directory"
    }

    fn about(&self) -> &'static str {
        "coherence directory: GPUs that read and write lines of one home"
    }

    fn properties(&self) -> &'static [(&'static str, &'static str)] {
        &[
            (COVERED, "a copy that is older than the home's line has a pending invalidation"),
            (
                RELEASED,
                "copies that are stale when a release passes the home are invalidated \
                        before it completes",
            ),
        ]
    }

    fn configurations(&self) -> Vec<Configuration> {
        let of = |setup: &Setup| Configuration { name: setup.name, is_large: setup.is_large };
        SETUPS.iter().map(of).collect()
    }

    fn rules(&self) -> Vec<Rule> {
        let rule = |&(name, _, at): &(&'static str, _, usize)| Rule { name, seen: Seen::In(at) };
        RULES.iter().map(rule).collect()
    }

    fn search(&self, configuration: usize, without: Option<&str>) -> Found {
        search(Directory::new(&SETUPS[configuration], named(RULES, without)))
    }
}
