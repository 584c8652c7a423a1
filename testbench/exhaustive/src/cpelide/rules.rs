//! Rules that can be taken away, and in which configuration that is seen.

use hwmodel::cpelide::chiplet_coherence_table::Weakness;

const HOST: &str = "host, one structure";
const HOST_STREAMS: &str = "host, two streams";
const JOINED: &str = "two streams, an entry for both structures";
const SHARED: &str = "two streams, an entry for a shared line and another";
const RANGES: &str = "two streams, ranges";
const UNLABELLED: &str = "two streams, unlabelled kernels";
const OTHER_GPUS: &str = "home-forward, other GPUs";
const HOME_AWARE: &str = "home-forward, home-aware";

/// Name, rule, configuration.
pub const RULES: &[(&str, Weakness, &str)] = &[
    ("no-implied-release", Weakness::NoImpliedRelease, HOST),
    ("never-mixed", Weakness::NeverMixed, HOST_STREAMS),
    ("not-present-after-release", Weakness::NotPresentAfterRelease, HOST),
    ("acquire-takes-pairs-in-use", Weakness::AcquireTakesPairsInUse, HOST_STREAMS),
    ("release-takes-pairs-in-use", Weakness::ReleaseTakesPairsInUse, HOST_STREAMS),
    ("remote-read-cleans-in-use", Weakness::RemoteReadCleansInUse, HOST_STREAMS),
    ("remote-write-cleans-in-use", Weakness::RemoteWriteCleansInUse, HOST_STREAMS),
    ("resolution-cleans-in-use", Weakness::ResolutionCleansInUse, HOST_STREAMS),
    ("resolution-in-use-not-mixed", Weakness::ResolutionInUseNotMixed, JOINED),
    ("resolution-in-use-not-acquired", Weakness::ResolutionInUseNotAcquired, HOST_STREAMS),
    ("stale-read-in-use-valid", Weakness::StaleReadInUseValid, SHARED),
    ("stale-write-in-use-not-mixed", Weakness::StaleWriteInUseNotMixed, SHARED),
    ("reader-beside-dirty-in-use-valid", Weakness::ReaderBesideDirtyInUseValid, HOST_STREAMS),
    (
        "writer-beside-dirty-in-use-not-mixed",
        Weakness::WriterBesideDirtyInUseNotMixed,
        HOST_STREAMS,
    ),
    (
        "dirty-reader-beside-dirty-in-use-not-mixed",
        Weakness::DirtyReaderBesideDirtyInUseNotMixed,
        SHARED,
    ),
    ("range-in-use-reset", Weakness::RangeInUseReset, RANGES),
    ("join-forgets-users", Weakness::JoinForgetsUsers, JOINED),
    ("system-release-takes-pairs-in-use", Weakness::SystemReleaseTakesPairsInUse, HOST_STREAMS),
    ("system-release-skips-pairs-in-use", Weakness::SystemReleaseSkipsPairsInUse, HOST_STREAMS),
    ("every-never-set", Weakness::EveryNeverSet, HOST),
    ("every-not-released", Weakness::EveryNotReleased, HOST),
    ("every-not-acquired", Weakness::EveryNotAcquired, HOST),
    ("every-cleared-while-running", Weakness::EveryClearedWhileRunning, UNLABELLED),
    ("every-not-dirty-for-acquire", Weakness::EveryNotDirtyForAcquire, HOME_AWARE),
    ("every-not-dirty-for-release", Weakness::EveryNotDirtyForRelease, HOST),
    ("every-not-dirty-at-end", Weakness::EveryNotDirtyAtEnd, HOST),
    ("every-cleared-by-release", Weakness::EveryClearedByRelease, HOST),
    ("no-system-release", Weakness::NoSystemRelease, HOST),
    ("hidden-not-acquired", Weakness::HiddenNotAcquired, OTHER_GPUS),
    ("hidden-not-acquired-at-end", Weakness::HiddenNotAcquiredAtEnd, OTHER_GPUS),
    ("other-gpus-forgotten", Weakness::OtherGpusForgotten, OTHER_GPUS),
];
