//! Rules that tests take away, to see that they find it.

/// A rule of the L1 (specification 8.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// A line that met newer bytes in the bank goes with the last acknowledgement.
    Bad,
    /// Nobody reads a line while a store to it is under way.
    Lock,
    /// A fill that is older than a store is not kept, and serves nobody who came later.
    StAfter,
    /// A renewal that a store has passed, or of a line that is locked, is asked for again.
    RenewalOfLocked,
    /// One of a line that is not here any more is.
    RenewalOfAbsent,
    /// A store waits for older loads of its warp.
    OlderLoads,
    /// Loads that wait are judged before the next request is.
    PendingFirst,
    /// A load that waits is served within the lease alone.
    WaiterLease,
    /// A load raises its warp's clock.
    LoadRaises,
    /// An acknowledgement does.
    AckRaises,
    /// A flush makes misses stale.
    MissStale,
    /// A flush makes stores stale.
    StoreStale,
    /// A stale fill is not kept.
    StaleFill,
    /// Nobody joins a stale miss.
    StaleHolds,
    /// The clock of a warp that only hits moves.
    Spin,
    /// An atomic drops the own copy.
    AtomicDrops,
}
