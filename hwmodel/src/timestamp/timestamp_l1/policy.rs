//! The policy that says which way a line takes (`rtl/timestamp/timestamp_l1/README.md`, rule 10).

use ports::timestamp::types::{Ask, Pick};

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

    /// It was asked and says this. False: the way is none that was offered.
    pub fn say(&mut self, ask: Ask, pick: Pick) -> bool {
        let offered = ask.ways >> pick.way & 1 == 1;
        *self = Self::Said((pick.keep && offered).then_some(pick.way));
        offered || !pick.keep
    }

    /// The registers.
    pub fn show_state(&self, state: &mut State) {
        state.flag("ask_valid", matches!(self, Self::Asked(_)));
        state.flag("picked", matches!(self, Self::Said(_)));
    }
}
