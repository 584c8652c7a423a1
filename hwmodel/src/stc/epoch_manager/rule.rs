//! Rules that tests take away, to see that they find it.

/// A rule of the manager (specification 5.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// PREP waits until all CUs are ready.
    PrepWaitsForAll,
    /// CHG waits until all CUs are in the epoch.
    ChgWaitsForAll,
    /// REL waits until all levels have fallen.
    RelWaits,
    /// The first selection after a move of the start epoch bit does not move it again.
    Hold,
}
