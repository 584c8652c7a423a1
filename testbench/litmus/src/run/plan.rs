//! Where the instances of a test stand.

use std::collections::{BTreeMap, BTreeSet};

use traces::workloads::SplitMix64;

use crate::meeting::Meetings;
use crate::test::Test;

/// Bytes of a line.
pub const LINE: u64 = 128;
/// Unit of placement.
const PAGE: u64 = 4096;
/// Lines that a kernel's locations lie in: half of two pages each, so of two chiplets at times.
const LINES: u64 = 32;
/// Bytes that several kernels share.
const POOL: u64 = 2 * PAGE;
/// Words of each line that a kernel has for itself: no word is used twice, and lines stay in caches
/// from kernel to kernel.
const WORDS: u64 = 4;
/// Kernels of a pool: the line's last words are for others' stores.
const KERNELS: u64 = LINE / 4 / WORDS - 1;
/// Most instances of a kernel.
const MOST: usize = 8;

/// An operation beside those of the test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beside {
    /// Address within the buffer.
    pub at: u64,
    /// It stores, or loads.
    pub stores: bool,
    /// Bytes.
    pub size: u64,
    /// Instructions before it.
    pub gap: u32,
}

/// A thread of an instance.
#[derive(Clone, Debug)]
pub struct Seat {
    /// Work-group and wave.
    pub group: u32,
    /// Its wave.
    pub wave: u16,
    /// What comes before the test.
    pub before: Vec<Beside>,
    /// Instructions before each step.
    pub gaps: Vec<u32>,
    /// Its steps in their order, and between them `None`: barriers at which other threads of the
    /// work-group meet. The machine has one for all of them.
    pub slots: Vec<Option<usize>>,
}

/// An instance.
#[derive(Clone, Debug)]
pub struct Instance {
    /// Of each thread.
    pub seats: Vec<Seat>,
    /// Of each location its address within the buffer.
    pub words: Vec<u64>,
}

/// A kernel.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Work-groups.
    pub groups: u32,
    /// Instances.
    pub instances: Vec<Instance>,
    /// Others: work-group, wave, what they do.
    pub others: Vec<(u32, u16, Vec<Beside>)>,
}

/// A program.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Waves of a work-group.
    pub waves: u16,
    /// Bytes of the buffer.
    pub bytes: u64,
    /// Kernels.
    pub kernels: Vec<Kernel>,
}

/// Threads of the largest work-group of a test.
pub fn widest(test: &Test) -> usize {
    groups(test).values().map(Vec::len).max().unwrap_or(1)
}

/// Threads of each work-group, by GPU and work-group. The GPUs of a test are numbered from 0 on.
fn groups(test: &Test) -> BTreeMap<(usize, u32), Vec<usize>> {
    let gpus = gpus(test);
    let mut all: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (number, thread) in test.threads.iter().enumerate() {
        let gpu = gpus.iter().position(|gpu| *gpu == thread.gpu).expect("it was found there");
        all.entry((gpu, thread.cta)).or_default().push(number);
    }
    all
}

/// The GPUs of a test.
pub fn gpus(test: &Test) -> Vec<u32> {
    let all: BTreeSet<_> = test.threads.iter().map(|thread| thread.gpu).collect();
    all.into_iter().collect()
}

impl Plan {
    /// So many instances, for a machine of so many CUs in each GPU.
    pub fn new(test: &Test, instances: u32, cus: usize, random: &mut SplitMix64) -> Self {
        let groups_of_test = groups(test);
        let waves = widest(test) + random.below(2) as usize;
        let gpus = gpus(test).len();
        let places = 2 * cus.max(2);
        let of_gpu = |gpu: usize| groups_of_test.keys().filter(|(other, _)| *other == gpu).count();
        let most = (0..gpus).map(of_gpu).max().unwrap_or(1);
        let of_kernel = (places / most).clamp(1, MOST);
        let mut kernels: Vec<Kernel> = Vec::new();
        let mut left = instances as usize;
        while left > 0 {
            let number = left.min(of_kernel);
            left -= number;
            // Each GPU gets an equal part of the work-groups, one part behind the other.
            let share = (number * most).max(places.min(number + 4)) as u32;
            let groups = share * gpus as u32;
            let mut of_gpu = |gpu: u32| {
                let own = shuffled(share, random).into_iter();
                own.map(|group| gpu * share + group).collect()
            };
            let mut order: Vec<Vec<u32>> = (0..gpus as u32).map(&mut of_gpu).collect();
            let mut words = Words::new(kernels.len() as u64);
            let mut kernel = Kernel { groups, instances: Vec::new(), others: Vec::new() };
            for _ in 0..number {
                kernel.instances.push(instance(test, waves, &mut order, &mut words, random));
            }
            for other in 0..random.below(4) as usize {
                let Some(group) = order[other % gpus].pop() else { break };
                kernel.others.push((group, 0, words.others(random)));
            }
            kernels.push(kernel);
        }
        let bytes = (kernels.len() as u64).div_ceil(KERNELS) * POOL;
        Self { waves: waves as u16, bytes, kernels }
    }
}

fn shuffled(number: u32, random: &mut SplitMix64) -> Vec<u32> {
    let mut all: Vec<_> = (0..number).collect();
    for at in (1..all.len()).rev() {
        all.swap(at, random.below(at as u64 + 1) as usize);
    }
    all
}

fn instance(
    test: &Test,
    waves: usize,
    order: &mut [Vec<u32>],
    free: &mut Words,
    random: &mut SplitMix64,
) -> Instance {
    let words = free.of_instance(test.locations.len(), random);
    let mut seats = vec![None; test.threads.len()];
    // Some instances begin together, some one thread after another.
    let apart = [1, 20, 60, 200][random.below(4) as usize];
    let meetings = Meetings::of(test);
    for ((gpu, _), threads) in groups(test) {
        let group = order[gpu].pop().expect("each has a place");
        let of_waves = shuffled(waves as u32, random);
        for (&thread, &wave) in threads.iter().zip(&of_waves) {
            let before = (0..random.below(4)).map(|_| warm(&words, random)).collect();
            let gap = |step: usize| {
                let most = if step == 0 { apart } else { [1, 4, 30][random.below(3) as usize] };
                random.below(most) as u32
            };
            let gaps = (0..test.threads[thread].steps.len()).map(gap).collect();
            let slots = slots(test, thread, meetings.among(&threads), random);
            seats[thread] = Some(Seat { group, wave: wave as u16, before, gaps, slots });
        }
    }
    let seats = seats.into_iter().map(|seat| seat.expect("each thread has a group")).collect();
    Instance { seats, words }
}

/// A thread's steps, with the barriers of others at places that are drawn.
fn slots<'a>(
    test: &Test,
    thread: usize,
    meetings: impl Iterator<Item = &'a [(usize, usize)]>,
    random: &mut SplitMix64,
) -> Vec<Option<usize>> {
    let steps = test.threads[thread].steps.len();
    let meetings: Vec<_> = meetings.collect();
    let own = |meeting: &&[(usize, usize)]| {
        meeting.iter().find(|(other, _)| *other == thread).map(|(_, step)| *step)
    };
    let mut slots = Vec::new();
    let mut next = 0;
    for (number, meeting) in meetings.iter().enumerate() {
        if let Some(step) = own(meeting) {
            slots.extend((next..=step).map(Some));
            next = step + 1;
            continue;
        }
        let last = meetings[number..].iter().find_map(own).unwrap_or(steps);
        let until = next + random.below((last - next) as u64 + 1) as usize;
        slots.extend((next..until).map(Some));
        slots.push(None);
        next = until;
    }
    slots.extend((next..steps).map(Some));
    slots
}

/// A load of a word or of its whole line, so that a cache holds it.
fn warm(words: &[u64], random: &mut SplitMix64) -> Beside {
    let word = words[random.below(words.len() as u64) as usize];
    let gap = random.below(30) as u32;
    match random.below(2) {
        0 => Beside { at: word, stores: false, size: 4, gap },
        _ => Beside { at: word / LINE * LINE, stores: false, size: LINE, gap },
    }
}

/// The words of a kernel that are still free.
struct Words {
    kernel: u64,
    taken: Vec<u64>,
}

impl Words {
    fn new(kernel: u64) -> Self {
        Self { kernel, taken: Vec::new() }
    }

    /// Address of a line of the kernel's pool.
    fn line(&self, number: u64) -> u64 {
        self.kernel / KERNELS * POOL + number % 2 * PAGE + number / 2 * LINE
    }

    /// The words of an instance, of the same line at times.
    fn of_instance(&mut self, number: usize, random: &mut SplitMix64) -> Vec<u64> {
        let mut words: Vec<u64> = Vec::new();
        while words.len() < number {
            let line = match words.last() {
                Some(last) if random.below(5) == 0 => last / LINE * LINE,
                _ => self.line(random.below(LINES)),
            };
            let word = line + (self.kernel % KERNELS * WORDS + random.below(WORDS)) * 4;
            if !self.taken.contains(&word) {
                self.taken.push(word);
                words.push(word);
            }
        }
        words
    }

    /// Loads of lines, and stores to words of them that no test has.
    fn others(&self, random: &mut SplitMix64) -> Vec<Beside> {
        let mut all = Vec::new();
        for _ in 0..1 + random.below(3) {
            let line = self.line(random.below(LINES));
            let mut gap = || random.below(60) as u32;
            all.push(Beside { at: line, stores: false, size: LINE, gap: gap() });
            all.push(Beside { at: line + LINE - 4, stores: true, size: 4, gap: gap() });
        }
        all
    }
}
