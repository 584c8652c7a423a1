//! Small programs whose waves are not ordered, on machines that promise sequential consistency: in
//! whatever order their accesses happen, one order must explain all of them.

mod harness;
mod litmus;
mod program;
mod random;

use harness::{Machine, sequential_designs};
use litmus::SHAPES;
use machine::sequential::Keep;
use program::Program;
use traces::workloads::SplitMix64;

/// Kernels of a trace: a machine is built for each.
const KERNELS: usize = 200;

/// Cases of each kind; `DUET_CASES` makes it more.
fn cases() -> u64 {
    std::env::var("DUET_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(2)
}

/// The first seed, `DUET_SEED`.
fn seed() -> u64 {
    std::env::var("DUET_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1)
}

const KEEP: Keep = Keep { values: true, placed: true };

#[test]
fn litmus_tests_have_no_forbidden_outcome() {
    for design in sequential_designs() {
        let mut seen = vec![0; SHAPES.len()];
        for seed in seed()..seed() + cases() {
            let mut random = SplitMix64::new(seed);
            let machine = Machine::any(design, &mut random);
            let tests = litmus::Tests::new(KERNELS, machine.cus, &mut random);
            let run = machine.run(&tests.program, KEEP);
            let placed = run.unwrap_or_else(|e| panic!("{design}, seed {seed}: {e}"));
            tests
                .check(&placed, &mut seen)
                .unwrap_or_else(|e| panic!("{design}, seed {seed}: {e}"));
        }
        // A test that always sees the same says nothing.
        assert!(seen.iter().all(|outcomes| *outcomes > 1), "{design}: outcomes {seen:?}");
    }
}

#[test]
fn random_programs_are_sequentially_consistent() {
    for design in sequential_designs() {
        for seed in seed()..seed() + cases() {
            let mut random = SplitMix64::new(seed);
            let machine = Machine::any(design, &mut random);
            let program = random::program(KERNELS, machine.cus, &mut random);
            let run = machine.run(&program, KEEP);
            run.unwrap_or_else(|e| panic!("{design}, seed {seed}: {e}"));
        }
    }
}

/// Values are right on machines that promise less; and so the tables of the traces are.
#[test]
fn values_are_possible_ones_on_other_machines() {
    for design in ["src", "none"] {
        for seed in seed()..seed() + cases() {
            let mut random = SplitMix64::new(seed);
            let machine = Machine::any(design, &mut random);
            let program = random::program(KERNELS, machine.cus, &mut random);
            let tests = litmus::Tests::new(KERNELS, machine.cus, &mut random);
            for program in [&program, &tests.program] {
                machine.run(program, KEEP).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
            }
        }
    }
}

/// A design that does not keep its promise is found out, by both kinds of programs.
#[test]
fn a_broken_order_is_seen() {
    let mut random = SplitMix64::new(seed());
    let (mut litmus, mut programs) = (0, 0);
    for _ in 0..4 {
        let machine = Machine::any("test-loose", &mut random);
        let tests = litmus::Tests::new(KERNELS, machine.cus, &mut random);
        litmus += u32::from(machine.fails(&tests.program));
        programs += u32::from(machine.fails(&random::program(KERNELS, machine.cus, &mut random)));
    }
    assert!(litmus > 0 && programs > 1, "{litmus} and {programs}");
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

/// How many programs a second: `cargo test --release -p machine -- --ignored --nocapture speed`.
#[test]
#[ignore = "measures"]
fn speed_of_programs() {
    let designs = ["src"].into_iter().chain(sequential_designs());
    for design in designs {
        let mut random = SplitMix64::new(seed());
        let (mut kernels, mut cycles) = (0, 0);
        let made = std::time::Instant::now();
        let runs: Vec<(Machine, Program)> = (0..20)
            .map(|_| {
                let machine = Machine::any(design, &mut random);
                let program = random::program(KERNELS, machine.cus, &mut random);
                (machine, program)
            })
            .collect();
        let recorded: Vec<_> = runs.iter().map(|(_, program)| program.record()).collect();
        let made = made.elapsed().as_secs_f64();
        let start = std::time::Instant::now();
        for ((machine, _), trace) in runs.iter().zip(&recorded) {
            let ran = machine.run_trace(trace, KEEP).unwrap_or_else(|e| panic!("{e}"));
            kernels += KERNELS;
            cycles += ran.0;
        }
        let time = start.elapsed().as_secs_f64();
        println!(
            "{design}: {:.0} programs/s ({:.0} made/s), {:.0} cycles each",
            kernels as f64 / time,
            kernels as f64 / made,
            cycles as f64 / kernels as f64,
        );
    }
}
