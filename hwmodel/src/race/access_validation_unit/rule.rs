//! Rules that tests disable, one at a time, to check that they find it.

use ports::race::types::result;

use super::choices::{Choices, SPECIFICATION};

/// A rule of the unit (specification 5.3, 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// A line of age 2 or more has expired; else the signature is tested as for age 1.
    Expires,
    /// A synchronisation ends lines that would look new again.
    LiveCleared,
    /// No lookup while a signature loads.
    LookupWaits,
    /// No beat while the speculative load queue validates.
    ResponseWaits,
    /// All granules of a lookup and of a query are tested; else the first alone.
    AllGranules,
    /// A line has `hits` hits without a check; else any number.
    Hits,
}

impl Choices {
    /// Those of a unit with the rule disabled.
    pub fn without(rule: Rule) -> Self {
        match rule {
            Rule::Expires => Self { expiry: u8::MAX, ..SPECIFICATION },
            Rule::LiveCleared => Self { ends_lines: false, ..SPECIFICATION },
            Rule::LookupWaits => Self { lookups_wait: false, ..SPECIFICATION },
            Rule::ResponseWaits => Self { beats_wait: false, ..SPECIFICATION },
            Rule::AllGranules => Self { granules: 1, ..SPECIFICATION },
            Rule::Hits => Self { needs_check: result::HIT, ..SPECIFICATION },
        }
    }
}
