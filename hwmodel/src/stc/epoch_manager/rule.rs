//! Rules that tests disable, one at a time, to check that they find it.

use super::choices::{Choices, SPECIFICATION, Until};

/// A rule of the manager (specification 5.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// PREP waits until all CUs are ready.
    PrepWaitsForAll,
    /// CHG waits until all CUs are in the epoch.
    ChgWaitsForAll,
    /// REL waits until all levels have fallen.
    RelWaits,
    /// The first selection after a move of the start epoch bit does not move it again.
    Hold,
}

impl Choices {
    /// Those of a manager with the rule disabled.
    pub fn without(rule: Rule) -> Self {
        match rule {
            Rule::PrepWaitsForAll => Self { prep: Until::One, ..SPECIFICATION },
            Rule::ChgWaitsForAll => Self { chg: Until::One, ..SPECIFICATION },
            Rule::RelWaits => Self { rel: Until::Now, ..SPECIFICATION },
            Rule::Hold => Self { holds: false, ..SPECIFICATION },
        }
    }
}
