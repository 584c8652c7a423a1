//! Operations on L2s.

/// Chiplets to release and to acquire, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Masks {
    /// L2s to write back.
    pub release: u16,
    /// L2s to invalidate, after their release.
    pub acquire: u16,
}
