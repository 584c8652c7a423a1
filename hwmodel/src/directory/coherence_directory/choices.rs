//! The protocol's choices, as constants that the code reads. Tests change one at a time
//! (`rule.rs`).

use super::op;

/// Sources of a request: the home, or another GPU.
pub(super) const HOME: u8 = 1;
pub(super) const OTHER: u8 = 2;

/// All sharers; and none.
pub(super) const ALL: u16 = u16::MAX;
pub(super) const NONE: u16 = 0;

/// What a request does to the sharers of a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    /// Sharers that stay.
    pub keep: u16,
    /// `src` becomes a sharer.
    pub joins: bool,
    /// Sharers that are invalidated.
    pub gone: u16,
    /// `src` is not invalidated.
    pub spares: bool,
    /// In LRU, the entry becomes the newest.
    pub is_use: bool,
}

/// A check that may refuse a request.
#[derive(Clone, Copy, Debug)]
pub(super) enum Check {
    Op,
    Source,
    Address,
}

/// One field for each choice.
#[derive(Clone, Debug)]
pub(super) struct Choices {
    /// By op: LRD, RRD, LWR, RWR.
    pub accesses: [Access; 4],
    /// By op: its legal sources.
    pub sources: [u8; 8],
    /// `src` must be a GPU.
    pub source_exists: bool,
    /// The highest legal op.
    pub last_op: u8,
    /// Ideal: addresses beyond the last line are refused.
    pub address_ends: bool,
    /// The order of the error codes.
    pub checks: [Check; 3],
    /// Refused requests have a number.
    pub counts_refused: bool,
    /// Invalidations carry the number of their request.
    pub is_numbered: bool,
    /// Age of the oldest unsent job, in requests, at which requests stall.
    pub age_limit: u8,
    /// FENCE goes to the home, and to the releaser.
    pub fence_to_home: bool,
    pub fence_to_releaser: bool,
    /// The response has the sharers before the request, and a hit is a tracked line.
    pub sharers_before: bool,
    pub hit_is_line: bool,
    /// `alloc` reports a new entry, not a new line.
    pub alloc_is_entry: bool,
    /// A new entry takes a free way if there is one.
    pub free_way_first: bool,
    /// An allocation makes the entry the newest.
    pub allocation_renews: bool,
    /// A use makes the entry the newest: in FIFO, in LRU.
    pub use_renews: [bool; 2],
    /// The first access to a line is a use of its entry.
    pub new_line_is_use: bool,
    /// A victim is invalidated; the entry of EVICT is invalidated.
    pub victim_invalidates: bool,
    pub evict_invalidates: bool,
    /// All lines of an entry are invalidated, not the lowest alone, each at its own sharers.
    pub every_line: bool,
    pub own_sharers: bool,
    /// hmg: a write invalidates all lines of the entry.
    pub whole_group: bool,
    /// Ideal: the op that EVICT acts as.
    pub ideal_evict: u8,
}

/// Specification 4.3, 5.2, 5.5, 6.2, 12.
pub(super) const SPECIFICATION: Choices = Choices {
    accesses: [
        // LRD
        Access { keep: ALL, joins: false, gone: NONE, spares: false, is_use: false },
        // RRD
        Access { keep: ALL, joins: true, gone: NONE, spares: true, is_use: true },
        // LWR
        Access { keep: NONE, joins: false, gone: ALL, spares: false, is_use: false },
        // RWR
        Access { keep: NONE, joins: true, gone: ALL, spares: true, is_use: true },
    ],
    sources: [HOME, OTHER, HOME, OTHER, HOME | OTHER, HOME | OTHER, 0, 0],
    source_exists: true,
    last_op: op::FENCE,
    address_ends: true,
    checks: [Check::Op, Check::Source, Check::Address],
    counts_refused: true,
    is_numbered: true,
    age_limit: 96,
    fence_to_home: false,
    fence_to_releaser: true,
    sharers_before: true,
    hit_is_line: true,
    alloc_is_entry: true,
    free_way_first: true,
    allocation_renews: true,
    use_renews: [false, true],
    new_line_is_use: true,
    victim_invalidates: true,
    evict_invalidates: true,
    every_line: true,
    own_sharers: true,
    whole_group: true,
    ideal_evict: op::LRD,
};
