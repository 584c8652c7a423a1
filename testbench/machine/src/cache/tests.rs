//! The array against a plain one: a list of lines for each set, each way with the time of its last
//! use.

use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::context::layout::permuted;
use crate::context::masks;

#[derive(Clone, Debug, Default)]
struct Line {
    addr: u64,
    valid: u128,
    dirty: u128,
    miss: Option<usize>,
    data: Vec<u8>,
}

#[derive(Clone, Debug, Default)]
struct PlainWay {
    line: Option<Line>,
    used: usize,
}

/// The same cache, without any index.
struct Plain {
    shape: Shape,
    sets: Vec<Vec<PlainWay>>,
    time: usize,
}

impl Plain {
    fn new(shape: Shape) -> Self {
        let set = vec![PlainWay::default(); shape.ways as usize];
        Self { shape, sets: vec![set; shape.sets as usize], time: 0 }
    }

    fn set_of(&self, addr: u64) -> u64 {
        let line = addr / u64::from(self.shape.line) / u64::from(self.shape.stride);
        match self.shape.hashed {
            true => permuted(line, self.shape.sets).into(),
            false => line % u64::from(self.shape.sets),
        }
    }

    fn numbered(&self, set: u64, way: usize) -> Way {
        set as u32 * self.shape.ways + way as u32
    }

    fn at(&mut self, way: Way) -> &mut PlainWay {
        let ways = self.shape.ways;
        &mut self.sets[(way / ways) as usize][(way % ways) as usize]
    }

    fn line(&mut self, way: Way) -> &mut Line {
        self.at(way).line.as_mut().expect("a line is there")
    }

    fn find(&self, addr: u64) -> Option<Way> {
        let set = self.set_of(addr);
        let is_it = |way: &PlainWay| way.line.as_ref().is_some_and(|line| line.addr == addr);
        let way = self.sets[set as usize].iter().position(is_it)?;
        Some(self.numbered(set, way))
    }

    fn victim(&self, addr: u64) -> Option<Way> {
        let set = self.set_of(addr);
        let ways = &self.sets[set as usize];
        let empty = ways.iter().position(|way| way.line.is_none());
        let held = |way: &PlainWay| way.line.as_ref().is_some_and(|line| line.miss.is_some());
        let free = || (0..ways.len()).filter(|&way| !held(&ways[way]));
        let way = empty.or_else(|| free().min_by_key(|&way| ways[way].used))?;
        Some(self.numbered(set, way))
    }

    fn dirty_way(&self, set: u64) -> Option<Way> {
        let dirty = |way: &PlainWay| way.line.as_ref().is_some_and(|line| line.dirty != 0);
        let way = self.sets[set as usize].iter().position(dirty)?;
        Some(self.numbered(set, way))
    }

    fn touch(&mut self, way: Way) {
        self.time += 1;
        self.at(way).used = self.time;
    }

    fn place(&mut self, way: Way, addr: u64) {
        let data = vec![0; self.shape.line as usize];
        self.at(way).line = Some(Line { addr, data, ..Line::default() });
    }

    fn copy(&mut self, way: Way, data: &[u8], mask: u128) {
        for (k, byte) in self.line(way).data.iter_mut().enumerate() {
            if mask >> k & 1 == 1 {
                *byte = data[k];
            }
        }
    }

    fn mark(&mut self, way: Way, mask: u128, dirty: bool) {
        let line = self.line(way);
        line.valid |= mask;
        line.dirty = if dirty { line.dirty | mask } else { line.dirty & !mask };
    }

    fn fill(&mut self, way: Way, data: &[u8]) {
        let all = masks::span(0, self.shape.line as usize);
        let missing = all & !self.line(way).valid;
        self.copy(way, data, missing);
        self.line(way).valid = all;
    }

    fn invalidate_clean(&mut self, way: Way) {
        let line = self.line(way);
        line.valid = line.dirty;
        if line.valid == 0 && line.miss.is_none() {
            self.at(way).line = None;
        }
    }

    /// Gives how many lines had clean bytes.
    fn invalidate_set(&mut self, set: u64) -> u32 {
        let mut lines = 0;
        for way in 0..self.shape.ways {
            let way = set as u32 * self.shape.ways + way;
            if let Some(line) = &self.at(way).line {
                lines += u32::from(line.valid & !line.dirty != 0);
                self.invalidate_clean(way);
            }
        }
        lines
    }
}

/// What is done to a cache. `line` chooses an address, and where there is a choice among few
/// things, which.
#[derive(Clone, Copy, Debug)]
enum Do {
    /// Finds the line and marks it as used.
    Load,
    /// Writes bytes, into a new place where the line is not here.
    Write {
        mask: u128,
        dirty: bool,
    },
    /// Holds the line, or a new place for it, for a miss register.
    Miss,
    /// The oldest or youngest miss is filled or not, and over; its line is old or not.
    Release {
        fill: bool,
        oldest: bool,
        stale: bool,
    },
    /// Changes bytes of a line that is here, and says what became of them.
    Mark {
        mask: u128,
        dirty: bool,
    },
    Clean,
    InvalidateClean,
    InvalidateSet,
    InvalidateAll,
}

fn bytes() -> impl Strategy<Value = u128> {
    prop_oneof![
        3 => (0..16usize, 1..=16usize).prop_map(|(first, len)| masks::span(first, len)),
        2 => Just(u128::MAX),
        1 => any::<u128>(),
    ]
}

fn step() -> impl Strategy<Value = Do> {
    prop_oneof![
        12 => Just(Do::Load),
        14 => (bytes(), any::<bool>()).prop_map(|(mask, dirty)| Do::Write { mask, dirty }),
        8 => Just(Do::Miss),
        7 => (prop::bool::weighted(0.8), any::<bool>(), prop::bool::weighted(0.2))
            .prop_map(|(fill, oldest, stale)| Do::Release { fill, oldest, stale }),
        4 => (bytes(), any::<bool>()).prop_map(|(mask, dirty)| Do::Mark { mask, dirty }),
        3 => Just(Do::Clean),
        3 => Just(Do::InvalidateClean),
        1 => Just(Do::InvalidateSet),
        1 => prop::bool::weighted(0.1)
            .prop_map(|all| if all { Do::InvalidateAll } else { Do::InvalidateSet }),
    ]
}

fn shape() -> impl Strategy<Value = Shape> {
    let ways = select(vec![1, 2, 3, 8, 12, 16, 32, 64]);
    let sets = select(vec![1, 2, 3, 4, 5, 12]);
    (sets, ways, select(vec![16, 64, 128]), select(vec![1, 2, 3, 6, 8]), any::<bool>())
        .prop_map(|(sets, ways, line, stride, hashed)| Shape { sets, ways, line, stride, hashed })
}

/// Both caches, and the miss registers in use: way and number, oldest first.
struct Both {
    array: Array,
    plain: Plain,
    misses: Vec<(Way, usize)>,
    started: usize,
}

impl Both {
    /// The line's way, else a new place; none where all are held.
    fn place(&mut self, addr: u64) -> Option<Way> {
        if let Some(way) = self.array.find(addr) {
            return Some(way);
        }
        let way = self.array.victim(addr)?;
        // It is written back.
        self.array.clean(way);
        self.array.place(way, addr);
        self.plain.place(way, addr);
        Some(way)
    }

    fn invalidate_clean(&mut self, way: Way) {
        self.array.invalidate_clean(way);
        self.plain.invalidate_clean(way);
    }

    fn step(&mut self, what: Do, addr: u64, number: usize) {
        let data: Vec<u8> = (0..128).map(|k| (number * 31 + k * 7) as u8).collect();
        let all = masks::span(0, self.plain.shape.line as usize);
        let found = self.array.find(addr);
        match what {
            Do::Load => {
                let Some(way) = found else { return };
                self.array.touch(way);
                self.plain.touch(way);
            }
            Do::Write { mask, dirty } if mask & all != 0 => {
                let Some(way) = self.place(addr) else { return };
                self.array.write(way, &data, mask & all, dirty);
                self.plain.copy(way, &data, mask & all);
                self.plain.mark(way, mask & all, dirty);
                self.plain.touch(way);
            }
            Do::Miss => {
                if found.is_some_and(|way| self.array.miss(way).is_some()) {
                    return;
                }
                let Some(way) = self.place(addr) else { return };
                self.array.hold(way, self.started);
                self.plain.line(way).miss = Some(self.started);
                self.misses.push((way, self.started));
                self.started += 1;
            }
            Do::Release { fill, oldest, stale } if !self.misses.is_empty() => {
                let at = if oldest { 0 } else { self.misses.len() - 1 };
                let (way, miss) = self.misses.remove(at);
                assert_eq!(self.array.miss(way), Some(miss));
                if fill {
                    self.array.fill(way, &data);
                    self.plain.fill(way, &data);
                }
                self.array.release(way);
                self.plain.line(way).miss = None;
                self.plain.touch(way);
                // No line is left without a valid byte.
                if stale || self.array.valid(way) == 0 {
                    self.invalidate_clean(way);
                }
            }
            Do::Mark { mask, dirty } if mask & all != 0 => {
                let Some(way) = found else { return };
                masks::copy(self.array.data_mut(way), &data, mask & all);
                self.plain.copy(way, &data, mask & all);
                self.array.mark(way, mask & all, dirty);
                self.plain.mark(way, mask & all, dirty);
            }
            Do::Clean => {
                let Some(way) = found else { return };
                self.array.clean(way);
                self.plain.line(way).dirty = 0;
            }
            Do::InvalidateClean => {
                let Some(way) = found else { return };
                self.invalidate_clean(way);
            }
            Do::InvalidateSet => {
                let set = self.plain.set_of(addr);
                let lines = self.array.invalidate_set(set as u32);
                assert_eq!(lines, self.plain.invalidate_set(set));
            }
            Do::InvalidateAll => {
                let sets = 0..u64::from(self.plain.shape.sets);
                let lines: u32 = sets.map(|set| self.plain.invalidate_set(set)).sum();
                assert_eq!(self.array.invalidate_all_clean(), lines);
            }
            _ => {}
        }
    }

    /// Everything that may be asked of both is the same.
    fn compare(&self, addrs: &[u64]) {
        for &addr in addrs {
            assert_eq!(self.array.find(addr), self.plain.find(addr), "find {addr:#x}");
            assert_eq!(self.array.victim(addr), self.plain.victim(addr), "victim for {addr:#x}");
        }
        assert_eq!(self.array.sets(), self.plain.shape.sets);
        for (set, ways) in (0..).zip(&self.plain.sets) {
            assert_eq!(self.array.dirty_way(set as u32), self.plain.dirty_way(set), "set {set}");
            for (number, way) in ways.iter().enumerate() {
                let Some(line) = &way.line else { continue };
                let way = self.plain.numbered(set, number);
                let a = &self.array;
                let seen = (a.addr(way), a.valid(way), a.dirty(way), a.miss(way));
                assert_eq!(seen, (line.addr, line.valid, line.dirty, line.miss), "way {way}");
                masks::runs(line.valid, |first, len| {
                    assert_eq!(a.data(way)[first..][..len], line.data[first..][..len]);
                });
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: proptest::test_runner::RngSeed::Fixed(1),
        failure_persistence: None,
        max_shrink_iters: 2000,
        ..ProptestConfig::with_cases(400)
    })]

    #[test]
    fn array_is_a_list_of_lines_with_times_of_use(
        shape in shape(),
        crowd in 1..=3u64,
        steps in prop::collection::vec((step(), any::<u64>()), 1..400),
    ) {
        // Somewhat more lines than places; the lowest address is that of empty tags.
        let lines = u64::from(shape.sets * shape.ways * shape.stride) * crowd / 2 + 2;
        let place = |line: u64| line % lines * u64::from(shape.line);
        let addrs: Vec<_> = (0..lines.min(100)).map(place).collect();
        let (array, plain) = (Array::new(shape), Plain::new(shape));
        let mut both = Both { array, plain, misses: Vec::new(), started: 0 };
        for (number, &(what, line)) in steps.iter().enumerate() {
            // Half of the accesses go to few lines.
            let line = if line >> 63 == 0 { line } else { line % 5 };
            both.step(what, place(line), number);
            if number % 4 == 0 || shape.ways < 8 {
                both.compare(&addrs);
            }
        }
        both.compare(&addrs);
    }
}
