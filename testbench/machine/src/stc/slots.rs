//! Slots of the coalescing buffer, which are the entries of the blocked store queue (STC, table 3).

/// Free slots, given in turn, so that they go round the queue's banks (specification, section 4).
#[derive(Debug)]
pub struct Slots {
    free: [u64; 4],
    count: u32,
    next: u32,
}

impl Slots {
    /// All of so many, a power of 2 of at most 256, are free.
    pub fn new(count: u32) -> Self {
        let free = std::array::from_fn(|word| match count.saturating_sub(64 * word as u32) {
            64.. => u64::MAX,
            left => (1 << left) - 1,
        });
        Self { free, count, next: 0 }
    }

    /// Whether `take` would give one.
    pub fn any_free(&self) -> bool {
        self.free.iter().any(|&free| free != 0)
    }

    /// The next one that is free.
    pub fn take(&mut self) -> Option<u8> {
        let words = (self.count / 64).max(1);
        let (word, bit) = (self.next / 64, self.next % 64);
        // The word of the next slot is looked at twice: from it on first, up to it last.
        let slot = (0..=words).find_map(|i| {
            let at = (word + i) % words;
            let from = if i == 0 { u64::MAX << bit } else { u64::MAX };
            let free = self.free[at as usize] & from;
            (free != 0).then(|| 64 * at + free.trailing_zeros())
        })?;
        self.free[(slot / 64) as usize] &= !(1 << (slot % 64));
        self.next = (slot + 1) % self.count;
        Some(slot as u8)
    }

    /// A slot's store is over.
    pub fn give(&mut self, slot: u8) {
        self.free[usize::from(slot / 64)] |= 1 << (slot % 64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_go_round_and_none_is_given_twice() {
        for count in [16, 64, 256] {
            let mut slots = Slots::new(count);
            let mut given: Vec<_> = (0..count).map(|_| u32::from(slots.take().unwrap())).collect();
            assert_eq!((given.len() as u32, slots.take()), (count, None));
            assert!(!slots.any_free());
            assert!(given.is_sorted());
            given.dedup();
            assert_eq!(given.len() as u32, count);
            slots.give(5);
            assert!(slots.any_free());
            slots.give(9);
            assert_eq!([slots.take(), slots.take(), slots.take()], [Some(5), Some(9), None]);
            slots.give(2);
            slots.give(12);
            assert_eq!([slots.take(), slots.take()], [Some(12), Some(2)]);
        }
    }
}
