//! Rules that tests disable, one at a time, to check that they detect it.

use super::choices::{Choices, SPECIFICATION};

/// A rule of the block (specification 5.1, 8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// An SM takes a work-group if it has a free slot.
    FreeSlot,
    /// A burst opens only if the SM has free slots for all its work-groups.
    FreeForBurst,
    /// An SM's first group is assigned without the test.
    FirstGroup,
}

impl Choices {
    /// The choices with `rule` disabled.
    pub fn without(rule: Rule) -> Self {
        match rule {
            Rule::FreeSlot => Self { slots: 0, ..SPECIFICATION },
            Rule::FreeForBurst => Self { burst_slots: 1, ..SPECIFICATION },
            Rule::FirstGroup => Self { exempts_first_group: false, ..SPECIFICATION },
        }
    }
}
