//! Rules that tests take away, to see that they find it.

/// A rule of the L1 (specification 8.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// A load that waits is served only if it came within the lease.
    WaiterLease,
    /// A fence waits for the leases that stores of TC-Weak have met.
    Fence,
    /// A store or atomic drops the own copy.
    OwnCopy,
    /// A fill that is older than a store is not kept, and serves nobody who came later.
    StAfter,
    /// A store waits for older loads of its warp.
    OlderLoads,
}
