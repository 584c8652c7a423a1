//! Loop counters, which tell the passes over one access apart.

use std::cell::Cell;

/// Loops that a key can tell apart.
const DEPTH: usize = 4;

/// The loops that are being gone round, outermost first.
#[derive(Default)]
pub struct Loops {
    depth: Cell<usize>,
    counts: Cell<[u32; DEPTH]>,
}

impl Loops {
    /// Begins a loop inside the current one. More than [`DEPTH`] of them: panics, the kernel is
    /// broken.
    pub fn enter<I: Iterator>(&self, range: I) -> Turns<'_, I> {
        let level = self.depth.get();
        assert!(level < DEPTH, "loops around accesses nest at most {DEPTH} deep");
        self.depth.set(level + 1);
        Turns { loops: self, level, turn: 0, range }
    }

    /// Goes into turn `turn` of a loop that was left after the turn before.
    pub fn resume(&self, turn: u32) -> Turns<'_, std::iter::Once<()>> {
        let mut turns = self.enter(std::iter::once(()));
        turns.turn = turn;
        turns
    }

    /// Turns of each loop so far, 0 for loops that are not there.
    #[inline]
    pub fn counts(&self) -> [u32; DEPTH] {
        self.counts.get()
    }

    fn set(&self, level: usize, turn: u32) {
        let mut counts = self.counts.get();
        counts[level] = turn;
        self.counts.set(counts);
    }
}

/// A loop that counts its turns from 0, whatever it runs over. It ends when it is dropped, by
/// `break` too.
pub struct Turns<'a, I> {
    loops: &'a Loops,
    level: usize,
    turn: u32,
    range: I,
}

impl<I: Iterator> Iterator for Turns<'_, I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        let item = self.range.next()?;
        self.loops.set(self.level, self.turn);
        self.turn += 1;
        Some(item)
    }
}

impl<I> Drop for Turns<'_, I> {
    fn drop(&mut self) {
        self.loops.set(self.level, 0);
        self.loops.depth.set(self.level);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_loop_counts_anew_in_each_turn_of_the_outer() {
        let loops = Loops::default();
        let mut seen = Vec::new();
        for _ in loops.enter(5..7) {
            seen.push(loops.counts());
            for k in loops.enter((8..).step_by(8)) {
                seen.push(loops.counts());
                if k == 16 {
                    break;
                }
            }
        }
        let expected = [[0, 0], [0, 0], [0, 1], [1, 0], [1, 0], [1, 1]].map(|[a, b]| [a, b, 0, 0]);
        assert_eq!(seen, expected);
        assert_eq!(loops.counts(), [0; 4]);
    }

    #[test]
    fn loop_that_is_resumed_has_one_turn_with_the_number_given() {
        let loops = Loops::default();
        let inner = || loops.enter(0..2).map(|_| loops.counts()).collect::<Vec<_>>();
        let seen: Vec<_> = loops.resume(7).map(|()| inner()).collect();
        assert_eq!(seen, [[[7, 0, 0, 0], [7, 1, 0, 0]]]);
    }
}
