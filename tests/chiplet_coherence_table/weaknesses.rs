//! The programs find each rule that is taken away: by what is checked at all, and by what loads and
//! the host see.

use hwmodel::cpelide::chiplet_coherence_table::Weakness;

use crate::failure::Check;
use crate::profile::is_home_aware;
use crate::run::Setup;
use crate::{PROGRAMS, generate, on_reference};

/// The first seed whose program fails.
fn first(weakness: Option<Weakness>, setup: Setup) -> Option<(u64, Check)> {
    let failure = |seed| on_reference(&generate::program(seed), weakness, setup).err();
    (1..=4 * PROGRAMS).find_map(|seed| failure(seed).map(|failure| (seed, failure.check)))
}

fn is_found(weakness: Option<Weakness>, setup: Setup) {
    let (seed, check) = first(weakness, setup).expect("some program finds it");
    let blind = Setup { ignored: &[Check::Invariant, Check::Outcome], ..setup };
    let by_value = first(weakness, blind).map(|(seed, _)| seed);
    println!("{weakness:?}: {check:?} with seed {seed}; by value: {by_value:?}");
}

/// One test for each rule.
macro_rules! rules {
    ($($name:ident: $weakness:ident,)*) => {$(
        #[test]
        fn $name() {
            is_found(Some(Weakness::$weakness), Setup::default());
        }
    )*};
}

rules! {
    acquire_without_the_release_it_implies_is_found: NoImpliedRelease,
    mixed_bit_that_is_never_set_is_found: NeverMixed,
    not_present_after_a_release_is_found: NotPresentAfterRelease,
    acquire_that_forgets_pairs_in_use_is_found: AcquireTakesPairsInUse,
    release_that_cleans_pairs_in_use_is_found: ReleaseTakesPairsInUse,
    remote_read_that_cleans_a_pair_in_use_is_found: RemoteReadCleansInUse,
    remote_write_that_cleans_a_pair_in_use_is_found: RemoteWriteCleansInUse,
    resolution_that_cleans_a_pair_in_use_is_found: ResolutionCleansInUse,
    resolution_that_forgets_the_mixed_bit_in_use_is_found: ResolutionInUseNotMixed,
    resolution_in_use_without_acquire_is_found: ResolutionInUseNotAcquired,
    stale_pair_in_use_that_becomes_valid_is_found: StaleReadInUseValid,
    write_of_a_stale_pair_in_use_without_mixed_bit_is_found: StaleWriteInUseNotMixed,
    reader_beside_a_dirty_pair_in_use_that_is_valid_is_found: ReaderBesideDirtyInUseValid,
    writer_beside_a_dirty_pair_in_use_without_mixed_bit_is_found: WriterBesideDirtyInUseNotMixed,
    dirty_reader_beside_a_dirty_pair_in_use_without_mixed_bit_is_found:
        DirtyReaderBesideDirtyInUseNotMixed,
    range_in_use_that_is_reset_is_found: RangeInUseReset,
    join_that_forgets_users_is_found: JoinForgetsUsers,
    system_release_that_cleans_pairs_in_use_is_found: SystemReleaseTakesPairsInUse,
    system_release_that_skips_pairs_in_use_is_found: SystemReleaseSkipsPairsInUse,
    every_that_is_never_set_is_found: EveryNeverSet,
    every_without_release_is_found: EveryNotReleased,
    every_without_acquire_is_found: EveryNotAcquired,
    every_cleared_beside_an_unlabelled_kernel_is_found: EveryClearedWhileRunning,
    every_that_an_acquire_of_a_barrier_does_not_release_is_found: EveryNotDirtyForAcquire,
    every_that_a_system_release_skips_is_found: EveryNotDirtyForRelease,
    every_that_the_end_skips_is_found: EveryNotDirtyAtEnd,
    every_cleared_by_a_release_is_found: EveryClearedByRelease,
}

/// Section 5.1: steps 4 to 9 are one section, for the table would say V while a release is not
/// done.
#[test]
fn launch_before_the_operations_of_another_are_done_is_found() {
    let setup = Setup { overlaps_launches: true, ..Setup::default() };
    is_found(None, setup);
    // Not only by an acquire of what has meanwhile become dirty.
    let setup = Setup { ignored: &[Check::Dirty], ..setup };
    let (seed, check) = first(None, setup).expect("some load sees it");
    println!("{check:?} with seed {seed}");
}

/// A kernel that runs on an acquired chiplet fetches lines that others have not released.
#[test]
fn acquire_before_the_releases_of_other_chiplets_is_found() {
    is_found(None, Setup { acquires_early: true, ..Setup::default() });
}

/// What says nothing of values.
const NOT_VALUES: &[Check] = &[Check::Invariant, Check::Outcome, Check::Dirty, Check::End];

/// Loads or the host see it, in the program of a seed among these.
fn is_seen(weakness: Weakness, seeds: impl Fn(u64) -> bool) {
    let setup = Setup { ignored: NOT_VALUES, ..Setup::default() };
    let fails =
        |&seed: &u64| on_reference(&generate::program(seed), Some(weakness), setup).is_err();
    let seed = (1..=20 * PROGRAMS).filter(|&seed| seeds(seed)).find(fails);
    let seed = seed.expect("some program sees an old value");
    println!("{weakness:?}: by value with seed {seed}");
}

/// One test for each rule where lines have homes (section 5.9).
macro_rules! rules_of_homes {
    ($seeds:ident: $($name:ident: $weakness:ident,)*) => {$(
        #[test]
        fn $name() {
            is_seen(Weakness::$weakness, $seeds);
        }
    )*};
}

/// Seeds of tables that have states for copies, over L2s where there is one.
fn without_home_aware(seed: u64) -> bool {
    generate::program(seed).homes.is_some() && !is_home_aware(seed)
}

rules_of_homes! {
    without_home_aware:
    acquire_of_present_chiplets_only_is_seen: HiddenNotAcquired,
    end_that_acquires_present_chiplets_only_is_seen: HiddenNotAcquiredAtEnd,
    other_gpus_forgotten_are_seen: OtherGpusForgotten,
}

rules_of_homes! {
    is_home_aware:
    home_aware_acquire_of_present_chiplets_only_is_seen: HiddenNotAcquired,
    home_aware_end_that_acquires_present_chiplets_only_is_seen: HiddenNotAcquiredAtEnd,
    home_aware_table_that_forgets_other_gpus_is_seen: OtherGpusForgotten,
    home_aware_acquire_without_the_release_it_implies_is_seen: NoImpliedRelease,
    home_aware_end_of_a_kernel_without_its_release_is_seen: NoSystemRelease,
    home_aware_every_that_is_never_set_is_seen: EveryNeverSet,
    home_aware_every_that_an_acquire_does_not_release_is_seen: EveryNotDirtyForAcquire,
    home_aware_every_that_a_system_release_skips_is_seen: EveryNotDirtyForRelease,
    home_aware_every_that_the_end_skips_is_seen: EveryNotDirtyAtEnd,
    home_aware_every_cleared_by_a_release_is_seen: EveryClearedByRelease,
    home_aware_every_cleared_beside_an_unlabelled_kernel_is_seen: EveryClearedWhileRunning,
    home_aware_not_present_after_a_release_is_seen: NotPresentAfterRelease,
    home_aware_acquire_that_forgets_pairs_in_use_is_seen: AcquireTakesPairsInUse,
    home_aware_release_that_cleans_pairs_in_use_is_seen: ReleaseTakesPairsInUse,
    home_aware_system_release_that_cleans_pairs_in_use_is_seen: SystemReleaseTakesPairsInUse,
    home_aware_system_release_that_skips_pairs_in_use_is_seen: SystemReleaseSkipsPairsInUse,
    home_aware_join_that_forgets_users_is_seen: JoinForgetsUsers,
}
