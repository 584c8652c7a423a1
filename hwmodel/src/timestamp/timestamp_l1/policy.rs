//! Query and pick of the replacement policy (`rtl/timestamp/timestamp_l1/README.md`, rule 10).

use ports::timestamp::types::Ask;

use crate::state::State;

/// State of the query.
#[derive(Clone, Copy, Debug, Default, Hash)]
pub(super) enum Policy {
    #[default]
    Idle,
    Queried(Ask),
    /// The way; `None`: the line is not kept.
    Picked(Option<u8>),
}

impl Policy {
    /// The pending query.
    #[inline(always)]
    pub fn ask(&self) -> Option<Ask> {
        if let Self::Queried(ask) = self { Some(*ask) } else { None }
    }

    /// The registers.
    pub fn show_state(&self, state: &mut State) {
        state.flag("ask_valid", matches!(self, Self::Queried(_)));
        state.flag("picked", matches!(self, Self::Picked(_)));
    }
}
