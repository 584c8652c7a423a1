//! Rules that tests take away, to see that they find it.

/// A rule of the block (specification 5.1, 8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// An SM takes a work-group if it has a free slot.
    FreeSlot,
    /// A burst is opened if all of it fits.
    FreeForBurst,
    /// An SM's first group is given without the test.
    FirstGroup,
}
