//! What a system may get wrong: a rule of specification 6.1, taken away.

use hwmodel::stc::{epoch_agent, epoch_manager};

/// A rule that is not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weakness {
    /// 5.6.1: a lookup goes by nocache, not by the epoch of its cycle.
    NocacheAlone,
    /// 5.6.1: in the first cycle of an epoch it goes by the old one.
    OldEpochAtUpdate,
    /// 5.6.2: a fill is only compared when it arrives, as in the paper.
    NoDemotion,
    /// 5.6.3: the first access of a set does not compare.
    NoComparison,
    /// 5.6.3: the touched bits are not cleared.
    TouchedKept,
    /// 5.6.3: a fill touches.
    FillTouches,
    /// 5.6.4: there is no sweep.
    NoSweep,
    /// 5.6.4: DRAIN does not wait for it.
    SweepNotAwaited,
    /// 5.7.1: several requests to a line.
    ManyPerLine,
    /// 5.7.2: the acknowledgement alone frees the slot of an atomic.
    SlotFreedByAck,
    /// 5.7.3: a release does not wait.
    NoRelease,
    /// 5.7.4: acknowledgements may leave before the store is in the L2.
    EarlyAck,
    /// 5.7.5: no flash invalidate.
    NoFlash,
    /// 5.7.5: it leaves loads that are under way as they are.
    FlashWithoutDemotion,
    /// A rule of the agents.
    Agent(epoch_agent::Rule),
    /// A rule of the manager.
    Manager(epoch_manager::Rule),
}
