//! Rules that tests take away, to see that they find it.

/// A rule of the block (specification 5.2, 5.4, 8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Sharing is tracked while a line is under way.
    MshrOwner,
    /// A line of local memory is not kept.
    LocalBypass,
    /// A line that comes is there for an access of its cycle.
    FillFirst,
}
