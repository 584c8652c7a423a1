//! The last signature that was received (specification 5.3).

use ports::Bytes;

use super::Config;
use crate::race::bloom::{Granules, Hash, Signature};
use crate::state::State;

/// Writes of other SMs before the current epoch and since the one before.
#[derive(Clone, Debug)]
pub(super) struct Received {
    signature: Signature,
    granules: Granules,
    hash: Hash,
    chunks: u8,
}

impl Received {
    pub fn new(config: &Config) -> Self {
        Self {
            signature: Signature::new(config.m),
            granules: Granules::new(config.gran),
            hash: Hash::new(config.m),
            chunks: (config.m / 256) as u8,
        }
    }

    /// Of the `2^size` aligned bytes that hold `addr` a granule is in it, among the first `most`.
    #[inline(always)]
    pub fn has(&self, addr: u32, size: u8, most: u32) -> bool {
        let keys = self.granules.of_access(addr, size & 7);
        let count = keys.count.min(most);
        self.signature.chunks() != 0
            && (0..count).any(|k| self.signature.has(self.hash.indices(keys.first + k)))
    }

    pub fn clear(&mut self) {
        self.signature.clear();
    }

    /// Signatures have this chunk.
    #[inline(always)]
    pub fn has_chunk(&self, chunk: u8) -> bool {
        chunk < self.chunks
    }

    #[inline(always)]
    pub fn write(&mut self, chunk: u8, data: &Bytes<32>) {
        self.signature.write_chunk(chunk.into(), data);
    }

    pub fn show_state(&self, state: &mut State) {
        self.signature.show_state(state, "used", "chunk");
    }
}
