//! Rules that tests disable, one at a time, to check that they find it.

use super::choices::{Choices, SPECIFICATION};

/// A rule of the block (specification 5.3, 8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// R6: a shared line bypasses a set of private lines.
    KeepPrivate,
    /// A line that is used is not dead.
    TouchClears,
}

impl Choices {
    /// Those of a policy with the rule disabled.
    pub fn without(rule: Rule) -> Self {
        match rule {
            Rule::KeepPrivate => Self { installs: [true, true], ..SPECIFICATION },
            Rule::TouchClears => Self { dead_after_touch: u8::MAX, ..SPECIFICATION },
        }
    }
}
