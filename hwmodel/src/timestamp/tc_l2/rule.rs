//! Rules that tests take away, to see that they find it.

/// A rule of the bank (specification 5.8, 8.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// A write waits until nobody has a lease of its line. TC-Strong alone has it.
    Waits,
    /// A line that an L1 may hold stays.
    Inclusion,
}
