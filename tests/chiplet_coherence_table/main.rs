//! The chiplet coherence table against real caches: random programs on byte-accurate L2s, in which
//! every load returns the last value written, nothing that is dirty is lost, and the table covers
//! what the L2s hold. The same programs find each rule of the table that is taken away. A half are
//! programs on private L2s; of those where lines have homes, a half are for HOME_AWARE.
//!
//! More programs, a longer run:
//!
//! ```sh
//! DUET_PROGRAMS=100000 DUET_CORE_PROGRAMS=1000 \
//!   cargo test --release -p duet-tests --test chiplet_coherence_table
//! ```

mod ahead;
mod both;
mod bytes;
mod caches;
mod directed;
mod eager;
mod errors;
mod examples;
mod failure;
mod firmware;
mod generate;
mod home_aware;
mod image;
mod invariants;
mod layout;
mod liar;
mod on_hosts;
mod oracle;
mod packets;
mod places;
mod profile;
mod program;
mod quality;
mod run;
mod scopes;
mod shrink;
mod states;
mod synchroniser;
mod weaknesses;

use std::env;
use std::thread;
use std::time::Instant;

use ::firmware::{Cached, Indexed, Layout, Paper};
use both::Both;
use cosim::cpelide::Native;
use duet_tests::firmware::images;
use failure::{Check, Failure};
use firmware::Firmware;
use hwmodel::cpelide::chiplet_coherence_table::{Parameters, ReferenceTable, SyncMode, Weakness};
use program::Program;
use quality::Counts;
use run::{Setup, run};
use shrink::shrink;

/// Programs unless DUET_PROGRAMS says otherwise.
const PROGRAMS: u64 = 1000;
/// Programs on the core unless DUET_CORE_PROGRAMS says otherwise.
const CORE_PROGRAMS: u64 = 6;

fn programs() -> u64 {
    number("DUET_PROGRAMS", PROGRAMS)
}

/// What an environment variable says.
fn number(variable: &str, default: u64) -> u64 {
    env::var(variable).map_or(default, |text| text.parse().expect("it is a number"))
}

/// Runs a program on the reference.
fn on_reference(
    program: &Program,
    weakness: Option<Weakness>,
    setup: Setup,
) -> Result<Counts, Failure> {
    let table = ReferenceTable::weakened(program.parameters, weakness);
    run(program, &mut table.expect("the parameters are legal"), setup)
}

/// Runs so many programs, on two threads. Panics at the first that fails, and shows it with fewer
/// packets.
fn all_pass(programs: u64, runs: impl Fn(&Program) -> Result<Counts, Failure> + Sync) -> Counts {
    let start = Instant::now();
    // Errors: the seed.
    let some = |first: u64| {
        let (mut counts, mut one_stream) = (Counts::default(), 0);
        for seed in (first..=programs).step_by(2) {
            let program = generate::program(seed);
            counts += runs(&program).map_err(|_| seed)?;
            one_stream += u64::from(program.items.iter().all(|item| item.stream == 0));
        }
        Ok((counts, one_stream))
    };
    let halves = thread::scope(|scope| {
        let even = scope.spawn(|| some(2));
        [some(1), even.join().expect("checks do not panic")]
    });
    let (mut counts, mut one_stream) = (Counts::default(), 0);
    for half in halves {
        let half = half.unwrap_or_else(|seed| panic!("{}", report(seed, &runs)));
        counts += half.0;
        one_stream += half.1;
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{programs} programs, {one_stream} of one stream and {} of three: {seconds:.0} s",
        programs - one_stream
    );
    counts
}

/// What is wrong with a seed's program, and with a smaller one.
fn report(seed: u64, runs: impl Fn(&Program) -> Result<Counts, Failure>) -> String {
    let program = generate::program(seed);
    let failure = runs(&program).expect_err("it fails");
    let small = shrink(program, |program| runs(program).is_err());
    let still = runs(&small).expect_err("it still fails");
    format!("seed {seed}: {failure}\nwith fewer packets: {still}\n{small}")
}

#[test]
fn programs_see_their_own_values() {
    let counts = all_pass(programs(), |program| on_reference(program, None, Setup::default()));
    println!("{counts}");
    assert!(counts.necessary_releases > 0 && counts.necessary_acquires > 0);
}

fn with_mode(program: &Program, sync_mode: SyncMode) -> Program {
    let parameters = Parameters { sync_mode, ..program.parameters };
    Program { parameters, ..program.clone() }
}

/// BASELINE acquires L2s that running kernels have dirtied; those bytes stay.
#[test]
fn programs_see_their_own_values_with_baseline() {
    let setup = Setup { ignored: &[Check::Dirty], ..Setup::default() };
    let counts = all_pass(programs(), |program| {
        on_reference(&with_mode(program, SyncMode::Baseline), None, setup)
    });
    println!("{counts}");
    assert_eq!((counts.releases, counts.acquires), (counts.baseline, counts.baseline));
}

#[test]
fn without_operations_old_values_are_seen() {
    for sync_mode in [SyncMode::None, SyncMode::Hmg] {
        let program = with_mode(&generate::program(1), sync_mode);
        let failure =
            on_reference(&program, None, Setup::default()).expect_err("nothing is released");
        assert_eq!(failure.check, Check::Value);
    }
}

#[test]
fn same_seed_gives_the_same_program() {
    let text = |seed| generate::program(seed).to_string();
    assert_eq!(text(1), text(1));
    assert_ne!(text(1), text(2));
}

#[test]
fn failing_program_is_shown_with_few_packets() {
    let fails = |program: &Program| {
        on_reference(program, Some(Weakness::NeverMixed), Setup::default()).is_err()
    };
    let program = (1..).map(generate::program).find(fails).expect("some program finds it");
    let small = shrink(program, fails);
    assert!(fails(&small) && small.items.len() <= 4, "{small}");
    assert!(small.to_string().contains("kernel on"), "{small}");
}

/// The firmware alone.
#[test]
fn programs_see_their_own_values_on_the_firmware() {
    let counts = all_pass(programs(), |program| {
        let mut firmware = Firmware::<Native<Cached>>::native(&program.parameters);
        run(program, &mut firmware, Setup::default())
    });
    println!("{counts}");
}

/// The firmware decides as the reference, entry by entry, with each layout of its memory.
fn firmware_agrees<L: Layout>() {
    all_pass(programs(), |program| {
        let firmware = Firmware::<Native<L>>::native(&program.parameters);
        run(program, &mut Both::new(firmware, &program.parameters), Setup::default())
    });
}

#[test]
fn firmware_agrees_with_the_table_in_fast_memory() {
    firmware_agrees::<Cached>();
}

#[test]
fn firmware_agrees_with_an_index() {
    firmware_agrees::<Indexed>();
}

#[test]
fn firmware_agrees_in_the_papers_layout() {
    firmware_agrees::<Paper>();
}

/// And on the core, model and RTL in lockstep at each port, instruction by instruction; the layouts
/// take turns.
#[test]
fn firmware_agrees_on_the_core() {
    let images = images();
    if images.is_empty() {
        return;
    }
    let counts = all_pass(number("DUET_CORE_PROGRAMS", CORE_PROGRAMS), |program| {
        let (_, image) = &images[program.seed as usize % images.len()];
        let firmware = Firmware::core(image, &program.parameters);
        run(program, &mut Both::new(firmware, &program.parameters), Setup::default())
    });
    println!("{counts}");
}
