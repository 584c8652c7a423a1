//! What the specification decides, as constants that the protocol reads. Tests run the protocol
//! with one of them changed (`rule.rs`).

/// One field for each choice.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choices {
    /// Free slots that an SM needs for a work-group.
    pub slots: u32,
    /// Upper limit of the free slots that an SM needs for a burst.
    pub burst_slots: u32,
    /// `adpt` assigns an SM's first group without the test.
    pub exempts_first_group: bool,
}

/// Specification 5.1.
pub(super) const SPECIFICATION: Choices =
    Choices { slots: 1, burst_slots: 2, exempts_first_group: true };
