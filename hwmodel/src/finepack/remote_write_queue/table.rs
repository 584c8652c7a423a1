//! Entries of all banks: search, merging write, read (specification 4 and 5.2).

use ports::finepack::types::{Drain, LineData};

use super::Config;
use super::choices::Choices;
use super::cost::{self, Size};
use super::slot::Slot;

/// One line with the bytes stored so far.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    /// The beat that sends it, but for what is known only when the packet is complete: `eop`, `id`,
    /// `dest` and `plen`.
    beat: Drain,
    /// Size of the beat's mask.
    size: Size,
}

/// What a merge has done.
#[derive(Clone, Copy, Debug)]
pub(super) struct Merged {
    /// Bytes overwritten.
    pub overwritten: u16,
    /// Growth of the entry's cost; below 0 where a store joins two runs.
    pub growth: i16,
}

const BUCKETS: usize = 128;
const MAX_ENTRIES: usize = 64;
const NONE: u8 = u8::MAX;

/// Which line is where in the filling bank.
#[derive(Clone, Debug)]
pub(super) struct Index {
    /// Lines of the filling bank's entries.
    lines: [u64; MAX_ENTRIES],
    /// Latest entry of each hash of a line. Never cleared: see `Index::find`.
    buckets: [u8; BUCKETS],
    /// The entry allocated before with the same hash, or `NONE`.
    chain: [u8; MAX_ENTRIES],
}

#[inline(always)]
fn hash(line: u64) -> usize {
    // The upper bits of a product with 2^32 divided by the golden ratio.
    ((line as u32).wrapping_mul(0x9E37_79B9) >> 25) as usize % BUCKETS
}

impl Default for Index {
    fn default() -> Self {
        Self { lines: [0; MAX_ENTRIES], buckets: [NONE; BUCKETS], chain: [NONE; MAX_ENTRIES] }
    }
}

impl Index {
    /// The entry with this line, if it is one of the `used` ones.
    ///
    /// A bucket may hold an index from an earlier packet. It counts only if that entry is in use
    /// now and has this bucket's hash: then it was allocated into this bucket since the flush, and
    /// the bucket has been right since.
    #[inline(always)]
    pub fn find(&self, line: u64, used: u8) -> Option<u8> {
        let bucket = hash(line);
        let mut index = self.buckets[bucket];
        if index >= used {
            return None;
        }
        let held = |index: u8| self.lines[usize::from(index) % MAX_ENTRIES];
        if held(index) != line {
            if hash(held(index)) != bucket {
                return None;
            }
            loop {
                index = self.chain[usize::from(index) % MAX_ENTRIES];
                if index == NONE {
                    return None;
                }
                if held(index) == line {
                    break;
                }
            }
        }
        Some(index)
    }

    /// Gives entry `used` to this line.
    #[inline(always)]
    pub fn add(&mut self, line: u64, used: u8) {
        let bucket = hash(line);
        let before = self.buckets[bucket];
        self.buckets[bucket] = used;
        let chained =
            before < used && hash(self.lines[usize::from(before) % MAX_ENTRIES]) == bucket;
        self.chain[usize::from(used) % MAX_ENTRIES] = if chained { before } else { NONE };
        self.lines[usize::from(used) % MAX_ENTRIES] = line;
    }
}

/// All entries.
#[derive(Debug)]
pub(super) struct Table {
    /// By partition, then bank, then index.
    entries: Vec<Entry>,
    narrow: bool,
    sub_header_bytes: u32,
}

impl Table {
    pub fn new(config: &Config) -> Self {
        Self {
            entries: vec![
                Entry::default();
                (config.parts() * config.banks * config.entries) as usize
            ],
            narrow: config.line as usize <= NARROW,
            sub_header_bytes: config.sub_header_bytes,
        }
    }

    /// The beat of an entry, counted from the start of all entries.
    #[inline(always)]
    pub fn beat(&self, entry: usize) -> &Drain {
        &self.entries[entry].beat
    }

    /// Writes a store into the entry that holds its line.
    #[inline(always)]
    pub fn merge(&mut self, entry: usize, store: &Slot, choices: &Choices) -> Merged {
        let Entry { beat, size } = &mut self.entries[entry];
        let mut merged = Merged { overwritten: store.size.bytes, growth: 0 };
        let mask = beat.mask | store.mask & choices.hit_enables;
        let written = store.mask & !(beat.mask & choices.hit_keeps);
        if mask != beat.mask {
            let new = cost::size(mask, self.sub_header_bytes);
            merged.overwritten -= new.bytes - size.bytes;
            merged.growth = new.cost as i16 - size.cost as i16;
            beat.mask = mask;
            *size = new;
        }
        merge_bytes(&mut beat.data, &store.data, written, self.narrow);
        merged
    }

    /// Writes a store into a free entry. `base` is the first byte of its packet's window.
    #[inline(always)]
    pub fn write(&mut self, entry: usize, store: &Slot, sop: bool, base: u64, choices: &Choices) {
        let Entry { beat, size } = &mut self.entries[entry];
        let write = if choices.clears_disabled { write_bytes } else { merge_bytes };
        write(&mut beat.data, &store.data, store.mask, self.narrow);
        beat.mask = store.mask;
        beat.line = store.line;
        beat.sop = sop;
        beat.base = base;
        *size = store.size;
    }
}

/// For each pattern of eight enables, 0xFF in the enabled bytes.
static BYTES: [u64; 256] = {
    let mut table = [0; 256];
    let mut bits = 0;
    while bits < 256 {
        let mut byte = 0;
        while byte < 8 {
            if bits >> byte & 1 == 1 {
                table[bits] |= 0xFF << (8 * byte);
            }
            byte += 1;
        }
        bits += 1;
    }
    table
};

/// Bytes that a narrow line has at most. Short lines take short cuts.
pub(super) const NARROW: usize = 16;

/// Word `word` of eight bytes.
#[inline(always)]
fn get(line: &LineData, word: usize) -> u64 {
    u64::from_le_bytes(line.0[8 * word..8 * word + 8].try_into().expect("8 bytes"))
}

#[inline(always)]
fn put(line: &mut LineData, word: usize, value: u64) {
    line.0[8 * word..8 * word + 8].copy_from_slice(&value.to_le_bytes());
}

/// Copies the enabled bytes of `from` and leaves the others.
#[inline(always)]
fn merge_bytes(to: &mut LineData, from: &LineData, mask: u128, narrow: bool) {
    if narrow {
        for word in 0..2 {
            let select = BYTES[usize::from((mask >> (8 * word)) as u8)];
            let old = get(to, word);
            put(to, word, old ^ ((old ^ get(from, word)) & select));
        }
        return;
    }
    let halves = [mask as u64, (mask >> 64) as u64];
    for (half, mut left) in halves.into_iter().enumerate() {
        if left == u64::MAX {
            let bytes = 64 * half..64 * half + 64;
            to.0[bytes.clone()].copy_from_slice(&from.0[bytes]);
            continue;
        }
        // Only words with an enabled byte: most stores touch one or two.
        while left != 0 {
            let word = left.trailing_zeros() as usize / 8;
            let enables = (left >> (8 * word)) as u8;
            left &= !(0xFF << (8 * word));
            let select = BYTES[usize::from(enables)];
            let word = (8 * half + word) % 16;
            let old = get(to, word);
            put(to, word, old ^ ((old ^ get(from, word)) & select));
        }
    }
}

/// Copies the enabled bytes of `from` and clears the others.
#[inline(always)]
fn write_bytes(to: &mut LineData, from: &LineData, mask: u128, narrow: bool) {
    if narrow {
        put(to, 0, get(from, 0) & BYTES[usize::from(mask as u8)]);
        put(to, 1, get(from, 1) & BYTES[usize::from((mask >> 8) as u8)]);
    } else {
        *to = LineData::default();
        merge_bytes(to, from, mask, false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn merge_writes_enabled_bytes_and_no_others(
            mask: u128, all: [bool; 2], old: [u8; 32], new: [u8; 32],
        ) {
            let widen = |seed: [u8; 32]| {
                ports::Bytes(std::array::from_fn(|k| seed[k % 32] ^ k as u8))
            };
            let mask = mask
                | if all[0] { u128::from(u64::MAX) } else { 0 }
                | if all[1] { u128::MAX << 64 } else { 0 };
            let (old, new): (LineData, LineData) = (widen(old), widen(new));
            let (mut merged, mut written) = (old, old);
            merge_bytes(&mut merged, &new, mask, false);
            write_bytes(&mut written, &new, mask, false);
            for k in 0..128 {
                let on = mask >> k & 1 == 1;
                prop_assert_eq!(merged.0[k], if on { new.0[k] } else { old.0[k] });
                prop_assert_eq!(written.0[k], if on { new.0[k] } else { 0 });
            }
        }

        #[test]
        fn narrow_lines_have_16_bytes(mask: u16, old: [u8; 16], new: [u8; 16]) {
            let widen = |seed: [u8; 16]| {
                ports::Bytes(std::array::from_fn(|k| if k < 16 { seed[k] } else { 0 }))
            };
            let (old, new): (LineData, LineData) = (widen(old), widen(new));
            let (mut merged, mut written) = (old, old);
            merge_bytes(&mut merged, &new, mask.into(), true);
            write_bytes(&mut written, &new, mask.into(), true);
            for k in 0..16 {
                let on = mask >> k & 1 == 1;
                prop_assert_eq!(merged.0[k], if on { new.0[k] } else { old.0[k] });
                prop_assert_eq!(written.0[k], if on { new.0[k] } else { 0 });
            }
        }
    }
}
