//! Random programs over a few words of a few lines.

use traces::trace::AtomicOp;
use traces::workloads::SplitMix64;

use super::program::{Kernel, LINE, LINES, Program, Step, Written};

/// What a kernel's steps are made of.
struct Mix {
    lines: Vec<u64>,
    words: Vec<u64>,
    /// Of 100.
    stores: u64,
    atomics: u64,
    fences: u64,
    most_gap: u64,
}

impl Mix {
    fn new(random: &mut SplitMix64) -> Self {
        let mut pick = |list: &[u64]| list[random.below(list.len() as u64) as usize];
        let (stores, atomics, fences) = (pick(&[20, 35, 50]), pick(&[0, 8, 25]), pick(&[0, 5]));
        let most_gap = pick(&[1, 4, 40]);
        let lines = (0..2 + random.below(5)).map(|_| random.below(LINES)).collect();
        let words = (0..1 + random.below(3)).map(|_| random.below(LINE / 4) * 4).collect();
        Self { lines, words, stores, atomics, fences, most_gap }
    }

    fn step(&self, random: &mut SplitMix64) -> Step {
        if random.below(100) < self.fences {
            return Step::Fence;
        }
        let line = self.lines[random.below(self.lines.len() as u64) as usize] * LINE;
        let word = self.words[random.below(self.words.len() as u64) as usize];
        let gap = random.below(self.most_gap) as u32;
        let size = [4, 4, 4, 1, 8, 16, 128][random.below(7) as usize];
        let at = line + (word + if size == 1 { random.below(4) } else { 0 }) / size * size;
        match random.below(100) {
            what if what < self.stores => Step::Store { at, size, gap },
            what if what < self.stores + self.atomics => {
                let op = if random.below(2) == 0 { AtomicOp::Exchange } else { AtomicOp::Add };
                Step::Atomic { at: line + word, op, gap }
            }
            _ => Step::Load { at, size, gap },
        }
    }

    fn segment(&self, random: &mut SplitMix64, most: u64) -> Vec<Step> {
        let steps = 1 + random.below(most);
        (0..steps).map(|_| self.step(random)).collect()
    }
}

fn kernel(cus: usize, random: &mut SplitMix64) -> Kernel {
    let mix = Mix::new(random);
    // Sometimes fewer than there are CUs, sometimes several for each.
    let groups = 2 + random.below(cus as u64 + cus as u64 / 2);
    let waves = 1 + random.below(3);
    let segments = if random.below(3) == 0 { 2 + random.below(2) } else { 1 };
    let group = |random: &mut SplitMix64| {
        let wave = |random: &mut SplitMix64| {
            let parts: Vec<_> = (0..segments).map(|_| mix.segment(random, 16 / segments)).collect();
            parts.join(&Step::Barrier)
        };
        (0..waves).map(|_| wave(random)).collect()
    };
    (0..groups).map(|_| group(random)).collect()
}

/// A program of so many kernels for a machine of so many CUs.
pub fn program(kernels: usize, cus: usize, random: &mut SplitMix64) -> Program {
    let written = if random.below(4) == 0 { Written::Equal } else { Written::Unique };
    Program { kernels: (0..kernels).map(|_| kernel(cus, random)).collect(), written }
}
