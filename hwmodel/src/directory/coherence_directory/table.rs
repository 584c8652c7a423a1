//! The array of entries, how an address finds its set, and the initial sweep (specification 4.2,
//! 5.1).

use std::hash::{Hash, Hasher};

use super::row::{CHUNK, Row};
use super::{Config, Variant};

/// Sharer fields that are copied at once.
const BATCH: usize = 16;

/// Set, entry and line of an address.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub set: usize,
    /// Address / bytes that an entry covers.
    pub base: u64,
    /// Which line of the entry; hmg: 0, its lines share one field.
    pub line: u32,
}

/// All sets of a directory with entries.
#[derive(Clone, Debug)]
pub(super) struct Table {
    rows: Vec<Row>,
    /// By set, way and line: the GPUs that share it. Undefined while the line is not tracked.
    /// Padded by a batch, so that the last can be read whole.
    sharers: Vec<u16>,
    pub ways: usize,
    /// Chunks of a set's ways.
    chunks: usize,
    /// Sharer fields of an entry.
    groups: usize,
    /// Sharer fields of a set.
    set_groups: usize,
    line_shift: u32,
    base_shift: u32,
    /// The sweep gives ways 0 and 1 of every set base 0.
    pub duplicate: bool,
}

/// Skips the undefined sharers of untracked lines.
impl Hash for Table {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.rows.hash(hasher);
        let groups = self.groups;
        for (at, sharers) in self.sharers.iter().enumerate() {
            let (set, of_set) = (at / self.set_groups, at % self.set_groups);
            let (way, line) = (of_set / groups, of_set % groups);
            if self.rows.get(set).is_some_and(|row| row.tracks(way, line as u32)) {
                sharers.hash(hasher);
            }
        }
    }
}

impl Table {
    /// An array that the sweep has yet to clear.
    pub fn new(config: &Config) -> Self {
        let groups = if config.variant == Variant::Hmg { 1 } else { config.pos() as usize };
        Self {
            rows: vec![Row::EMPTY; config.sets() as usize],
            sharers: vec![0; config.entries as usize * groups + BATCH],
            ways: config.ways as usize,
            chunks: (config.ways as usize).div_ceil(CHUNK),
            groups,
            set_groups: config.ways as usize * groups,
            line_shift: config.line.ilog2(),
            base_shift: config.range.ilog2(),
            duplicate: false,
        }
    }

    #[inline(always)]
    pub fn place(&self, addr: u64) -> Place {
        let base = addr >> self.base_shift;
        let line = (addr >> self.line_shift) as usize & (self.groups - 1);
        Place { set: base as usize & (self.rows.len() - 1), base, line: line as u32 }
    }

    /// The set of `place`.
    #[inline(always)]
    pub fn set(&mut self, place: Place) -> Set<'_> {
        let Self { ways, chunks, groups, .. } = *self;
        let first = place.set * self.set_groups;
        Set {
            row: &mut self.rows[place.set],
            sharers: &mut self.sharers[first..],
            ways,
            chunks,
            groups,
        }
    }

    /// One step of the sweep. `sharer`: of line 0 of ways 0 and 1 in a corrupt array.
    pub fn sweep(&mut self, set: usize, sharer: u16) {
        self.rows[set] = Row::EMPTY;
        if self.duplicate {
            let mut set = self.set(Place { set, base: 0, line: 0 });
            for way in 0..2 {
                set.row.allocate(way, 0, 0);
                *set.line(way, 0) = sharer;
            }
        }
    }

    /// Sharers of the line of `addr`; 0 when it is not tracked.
    pub fn sharers(&self, addr: u64) -> u16 {
        let Place { set, base, line } = self.place(addr);
        let row = &self.rows[set];
        let way = row.find(base, self.chunks).trailing_zeros() as usize;
        let tracked = way < self.ways && row.tracks(way, line);
        let at = set * self.set_groups + way * self.groups + line as usize;
        if tracked { self.sharers[at] } else { 0 }
    }
}

/// One set with its sharers.
#[derive(Debug)]
pub(super) struct Set<'a> {
    pub row: &'a mut Row,
    /// From the set's first way to the end of the array.
    sharers: &'a mut [u16],
    pub ways: usize,
    chunks: usize,
    groups: usize,
}

impl Set<'_> {
    /// The ways with this base: bit w = way w.
    #[inline(always)]
    pub fn find(&self, base: u64) -> u32 {
        self.row.find(base, self.chunks)
    }

    /// The sharers of a line, undefined while it is not tracked.
    #[inline(always)]
    pub fn line(&mut self, way: usize, line: u32) -> &mut u16 {
        &mut self.sharers[way * self.groups + line as usize]
    }

    /// The sharers of a line of a valid entry; 0 when it is not tracked.
    #[inline(always)]
    pub fn sharers(&self, way: usize, line: u32) -> u16 {
        let sharers = self.sharers[way * self.groups + line as usize];
        if self.row.tracks(way, line) { sharers } else { 0 }
    }

    /// Copies the sharers of all lines of an entry, in whole batches.
    #[inline(always)]
    pub fn copy_lines(&self, way: usize, to: &mut [u16]) {
        let from = &self.sharers[way * self.groups..];
        for k in (0..self.groups).step_by(BATCH) {
            to[k..][..BATCH].copy_from_slice(&from[k..][..BATCH]);
        }
    }
}
