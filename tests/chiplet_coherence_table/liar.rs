//! A table that says something else than it means: the checks of outcomes, counters and images find
//! it.

use hwmodel::cpelide::chiplet_coherence_table::{Dispatch, Outcome, Parameters, ReferenceTable};

use crate::failure::Check;
use crate::generate;
use crate::run::{Setup, run};
use crate::synchroniser::Synchroniser;

/// What is wrong.
#[derive(Clone, Copy, Debug)]
enum Lie {
    Tag,
    Share,
    LaunchSignal,
    EndSignal,
    Rejected,
    AbsentChiplet,
    /// Counter of this number.
    Counter(usize),
    /// An entry is twice in the table.
    Twice,
    /// An entry is not in the table.
    Missing,
    /// NP ranges are 0 to 0.
    EmptyRange,
    /// All that is D is said to be V.
    Clean,
    /// The mixed bit, where nothing is D.
    Mixed,
    /// The table is not empty at the end.
    Rest,
    /// Nothing is released at the end.
    NoEnd,
}

struct Liar {
    lie: Lie,
    parameters: Parameters,
    table: ReferenceTable,
}

impl Liar {
    fn is_over(&self) -> bool {
        self.table.image().iter().all(|&byte| byte == 0)
    }

    /// Words of the memory image; four chiplets.
    fn change(&self, words: &mut [u32]) {
        const STRIDE: usize = 10;
        let vector = STRIDE - 1;
        let used: Vec<_> =
            (0..words.len() / STRIDE).filter(|i| words[i * STRIDE + vector] != 0).collect();
        let free = (0..words.len() / STRIDE).find(|i| words[i * STRIDE + vector] == 0);
        let Some(&first) = used.first() else {
            if matches!(self.lie, Lie::Rest) {
                words[vector] = 1;
                words[4] = 1;
            }
            return;
        };
        let at = first * STRIDE;
        match self.lie {
            Lie::Twice => {
                if let Some(free) = free {
                    words.copy_within(at..at + STRIDE, free * STRIDE);
                }
            }
            Lie::Missing => words[at..at + STRIDE].fill(0),
            Lie::EmptyRange => {
                words.iter_mut().filter(|word| **word == 0x0fff_ffff).for_each(|word| *word = 0);
            }
            Lie::Clean => {
                for i in used {
                    let word = &mut words[i * STRIDE + vector];
                    let dirty = *word >> 1 & !*word & 0x55;
                    *word = (*word & !(0b11 * dirty) | dirty) & !(1 << 30);
                }
            }
            Lie::Mixed => words[at + vector] |= 1 << 30,
            _ => {}
        }
    }
}

impl Synchroniser for Liar {
    fn launch(&mut self, dispatch: &Dispatch) -> Outcome {
        let mut outcome = self.table.launch(dispatch);
        match self.lie {
            Lie::Tag => outcome.tag = outcome.tag.map(|tag| tag ^ 1),
            Lie::Share => outcome.shares.iter_mut().for_each(|share| share.first ^= 1),
            Lie::LaunchSignal => outcome.signal ^= 8,
            Lie::Rejected => outcome.rejected = false,
            Lie::AbsentChiplet => outcome.release |= 1 << 15,
            Lie::NoEnd if self.is_over() && outcome.tag.is_none() => outcome.acquire = 0,
            _ => {}
        }
        outcome
    }

    fn finish(&mut self, tag: u8) -> Outcome {
        let mut outcome = self.table.finish(tag);
        if matches!(self.lie, Lie::EndSignal) {
            outcome.signal = 0;
        }
        outcome
    }

    fn image(&self) -> Vec<u8> {
        let image = self.table.image();
        let word = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().expect("4 bytes"));
        let mut words: Vec<_> = image.chunks_exact(4).map(word).collect();
        if self.parameters.chiplets == 4 {
            self.change(&mut words);
        }
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    fn every(&self) -> Option<bool> {
        Some(self.table.every())
    }

    fn counters(&self) -> [u32; 16] {
        let mut counters = self.table.counters();
        if let Lie::Counter(number) = self.lie {
            counters[number] += 1;
        }
        counters
    }
}

fn is_found(lie: Lie, expected: Check) {
    let failure = |seed| {
        let program = generate::program(seed);
        let parameters = program.parameters;
        let table = ReferenceTable::new(parameters).expect("the parameters are legal");
        run(&program, &mut Liar { lie, parameters, table }, Setup::default()).err()
    };
    let failure = (1..=50).find_map(failure).unwrap_or_else(|| panic!("{lie:?} is not found"));
    assert_eq!(failure.check, expected, "{lie:?}: {failure}");
}

#[test]
fn wrong_outcomes_are_found() {
    use Lie::{AbsentChiplet, EndSignal, LaunchSignal, Rejected, Share, Tag};
    for lie in [Tag, Share, LaunchSignal, EndSignal, Rejected, AbsentChiplet] {
        is_found(lie, Check::Outcome);
    }
}

#[test]
fn wrong_counters_are_found() {
    for number in 0..5 {
        is_found(Lie::Counter(number), Check::Outcome);
    }
}

#[test]
fn wrong_images_are_found() {
    for lie in [Lie::Twice, Lie::Missing, Lie::EmptyRange, Lie::Clean, Lie::Mixed] {
        is_found(lie, Check::Invariant);
    }
}

#[test]
fn unfinished_ends_are_found() {
    is_found(Lie::Rest, Check::End);
    is_found(Lie::NoEnd, Check::End);
}
