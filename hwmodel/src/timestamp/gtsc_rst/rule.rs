//! Rules that tests take away, to see that they find it.

/// A rule of the block (specification 5.5, 8.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The banks stand still until each L1 has the new generation; else until one has.
    AllAcks,
}
