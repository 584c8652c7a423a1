//! What the specification decides, as constants that the protocol reads. Tests run the protocol
//! with one of them changed (`rule.rs`).

/// One field for each choice.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choices {
    /// Rows R5 and R6, by the SF of the fill: it takes the way of the least recently used line.
    pub installs: [bool; 2],
    /// DBF bits of the way that stay at a touch.
    pub dead_after_touch: u8,
}

/// Specification 5.3.
pub(super) const SPECIFICATION: Choices = Choices { installs: [true, false], dead_after_touch: 0 };
