//! What the specification decides, as constants that the protocol reads. Tests run the protocol
//! with one of them changed (`rule.rs`).

/// Until when a state lasts, by the levels of the CUs.
#[derive(Clone, Copy, Debug)]
pub(super) enum Until {
    /// All are high.
    All,
    /// One is high.
    One,
    /// All are low.
    None,
    /// One cycle.
    Now,
}

impl Until {
    /// `all` has a 1 for each CU.
    #[inline(always)]
    pub fn is_met(self, levels: u32, all: u32) -> bool {
        match self {
            Self::All => levels == all,
            Self::One => levels != 0,
            Self::None => levels == 0,
            Self::Now => true,
        }
    }
}

/// One field for each choice.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choices {
    /// PREP lasts by `ready_i`.
    pub prep: Until,
    /// CHG lasts by `done_i`.
    pub chg: Until,
    /// REL lasts by both.
    pub rel: Until,
    /// The first selection after a move of the start epoch bit does not move it, if `seb_on_wrap`
    /// is 1.
    pub holds: bool,
}

/// Specification 5.1.
pub(super) const SPECIFICATION: Choices =
    Choices { prep: Until::All, chg: Until::All, rel: Until::None, holds: true };
