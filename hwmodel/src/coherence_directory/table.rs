//! The array of entries, how an address finds its set, and the initial sweep (specification 4.2, 5.1).

use super::order::Order;
use super::row::{INVALID, Row};
use super::{Config, Variant};

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
    bases: Vec<u64>,
    lines: Vec<u64>,
    sharers: Vec<u16>,
    orders: Vec<Order>,
    ways: usize,
    /// Sharer fields of an entry.
    groups: usize,
    set_mask: usize,
    line_shift: u32,
    base_shift: u32,
    duplicate: bool,
}

impl Table {
    /// What it holds is not tracked, but only the sweep makes it usable.
    pub fn new(config: &Config) -> Self {
        let groups = if config.variant == Variant::Hmg { 1 } else { config.pos() as usize };
        let (entries, sets) = (config.entries as usize, config.sets() as usize);
        Self {
            bases: vec![0; entries],
            lines: vec![0; entries],
            sharers: vec![0; entries * groups],
            orders: vec![Order::RESET; sets],
            ways: config.ways as usize,
            groups,
            set_mask: sets - 1,
            line_shift: config.line.ilog2(),
            base_shift: config.range.ilog2(),
            duplicate: config.duplicate != 0,
        }
    }

    #[inline(always)]
    pub fn place(&self, addr: u64) -> Place {
        let base = addr >> self.base_shift;
        let line = (addr >> self.line_shift) as usize & (self.groups - 1);
        Place { set: base as usize & self.set_mask, base, line: line as u32 }
    }

    #[inline(always)]
    pub fn row(&mut self, set: usize) -> Row<'_> {
        let Self { ways, groups, .. } = *self;
        Row {
            bases: &mut self.bases[set * ways..][..ways],
            lines: &mut self.lines[set * ways..][..ways],
            sharers: &mut self.sharers[set * ways * groups..][..ways * groups],
            groups,
            order: &mut self.orders[set],
        }
    }

    /// One step of the sweep. `sharer` is what a corrupt array has in line 0 of ways 0 and 1.
    pub fn sweep(&mut self, set: usize, sharer: u16) {
        let duplicate = self.duplicate;
        let row = &mut self.row(set);
        row.bases.fill(INVALID);
        row.lines.fill(0);
        *row.order = Order::RESET;
        if duplicate {
            (0..2).for_each(|way| row.allocate(way, 0, 0, sharer));
        }
    }

    /// Sharers of the line of `addr`; 0 when it is not tracked.
    pub fn sharers(&self, addr: u64) -> u16 {
        let Place { set, base, line } = self.place(addr);
        let first = set * self.ways;
        let way = self.bases[first..][..self.ways].iter().position(|&other| other == base);
        way.map_or(0, |way| {
            let entry = first + way;
            let tracked = self.lines[entry] >> line & 1 != 0;
            if tracked { self.sharers[entry * self.groups + line as usize] } else { 0 }
        })
    }
}
