//! The policy that says which way a line takes (`rtl/timestamp/timestamp_l1/README.md`, rule 10).

use ports::timestamp::types::Ask;

use crate::state::State;

/// What it is asked, and what it said.
#[derive(Clone, Copy, Debug, Default, Hash)]
pub(super) enum Policy {
    #[default]
    Rests,
    Asked(Ask),
    /// The way, where the line is kept.
    Said(Option<u8>),
}

impl Policy {
    /// What is shown of it.
    #[inline(always)]
    pub fn ask(&self) -> Option<Ask> {
        if let Self::Asked(ask) = self { Some(*ask) } else { None }
    }

    /// The registers.
    pub fn show_state(&self, state: &mut State) {
        state.flag("ask_valid", matches!(self, Self::Asked(_)));
        state.flag("picked", matches!(self, Self::Said(_)));
    }
}
