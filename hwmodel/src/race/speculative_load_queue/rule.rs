//! Rules that tests disable, one at a time, to check that they detect it.

use super::choices::{Choices, SPECIFICATION};

/// A rule of the queue (specification 5.4, 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// No commit while a signature is tested.
    CommitWaits,
    /// Forced signatures are tested too.
    ForcedTested,
    /// A replay drops the younger loads of its warp.
    ReplayDrops,
    /// A replay drops the load of its warp that is allocated in its cycle.
    ReplayDropsAlloc,
}

impl Choices {
    /// The choices with `rule` disabled.
    pub fn without(rule: Rule) -> Self {
        match rule {
            Rule::CommitWaits => Self { commits_wait: false, ..SPECIFICATION },
            Rule::ForcedTested => Self { tests_forced: false, ..SPECIFICATION },
            Rule::ReplayDrops => Self { drops_entries: false, ..SPECIFICATION },
            Rule::ReplayDropsAlloc => Self { drops_alloc: false, ..SPECIFICATION },
        }
    }
}
