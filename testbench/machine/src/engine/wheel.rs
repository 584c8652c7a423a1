//! Who is active when.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{ComponentId, Cycle};

/// Cycles ahead that the wheel holds; what lies beyond waits in a heap.
const BUCKETS: u64 = WORDS * 64;
/// Words of one bit for each bucket: their own bits fit one word.
const WORDS: u64 = 64;

/// Components to visit, by cycle. Waking a component more than once in a cycle visits it once.
#[derive(Debug)]
pub struct Wheel {
    now: Cycle,
    /// For each bucket one bit for each component: setting it is all that a wake does. 64
    /// components have a word in each bucket, and those words stand together.
    buckets: Vec<u64>,
    /// One bit for each bucket that holds something, and one for each of these words.
    occupied: [u64; WORDS as usize],
    occupied_words: u64,
    beyond: BinaryHeap<Reverse<(Cycle, u32)>>,
}

impl Wheel {
    /// For components 0 to `components - 1`, at cycle 0.
    pub fn new(components: usize) -> Self {
        Self {
            now: 0,
            buckets: vec![0; components.div_ceil(64) * BUCKETS as usize],
            occupied: [0; WORDS as usize],
            occupied_words: 0,
            beyond: BinaryHeap::new(),
        }
    }

    /// Visits a component in cycle `at`, which must be later than the current one.
    #[inline]
    pub fn wake(&mut self, component: ComponentId, at: Cycle) {
        debug_assert!(at > self.now, "cycle {at} is not after {}", self.now);
        if at - self.now < BUCKETS {
            self.put(component.0, at);
        } else {
            self.put_beyond(component.0, at);
        }
    }

    #[cold]
    fn put_beyond(&mut self, component: u32, at: Cycle) {
        self.beyond.push(Reverse((at, component)));
    }

    #[inline]
    fn put(&mut self, component: u32, at: Cycle) {
        let bucket = (at % BUCKETS) as usize;
        self.buckets[word(component) + bucket] |= 1 << (component % 64);
        self.occupied[bucket / 64] |= 1 << (bucket % 64);
        self.occupied_words |= 1 << (bucket / 64);
    }

    /// The next cycle in which a component is active; none when none ever will be.
    pub fn next(&self) -> Option<Cycle> {
        let near = self.next_bucket();
        let far = self.beyond.peek().map(|Reverse((at, _))| *at);
        match (near, far) {
            (Some(near), Some(far)) => Some(near.min(far)),
            (near, far) => near.or(far),
        }
    }

    /// True where a component has a visit that lies beyond the buckets.
    pub fn has_far(&self) -> bool {
        !self.beyond.is_empty()
    }

    /// Who has a visit ahead that is not far: once for each of its cycles.
    pub fn ahead(&self) -> impl Iterator<Item = ComponentId> + '_ {
        let words = self.buckets.chunks(BUCKETS as usize).zip((0..).step_by(64));
        words.flat_map(|(words, first)| {
            let bits = words.iter().flat_map(|word| numbers(std::slice::from_ref(word)));
            bits.map(move |number| ComponentId(first + number))
        })
    }

    fn next_bucket(&self) -> Option<Cycle> {
        let start = (self.now + 1) % BUCKETS;
        let first = self.occupied[(start / 64) as usize] >> (start % 64);
        if first != 0 {
            return Some(self.now + 1 + u64::from(first.trailing_zeros()));
        }
        // Words in their order from the next one on: the first word's low part, which is the
        // farthest, comes last.
        let words = self.occupied_words.rotate_right((start / 64) as u32 + 1);
        let at = (start / 64 + 1 + u64::from(words.trailing_zeros())) % WORDS;
        let bucket = at * 64 + u64::from(self.occupied[at as usize].trailing_zeros());
        (words != 0).then(|| self.now + 1 + (bucket + BUCKETS - start) % BUCKETS)
    }

    /// Goes to cycle `to` and moves the components that are active in it into `active`, one bit
    /// each. No component may have been active in between.
    pub fn advance(&mut self, to: Cycle, active: &mut Vec<u64>) {
        self.now = to;
        while let Some(&Reverse((at, component))) = self.beyond.peek() {
            if at - to >= BUCKETS {
                break;
            }
            self.beyond.pop();
            self.put(component, at);
        }
        let bucket = (to % BUCKETS) as usize;
        let words = self.buckets.chunks_exact_mut(BUCKETS as usize);
        active.clear();
        active.extend(words.map(|words| std::mem::take(&mut words[bucket])));
        self.occupied[bucket / 64] &= !(1 << (bucket % 64));
        self.occupied_words &= !(u64::from(self.occupied[bucket / 64] == 0) << (bucket / 64));
    }
}

/// The numbers of components, one bit each, from the lowest on.
#[inline]
pub fn numbers(bits: &[u64]) -> impl Iterator<Item = u32> + '_ {
    bits.iter().zip((0..).step_by(64)).flat_map(|(word, first)| {
        let mut left = *word;
        std::iter::from_fn(move || {
            let number = (left != 0).then(|| first + left.trailing_zeros());
            left &= left.wrapping_sub(1);
            number
        })
    })
}

/// Where the words of a component stand.
#[inline]
fn word(component: u32) -> usize {
    component as usize / 64 * BUCKETS as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visits_in_order_of_time_and_once_in_a_cycle() {
        let mut wheel = Wheel::new(8);
        for (component, at) in [(3, 5), (1, 5), (3, 5), (2, 9000), (3, 1), (4, 4100), (3, 5)] {
            wheel.wake(ComponentId(component), at);
        }
        let mut seen = Vec::new();
        let mut active = Vec::new();
        while let Some(at) = wheel.next() {
            wheel.advance(at, &mut active);
            seen.push((at, numbers(&active).collect()));
        }
        assert_eq!(seen, [(1, vec![3]), (5, vec![1, 3]), (4100, vec![4]), (9000, vec![2])]);
    }

    #[test]
    fn every_distance_is_found() {
        for start in [0, 1, 63, 64, 700, 4095, 5000] {
            for ahead in 1..4200 {
                let mut wheel = Wheel::new(1);
                wheel.advance(start, &mut Vec::new());
                wheel.wake(ComponentId(0), start + ahead);
                assert_eq!(wheel.next(), Some(start + ahead));
            }
        }
    }
}
