//! When each GPU's side of the gate is ticked next. Most sides are due in the next link cycle or
//! wait for a message, so a bit says the former, and times are compared only when one has come.

use crate::engine::Cycle;

/// The next ticks of one side of all GPUs.
#[derive(Debug)]
pub struct Agenda {
    /// A bit for each GPU that is due in the next link cycle.
    soon: u32,
    /// Of the others, the link cycle of the next tick.
    later: Box<[Cycle]>,
    /// At most the first of these.
    first: Cycle,
}

impl Agenda {
    /// Nothing is due.
    pub fn new(gpus: usize) -> Self {
        Self { soon: 0, later: vec![Cycle::MAX; gpus].into(), first: Cycle::MAX }
    }

    /// A GPU is due in the next link cycle.
    #[inline]
    pub fn set_soon(&mut self, gpu: usize) {
        self.soon |= 1 << gpu;
    }

    /// These GPUs, a bit for each, are due in the next link cycle.
    #[inline]
    pub fn set_all_of(&mut self, bits: u32) {
        self.soon |= bits;
    }

    /// All GPUs are due in the next link cycle.
    pub fn set_all_soon(&mut self) {
        self.soon = u32::MAX >> (u32::BITS - self.later.len() as u32);
    }

    /// A GPU, which was ticked in link cycle `now`, is due in cycle `due`.
    #[inline]
    pub fn set(&mut self, gpu: usize, due: Cycle, now: Cycle) {
        if due <= now + 1 {
            self.set_soon(gpu);
        } else {
            self.later[gpu] = due;
            self.first = self.first.min(due);
        }
    }

    /// A GPU is due in cycle `due` or before.
    #[inline]
    pub fn expect(&mut self, gpu: usize, due: Cycle) {
        if due < self.later[gpu] {
            self.later[gpu] = due;
            self.first = self.first.min(due);
        }
    }

    /// The GPUs that are due in link cycle `now`, a bit for each. They are due no more.
    #[inline]
    pub fn take(&mut self, now: Cycle) -> u32 {
        let mut bits = std::mem::take(&mut self.soon);
        if self.first <= now {
            for (gpu, due) in self.later.iter_mut().enumerate() {
                if *due <= now {
                    *due = Cycle::MAX;
                    bits |= 1 << gpu;
                }
            }
            self.first = self.later.iter().copied().min().unwrap_or(Cycle::MAX);
        }
        bits
    }

    /// The first link cycle after `now` in which a GPU may be due; `Cycle::MAX` for none.
    #[inline]
    pub fn next(&self, now: Cycle) -> Cycle {
        if self.soon != 0 { now + 1 } else { self.first.max(now + 1) }
    }
}

/// The numbers of bits, from the lowest on.
#[inline]
pub fn numbers(mut bits: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let number = (bits != 0).then(|| bits.trailing_zeros() as usize);
        bits &= bits.wrapping_sub(1);
        number
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_gpu_is_due_once_and_in_its_cycle() {
        let mut agenda = Agenda::new(3);
        assert_eq!((agenda.take(5), agenda.next(5)), (0, Cycle::MAX));
        agenda.set(0, 6, 5);
        agenda.set(1, 9, 5);
        agenda.expect(2, 8);
        agenda.expect(2, 11);
        assert_eq!(agenda.next(5), 6);
        assert_eq!((agenda.take(6), agenda.next(6)), (0b001, 8));
        assert_eq!((agenda.take(8), agenda.next(8)), (0b100, 9));
        agenda.set_all_soon();
        assert_eq!((agenda.next(8), agenda.take(9)), (9, 0b111));
        assert_eq!((agenda.take(10), agenda.next(10)), (0, Cycle::MAX));
    }
}
