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

/// What the fences of waves order while a kernel runs. Between kernels everything is in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fences {
    /// What the work-items of one work-group see of each other: another one may read old copies
    /// until the kernel ends.
    Group,
    /// What all work-groups of a GPU see, of stores that all of them see at once only when the
    /// wave that has stored has passed a fence.
    Own,
    /// What all work-groups of a GPU see. They see a store at once.
    Gpu,
}

impl Fences {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Group => "group",
            Self::Own => "own stores",
            Self::Gpu => "GPU",
        }
    }
}
