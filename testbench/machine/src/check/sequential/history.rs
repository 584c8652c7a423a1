//! What was written to a line in a kernel, in the order in which it was performed.

/// Entries of a block.
const BLOCK: usize = 16;

/// Masks, with the OR of each block of them, of each block of those, and so on: what touches some
/// bytes is found in a time that hardly grows.
#[derive(Debug, Default)]
pub struct Masks {
    /// The last level is one block.
    levels: Vec<Vec<u128>>,
}

impl Masks {
    /// How many.
    pub fn len(&self) -> usize {
        self.levels.first().map_or(0, Vec::len)
    }

    /// Of an entry.
    pub fn get(&self, at: usize) -> u128 {
        self.levels[0][at]
    }

    /// Another one.
    pub fn push(&mut self, mask: u128) {
        if self.levels.is_empty() {
            self.levels.push(Vec::new());
        }
        let mut at = self.len();
        self.levels[0].push(mask);
        for level in 1.. {
            at /= BLOCK;
            if self.levels[level - 1].len() <= BLOCK {
                return;
            }
            if level == self.levels.len() {
                let or = |block: &[u128]| block.iter().fold(0, |all, mask| all | mask);
                let all = self.levels[level - 1].chunks(BLOCK).map(or).collect();
                self.levels.push(all);
                return;
            }
            match self.levels[level].get_mut(at) {
                Some(or) => *or |= mask,
                None => self.levels[level].push(mask),
            }
        }
    }

    /// The last entry before `end` that has one of these bytes. `steps` counts what was looked at.
    pub fn before(&self, mut end: usize, mask: u128, steps: &mut u64) -> Option<usize> {
        let mut level = 0;
        while end > 0 {
            let first = (end - 1) / BLOCK * BLOCK;
            let block = &self.levels[level][first..end];
            let found = block.iter().rposition(|other| other & mask != 0);
            *steps += (block.len() - found.unwrap_or(0)) as u64;
            match (found, level) {
                (Some(at), 0) => return Some(first + at),
                (Some(at), _) => {
                    level -= 1;
                    end = ((first + at + 1) * BLOCK).min(self.levels[level].len());
                }
                (None, _) => {
                    level += 1;
                    end = first / BLOCK;
                }
            }
        }
        None
    }

    /// The first entry from `start` on that has one of these bytes.
    pub fn after(&self, mut start: usize, mask: u128, steps: &mut u64) -> Option<usize> {
        let mut level = 0;
        while start < self.levels.get(level)?.len() {
            let masks = &self.levels[level];
            let end = (start / BLOCK * BLOCK + BLOCK).min(masks.len());
            let block = &masks[start..end];
            let found = block.iter().position(|other| other & mask != 0);
            *steps += found.map_or(block.len(), |at| at + 1) as u64;
            match (found, level) {
                (Some(at), 0) => return Some(start + at),
                (Some(at), _) => {
                    level -= 1;
                    start = (start + at) * BLOCK;
                }
                (None, _) => {
                    level += 1;
                    start = end.div_ceil(BLOCK);
                }
            }
        }
        None
    }
}

/// Bytes of the entries' masks, one after another.
#[derive(Debug, Default)]
pub struct Values {
    bytes: Vec<u8>,
    firsts: Vec<usize>,
}

impl Values {
    /// The bytes of a mask.
    pub fn push(&mut self, mask: u128, bytes: &[u8]) {
        self.firsts.push(self.bytes.len());
        put(&mut self.bytes, mask, bytes);
    }

    /// Byte `k` of an entry, which has it in its mask.
    pub fn get(&self, at: usize, mask: u128, k: u32) -> u8 {
        self.bytes[self.firsts[at] + rank(mask, k)]
    }
}

/// Appends the bytes of a mask.
pub fn put(to: &mut Vec<u8>, mask: u128, bytes: &[u8]) {
    crate::context::masks::runs(mask, |first, len| {
        to.extend_from_slice(&bytes[first..first + len])
    });
}

/// Bytes of a mask before byte `k`.
pub fn rank(mask: u128, k: u32) -> usize {
    (mask & ((1 << k) - 1)).count_ones() as usize
}

/// The history of a line.
#[derive(Debug, Default)]
pub struct History {
    /// Numbers of the writes.
    pub writes: Vec<u32>,
    /// Their bytes.
    pub masks: Masks,
    /// What they wrote, where that is kept.
    pub values: Values,
    /// Place of the last one in the order of all writes.
    pub last: u32,
    /// They were performed in another order than that of all writes.
    pub mixed: bool,
    /// What is known of the bytes at the kernel's start, where values are kept.
    pub start: Option<Box<Start>>,
}

/// Bytes that a kernel has found.
#[derive(Debug)]
pub struct Start {
    pub known: u128,
    pub bytes: [u8; 128],
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_find_what_a_scan_finds() {
        let mut masks = Masks::default();
        let mut plain: Vec<u128> = Vec::new();
        let mut random = traces::workloads::SplitMix64::new(7);
        for round in 0..1500 {
            let mask = match random.below(20) {
                0 => 1 << 100 | 2,
                1 if round > 300 => 1 << 5,
                _ => 1,
            };
            masks.push(mask);
            plain.push(mask);
            let at = random.below(plain.len() as u64 + 1) as usize;
            for wanted in [1, 2, 1 << 5, 1 << 100, 1 << 9, 3] {
                let steps = &mut 0;
                let has = |mask: &u128| mask & wanted != 0;
                assert_eq!(masks.before(at, wanted, steps), plain[..at].iter().rposition(has));
                let after = plain[at..].iter().position(has).map(|found| at + found);
                assert_eq!(masks.after(at, wanted, steps), after);
                assert!(*steps <= 2 * 6 * BLOCK as u64, "{steps} steps");
            }
        }
    }
}
