//! The classical shapes, at random places.

use std::collections::BTreeSet;

use machine::sequential::Which;
use machine::timed::Found;
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

/// Of each thread what each of its loads has seen: 0 for the initial value; else of which thread
/// it is and its number there, `10 * thread + number`, both from 1. Last, of each word the last
/// write in the order of its writes.
type Outcome = Vec<Vec<u32>>;

/// What an outcome is forbidden by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    /// One order of what is done to a word.
    Coherence,
    /// The order of each thread, or under RC its fences.
    Order,
    /// These, and that all see a write at once.
    Atomicity,
}

/// What a design promises of shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promise {
    /// Sequential consistency.
    Sc,
    /// Release consistency with write atomicity.
    Rc,
    /// Release consistency without it.
    Weak,
}

impl Promise {
    /// Whether outcomes are forbidden, of threads with or without fences.
    fn forbids(self, by: By, fences: bool) -> bool {
        match (self, by) {
            (Self::Sc, _) | (_, By::Coherence) => true,
            (Self::Rc, _) | (Self::Weak, By::Order) => fences,
            (Self::Weak, By::Atomicity) => false,
        }
    }
}

/// A shape.
pub struct Shape {
    pub name: &'static str,
    threads: &'static [&'static [Do]],
    by: By,
    /// What no order of all accesses gives.
    forbids: fn(&Outcome) -> bool,
}

/// Loads of the flag in a loop of bounded length.
const SPINS: usize = 8;

const X: usize = 0;
const Y: usize = 1;
const Z: usize = 2;
/// Words of a shape.
const WORDS: usize = 3;

/// All shapes.
pub const SHAPES: [Shape; 19] = [
    Shape {
        name: "MP",
        by: By::Order,
        threads: &[&[Store(X), Store(Y)], &[Load(Y), Load(X)]],
        forbids: |r| r[1][0] == 12 && r[1][1] == 0,
    },
    Shape {
        name: "MP in a loop",
        by: By::Order,
        threads: &[
            &[Store(X), Store(Y)],
            &[Load(Y), Load(Y), Load(Y), Load(Y), Load(Y), Load(Y), Load(Y), Load(Y), Load(X)],
        ],
        forbids: |r| r[1][..SPINS].contains(&12) && r[1][SPINS] == 0,
    },
    Shape {
        name: "SB",
        by: By::Order,
        threads: &[&[Store(X), Load(Y)], &[Store(Y), Load(X)]],
        forbids: |r| r[0][0] == 0 && r[1][0] == 0,
    },
    Shape {
        name: "SB with atomics",
        by: By::Order,
        threads: &[&[Exchange(X), Load(Y)], &[Exchange(Y), Load(X)]],
        forbids: |r| r[0][1] == 0 && r[1][1] == 0,
    },
    Shape {
        name: "SB, own stores first",
        by: By::Order,
        threads: &[&[Store(X), Load(X), Load(Y)], &[Store(Y), Load(Y), Load(X)]],
        forbids: |r| (r[0][1] == 0 && r[1][1] == 0) || r[0][0] != 11 || r[1][0] != 21,
    },
    Shape {
        name: "LB",
        by: By::Order,
        threads: &[&[Load(Y), Store(X)], &[Load(X), Store(Y)]],
        forbids: |r| r[0][0] != 0 && r[1][0] != 0,
    },
    Shape {
        name: "IRIW",
        by: By::Atomicity,
        threads: &[&[Store(X)], &[Store(Y)], &[Load(X), Load(Y)], &[Load(Y), Load(X)]],
        forbids: |r| r[2][0] != 0 && r[2][1] == 0 && r[3][0] != 0 && r[3][1] == 0,
    },
    Shape {
        name: "WRC",
        by: By::Atomicity,
        threads: &[&[Store(X)], &[Load(X), Store(Y)], &[Load(Y), Load(X)]],
        forbids: |r| r[1][0] != 0 && r[2][0] != 0 && r[2][1] == 0,
    },
    Shape {
        name: "RWC",
        by: By::Atomicity,
        threads: &[&[Store(X)], &[Load(X), Load(Y)], &[Store(Y), Load(X)]],
        forbids: |r| r[1][0] != 0 && r[1][1] == 0 && r[2][0] == 0,
    },
    Shape {
        name: "S, looked at",
        by: By::Order,
        threads: &[&[Store(X), Store(Y)], &[Load(Y), Store(X), Load(X)], &[Load(X), Load(X)]],
        // The other thread's store of X came before its flag, so before this one.
        forbids: |r| r[1][0] == 12 && (r[1][1] == 11 || r[2] == [21, 11]),
    },
    Shape {
        name: "S",
        by: By::Order,
        threads: &[&[Store(X), Store(Y)], &[Load(Y), Store(X)]],
        forbids: |r| r[1][0] == 12 && r[2][X] == 11,
    },
    Shape {
        name: "R",
        by: By::Order,
        threads: &[&[Store(X), Store(Y)], &[Store(Y), Load(X)]],
        forbids: |r| r[2][Y] == 21 && r[1][0] == 0,
    },
    Shape {
        name: "2+2W",
        by: By::Order,
        threads: &[&[Store(X), Store(Y)], &[Store(Y), Store(X)]],
        forbids: |r| r[2][X] == 11 && r[2][Y] == 21,
    },
    Shape {
        name: "ISA2",
        by: By::Order,
        threads: &[&[Store(X), Store(Y)], &[Load(Y), Store(Z)], &[Load(Z), Load(X)]],
        forbids: |r| r[1][0] == 12 && r[2][0] == 21 && r[2][1] == 0,
    },
    Shape {
        name: "CoRR",
        by: By::Coherence,
        threads: &[&[Store(X), Store(X)], &[Load(X), Load(X)]],
        forbids: |r| r[1][0] > r[1][1],
    },
    Shape {
        name: "CoRR of two",
        by: By::Coherence,
        threads: &[&[Store(X)], &[Store(X)], &[Load(X), Load(X)], &[Load(X), Load(X)]],
        forbids: |r| {
            let turned = |a: &[u32], b: &[u32]| a == [11, 21] && b == [21, 11];
            let lost = |a: &[u32]| a[0] != 0 && a[1] == 0;
            turned(&r[2], &r[3]) || turned(&r[3], &r[2]) || lost(&r[2]) || lost(&r[3])
        },
    },
    Shape {
        name: "CoWR",
        by: By::Coherence,
        threads: &[&[Store(X), Load(X), Load(X)], &[Store(X)]],
        forbids: |r| r[0].contains(&0) || r[0] == [21, 11],
    },
    Shape {
        name: "CoRW",
        by: By::Coherence,
        threads: &[&[Load(X), Store(X), Load(X)], &[Store(X)]],
        forbids: |r| r[0][0] == 11 || r[0][1] == 0 || (r[0][0] == 21 && r[0][1] == 21),
    },
    Shape {
        name: "atomics in a row",
        by: By::Coherence,
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
    /// Fences between a thread's accesses.
    fences: bool,
    seats: Vec<Seat>,
    /// Loads before the shape's own, of each thread.
    warm: Vec<usize>,
    words: [u64; WORDS],
}

/// A shape in each kernel.
pub struct Tests {
    pub program: Program,
    tests: Vec<Test>,
}

impl Tests {
    /// So many, for a machine of so many CUs.
    pub fn new(kernels: usize, cus: usize, random: &mut SplitMix64) -> Self {
        Self::of(&SHAPES.map(|shape| shape.name), kernels, cus, random)
    }

    /// The same, of shapes with these names.
    pub fn of(names: &[&str], kernels: usize, cus: usize, random: &mut SplitMix64) -> Self {
        let is_one = |shape: &usize| names.contains(&SHAPES[*shape].name);
        let shapes: Vec<_> = (0..SHAPES.len()).filter(is_one).collect();
        let mut tests = Self {
            program: Program { kernels: Vec::new(), written: Written::Unique },
            tests: Vec::new(),
        };
        for _ in 0..kernels {
            let shape = shapes[random.below(shapes.len() as u64) as usize];
            let (test, kernel) = Test::new(shape, cus, random);
            tests.tests.push(test);
            tests.program.kernels.push(kernel);
        }
        tests
    }

    /// No outcome is one that is forbidden.
    pub fn check(&self, found: &[Found], promise: Promise, seen: &mut Seen) -> Result<(), String> {
        let mut of_kernel: Vec<Vec<&Found>> = vec![Vec::new(); self.tests.len()];
        for access in found {
            of_kernel[access.kernel as usize].push(access);
        }
        for (kernel, (test, found)) in self.tests.iter().zip(&of_kernel).enumerate() {
            let Some(outcome) = test.outcome(found) else {
                seen.unsure += 1;
                continue;
            };
            let shape = &SHAPES[test.shape];
            let is_weak = (shape.forbids)(&outcome);
            if is_weak && promise.forbids(shape.by, test.fences) {
                let kernel_of = &self.program.kernels[kernel];
                return Err(format!("kernel {kernel}, {}: {outcome:?}; {kernel_of:?}", shape.name));
            }
            let count = &mut seen.counts[test.shape][usize::from(test.fences)];
            count.runs += 1;
            count.weak += u32::from(is_weak);
            seen.outcomes[test.shape].insert(outcome);
        }
        Ok(())
    }
}

/// Runs of a shape, and those of an outcome that SC forbids.
#[derive(Clone, Copy, Debug, Default)]
pub struct Count {
    pub runs: u32,
    pub weak: u32,
}

/// What each shape has shown.
pub struct Seen {
    outcomes: [BTreeSet<Outcome>; SHAPES.len()],
    /// Without fences, and with them.
    counts: [[Count; 2]; SHAPES.len()],
    /// Programs of which some access has no place, as its generation is not sure.
    pub unsure: u32,
}

impl Seen {
    /// Nothing.
    pub fn new() -> Self {
        let outcomes = std::array::from_fn(|_| BTreeSet::new());
        Self { outcomes, counts: Default::default(), unsure: 0 }
    }

    /// How many outcomes of each shape.
    pub fn outcomes(&self) -> impl Iterator<Item = usize> {
        self.outcomes.iter().map(BTreeSet::len)
    }

    /// Of a shape, without or with fences.
    pub fn count(&self, name: &str, fences: bool) -> Count {
        let shape = SHAPES.iter().position(|shape| shape.name == name).expect("a shape");
        self.counts[shape][usize::from(fences)]
    }

    /// All counts, for a person.
    pub fn describe(&self) -> String {
        let of = |(shape, [without, with]): (&Shape, &[Count; 2])| {
            let Shape { name, .. } = shape;
            let (a, b, c, d) = (without.weak, without.runs, with.weak, with.runs);
            format!("  {name:<22} {a:>5} of {b:<5} with fences {c:>5} of {d}\n")
        };
        let has_run = |(_, [without, with]): &(&Shape, &[Count; 2])| without.runs + with.runs > 0;
        SHAPES.iter().zip(&self.counts).filter(has_run).map(of).collect()
    }
}

impl Test {
    fn new(shape: usize, cus: usize, random: &mut SplitMix64) -> (Self, Kernel) {
        let threads = SHAPES[shape].threads;
        let (words, fences) = (Self::words(random), random.below(2) == 0);
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
            for (k, step) in thread.iter().enumerate() {
                if k > 0 && fences {
                    list.push(Step::Fence);
                }
                let gap = if k == 0 { random.below(120) } else { random.below(4) } as u32;
                list.push(match *step {
                    Load(word) => Step::Load { at: words[word], size: 4, gap },
                    Store(word) => Step::Store { at: words[word], size: 4, gap },
                    Exchange(word) => Step::Atomic { at: words[word], op: AtomicOp::Exchange, gap },
                });
            }
        }
        // Others, of the same lines.
        let idle = kernel.iter_mut().flatten().filter(|list| list.is_empty());
        for list in idle.take(random.below(3) as usize) {
            let line = words[random.below(2) as usize] / LINE * LINE;
            list.push(Step::Load { at: line, size: 128, gap: random.below(60) as u32 });
            if !words.contains(&(line + LINE - 4)) {
                let gap = random.below(60) as u32;
                list.push(Step::Store { at: line + LINE - 4, size: 4, gap });
            }
        }
        (Self { shape, fences, seats, warm, words }, kernel)
    }

    /// Words, of the same line at times.
    fn words(random: &mut SplitMix64) -> [u64; WORDS] {
        loop {
            let mut word = || random.below(LINES) * LINE + random.below(LINE / 4) * 4;
            let (x, mut y, z) = (word(), word(), word());
            if random.below(5) == 0 {
                y = x / LINE * LINE + y % LINE;
            }
            if x != y && x != z && y != z {
                return [x, y, z];
            }
        }
    }

    /// The thread of an access, and the number of its step, if it is one of the shape.
    fn step(&self, which: &Which) -> Option<(usize, usize)> {
        let seat = (which.group as usize, usize::from(which.number));
        let thread = self.seats.iter().position(|other| *other == seat)?;
        let at = (which.place as usize).checked_sub(self.warm[thread])?;
        Some((thread, if self.fences { at / 2 } else { at }))
    }

    /// None where an access has no place.
    fn outcome(&self, found: &[&Found]) -> Option<Outcome> {
        let threads = SHAPES[self.shape].threads;
        let name = |which: &Which| {
            let (thread, at) = self.step(which).expect("only threads write the words");
            let writes = |step: &&Do| !matches!(step, Load(_));
            let number = threads[thread][..=at].iter().filter(writes).count();
            10 * (thread as u32 + 1) + number as u32
        };
        let mut seen = vec![Vec::new(); threads.len()];
        let (mut last, mut steps) = (vec![0; WORDS], 0);
        for access in found {
            let Some((thread, at)) = self.step(&access.which) else { continue };
            steps += 1;
            // The buffer begins at a page.
            let offset = access.line % (LINES * LINE) + u64::from(access.mask.trailing_zeros());
            let is_word = |at: &u64| *at == offset;
            let word = self.words.iter().position(is_word).expect("it is one of the words");
            if access.writes {
                last[word] = name(&access.which);
            }
            if !access.read.is_empty() {
                assert_eq!(access.read.len(), 1, "a word has one writer");
                seen[thread].push((at, access.read[0].0.as_ref().map_or(0, name)));
            }
        }
        let values = |mut loads: Vec<(usize, u32)>| {
            loads.sort_unstable();
            loads.into_iter().map(|(_, value)| value).collect()
        };
        let all: usize = threads.iter().map(|thread| thread.len()).sum();
        (steps == all).then(|| seen.into_iter().map(values).chain([last]).collect())
    }
}
