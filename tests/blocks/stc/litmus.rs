//! Litmus shapes with random timing: what release consistency with write atomicity forbids is never
//! seen, and what it allows is.

use cosim::stimulus::Random;
use ports::stc::types::Variant;

use super::failure::{Check, Failure};
use super::l1::WORDS;
use super::setup::{Link, Op, Setup, Timing, VARIANTS, pool, small};
use super::system::{Counts, System};

/// Of each shape, with and without fences; a tenth of DUET_STC_PROGRAMS where that is more.
const RUNS: u64 = 400;

/// An access of a thread to one of two variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Access {
    R(usize),
    W(usize),
}
use Access::{R, W};

const X: usize = 0;
const Y: usize = 1;

/// What threads do, and the outcome that is forbidden, seen by what each access read or wrote: its
/// place in the order of its variable, by thread.
#[derive(Clone, Copy)]
pub struct Shape {
    pub name: &'static str,
    threads: &'static [&'static [Access]],
    forbidden: fn(&[Vec<u32>]) -> bool,
    /// Forbidden without fences, too.
    always: bool,
}

/// Each variable is written once where it is 0 or 1 below.
pub const SHAPES: [Shape; 8] = [
    Shape {
        name: "MP",
        threads: &[&[W(X), W(Y)], &[R(Y), R(X)]],
        forbidden: |p| p[1] == [1, 0],
        always: false,
    },
    Shape {
        name: "SB",
        threads: &[&[W(X), R(Y)], &[W(Y), R(X)]],
        forbidden: |p| p[0][1] == 0 && p[1][1] == 0,
        always: false,
    },
    Shape {
        name: "LB",
        threads: &[&[R(X), W(Y)], &[R(Y), W(X)]],
        forbidden: |p| p[0][0] == 1 && p[1][0] == 1,
        always: false,
    },
    Shape {
        name: "WRC",
        threads: &[&[W(X)], &[R(X), W(Y)], &[R(Y), R(X)]],
        forbidden: |p| p[1][0] == 1 && p[2] == [1, 0],
        always: false,
    },
    Shape {
        name: "IRIW",
        threads: &[&[W(X)], &[W(Y)], &[R(X), R(Y)], &[R(Y), R(X)]],
        forbidden: |p| p[2] == [1, 0] && p[3] == [1, 0],
        always: false,
    },
    Shape {
        name: "RWC",
        threads: &[&[W(X)], &[R(X), R(Y)], &[W(Y), R(X)]],
        forbidden: |p| p[1] == [1, 0] && p[2][1] == 0,
        always: false,
    },
    Shape {
        name: "CoRR",
        threads: &[&[W(X)], &[R(X), R(X)]],
        forbidden: |p| p[1][1] < p[1][0],
        always: true,
    },
    Shape {
        name: "CoWW",
        threads: &[&[W(X), W(X)], &[R(X), R(X)]],
        forbidden: |p| p[0][1] < p[0][0],
        always: true,
    },
];

/// All checks but what the shapes themselves tell.
pub const BUT_VALUES: &[Check] = &[
    Check::Er1,
    Check::Er2,
    Check::Er3,
    Check::Coherent,
    Check::Error,
    Check::Stale,
    Check::Order,
    Check::Wait,
];

/// The threads as waves of a random system, each behind loads of what it will read, beside waves
/// that keep the epochs moving. Returns, by thread, its CU and its accesses' operations too.
fn setup(shape: &Shape, fences: bool, seed: u64) -> (Setup, Vec<(usize, Vec<usize>)>) {
    let r = &mut Random::new(seed ^ 0x1173_0000);
    let variant: Variant = r.pick(&VARIANTS);
    let n_cu = 4;
    let lines = 2 + r.below(5);
    let pool = pool(r, lines);
    let mut programs = vec![Vec::new(); n_cu];
    let mut threads = Vec::new();
    let (delay, first) = (r.pick(&[8, 40]), r.below(n_cu as u32) as usize);
    let together = r.below(8) == 0;
    for (n, thread) in shape.threads.iter().enumerate() {
        let cu = if together { first } else { (first + n) % n_cu };
        let mut program = Vec::new();
        for access in *thread {
            if let (R(variable), true) = (*access, r.below(4) != 0) {
                program.push(Op::Load(WORDS * variable));
            }
        }
        program.push(Op::Fence);
        let most = r.pick(&[10, 80, 200]);
        program.push(Op::Delay(1 + r.below(most)));
        let mut places = Vec::new();
        for (n, access) in thread.iter().enumerate() {
            if n != 0 && fences {
                program.push(Op::Fence);
            }
            if n != 0 && r.below(2) == 0 {
                program.push(Op::Delay(1 + r.below(delay)));
            }
            places.push(program.len());
            program.push(match *access {
                R(variable) => Op::Load(WORDS * variable),
                W(variable) => Op::Store(WORDS * variable),
            });
        }
        threads.push((cu, places));
        // In front of those that only make traffic.
        programs[cu].push(program);
    }
    for programs in &mut programs {
        let traffic = |_| match r.below(3) {
            0 => Op::Load(WORDS * r.below(lines) as usize + 1),
            1 => Op::Store(WORDS * r.below(lines) as usize + 2),
            _ => Op::Delay(1 + r.below(60)),
        };
        programs.push((0..6).map(traffic).collect());
    }
    let most = r.pick(&[1, 5]);
    let mut link = || Link { down: r.below(most) as usize, up: r.below(most) as usize, late: 0 };
    let links = (0..n_cu).map(|_| link()).collect();
    let stc = ports::stc::types::Stc { n_cu: n_cu as u32, ..small(variant) };
    let usual = Setup::random(variant, seed);
    let timing = Timing::random(r);
    (Setup { stc, links, timing, pool, programs, host: false, ..usual }, threads)
}

/// Whether the forbidden outcome is seen.
pub fn run(
    shape: &Shape,
    fences: bool,
    seed: u64,
    change: impl FnOnce(&mut Setup),
) -> Result<(bool, Counts), Failure> {
    let (mut setup, threads) = setup(shape, fences, seed);
    change(&mut setup);
    let mut system = System::new(&setup);
    let counts = system.run()?;
    let mut waves = vec![0; setup.programs.len()];
    let mut seen = Vec::new();
    for (cu, ops) in threads {
        let place = |op: &usize| system.cus[cu].place(waves[cu], *op).expect("it was done");
        seen.push(ops.iter().map(place).collect::<Vec<_>>());
        waves[cu] += 1;
    }
    Ok(((shape.forbidden)(&seen), counts))
}

#[test]
fn what_is_forbidden_is_never_seen_and_what_is_allowed_is() {
    let mut counts = Counts::default();
    for shape in &SHAPES {
        let mut seen = [0; 2];
        let runs = RUNS.max(super::programs(0) / 10);
        for seed in 1..=runs {
            for fences in [false, true] {
                let (forbidden, more) = run(shape, fences, seed, |_| {})
                    .unwrap_or_else(|failure| panic!("{}, seed {seed}: {failure}", shape.name));
                counts += more;
                seen[usize::from(fences)] += u64::from(forbidden);
            }
        }
        let [without, with] = seen;
        println!("{}: of {runs} runs {without} without fences, {with} with", shape.name);
        assert_eq!(with, 0, "{}", shape.name);
        if shape.always {
            assert_eq!(without, 0, "{}", shape.name);
        } else {
            // Those of three and four threads are rare.
            assert!(without != 0 || shape.threads.len() > 2, "{}", shape.name);
        }
    }
    println!("{counts:?}");
}
