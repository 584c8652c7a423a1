//! What the specification decides, as constants that the protocol reads. Tests run the protocol
//! with one of them changed (`rule.rs`).

use ports::race::types::result;

/// One field for each choice.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choices {
    /// From this age on a line has expired.
    pub expiry: u8,
    /// The result of a hit when the line has no hits left.
    pub needs_check: u8,
    /// A synchronisation ends lines of the number of the new epoch.
    pub ends_lines: bool,
    /// Of a lookup and of a query at most this number of granules is tested.
    pub granules: u32,
    /// Lookups wait while a signature loads.
    pub lookups_wait: bool,
    /// Beats wait while the speculative load queue validates.
    pub beats_wait: bool,
}

/// Specification 5.3.
pub(super) const SPECIFICATION: Choices = Choices {
    expiry: 2,
    needs_check: result::HIT_NEEDCHK,
    ends_lines: true,
    granules: u32::MAX,
    lookups_wait: true,
    beats_wait: true,
};
