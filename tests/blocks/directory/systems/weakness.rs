//! What a system may get wrong. Each breaks one rule of the specification's section 6, or the
//! directory.

/// A deliberate fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weakness {
    /// A release sends FENCE to the GPU's own directory only (rule 7).
    FenceToOwnHomeOnly,
    /// It sends none to the GPU's own directory (rule 7).
    NoFenceToOwnHome,
    /// The releaser itself gets no marker (rule 7).
    NoMarkerToReleaser,
    /// A GPU returns the marker when it arrives, before its L2 banks have applied what came before
    /// (rule 7).
    MarkerBeforeBanks,
    /// Reads have a channel of their own beside that of writes, atomics and fences (rule 6).
    SplitRequests,
    /// The reply of an atomic does not wait for the invalidations of its request (rule 6).
    EarlyReply,
    /// It waits for them, but not for those of requests before.
    ReplyAfterOwnInvOnly,
    /// Invalidations do not wait for the fill data of requests before (rule 2).
    EarlyInv,
    /// The home accepts any number of requests while fill data waits (rule 2).
    OldFills,
    /// A write does not merge into a pending fill of its line (rule 4).
    NoMerge,
    /// The directory loses an invalidation now and then.
    DroppedInv,
    /// It forgets now and then who has read a line.
    ForgottenSharer,
}
