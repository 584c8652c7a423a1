//! The classical shapes, at random places.

use std::collections::BTreeSet;

use machine::sequential::Placed;
use traces::trace::AtomicOp;
use traces::workloads::SplitMix64;

use super::program::{Kernel, LINE, LINES, Program, Step, Written};

/// What a thread does to one of the shape's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Do {
    Load(usize),
    Store(usize),
    Exchange(usize),
}

use Do::{Exchange, Load, Store};

/// Of each thread what each of its loads has seen: 0 for nobody's write; else of which thread it is
/// and its number there, `10 * thread + number`, both from 1.
type Outcome = Vec<Vec<u32>>;

/// A shape.
pub struct Shape {
    pub name: &'static str,
    threads: &'static [&'static [Do]],
    /// What no order of all accesses gives.
    forbids: fn(&Outcome) -> bool,
}

/// Loads of the flag in a loop of bounded length.
const SPINS: usize = 8;

const X: usize = 0;
const Y: usize = 1;

/// All shapes.
pub const SHAPES: [Shape; 15] = [
    Shape {
        name: "MP",
        threads: &[&[Store(X), Store(Y)], &[Load(Y), Load(X)]],
        forbids: |r| r[1][0] == 12 && r[1][1] == 0,
    },
    Shape {
        name: "MP in a loop",
        threads: &[
            &[Store(X), Store(Y)],
            &[Load(Y), Load(Y), Load(Y), Load(Y), Load(Y), Load(Y), Load(Y), Load(Y), Load(X)],
        ],
        forbids: |r| r[1][..SPINS].contains(&12) && r[1][SPINS] == 0,
    },
    Shape {
        name: "SB",
        threads: &[&[Store(X), Load(Y)], &[Store(Y), Load(X)]],
        forbids: |r| r[0][0] == 0 && r[1][0] == 0,
    },
    Shape {
        name: "SB with atomics",
        threads: &[&[Exchange(X), Load(Y)], &[Exchange(Y), Load(X)]],
        forbids: |r| r[0][1] == 0 && r[1][1] == 0,
    },
    Shape {
        name: "SB, own stores first",
        threads: &[&[Store(X), Load(X), Load(Y)], &[Store(Y), Load(Y), Load(X)]],
        forbids: |r| (r[0][1] == 0 && r[1][1] == 0) || r[0][0] != 11 || r[1][0] != 21,
    },
    Shape {
        name: "LB",
        threads: &[&[Load(Y), Store(X)], &[Load(X), Store(Y)]],
        forbids: |r| r[0][0] != 0 && r[1][0] != 0,
    },
    Shape {
        name: "IRIW",
        threads: &[&[Store(X)], &[Store(Y)], &[Load(X), Load(Y)], &[Load(Y), Load(X)]],
        forbids: |r| r[2][0] != 0 && r[2][1] == 0 && r[3][0] != 0 && r[3][1] == 0,
    },
    Shape {
        name: "WRC",
        threads: &[&[Store(X)], &[Load(X), Store(Y)], &[Load(Y), Load(X)]],
        forbids: |r| r[1][0] != 0 && r[2][0] != 0 && r[2][1] == 0,
    },
    Shape {
        name: "RWC",
        threads: &[&[Store(X)], &[Load(X), Load(Y)], &[Store(Y), Load(X)]],
        forbids: |r| r[1][0] != 0 && r[1][1] == 0 && r[2][0] == 0,
    },
    Shape {
        name: "S",
        threads: &[&[Store(X), Store(Y)], &[Load(Y), Store(X), Load(X)], &[Load(X), Load(X)]],
        // The other thread's store of X came before its flag, so before this one.
        forbids: |r| r[1][0] == 12 && (r[1][1] == 11 || r[2] == [21, 11]),
    },
    Shape {
        name: "CoRR",
        threads: &[&[Store(X), Store(X)], &[Load(X), Load(X)]],
        forbids: |r| r[1][0] > r[1][1],
    },
    Shape {
        name: "CoRR of two",
        threads: &[&[Store(X)], &[Store(X)], &[Load(X), Load(X)], &[Load(X), Load(X)]],
        forbids: |r| {
            let turned = |a: &[u32], b: &[u32]| a == [11, 21] && b == [21, 11];
            let lost = |a: &[u32]| a[0] != 0 && a[1] == 0;
            turned(&r[2], &r[3]) || turned(&r[3], &r[2]) || lost(&r[2]) || lost(&r[3])
        },
    },
    Shape {
        name: "CoWR",
        threads: &[&[Store(X), Load(X), Load(X)], &[Store(X)]],
        forbids: |r| r[0].contains(&0) || r[0] == [21, 11],
    },
    Shape {
        name: "CoRW",
        threads: &[&[Load(X), Store(X), Load(X)], &[Store(X)]],
        forbids: |r| r[0][0] == 11 || r[0][1] == 0 || (r[0][0] == 21 && r[0][1] == 21),
    },
    Shape {
        name: "atomics in a row",
        threads: &[&[Exchange(X), Exchange(X)], &[Exchange(X), Exchange(X)]],
        forbids: |r| {
            let all: BTreeSet<_> = r.iter().flatten().collect();
            all.len() < 4 || r[0][1] == 0 || r[1][1] == 0
        },
    },
];

/// A thread's place: work-group and wave.
type Seat = (usize, usize);

/// Where a shape stands in a program.
struct Test {
    shape: usize,
    seats: Vec<Seat>,
    /// Loads before the shape's own, of each thread.
    warm: Vec<usize>,
    /// Its first access.
    words: Vec<u64>,
}

/// A shape in each kernel.
pub struct Tests {
    pub program: Program,
    tests: Vec<Test>,
}

impl Tests {
    /// So many, for a machine of so many CUs.
    pub fn new(kernels: usize, cus: usize, random: &mut SplitMix64) -> Self {
        let mut tests = Self {
            program: Program { kernels: Vec::new(), written: Written::Unique },
            tests: Vec::new(),
        };
        for _ in 0..kernels {
            let (test, kernel) = Test::new(cus, random);
            tests.tests.push(test);
            tests.program.kernels.push(kernel);
        }
        tests
    }

    /// No outcome is a forbidden one.
    pub fn check(&self, placed: &[Placed], seen: &mut Seen) -> Result<(), String> {
        let mut of_kernel: Vec<Vec<&Placed>> = vec![Vec::new(); self.tests.len()];
        for access in placed {
            of_kernel[access.kernel as usize].push(access);
        }
        for (kernel, (test, placed)) in self.tests.iter().zip(&of_kernel).enumerate() {
            let outcome = test.outcome(placed);
            let shape = &SHAPES[test.shape];
            if (shape.forbids)(&outcome) {
                let kernel_of = &self.program.kernels[kernel];
                return Err(format!("kernel {kernel}, {}: {outcome:?}; {kernel_of:?}", shape.name));
            }
            seen.0[test.shape].insert(outcome);
        }
        Ok(())
    }
}

/// What each shape has shown.
pub struct Seen([BTreeSet<Outcome>; SHAPES.len()]);

impl Seen {
    /// Nothing.
    pub fn new() -> Self {
        Self(std::array::from_fn(|_| BTreeSet::new()))
    }

    /// How many outcomes of each shape.
    pub fn outcomes(&self) -> impl Iterator<Item = usize> {
        self.0.iter().map(BTreeSet::len)
    }
}

impl Test {
    fn new(cus: usize, random: &mut SplitMix64) -> (Self, Kernel) {
        let shape = random.below(SHAPES.len() as u64) as usize;
        let threads = SHAPES[shape].threads;
        let words = Self::words(random);
        // Each thread on a CU of its own, or several as waves of one group.
        let waves = 1 + random.below(2) as usize;
        let groups = threads.len().max(cus);
        let mut seats: Vec<Seat> = Vec::new();
        while seats.len() < threads.len() {
            let seat = (random.below(groups as u64) as usize, random.below(waves as u64) as usize);
            if !seats.contains(&seat) {
                seats.push(seat);
            }
        }
        let mut kernel: Kernel = vec![vec![Vec::new(); waves]; groups];
        let mut warm = Vec::new();
        for (thread, &(group, wave)) in threads.iter().zip(&seats) {
            let list = &mut kernel[group][wave];
            let loads = random.below(4) as usize;
            warm.push(loads);
            for _ in 0..loads {
                let at = words[random.below(2) as usize];
                list.push(Step::Load { at, size: 4, gap: random.below(30) as u32 });
            }
            list.extend(thread.iter().enumerate().map(|(k, step)| {
                let gap = if k == 0 { random.below(120) } else { random.below(4) } as u32;
                match *step {
                    Load(word) => Step::Load { at: words[word], size: 4, gap },
                    Store(word) => Step::Store { at: words[word], size: 4, gap },
                    Exchange(word) => Step::Atomic { at: words[word], op: AtomicOp::Exchange, gap },
                }
            }));
        }
        // Others, of the same lines.
        let idle = kernel.iter_mut().flatten().filter(|list| list.is_empty());
        for list in idle.take(random.below(3) as usize) {
            let line = words[random.below(2) as usize] / LINE * LINE;
            list.push(Step::Load { at: line, size: 128, gap: random.below(60) as u32 });
            if line + LINE - 4 != words[X] && line + LINE - 4 != words[Y] {
                let gap = random.below(60) as u32;
                list.push(Step::Store { at: line + LINE - 4, size: 4, gap });
            }
        }
        (Self { shape, seats, warm, words: words.to_vec() }, kernel)
    }

    /// Two words, of the same line at times.
    fn words(random: &mut SplitMix64) -> [u64; 2] {
        loop {
            let mut word = || random.below(LINES) * LINE + random.below(LINE / 4) * 4;
            let (x, mut y) = (word(), word());
            if random.below(5) == 0 {
                y = x / LINE * LINE + y % LINE;
            }
            if x != y {
                return [x, y];
            }
        }
    }

    fn outcome(&self, placed: &[&Placed]) -> Outcome {
        let threads = SHAPES[self.shape].threads;
        let thread_of = |access: &machine::sequential::Which| {
            let seat = (access.group as usize, usize::from(access.number));
            self.seats.iter().position(|other| *other == seat)
        };
        let name = |which: &machine::sequential::Which| {
            let thread = thread_of(which).expect("only threads write the words");
            let at = which.place as usize - self.warm[thread];
            let writes = |step: &&Do| !matches!(step, Load(_));
            let number = threads[thread][..=at].iter().filter(writes).count();
            10 * (thread as u32 + 1) + number as u32
        };
        let mut outcome = vec![Vec::new(); threads.len()];
        for access in placed.iter().filter(|access| !access.read.is_empty()) {
            let Some(thread) = thread_of(&access.which) else { continue };
            if (access.which.place as usize) < self.warm[thread] {
                continue;
            }
            assert_eq!(access.read.len(), 1, "a word has one writer");
            assert!(self.words.iter().any(|at| at % LINE == access.mask.trailing_zeros().into()));
            outcome[thread].push(access.read[0].0.as_ref().map_or(0, name));
        }
        outcome
    }
}
