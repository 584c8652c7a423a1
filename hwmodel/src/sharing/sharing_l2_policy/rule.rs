//! Rules that tests disable, one at a time, to check that they find it.

use ports::sharing::types::act;

use super::choices::{Choices, Event, SPECIFICATION};

/// A rule of the block (specification 5.2, 5.4, 8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Sharing is tracked while a fill is pending.
    MshrOwner,
    /// A local miss allocates no line.
    LocalBypass,
    /// A line that is filled is there for a lookup of its cycle.
    FillFirst,
}

impl Choices {
    /// Those of a policy with the rule disabled.
    pub fn without(rule: Rule) -> Self {
        match rule {
            Rule::MshrOwner => Self { merge_shares: false, ..SPECIFICATION },
            Rule::LocalBypass => Self { local_miss: act::ALLOC, ..SPECIFICATION },
            Rule::FillFirst => Self { order: [Event::Lookup, Event::Fill], ..SPECIFICATION },
        }
    }
}
