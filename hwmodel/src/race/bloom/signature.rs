//! One signature.

use ports::Bytes;

use super::Indices;
use crate::state::State;

/// Bits of a chunk, the unit in which signatures travel.
const CHUNK: u32 = 256;
const WORDS: usize = CHUNK as usize / 64;

/// A set of bits, cleared at once and moved without a copy.
#[derive(Clone, Debug)]
pub struct Signature {
    words: Box<[u64]>,
    /// Bit c: chunk c is in `words`; else it is 0.
    valid: u64,
}

impl Signature {
    /// An empty one of `m` bits.
    pub fn new(m: u32) -> Self {
        Self { words: vec![0; m as usize / 64].into(), valid: 0 }
    }

    /// Makes it empty.
    pub fn clear(&mut self) {
        self.valid = 0;
    }

    /// Chunks that may have a bit: all that were written since it was cleared.
    #[inline(always)]
    pub fn chunks(&self) -> u64 {
        self.valid
    }

    #[inline(always)]
    fn has_bit(&self, index: u16) -> bool {
        self.valid >> (index / CHUNK as u16) & 1 != 0
            && self.words[usize::from(index) / 64] >> (index % 64) & 1 != 0
    }

    /// The key with these bits is a member.
    #[inline(always)]
    pub fn has(&self, indices: Indices) -> bool {
        indices.iter().all(|&index| self.has_bit(index))
    }

    /// Adds a key; returns whether a bit is new.
    #[inline(always)]
    pub fn insert(&mut self, indices: Indices) -> bool {
        let mut new = false;
        for index in indices {
            let (chunk, word) = (usize::from(index) / CHUNK as usize, usize::from(index) / 64);
            if self.valid >> chunk & 1 == 0 {
                self.words[WORDS * chunk..][..WORDS].fill(0);
                self.valid |= 1 << chunk;
            }
            let bit = 1 << (index % 64);
            new |= self.words[word] & bit == 0;
            self.words[word] |= bit;
        }
        new
    }

    /// A chunk that is in `chunks`.
    // Indices, which the compiler unrolls where a zip stays a call.
    #[allow(clippy::needless_range_loop)]
    #[inline(always)]
    pub fn chunk(&self, chunk: usize) -> Bytes<32> {
        let mut data = Bytes::default();
        let words: &[u64; WORDS] = self.words[WORDS * chunk..].first_chunk().expect("a chunk");
        let (bytes, _) = data.0.as_chunks_mut();
        for word in 0..WORDS {
            bytes[word] = words[word].to_le_bytes();
        }
        data
    }

    /// Writes a chunk of it.
    #[allow(clippy::needless_range_loop)]
    #[inline(always)]
    pub fn write_chunk(&mut self, chunk: usize, data: &Bytes<32>) {
        let from = &mut self.words[WORDS * chunk..];
        let words: &mut [u64; WORDS] = from.first_chunk_mut().expect("a chunk");
        let (bytes, _) = data.0.as_chunks();
        for word in 0..WORDS {
            words[word] = u64::from_le_bytes(bytes[word]);
        }
        self.valid |= 1 << chunk;
    }

    /// Its bits, chunk by chunk.
    pub fn show_state(&self, state: &mut State, used: &str, name: &str) {
        state.bits(used, (self.words.len() / WORDS) as u32, self.valid);
        for (chunk, words) in self.words.chunks_exact(WORDS).enumerate() {
            let valid = self.valid >> chunk & 1 != 0;
            let bits: [u32; 2 * WORDS] = std::array::from_fn(|word| {
                if valid { (words[word / 2] >> (word % 2 * 32)) as u32 } else { 0 }
            });
            state.words(&format!("{name}[{chunk}]"), CHUNK, &bits);
        }
    }
}
