//! Random choices, the same on every machine for one seed.

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

use super::draws::variants;

/// A seeded source of random choices.
#[derive(Clone, Debug)]
pub struct Random(Pcg64Mcg);

impl Random {
    /// Starts from a seed.
    pub fn new(seed: u64) -> Self {
        Self(Pcg64Mcg::seed_from_u64(seed))
    }

    /// 64 random bits.
    #[inline]
    pub fn word(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// 0 to `n - 1`; `n` is at least 1 and far below 2^32.
    #[inline]
    pub fn below(&mut self, n: u32) -> u32 {
        (((self.word() >> 32) * u64::from(n)) >> 32) as u32
    }

    /// True `part` times of 256.
    #[inline]
    pub fn chance(&mut self, part: u32) -> bool {
        (self.word() >> 56) < u64::from(part)
    }

    /// A multiple of a power of 2 from 2^32 to 2^63, or 2^64, which is 0: an address that is
    /// reached by a carry from below.
    pub fn boundary(&mut self) -> u64 {
        let bits = 32 + self.below(33);
        self.word().checked_shl(bits).unwrap_or(0)
    }

    /// One of these.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u32) as usize]
    }

    /// A place among these relative frequencies, of which one at least is not 0.
    pub fn weighted(&mut self, parts: &[u32]) -> usize {
        let mut pick = self.below(parts.iter().sum());
        let is_it = |&part: &u32| {
            let found = pick < part;
            pick = pick.wrapping_sub(part);
            found
        };
        parts.iter().position(is_it).expect("below their sum")
    }

    /// The form of all masks of a phase, or `None`: each mask has its own.
    pub fn form(&mut self) -> Option<MaskForm> {
        if self.chance(128) { Some(self.pick(MaskForm::ALL)) } else { None }
    }

    /// A non-zero set of enabled bytes of a line, in this form or in any of those that programs and
    /// adversaries use.
    pub fn mask(&mut self, line: u32, form: Option<MaskForm>) -> u128 {
        let all = if line == 128 { u128::MAX } else { (1 << line) - 1 };
        let run = |random: &mut Self, longest: u32| {
            let len = 1 + random.below(longest);
            let first = random.below(line - len + 1);
            (u128::MAX >> (128 - len)) << first
        };
        match form.unwrap_or_else(|| self.pick(MaskForm::ALL)) {
            MaskForm::Run => run(self, line),
            MaskForm::ShortRun => run(self, 8),
            MaskForm::Full => all,
            MaskForm::Alternating => {
                let mask = ((u128::MAX / 3) << self.below(2)) & all;
                let kept = mask & (self.wide() | self.wide());
                if self.chance(160) || kept == 0 { mask } else { kept }
            }
            MaskForm::Byte => 1 << self.below(line),
            MaskForm::Noise => {
                let mask = self.wide() & all;
                if mask == 0 { 1 } else { mask }
            }
        }
    }

    /// A set of enabled bytes of a line that costs so many bytes of a payload: the bytes, and a
    /// sub-header for each of their runs. `None` where there is none.
    pub fn mask_of_cost(&mut self, line: u32, sub_header: u32, cost: u32) -> Option<u128> {
        let bytes_in = |runs: &u32| cost.checked_sub(sub_header * runs);
        let fits = |runs: &u32| bytes_in(runs).is_some_and(|b| *runs <= b && b + runs <= line + 1);
        let numbers: Vec<u32> = (1..=line / 2).filter(fits).collect();
        if numbers.is_empty() {
            return None;
        }
        let runs = self.pick(&numbers);
        let mut bytes = bytes_in(&runs)?;
        // Bytes that need not lie between two runs.
        let mut spare = line + 1 - bytes - runs;
        let (mut mask, mut at) = (0, 0);
        for left in (0..runs).rev() {
            let skipped = self.below(spare + 1);
            let len = if left == 0 { bytes } else { 1 + self.below(bytes - left) };
            mask |= (u128::MAX >> (128 - len)) << (at + skipped);
            (at, spare, bytes) = (at + skipped + len + 1, spare - skipped, bytes - len);
        }
        Some(mask)
    }

    /// The enabled bytes of an atomic: 4 or 8, aligned.
    pub fn atomic_mask(&mut self, line: u32) -> u128 {
        let size = self.pick(&[4, 8]);
        ((1u128 << size) - 1) << (size * self.below(line / size))
    }

    fn wide(&mut self) -> u128 {
        u128::from(self.word()) << 64 | u128::from(self.word())
    }
}

variants! {
    /// A form of byte enables.
    pub enum MaskForm {
        /// One run of any length.
        Run,
        /// One run of 1 to 8 bytes.
        ShortRun,
        /// The whole line.
        Full,
        /// Every other byte: the most expensive mask.
        Alternating,
        /// One byte.
        Byte,
        /// Any bytes.
        Noise,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use ports::finepack::types::cost;

    use super::*;

    /// The costs of all masks, byte by byte: without and with the last byte enabled.
    fn costs_of_all_masks(line: u32, sub_header: u32) -> BTreeSet<u32> {
        let (mut clear, mut set) = (BTreeSet::from([0]), BTreeSet::new());
        for _ in 0..line {
            let begun = clear.iter().map(|cost| cost + sub_header + 1);
            let longer = set.iter().map(|cost| cost + 1);
            let next = begun.chain(longer).collect();
            clear.append(&mut set);
            set = next;
        }
        clear.append(&mut set);
        clear.remove(&0);
        clear
    }

    #[test]
    fn mask_of_cost_costs_that_much() {
        let mut random = Random::new(1);
        for (line, sub_header) in [(16, 2), (16, 3), (128, 5), (128, 6), (64, 2)] {
            let costs = costs_of_all_masks(line, sub_header);
            for wanted in 0..line * (1 + sub_header) {
                for _ in 0..20 {
                    let mask = random.mask_of_cost(line, sub_header, wanted);
                    assert_eq!(
                        mask.is_some(),
                        costs.contains(&wanted),
                        "{line} {sub_header} {wanted}"
                    );
                    if let Some(mask) = mask {
                        assert_eq!(cost(mask, sub_header), wanted);
                        assert_eq!(mask.checked_shr(line).unwrap_or(0), 0);
                    }
                }
            }
        }
    }
}
