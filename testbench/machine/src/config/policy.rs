//! Whose lines an L2 holds, and with it which L2 serves a CU.

/// Whose lines an L2 holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Any line that its chiplet's CUs touch.
    Private,
    /// Lines whose home is its chiplet, for all chiplets; stores of other chiplets are also written
    /// through to the L3.
    HomeForward,
    /// Any line that its chiplet's CUs touch, whatever GPU it lies on; the L2 at its home keeps the
    /// copies coherent.
    Coherent,
}
