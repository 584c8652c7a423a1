//! What the specification decides, as constants that the protocol reads. Tests run the protocol
//! with one of them changed (`rule.rs`).

use super::action::condition::*;

/// Who is granted the cycle after replays, flushes and answers.
#[derive(Clone, Copy, Debug)]
pub(super) enum Client {
    /// A3.
    Pending,
    /// A4.
    Request,
}

/// What a store does to a present copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Own {
    /// The copy takes its bytes and is locked.
    Written,
    /// The copy is dropped, a locked one with its lock.
    Dropped,
    /// The copy stays as it is.
    Kept,
}

/// Loads; acknowledgements.
pub(super) const LOADS: u8 = 1;
pub(super) const ACKS: u8 = 2;
/// MSHRs in SENT; entries of the store table.
pub(super) const MISSES: u8 = 1;
pub(super) const STORES: u8 = 2;

/// One field for each choice; sets are of [`super::condition`]s, unless stated.
#[derive(Clone, Debug)]
pub(super) struct Choices {
    pub first: Client,
    /// An MSHR with one of these accepts no load.
    pub holds_load: u8,
    /// A load waits for the lock of its line.
    pub lock_blocks: bool,
    /// An MSHR with one of these holds a store.
    pub holds_store: u8,
    /// A store sets st_after of its line's MSHR.
    pub sets_st_after: bool,
    /// G-TSC and TC: what a store does to the copy, and an atomic.
    pub own_copy: [[Own; 2]; 2],
    /// A fill with one of these is not installed.
    pub not_installed: u8,
    /// A renewal with one of these is requested again.
    pub again: u8,
    /// A waiter outside of the lease is deferred.
    pub defers: bool,
    /// Which answers raise the clock of their warp: [`LOADS`], [`ACKS`].
    pub raises: u8,
    /// A line that is bad goes with its lock.
    pub drops_bad: bool,
    /// What a flush makes stale: [`MISSES`], [`STORES`].
    pub makes_stale: u8,
    /// The clock of a warp that spins moves behind the lease.
    pub moves_clock: bool,
    /// TC-Weak: fences wait for the leases that stores have met.
    pub fences_wait: bool,
}

/// Specification 5.1 to 5.3, 5.5, 5.6, 5.8.
pub(super) const SPECIFICATION: Choices = Choices {
    first: Client::Pending,
    holds_load: STALE | PASSED | FULL,
    lock_blocks: true,
    holds_store: PENDING | OLDER,
    sets_st_after: true,
    own_copy: [[Own::Written, Own::Dropped], [Own::Dropped, Own::Dropped]],
    not_installed: STALE | PASSED | LOCKED | LATE,
    again: STALE | PASSED | LOCKED | ABSENT,
    defers: true,
    raises: LOADS | ACKS,
    drops_bad: true,
    makes_stale: MISSES | STORES,
    moves_clock: true,
    fences_wait: true,
};
