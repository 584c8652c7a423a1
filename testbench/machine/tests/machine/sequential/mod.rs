//! Small programs whose waves are not ordered, on machines whose order is checked: in whatever
//! order their accesses happen, one order must explain all of them, under release consistency as
//! far as fences go.

mod harness;
mod litmus;
mod program;
mod random;
mod rtl;
mod rules;
mod times;

use std::collections::BTreeMap;
use std::sync::Mutex;

use harness::{Machine, sequential_designs};
use litmus::{Promise, SHAPES, Seen};
use machine::sequential::Keep;
use traces::trace::Reader;
use traces::workloads::SplitMix64;

/// Kernels of a trace, each a program of its own: a machine is built for all of them.
const KERNELS: usize = 200;

/// Cases of each kind; `DUET_CASES` makes it more.
fn cases() -> u64 {
    std::env::var("DUET_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(2)
}

/// The first seed, `DUET_SEED`.
fn seed() -> u64 {
    std::env::var("DUET_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1)
}

/// Machines for each trace: to make a trace takes longer than to run it.
const MACHINES: usize = 4;

/// Litmus tests, their traces, and machines for them, from seed to seed. Gives how many programs
/// were run.
fn runs(design: &str, mut run: impl FnMut(u64, &Machine, &Reader, &litmus::Tests)) -> usize {
    let mut programs = 0;
    for seed in seed()..seed() + cases() {
        let mut random = SplitMix64::new(seed);
        let cus = harness::cus(&mut random);
        let tests = litmus::Tests::new(KERNELS, cus, &mut random);
        let trace = tests.program.record();
        for _ in 0..MACHINES {
            run(seed, &Machine::any(design, cus, &mut random), &trace, &tests);
            programs += KERNELS;
        }
    }
    programs
}

/// The same, of random programs.
fn random_runs(design: &str, mut run: impl FnMut(u64, &Machine, &Reader)) -> usize {
    let mut programs = 0;
    for seed in seed()..seed() + cases() {
        let mut random = SplitMix64::new(seed);
        let cus = harness::cus(&mut random);
        let trace = random::program(KERNELS, cus, &mut random).record();
        for _ in 0..MACHINES {
            run(seed, &Machine::any(design, cus, &mut random), &trace);
            programs += KERNELS;
        }
    }
    programs
}

/// CUs of the machines on which rules are taken away.
const RULE_CUS: usize = 3;

/// The random programs of a seed, recorded once for all rules, and the generator behind them, which
/// draws the machine.
fn programs_of(seed: u64) -> (Reader, SplitMix64) {
    static RECORDED: Mutex<BTreeMap<u64, (Reader, SplitMix64)>> = Mutex::new(BTreeMap::new());
    let record = || {
        let mut random = SplitMix64::new(seed);
        let trace = random::program(KERNELS, RULE_CUS, &mut random).record();
        (trace, random)
    };
    let mut recorded = RECORDED.lock().unwrap();
    let (trace, random) = recorded.entry(seed).or_insert_with(record);
    (trace.reopen().unwrap(), random.clone())
}

const KEEP: Keep = Keep { values: true, placed: true };

/// Designs of which each run's order is checked, and what they promise.
fn ordered_designs() -> Vec<(&'static str, Promise)> {
    let sequential = sequential_designs().into_iter().map(|design| (design, Promise::Sc));
    sequential.chain([("gtsc-rc", Promise::Rc), ("tc-weak", Promise::Weak)]).collect()
}

/// What litmus tests show on a design; none of it is forbidden.
fn litmus_of(design: &str, promise: Promise) -> Seen {
    let mut seen = Seen::new();
    let programs = runs(design, |seed, machine, trace, tests| {
        let run = machine.run(trace, KEEP);
        let (_, found) = run.unwrap_or_else(|e| panic!("{design}, seed {seed}: {e}"));
        tests
            .check(&found, promise, &mut seen)
            .unwrap_or_else(|e| panic!("{design}, seed {seed}: {e}"));
    });
    println!("{design}: {programs} litmus programs run; of outcomes that SC forbids:");
    println!("{}", seen.describe());
    assert!(10 * seen.unsure as usize <= programs, "{design}: {} without a place", seen.unsure);
    seen
}

#[test]
fn litmus_tests_have_no_forbidden_outcome() {
    for (design, promise) in ordered_designs() {
        let seen = litmus_of(design, promise);
        // A test that always sees the same says nothing.
        let few = |(shape, outcomes): (&litmus::Shape, _)| (outcomes < 2).then_some(shape.name);
        let few: Vec<_> = SHAPES.iter().zip(seen.outcomes()).filter_map(few).collect();
        assert!(few.is_empty(), "{design}: one outcome of {few:?}");
    }
}

/// What the others allow happens: else it would not be known to be forbidden.
#[test]
fn what_release_consistency_allows_is_reached() {
    let weak_ones: [(&str, Promise, &[_]); 2] = [
        ("gtsc-rc", Promise::Rc, &[("SB", false), ("R", false)]),
        ("tc-weak", Promise::Weak, &[("SB", false), ("MP", false), ("IRIW", true), ("WRC", true)]),
    ];
    for (design, promise, shapes) in weak_ones {
        let names: Vec<_> = shapes.iter().map(|(name, _)| *name).collect();
        let mut seen = Seen::new();
        let mut random = SplitMix64::new(seed());
        let tests = litmus::Tests::of(&names, 4 * KERNELS, 4, &mut random);
        let trace = tests.program.record();
        for _ in 0..MACHINES {
            // Copies outlast the program.
            let set = [("timestamp.tc_lease", "400"), ("l1.bytes", "2048"), ("l1.ways", "4")];
            let machine = Machine::with(design, 4, &mut random, &set);
            let (_, found) = machine.run(&trace, KEEP).unwrap_or_else(|e| panic!("{design}: {e}"));
            tests.check(&found, promise, &mut seen).unwrap_or_else(|e| panic!("{design}: {e}"));
        }
        println!("{design}: of outcomes that SC forbids:\n{}", seen.describe());
        for &(name, fences) in shapes {
            assert!(seen.count(name, fences).weak > 0, "{design}: {name}, fences: {fences}");
        }
    }
}

#[test]
fn random_programs_are_in_an_order_that_is_promised() {
    for (design, _) in ordered_designs() {
        let programs = random_runs(design, |seed, machine, trace| {
            let run = machine.run(trace, KEEP);
            run.unwrap_or_else(|e| panic!("{design}, seed {seed}: {e}"));
        });
        println!("{design}: {programs} random programs run");
    }
}

/// Values are right on machines that promise less; and so the tables of the traces are.
#[test]
fn values_are_possible_ones_on_other_machines() {
    for design in ["src", "none"] {
        let run = |seed, machine: &Machine, trace: &Reader| {
            let run = machine.run(trace, KEEP);
            run.unwrap_or_else(|e| panic!("{design}, seed {seed}: {e}"));
        };
        runs(design, |seed, machine, trace, _| run(seed, machine, trace));
        random_runs(design, run);
    }
}

/// A design that does not keep its promise is found out, by both kinds of programs.
#[test]
fn a_broken_order_is_seen() {
    let (mut litmus, mut random) = (0, 0);
    runs("test-loose", |_, machine, trace, _| litmus += u32::from(machine.fails(trace)));
    random_runs("test-loose", |_, machine, trace| random += u32::from(machine.fails(trace)));
    assert!(litmus > 0 && random > 1, "{litmus} and {random}");
}

/// Barriers are part of the order.
#[test]
fn a_barrier_that_does_not_wait_is_seen() {
    let mut seen = 0;
    random_runs("test-early", |_, machine, trace| seen += u32::from(machine.fails(trace)));
    assert!(seen > 1, "{seen}");
}

/// The traces themselves.
#[test]
fn programs_make_sense() {
    let mut random = SplitMix64::new(seed());
    for cus in [2, 5, 16] {
        random::program(20, cus, &mut random).verify();
        litmus::Tests::new(20, cus, &mut random).program.verify();
    }
}
