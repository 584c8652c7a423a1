//! What the specification decides, as constants that the protocol reads. Tests run the protocol
//! with one of them changed (`rule.rs`).

use ports::sharing::types::act;

/// An event of a cycle.
#[derive(Clone, Copy, Debug)]
pub(super) enum Event {
    Fill,
    Lookup,
}

/// One field for each choice.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choices {
    /// In this order the events of a cycle take effect.
    pub order: [Event; 2],
    /// What a local miss does if `l2_mgt` is 1.
    pub local_miss: u8,
    /// SM numbers take part in sharing while their line is pending in an MSHR.
    pub merge_shares: bool,
}

/// Specification 5.2, 5.4.
pub(super) const SPECIFICATION: Choices =
    Choices { order: [Event::Fill, Event::Lookup], local_miss: act::BYPASS, merge_shares: true };
