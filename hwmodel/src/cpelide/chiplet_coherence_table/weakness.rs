//! Rules that tests take away, to see that they find it.

use super::parameters::Parameters;

/// A rule of section 5 that is not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weakness {
    /// 5.1 step 6: a chiplet with dirty lines is acquired without its release.
    NoImpliedRelease,
    /// 5.3: the mixed bit is never set.
    NeverMixed,
    /// 5.3: a release leads to NP, as if the lines were gone.
    NotPresentAfterRelease,
    /// 5.5: an acquire leads to NP also for pairs in use.
    AcquireTakesPairsInUse,
    /// 5.5: a release leads from D to V also for pairs in use.
    ReleaseTakesPairsInUse,
    /// 5.5: a remote R leads from D to V also for pairs in use.
    RemoteReadCleansInUse,
    /// 5.5: a remote R/W leads from D to S also for pairs in use.
    RemoteWriteCleansInUse,
    /// 5.5: resolving the mixed bit leads from D to S also for pairs in use.
    ResolutionCleansInUse,
    /// 5.5: resolving the mixed bit leaves D pairs in use as they are, but not the bit.
    ResolutionInUseNotMixed,
    /// 5.5: a local access to a D pair in use of a mixed entry does not acquire.
    ResolutionInUseNotAcquired,
    /// 5.5: a local R leads from S to V also for pairs in use.
    StaleReadInUseValid,
    /// 5.5: a local R/W on an S pair in use does not make the entry mixed.
    StaleWriteInUseNotMixed,
    /// 5.5: who reads what a running kernel may be dirtying elsewhere is V.
    ReaderBesideDirtyInUseValid,
    /// 5.5: a kernel that writes what a running kernel may be dirtying elsewhere does not make the
    /// entry mixed, neither by its remote nor by its local event.
    WriterBesideDirtyInUseNotMixed,
    /// 5.5: nor does one that reads it on a D chiplet.
    DirtyReaderBesideDirtyInUseNotMixed,
    /// 5.5: the range of a pair in use becomes the new range.
    RangeInUseReset,
    /// 5.5: a join keeps the users of the lower slot only.
    JoinForgetsUsers,
    /// 5.6: a release of scope system leads from D to V also for pairs in use.
    SystemReleaseTakesPairsInUse,
    /// 5.6: a release of scope system does not release chiplets whose D pairs are all in use.
    SystemReleaseSkipsPairsInUse,
    /// 5.1 step 2: an unlabelled launch does not set EVERY.
    EveryNeverSet,
    /// 5.1 step 2: a labelled launch that finds EVERY does not release all chiplets.
    EveryNotReleased,
    /// 5.1 step 2: a labelled launch that finds EVERY does not acquire all chiplets.
    EveryNotAcquired,
    /// 5.1 step 2: it clears EVERY also while an unlabelled kernel runs.
    EveryClearedWhileRunning,
    /// 5.1 step 6: EVERY does not count as D where chiplets are acquired.
    EveryNotDirtyForAcquire,
    /// 5.6: EVERY does not count as D for a release of scope system.
    EveryNotDirtyForRelease,
    /// 5.6: EVERY does not count as D at the end of the program.
    EveryNotDirtyAtEnd,
    /// 5.1 step 2: a release of all chiplets clears EVERY.
    EveryClearedByRelease,
    /// 5.6: a release of scope system releases nothing.
    NoSystemRelease,
    /// 5.9: an acquire of scope system acquires chiplets that the table has something of, and not
    /// all.
    HiddenNotAcquired,
    /// 5.9: nor does the end of the program.
    HiddenNotAcquiredAtEnd,
    /// 5.9: the table alone says whether L2s may hold something, also where other GPUs are.
    OtherGpusForgotten,
}

/// The rules in force: parameters, and what a test has taken away.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// Parameters of the table.
    pub parameters: Parameters,
    /// The rule that is not kept; `None` outside tests.
    pub weakness: Option<Weakness>,
}

impl Rules {
    /// True where this rule is kept.
    pub fn keep(&self, rule: Weakness) -> bool {
        self.weakness != Some(rule)
    }
}
