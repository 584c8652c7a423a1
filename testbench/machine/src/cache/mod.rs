//! What caches are made of: a set-associative array of lines with byte masks, and miss registers
//! with the requests that wait in them.

mod array;
mod misses;

pub use array::Array;
pub use misses::{Miss, Misses, Waiters};

/// Size of a cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Sets, at least 1.
    pub sets: u32,
    /// Ways, 1 to 64.
    pub ways: u32,
    /// Bytes of a line.
    pub line: u32,
    /// Of consecutive lines of the address space every Nth comes to this cache.
    pub stride: u32,
    /// A hash permutes each round over the sets.
    pub hashed: bool,
}

/// A place in the array.
pub type Way = u32;

/// Ways that a line may take: those of its set that no miss register holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ways {
    /// The set's first one.
    pub first: Way,
    /// From there, one bit for each.
    pub free: u64,
}

/// What a policy does with a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// It does not know yet.
    NotYet,
    /// The line takes this way, from whatever line is there.
    Way(Way),
    /// It is not held.
    Nowhere,
}

#[cfg(test)]
mod tests;
