//! What a design promises about the order in which a program sees its accesses.

/// From nothing to everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MemoryModel {
    /// Nothing: for negative tests.
    None,
    /// Release consistency: right values where fences, barriers and kernels order the accesses.
    Rc,
    /// Sequential consistency.
    Sc,
}

impl MemoryModel {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Rc => "RC",
            Self::Sc => "SC",
        }
    }
}
