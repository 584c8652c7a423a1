//! The blocked store queue: stores that wait for the epoch of their band, by their slot in the
//! coalescing buffer (specification 4, 5.4; STC, sections 4.2 and 7.2).

use std::hash::{Hash, Hasher};

use super::Config;
use super::choices::Change;
use crate::state::State;

const SLOTS: usize = 256;
const WORDS: usize = SLOTS / 64;
const MAX_BANKS: usize = 16;

/// A set of slots.
#[derive(Clone, Copy, Debug, Default, Hash)]
struct Slots([u64; WORDS]);

impl Slots {
    #[inline(always)]
    fn with(self, other: Self, bits: impl Fn(u64, u64) -> u64) -> Self {
        Self(std::array::from_fn(|word| bits(self.0[word], other.0[word])))
    }

    #[inline(always)]
    fn is_empty(&self) -> bool {
        self.0.iter().fold(0, |any, word| any | word) == 0
    }

    #[inline(always)]
    fn has(&self, slot: u8) -> bool {
        self.0[usize::from(slot) / 64] >> (slot % 64) & 1 != 0
    }

    #[inline(always)]
    fn put(&mut self, slot: u8, held: bool) {
        let word = &mut self.0[usize::from(slot) / 64];
        *word = *word & !(1 << (slot % 64)) | u64::from(held) << (slot % 64);
    }

    /// Lowest first.
    #[inline(always)]
    fn iter(&self) -> impl Iterator<Item = u8> {
        self.0.into_iter().enumerate().flat_map(|(n, mut word)| {
            std::iter::from_fn(move || {
                let one = word.trailing_zeros() as usize;
                word &= word.wrapping_sub(1);
                (one < 64).then_some((64 * n + one) as u8)
            })
        })
    }
}

/// The entries.
#[derive(Clone, Debug)]
pub(super) struct Queue {
    addr: [u32; SLOTS],
    /// In use.
    v: Slots,
    /// Released: its band was granted when it was examined.
    rel: Slots,
    /// Examined since the epoch began.
    scanned: Slots,
    /// It waited when the batch was formed. A batch is issued first until it is used up, so that no
    /// store starves.
    batch: Slots,
    /// `occ_q`.
    occ: u16,
    banks: u32,
    rd: u32,
}

/// The entries in use.
impl Hash for Queue {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.v.hash(hasher);
        for slot in self.v.iter() {
            let [rel, scanned, batch] = [self.rel, self.scanned, self.batch].map(|of| of.has(slot));
            (self.addr[usize::from(slot)], rel, scanned, batch).hash(hasher);
        }
    }
}

impl Queue {
    pub fn new(config: &Config) -> Self {
        let (empty, banks, rd) = (Slots::default(), config.bsq_banks, config.bsq_rd);
        let (v, rel, scanned, batch) = (empty, empty, empty, empty);
        Self { addr: [0; SLOTS], v, rel, scanned, batch, occ: 0, banks, rd }
    }

    /// Entries in use.
    #[inline(always)]
    pub fn len(&self) -> u16 {
        self.occ
    }

    #[inline(always)]
    pub fn has(&self, slot: u8) -> bool {
        self.v.has(slot)
    }

    #[inline(always)]
    pub fn addr(&self, slot: u8) -> u32 {
        self.addr[usize::from(slot)]
    }

    #[inline(always)]
    fn released(&self) -> Slots {
        self.v.with(self.rel, |v, rel| v & rel)
    }

    #[inline(always)]
    fn unscanned(&self) -> Slots {
        self.v.with(self.scanned, |v, scanned| v & !scanned)
    }

    /// An entry is released.
    #[inline(always)]
    pub fn is_released(&self) -> bool {
        self.occ != 0 && !self.released().is_empty()
    }

    /// No entry is left to the scan.
    #[inline(always)]
    pub fn is_scanned(&self) -> bool {
        self.occ == 0 || self.unscanned().is_empty()
    }

    /// Takes the next to issue out: slot and address.
    pub fn issue(&mut self) -> Option<(u8, u32)> {
        let released = self.released();
        let batch = released.with(self.batch, |released, batch| released & batch);
        let slot = if batch.is_empty() { released } else { batch }.iter().next()?;
        self.v.put(slot, false);
        self.occ -= 1;
        Some((slot, self.addr(slot)))
    }

    /// A cycle of the scan: each bank examines its first `bsq_rd` entries that were not examined.
    /// Returns whether there was one.
    pub fn scan(&mut self, mut examine: impl FnMut(u8, u32) -> bool) -> bool {
        let mut taken = [0; MAX_BANKS];
        let mut left = self.rd * self.banks;
        for slot in self.unscanned().iter() {
            let taken = &mut taken[(u32::from(slot) % self.banks) as usize];
            if *taken == self.rd {
                continue;
            }
            self.scanned.put(slot, true);
            self.rel.put(slot, examine(slot, self.addr[usize::from(slot)]));
            *taken += 1;
            left -= 1;
            if left == 0 {
                break;
            }
        }
        left != self.rd * self.banks
    }

    /// Writes an entry, which must be free. Behind `change` in its cycle.
    pub fn put(&mut self, slot: u8, addr: u32, released: bool, scanned: bool) {
        self.addr[usize::from(slot)] = addr;
        self.v.put(slot, true);
        self.rel.put(slot, released);
        self.scanned.put(slot, scanned);
        self.batch.put(slot, false);
        self.occ += 1;
    }

    /// An epoch begins.
    pub fn change(&mut self, change: &Change) {
        if change.clears_rel {
            self.rel = Slots::default();
        }
        if change.clears_scanned {
            self.scanned = Slots::default();
        }
        let is_used_up = self.v.with(self.batch, |v, batch| v & batch).is_empty();
        if change.forms_batch && is_used_up {
            self.batch = self.batch.with(self.v, |batch, v| batch | v);
        }
    }

    /// The registers.
    pub fn show_state(&self, state: &mut State, config: &Config) {
        // Of entries in use alone: the RTL's registers mean nothing else.
        let of_v = |set| self.v.with(set, |v, set| v & set);
        let [released, scanned, batch] = [self.rel, self.scanned, self.batch].map(of_v);
        let sets = [("v", self.v), ("v_rel", released), ("v_scanned", scanned), ("v_batch", batch)];
        for (name, set) in sets {
            let words: [u32; 2 * WORDS] =
                std::array::from_fn(|word| (set.0[word / 2] >> (word % 2 * 32)) as u32);
            state.words(name, config.bsq_n, &words);
        }
        for (slot, addr) in (0..=u8::MAX).zip(self.addr).take(config.bsq_n as usize) {
            state.bits_while(self.has(slot), &format!("addr[{slot}]"), 32, addr);
        }
        state.bits("occ", config.slot_w() + 1, self.occ);
    }
}
