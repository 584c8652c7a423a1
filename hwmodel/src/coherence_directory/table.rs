//! The array of entries, how an address finds its set, and the initial sweep (specification 4.2, 5.1).

use super::row::Row;
use super::{Config, Variant};

/// Sharer fields that are read at once.
const CHUNK: usize = 16;

/// Where an address belongs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub set: usize,
    /// Address / bytes that an entry covers.
    pub base: u64,
    /// Which line of the entry; hmg: 0, its lines share one field.
    pub line: u32,
}

/// All sets of a directory with entries.
#[derive(Debug)]
pub(super) struct Table {
    rows: Vec<Row>,
    /// By set, way and line: the GPUs that share it. Means nothing while the line is not tracked.
    /// Behind the last there is room to read a whole chunk.
    sharers: Vec<u16>,
    pub ways: usize,
    /// Sharer fields of an entry.
    groups: usize,
    /// Sharer fields of a set.
    set_groups: usize,
    line_shift: u32,
    base_shift: u32,
    duplicate: bool,
}

impl Table {
    /// An array that the sweep has yet to clear.
    pub fn new(config: &Config) -> Self {
        let groups = if config.variant == Variant::Hmg { 1 } else { config.pos() as usize };
        Self {
            rows: vec![Row::EMPTY; config.sets() as usize],
            sharers: vec![0; config.entries as usize * groups + CHUNK],
            ways: config.ways as usize,
            groups,
            set_groups: config.ways as usize * groups,
            line_shift: config.line.ilog2(),
            base_shift: config.range.ilog2(),
            duplicate: config.duplicate != 0,
        }
    }

    #[inline(always)]
    pub fn place(&self, addr: u64) -> Place {
        let base = addr >> self.base_shift;
        let line = (addr >> self.line_shift) as usize & (self.groups - 1);
        Place { set: base as usize & (self.rows.len() - 1), base, line: line as u32 }
    }

    #[inline(always)]
    pub fn row(&mut self, set: usize) -> &mut Row {
        &mut self.rows[set]
    }

    #[inline(always)]
    fn first(&self, set: usize, way: usize) -> usize {
        set * self.set_groups + way * self.groups
    }

    /// The sharers of a line, which mean nothing while it is not tracked.
    #[inline(always)]
    pub fn line(&mut self, set: usize, way: usize, line: u32) -> &mut u16 {
        let at = self.first(set, way) + line as usize;
        &mut self.sharers[at]
    }

    /// Copies the sharers of all lines of an entry, in whole chunks.
    #[inline(always)]
    pub fn copy_lines(&self, set: usize, way: usize, to: &mut [u16]) {
        let first = self.first(set, way);
        for k in (0..self.groups).step_by(CHUNK) {
            to[k..][..CHUNK].copy_from_slice(&self.sharers[first + k..][..CHUNK]);
        }
    }

    /// One step of the sweep. `sharer` is what a corrupt array has in line 0 of ways 0 and 1.
    pub fn sweep(&mut self, set: usize, sharer: u16) {
        self.rows[set] = Row::EMPTY;
        if self.duplicate {
            for way in 0..2 {
                self.rows[set].allocate(way, 0, 0);
                *self.line(set, way, 0) = sharer;
            }
        }
    }

    /// Sharers of the line of `addr`; 0 when it is not tracked.
    pub fn sharers(&self, addr: u64) -> u16 {
        let Place { set, base, line } = self.place(addr);
        let row = &self.rows[set];
        let way = row.find(base).trailing_zeros() as usize;
        let tracked = way < self.ways && row.tracks(way, line);
        if tracked { self.sharers[self.first(set, way) + line as usize] } else { 0 }
    }
}
