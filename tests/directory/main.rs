//! Directories in a system of GPUs whose channels, caches and programs are random, as section 6 of the
//! specification allows: no copy is lost to its directory, nobody reads what is older than what it knows, and
//! messages pass over two homes. The same test finds each of the rules of that section broken.
//!
//! `DUET_DIRECTORY_STEPS=1000000 cargo test --release -p duet-tests --test directory` runs longer.

mod counts;
mod directory;
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
use duet_tests::has_rtl;
use hwmodel::coherence_directory::{Config, Replacement, Variant};

use counts::Counts;
use directory::Source;
use failure::{Check, Failure};
use system::{Setup, System};
use weakness::Weakness;

const VARIANTS: [Variant; 4] = [Variant::Baseline, Variant::Hmg, Variant::Rec, Variant::Ideal];
/// GPUs and homes.
const SHAPES: [(u32, usize); 5] = [(2, 1), (2, 2), (3, 2), (4, 1), (4, 2)];

/// Steps of a run.
fn steps(usual: u64) -> u64 {
    let steps = env::var("DUET_DIRECTORY_STEPS").ok();
    steps.map_or(usual, |steps| steps.parse().expect("DUET_DIRECTORY_STEPS is a number"))
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
        addr_w: 20,
        repl: r.pick(&[Replacement::Fifo, Replacement::Lru]),
        jobs: r.pick(&[2, 3, 8]),
        rsps: r.pick(&[3, 4]),
        ideal_lines: 64,
        duplicate: 0,
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

fn all_reached(name: &str, counts: &Counts) {
    let rows = counts.rows();
    let missed: Vec<_> = rows.iter().filter(|(_, count)| *count == 0).collect();
    assert!(missed.is_empty(), "{name}: never reached: {missed:?}");
    println!("{name}: {counts}");
}

fn models_pass(variant: Variant) {
    let mut counts = Counts::default();
    for (gpus, homes) in SHAPES {
        for seed in 1..=4 {
            counts += pass(&setup_of(variant, gpus, homes, seed), steps(40_000));
        }
    }
    all_reached(&format!("{variant:?}"), &counts);
}

#[test]
fn baseline_keeps_all_promises() {
    models_pass(Variant::Baseline);
}

#[test]
fn hmg_keeps_all_promises() {
    models_pass(Variant::Hmg);
}

#[test]
fn rec_keeps_all_promises() {
    models_pass(Variant::Rec);
}

#[test]
fn ideal_keeps_all_promises() {
    models_pass(Variant::Ideal);
}

#[test]
fn eight_gpus_keep_all_promises() {
    let mut counts = Counts::default();
    for variant in VARIANTS {
        counts += pass(&setup_of(variant, 8, 2, 1), steps(40_000));
    }
    all_reached("8 GPUs", &counts);
}

/// Looks for a weakness in every variant; tells when it was found.
fn found(weakness: Weakness, ignored: &'static [Check], expected: &[Check]) {
    for variant in VARIANTS {
        for (gpus, homes) in SHAPES {
            let mut report = Vec::new();
            for seed in 1..=4 {
                let setup = Setup {
                    weakness: Some(weakness),
                    ignored,
                    ..setup_of(variant, gpus, homes, seed)
                };
                let failure = System::new(&setup).run(steps(40_000)).err();
                report.push(failure.map(|failure| { let Failure { check, step, .. } = *failure; (check, step) }));
            }
            println!("{weakness:?} {ignored:?} {variant:?} {gpus} {homes}: {report:?} {expected:?}");
        }
    }
}

#[test]
fn weaknesses() {
    for w in [Weakness::FenceToOwnHomeOnly, Weakness::MarkerBeforeBanks, Weakness::SplitRequests, Weakness::EarlyReply, Weakness::ReplyAfterOwnInvOnly, Weakness::EarlyInv, Weakness::NoMerge, Weakness::DroppedInv, Weakness::ForgottenSharer] {
        found(w, &[], &[]);
    }
    for w in [Weakness::EarlyInv, Weakness::DroppedInv, Weakness::ForgottenSharer] {
        found(w, &[Check::LostSharer, Check::AtRest], &[]);
    }
}

#[test]
fn rtl() {
    if !has_rtl() {
        return;
    }
}
