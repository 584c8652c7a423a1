//! The lines of an L1: tags, data, order of use, and what a protocol keeps of each.

use std::hash::{Hash, Hasher};

use ports::timestamp::types::LineData;

use crate::state::{MAX_WIDTH, State};

#[derive(Clone, Debug, Default)]
struct Line<T> {
    valid: bool,
    line: u64,
    /// `uses` at its last use.
    used: u64,
    of: T,
}

/// Lines in sets. A place is a way of a set.
#[derive(Clone, Debug)]
pub(crate) struct Cache<T> {
    sets: u64,
    ways: usize,
    lines: Box<[Line<T>]>,
    data: Box<[LineData]>,
    uses: u64,
}

/// The lines that are here, and in which order those of a set were used.
impl<T: Hash> Hash for Cache<T> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.hash_as(hasher, |of, hasher| of.hash(hasher));
    }
}

impl<T> Cache<T> {
    /// The same, where what is kept of a line is more than what counts.
    pub fn hash_as<H: Hasher>(&self, hasher: &mut H, hash: impl Fn(&T, &mut H)) {
        for (place, at) in self.lines.iter().enumerate() {
            at.valid.hash(hasher);
            if at.valid {
                let set = &self.lines[place - place % self.ways..][..self.ways];
                let older = set.iter().filter(|other| other.valid && other.used < at.used).count();
                (at.line, older, &self.data[place]).hash(hasher);
                hash(&at.of, hasher);
            }
        }
    }
}

impl<T: Clone + Default> Cache<T> {
    pub fn new(sets: u32, ways: u32) -> Self {
        let places = (sets * ways) as usize;
        Self {
            sets: sets.into(),
            ways: ways as usize,
            lines: vec![Line::default(); places].into(),
            data: vec![LineData::default(); places].into(),
            uses: 0,
        }
    }

    /// The place of a way of the line's set.
    #[inline(always)]
    pub fn place(&self, line: u64, way: usize) -> usize {
        (line & (self.sets - 1)) as usize * self.ways + way
    }

    /// Its way.
    #[inline(always)]
    pub fn way(&self, place: usize) -> u8 {
        (place % self.ways) as u8
    }

    #[inline(always)]
    fn set(&self, line: u64) -> &[Line<T>] {
        let first = self.place(line, 0);
        &self.lines[first..first + self.ways]
    }

    /// Where the line is.
    #[inline(always)]
    pub fn find(&self, line: u64) -> Option<usize> {
        let way = self.set(line).iter().position(|at| at.valid && at.line == line)?;
        Some(self.place(line, way))
    }

    /// It has a line.
    #[inline(always)]
    pub fn is_valid(&self, place: usize) -> bool {
        self.lines[place].valid
    }

    #[inline(always)]
    pub fn of(&self, place: usize) -> &T {
        &self.lines[place].of
    }

    #[inline(always)]
    pub fn of_mut(&mut self, place: usize) -> &mut T {
        &mut self.lines[place].of
    }

    #[inline(always)]
    pub fn data(&self, place: usize) -> &LineData {
        &self.data[place]
    }

    #[inline(always)]
    pub fn data_mut(&mut self, place: usize) -> &mut LineData {
        &mut self.data[place]
    }

    /// Its line becomes the one that was used last.
    #[inline(always)]
    pub fn touch(&mut self, place: usize) {
        self.uses += 1;
        self.lines[place].used = self.uses;
    }

    /// Bit w: way w of the line's set is invalid, or its line may go.
    pub fn replaceable(&self, line: u64, may_go: impl Fn(&T) -> bool) -> u16 {
        let ways = self.set(line).iter().enumerate();
        ways.map(|(way, at)| u16::from(!at.valid || may_go(&at.of)) << way).sum()
    }

    /// The lowest invalid way of the line's set, else the one of these that was used least
    /// recently.
    pub fn victim(&self, line: u64, ways: u16) -> Option<usize> {
        let set = self.set(line);
        let oldest = || {
            let candidates = (0..self.ways).filter(|way| ways >> way & 1 == 1);
            candidates.min_by_key(|&way| set[way].used)
        };
        let way = set.iter().position(|at| !at.valid).or_else(oldest)?;
        Some(self.place(line, way))
    }

    /// A line comes; this is a use.
    pub fn install(&mut self, place: usize, line: u64, of: T, data: &LineData) {
        self.lines[place] = Line { valid: true, line, used: 0, of };
        self.data[place] = *data;
        self.touch(place);
    }

    /// Its line goes.
    pub fn drop(&mut self, place: usize) {
        self.lines[place].valid = false;
    }

    /// All lines go.
    pub fn clear(&mut self) {
        self.lines.iter_mut().for_each(|at| at.valid = false);
    }

    /// The register of which places have a line.
    pub fn show_valid(&self, state: &mut State) {
        let places = self.lines.len();
        if places <= MAX_WIDTH as usize {
            state.flags("valid", self.lines.iter().map(|at| at.valid));
        }
    }

    /// Each place, its line where it has one, and what is kept of that.
    pub fn all(&self) -> impl Iterator<Item = (Option<u64>, &T)> {
        self.lines.iter().map(|at| (at.valid.then_some(at.line), &at.of))
    }
}
