//! Constrained-random inputs for one block, one module per block, and what they reached; beside
//! them what several draw from.

pub mod common;
pub mod cpelide;
pub mod directory;
mod draws;
pub mod finepack;
mod long_time;
pub mod race;
pub mod random;
mod requests;
mod seen;
pub mod sharing;
pub mod stc;
pub mod timestamp;

use hwmodel::Model;
use ports::Bytes;
use ports::cpelide::types::Message;

use crate::settings::StaticInput;

pub use crate::settings::Statics;
use long_time::LongTime;
pub use random::Random;
pub use seen::{Reached, add_rows};

/// How often something was reached.
pub type Count = (&'static str, u64);

/// Makes a block's inputs, cycle by cycle, and counts what the run reaches. It obeys the rules that
/// the block may rely on and breaks every rule that the block must check.
pub trait Stimulus {
    /// The block.
    type Model: Model;

    /// Starts over after a reset, for so many cycles; draws the static inputs. Counts go on.
    fn restart(&mut self, cycles: u64);

    /// The inputs of a cycle in which the outputs are `out`.
    fn inputs(
        &mut self,
        out: &<Self::Model as hwmodel::Block>::Out,
    ) -> <Self::Model as hwmodel::Block>::In;

    /// What it has counted.
    fn seen(&self) -> &dyn Reached;

    /// Whether a block with these parameters and static inputs can come to a row of the coverage,
    /// or can transfer on this channel.
    fn can_reach(&self, _row: &str) -> bool {
        true
    }

    /// Transfers on each channel that can have some.
    fn transfers(&self) -> Vec<Count> {
        let mut channels = self.seen().transfers();
        channels.retain(|(channel, _)| self.can_reach(channel));
        channels
    }

    /// Every flush cause, back-pressure case, error code and kind, also those that were not
    /// reached.
    fn coverage(&self) -> Vec<Count> {
        let mut rows = self.seen().rows();
        rows.retain(|(row, _)| self.can_reach(row));
        rows
    }
}

/// A stimulus that can be made for a configuration.
pub trait NewStimulus: Stimulus + Sized {
    /// Static inputs that can be fixed.
    const STATICS: &'static [StaticInput] = &[];

    /// Before its first start.
    fn unstarted(config: &<Self::Model as Model>::Config, statics: &Statics, seed: u64) -> Self;

    /// Draws everything from the seed.
    fn new(config: &<Self::Model as Model>::Config, statics: &Statics, seed: u64) -> Self {
        let mut stimulus = Self::unstarted(config, statics, seed);
        stimulus.restart(0);
        stimulus
    }
}

/// A message of this kind between command processors.
fn message(random: &mut Random, kind: u8) -> Message {
    let word = random.word();
    Message {
        kind,
        chiplet: word as u8 & 15,
        tag: (word >> 4) as u8,
        a: (word >> 12) as u16,
        b: (word >> 32) as u32,
    }
}

/// `bytes` random bytes where `mask` has a 1, zero elsewhere.
pub(crate) fn masked_bytes<const N: usize>(
    random: &mut Random,
    bytes: u32,
    mask: u128,
) -> Bytes<N> {
    let mut data = Bytes::default();
    for chunk in data.0[..bytes as usize].chunks_exact_mut(8) {
        chunk.copy_from_slice(&random.word().to_le_bytes());
    }
    for (i, byte) in data.0[..bytes as usize].iter_mut().enumerate() {
        *byte &= 0u8.wrapping_sub((mask >> i & 1) as u8);
    }
    data
}
