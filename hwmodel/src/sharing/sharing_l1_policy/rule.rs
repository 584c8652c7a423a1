//! Rules that tests take away, to see that they find it.

/// A rule of the block (specification 5.3, 8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// R6: a shared line is not kept where all are private.
    KeepPrivate,
    /// A line that is used is not dead.
    TouchClears,
}
