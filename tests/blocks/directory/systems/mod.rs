//! Directories in a system of GPUs whose channels, caches and programs are random, as section 6 of
//! the specification allows: no copy is lost to its directory, no CU reads what is older than what
//! it knows, and messages pass over two homes. The same checks find out systems that break one of
//! the rules.
//!
//! `DUET_DIRECTORY_STEPS=1000000 cargo test --release -p duet-tests --test blocks
//! directory::systems` runs longer.

mod counts;
mod directory;
mod egress;
mod failure;
mod history;
mod home;
mod knowledge;
mod log;
mod messages;
mod phase;
mod pool;
mod program;
mod sharer;
mod system;
mod tracking;
mod weakness;
mod words;

use std::env;

use cosim::stimulus::Random;
use duet_tests::{configs, has_rtl};
use ports::directory::coherence_directory::{Config, Replacement, Variant};

use counts::Counts;
use directory::Source;
use failure::{Check, Failure};
use system::{Setup, System};
use weakness::Weakness;

const VARIANTS: [Variant; 4] = [Variant::Baseline, Variant::Hmg, Variant::Rec, Variant::Ideal];
/// GPUs and homes of systems of models.
const SHAPES: [(u32, usize); 5] = [(2, 1), (2, 2), (3, 2), (4, 1), (4, 2)];

/// Of the runs of each system.
const SEEDS: [u64; 4] = [1, 2, 3, 4];

/// Steps of a run on models.
const STEPS: u64 = 400_000;

/// Steps of a run on model and RTL.
const STEPS_OF_RTL: u64 = 60_000;

/// Steps of a run, more where the user wants more.
fn steps(usual: u64) -> u64 {
    let steps = env::var("DUET_DIRECTORY_STEPS").ok();
    let steps = steps.map(|steps| steps.parse().expect("DUET_DIRECTORY_STEPS is a number"));
    usual.max(steps.unwrap_or(0))
}

/// A directory so small that its limits are reached all the time.
fn tiny(variant: Variant, gpus: u32, seed: u64) -> Config {
    let mut r = Random::new(seed);
    let (entries, ways) = r.pick(&[(1, 1), (2, 1), (2, 2), (4, 2), (3, 3)]);
    let range = match variant {
        Variant::Baseline | Variant::Ideal => 64,
        Variant::Hmg => 256,
        Variant::Rec => r.pick(&[128, 256, 1024]),
    };
    Config {
        variant,
        gpus,
        entries,
        ways,
        line: 64,
        range,
        address_width: 20,
        replacement: r.pick(&[Replacement::Fifo, Replacement::Lru]),
        jobs: r.pick(&[2, 3, 8]),
        responses: r.pick(&[3, 4]),
        ideal_lines: 64,
    }
}

fn setup_of(variant: Variant, gpus: u32, homes: usize, seed: u64) -> Setup {
    Setup {
        name: format!("{variant:?} of {gpus} GPUs"),
        source: Source::Model(tiny(variant, gpus, seed)),
        homes,
        seed,
        weakness: None,
        ignored: &[],
    }
}

fn pass(setup: &Setup, steps: u64) -> Counts {
    System::new(setup).run(steps).unwrap_or_else(|failure| panic!("{failure}"))
}

/// Every count but some is above 0.
fn are_reached(name: &str, counts: &Counts, but: &[&str]) {
    let rows = counts.rows();
    let missed = rows.iter().filter(|(row, count)| *count == 0 && !but.contains(row));
    let missed: Vec<_> = missed.collect();
    assert!(missed.is_empty(), "{name}: never reached: {missed:?}");
    println!("{name}: {counts}");
}

fn models_pass(variant: Variant) {
    let mut counts = Counts::default();
    for (gpus, homes) in SHAPES {
        for seed in SEEDS {
            counts += pass(&setup_of(variant, gpus, homes, seed), steps(STEPS));
        }
    }
    let but: &[&str] = if variant == Variant::Ideal { &["evict_invs"] } else { &[] };
    are_reached(&format!("{variant:?}"), &counts, but);
}

#[test]
fn baseline_keeps_copies_known_and_reads_fresh() {
    models_pass(Variant::Baseline);
}

#[test]
fn hmg_keeps_copies_known_and_reads_fresh() {
    models_pass(Variant::Hmg);
}

#[test]
fn rec_keeps_copies_known_and_reads_fresh() {
    models_pass(Variant::Rec);
}

#[test]
fn ideal_keeps_copies_known_and_reads_fresh() {
    models_pass(Variant::Ideal);
}

#[test]
fn eight_gpus_keep_copies_known_and_reads_fresh() {
    let mut counts = Counts::default();
    for variant in VARIANTS {
        counts += pass(&setup_of(variant, 8, 2, 1), steps(STEPS));
    }
    are_reached("8 GPUs", &counts, &[]);
}

/// Model and RTL in lockstep, and a model beside them to look into.
fn bodies_pass(config: &str, homes: usize, seed: u64) -> Counts {
    let source = Source::Both(config.to_string());
    let name = format!("model and RTL, {config}");
    let setup = Setup { name, source, homes, seed, weakness: None, ignored: &[] };
    pass(&setup, steps(STEPS_OF_RTL))
}

#[test]
fn rtl_keeps_copies_known_and_reads_fresh_in_every_configuration() {
    if !has_rtl() {
        return;
    }
    let mut counts = Counts::default();
    let mut seed = 0;
    for config in configs::<Config>() {
        for homes in [1, 2, 2] {
            seed += 1;
            counts += bodies_pass(&config, homes, seed);
        }
    }
    are_reached("model and RTL", &counts, &[]);
}

/// GPUs and homes of the systems in which a weakness must be found.
const WEAK_SHAPES: [(u32, usize); 2] = [(3, 2), (4, 2)];

fn weak(weakness: Weakness, usual: Setup) -> Option<Failure> {
    let setup = Setup { weakness: Some(weakness), ..usual };
    System::new(&setup).run(steps(STEPS)).err().map(|failure| *failure)
}

/// The weakness is found in every variant and with every seed, by one of these checks, while some
/// find nothing.
fn is_found(weakness: Weakness, ignored: &'static [Check], expected: &[Check]) {
    for variant in VARIANTS {
        for (gpus, homes) in WEAK_SHAPES {
            let mut found = Vec::new();
            for seed in SEEDS {
                let setup = Setup { ignored, ..setup_of(variant, gpus, homes, seed) };
                let name = format!("{weakness:?}, {}, {homes} homes, seed {seed}", setup.name);
                let failure = weak(weakness, setup).unwrap_or_else(|| panic!("{name}: not found"));
                let check = failure.check;
                assert!(expected.contains(&check), "{name}: {expected:?} expected\n{failure}");
                found.push(format!("{check:?} in step {}", failure.step));
            }
            println!("{weakness:?}, {variant:?}, {gpus} GPUs: {}", found.join(", "));
        }
    }
}

#[test]
fn release_without_fence_to_other_homes_is_found() {
    is_found(Weakness::FenceToOwnHomeOnly, &[], &[Check::MessagePassing]);
}

#[test]
fn release_without_fence_to_the_own_home_is_found() {
    is_found(Weakness::NoFenceToOwnHome, &[], &[Check::MessagePassing]);
}

/// Its copies may be older than its atomics, if it has not waited for their replies.
#[test]
fn release_without_marker_to_the_releaser_is_found() {
    is_found(Weakness::NoMarkerToReleaser, &[], &[Check::MessagePassing]);
}

#[test]
fn marker_before_all_banks_have_applied_what_came_before_is_found() {
    is_found(Weakness::MarkerBeforeBanks, &[], &[Check::MessagePassing]);
}

#[test]
fn reads_on_another_channel_than_writes_are_found() {
    is_found(Weakness::SplitRequests, &[], &[Check::Coherence]);
}

#[test]
fn atomic_reply_before_invalidations_of_its_request_is_found() {
    is_found(Weakness::EarlyReply, &[], &[Check::Coherence]);
}

/// The copy of the requester may have lost its sharer bit to an earlier request whose invalidation
/// still waits.
#[test]
fn atomic_reply_before_invalidations_of_earlier_requests_is_found() {
    is_found(Weakness::ReplyAfterOwnInvOnly, &[], &[Check::Coherence]);
}

#[test]
fn write_that_does_not_merge_into_a_pending_fill_is_found() {
    is_found(Weakness::NoMerge, &[], &[Check::Coherence]);
}

/// Found when there is a copy that the directory does not know, and by what reads return alone.
fn lost_copy_is_found(weakness: Weakness, expected: &[Check]) {
    is_found(weakness, &[], expected);
    let by_value = [Check::Coherence, Check::MessagePassing];
    is_found(weakness, &[Check::LostSharer, Check::AtRest], &by_value);
}

#[test]
fn lost_invalidation_is_found() {
    lost_copy_is_found(Weakness::DroppedInv, &[Check::LostSharer]);
}

#[test]
fn forgotten_sharer_is_found() {
    lost_copy_is_found(Weakness::ForgottenSharer, &[Check::LostSharer]);
}

/// Who waits for the fill may read it before there is a copy.
#[test]
fn invalidation_before_fill_of_an_earlier_request_is_found() {
    lost_copy_is_found(Weakness::EarlyInv, &[Check::LostSharer, Check::Coherence]);
}

/// Takes a fill that waits for 128 requests of which none invalidates its line, so not every run
/// has it.
#[test]
fn fill_that_waits_for_too_many_requests_is_found() {
    let found = |seed| {
        let setup = setup_of(Variant::Ideal, 4, 2, seed);
        weak(Weakness::OldFills, setup).map(|failure| (seed, failure.check, failure.step))
    };
    let found = (1..=12).find_map(found).expect("some seed finds it");
    println!("{:?}: {found:?}", Weakness::OldFills);
    assert_eq!(found.1, Check::LostSharer);
}

#[test]
fn same_seed_gives_the_same_run() {
    let run = |seed| {
        let failure = weak(Weakness::DroppedInv, setup_of(Variant::Rec, 3, 2, seed));
        failure.expect("it is found").to_string()
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}
