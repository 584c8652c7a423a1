//! What is held in fast memory beside the table (specification 5.7).

/// Where the table and what belongs to it lie. The decisions are the same in all.
pub trait Layout {
    /// The extents of all entries, sorted, in fast memory.
    const INDEX: bool;
    /// The entries of the lowest slots, in fast memory.
    const SHADOW: bool;
}

/// The paper's: everything in the private memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct Paper;

/// With an index of extents.
#[derive(Clone, Copy, Debug, Default)]
pub struct Indexed;

/// With an index, and the lowest entries.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cached;

impl Layout for Paper {
    const INDEX: bool = false;
    const SHADOW: bool = false;
}

impl Layout for Indexed {
    const INDEX: bool = true;
    const SHADOW: bool = false;
}

impl Layout for Cached {
    const INDEX: bool = true;
    const SHADOW: bool = true;
}
