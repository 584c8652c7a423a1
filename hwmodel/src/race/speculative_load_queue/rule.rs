//! Rules that tests take away, to see that they find it.

/// A rule of the queue (specification 5.4, 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// No commit while a signature is tested.
    CommitWaits,
    /// Signatures that were sent unasked are tested, too.
    ForcedTested,
    /// A replay drops the younger loads of its warp.
    ReplayDrops,
    /// It drops the one that is allocated in its cycle.
    ReplayDropsAlloc,
}
