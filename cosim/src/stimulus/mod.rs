//! Constrained-random inputs for one block, one module per block, and what they reached; beside
//! them what several draw from.

pub mod common;
pub mod cpelide;
pub mod directory;
mod draws;
mod driver;
pub mod finepack;
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
pub use driver::{ConfigOf, Driven, Driver, InOf, LONG, OutOf, count, stalled};
pub use random::Random;
pub use seen::{Reached, add_rows};

/// How often something was reached.
pub type Count = (&'static str, u64);

/// What is particular of a block's inputs; a [`Driver`] does the rest. A stimulus obeys the rules
/// that the block may rely on and breaks every rule that the block must check.
pub trait Stimulus: Sized {
    /// The block.
    type Model: Model;
    /// What one phase draws.
    type Phase: Phase;
    /// What the run counts.
    type Seen: Reached + Default;

    /// Static inputs that can be fixed.
    const STATICS: &'static [StaticInput] = &[];

    /// Its state after a reset; draws the static inputs.
    fn start(driver: &mut Driver<Self>) -> Self;

    /// Draws the next phase.
    fn phase(&mut self, driver: &mut Driver<Self>) -> Self::Phase;

    /// Draws the phase that fills a long time, if one does.
    fn long_phase(&mut self, _driver: &mut Driver<Self>) -> Option<Self::Phase> {
        None
    }

    /// The inputs of a cycle in which the outputs are `out`.
    fn inputs(&mut self, driver: &mut Driver<Self>, out: &OutOf<Self>) -> InOf<Self>;

    /// Whether a block with these parameters and static inputs can come to a row of the coverage,
    /// or can transfer on this channel.
    fn can_reach(_driver: &Driver<Self>, _row: &str) -> bool {
        true
    }

    /// Draws everything from the seed.
    fn new(config: &ConfigOf<Self>, statics: &Statics, seed: u64) -> Driven<Self> {
        Driven::new(config, statics, seed)
    }
}

/// What one phase draws; [`phase!`](crate::phase) declares one.
pub trait Phase: Default {
    /// Cycles of it that are left.
    fn left(&mut self) -> &mut u32;
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
