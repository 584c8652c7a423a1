//! How long a run goes on between two resets.

use crate::stimulus::Random;

/// Lengths of episodes, in turn: at least so many cycles, and fewer than so many. Most are short,
/// so that there are many resets. The longest are longer than 16 bits count, and the first of them
/// begins so early that it is in every run of 300 000 cycles.
const LENGTHS: [(u32, u32); 16] = {
    let mut lengths = [(16, 2_000); 16];
    lengths[3] = (2_000, 10_000);
    lengths[6] = (91_000, 200_000);
    lengths[11] = (10_000, 70_000);
    lengths
};

/// The episodes of a run.
#[derive(Clone, Debug, Default)]
pub struct Episodes {
    so_far: usize,
}

impl Episodes {
    /// Cycles of the next one.
    pub fn next(&mut self, random: &mut Random) -> u64 {
        let (least, most) = LENGTHS[self.so_far % LENGTHS.len()];
        self.so_far += 1;
        u64::from(least + random.below(most - least))
    }
}
