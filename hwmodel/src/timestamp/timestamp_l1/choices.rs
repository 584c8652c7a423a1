//! Decisions of the specification, as constants that the protocol reads. Tests change one constant
//! to disable a rule (`rule.rs`).

use super::action::condition::*;

/// The action that comes first after replays, flushes and answers.
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
    /// The store's bytes are written, and the copy is locked.
    Written,
    /// The copy is dropped; a locked copy when its lock is released.
    Dropped,
    /// The copy stays as it is.
    Kept,
}

/// Bits of [`Choices::raises`]: loads; acknowledgements.
pub(super) const LOADS: u8 = 1;
pub(super) const ACKS: u8 = 2;
/// Bits of [`Choices::makes_stale`]: MSHRs in SENT; entries of the store table.
pub(super) const MISSES: u8 = 1;
pub(super) const STORES: u8 = 2;

/// One field for each choice; sets are of [`super::condition`]s, unless stated.
#[derive(Clone, Debug)]
pub(super) struct Choices {
    pub first: Client,
    /// An MSHR that meets one of these accepts no load.
    pub holds_load: u8,
    /// A load waits for the lock of its line.
    pub lock_blocks: bool,
    /// An MSHR that meets one of these holds a store.
    pub holds_store: u8,
    /// A store sets st_after of its line's MSHR.
    pub sets_st_after: bool,
    /// What a store and an atomic do to the copy: under G-TSC, under TC.
    pub own_copy: [[Own; 2]; 2],
    /// A fill that meets one of these is not installed.
    pub not_installed: u8,
    /// A renewal that meets one of these is discarded, and the line is requested again.
    pub again: u8,
    /// A waiter that the lease does not cover is deferred.
    pub defers: bool,
    /// Which answers raise the clock of their warp: [`LOADS`], [`ACKS`].
    pub raises: u8,
    /// A bad line is dropped when its lock is released.
    pub drops_bad: bool,
    /// What a flush makes stale: [`MISSES`], [`STORES`].
    pub makes_stale: u8,
    /// The clock of a warp that only hits moves past the lease.
    pub moves_clock: bool,
    /// TC-Weak: a fence waits for the leases of other copies of the stored lines.
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
