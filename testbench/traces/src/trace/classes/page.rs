//! What one kernel does to the bytes of one page.

use crate::trace::InstrKind;
use crate::trace::limits::PAGE;

/// More than one group, or work-item.
pub const MANY: u32 = u32::MAX;

/// Granules with racy bytes whose values are collected.
pub const COLLECT: u8 = 1;
/// A racy load or atomic reads the granule.
pub const RACY_READ: u8 = 2;
/// `item` is the number of the granule's first collected byte.
pub const COLLECTED: u8 = 4;

/// How a granule is written: not at all.
pub const NOTHING: u8 = 0;
/// By stores, exchanges, or several kinds of atomics.
pub const MIXED: u8 = 0xff;

/// 4 bytes that are accessed together, or 1 byte.
#[derive(Clone, Copy, Debug, Default)]
pub struct Granule {
    /// Group that writes it, from 1; 0: none; or [`MANY`].
    pub group: u32,
    /// Last segment, from 1, in which it is written. Used while groups are classified.
    pub segment: u32,
    /// Work-item that writes it in that segment, from 1; or [`MANY`].
    pub item: u32,
    /// [`NOTHING`], [`MIXED`], or the code of the commutative atomics that alone write it.
    pub how: u8,
    /// [`COLLECT`] and so on.
    pub flags: u8,
    /// Bytes of the greatest commutative atomic that writes it; 0: none.
    pub unit: u8,
}

impl Granule {
    /// A work-item writes it in a segment; true when another one does, too.
    #[inline]
    pub fn mark_write(&mut self, segment: u32, item: u32) -> bool {
        if self.segment != segment {
            (self.segment, self.item) = (segment, item);
            return false;
        }
        let conflict = self.item != item;
        if conflict {
            self.item = MANY;
            self.flags |= COLLECT;
        }
        conflict
    }
}

/// Code of an instruction that writes: operation and size of a commutative atomic, else [`MIXED`].
pub fn how(kind: InstrKind, size: u8) -> u8 {
    match kind {
        InstrKind::Atomic(op) if op.commutes() => 1 + op as u8 + if size == 8 { 16 } else { 0 },
        _ => MIXED,
    }
}

/// Size of the location that a code of [`how`] stands for.
pub fn cell_size(how: u8) -> u64 {
    if how > 16 { 8 } else { 4 }
}

/// A page. Most programs access 4 aligned bytes at a time: as long as all do, a granule is 4 bytes.
///
/// A commutative atomic makes each of its bytes of all of them: by carries, or by a comparison. So
/// the bytes of the greatest such atomic of the kernel, aligned as it is, are one *unit*, of whose
/// bytes the same is said.
#[derive(Debug)]
pub struct KernelPage {
    /// Kernel that this describes.
    pub kernel: u32,
    /// Some unit is more than a granule's own bytes.
    has_units: bool,
    shift: u32,
    granules: Vec<Granule>,
    /// Bytes at the kernel's start.
    pub start: [u8; PAGE as usize],
}

impl KernelPage {
    /// A page that no kernel has touched.
    pub fn new(start: [u8; PAGE as usize]) -> Self {
        let granules = vec![Granule::default(); PAGE as usize / 4];
        Self { kernel: 0, has_units: false, shift: 2, granules, start }
    }

    /// Begins another kernel.
    pub fn reset(&mut self, start: [u8; PAGE as usize]) {
        self.granules.fill(Granule::default());
        self.has_units = false;
        self.start = start;
    }

    /// Bytes of a granule.
    pub fn granule_bytes(&self) -> usize {
        1 << self.shift
    }

    /// Splits the granules to single bytes when these bytes are not whole granules.
    pub fn fit(&mut self, at: usize, len: usize) {
        if self.shift == 2 && !(at | len).is_multiple_of(4) {
            self.shift = 0;
            self.granules = self.granules.iter().flat_map(|&granule| [granule; 4]).collect();
        }
    }

    /// A group writes these bytes, which [`KernelPage::fit`] has seen.
    pub fn write(&mut self, group: u32, how: u8, at: usize, len: usize) {
        let unit = if how == MIXED { 0 } else { len as u8 };
        self.has_units |= unit > 0;
        for granule in self.granules_mut(at, len) {
            granule.unit = granule.unit.max(unit);
            if granule.group != group + 1 {
                granule.group = if granule.group == 0 { group + 1 } else { MANY };
            }
            if granule.how != how {
                granule.how = if granule.how == NOTHING { how } else { MIXED };
            }
        }
    }

    /// Makes what is known of a unit's bytes the same, when all writers of the kernel are known.
    pub fn join_units(&mut self) {
        for (at, len) in self.units() {
            let granules = self.granules_mut(at, len);
            let Granule { group, how, .. } = granules[0];
            let one_group = granules.iter().all(|granule| granule.group == group);
            let one_how = granules.iter().all(|granule| granule.how == how);
            for granule in granules {
                granule.group = if one_group { group } else { MANY };
                granule.how = if one_how { how } else { MIXED };
            }
        }
    }

    /// Place and bytes of each unit of more than one granule.
    fn units(&self) -> Vec<(usize, usize)> {
        if !self.has_units {
            return Vec::new();
        }
        let places = (0..PAGE as usize).step_by(4);
        let units = places.map(|at| (at, usize::from(self.granule(at).unit)));
        units.filter(|&(at, len)| len > self.granule_bytes() && at % len == 0).collect()
    }

    /// True where no unit is more than a granule's own bytes.
    pub fn is_plain(&self) -> bool {
        !self.has_units
    }

    /// The bytes of all units in which these lie, as place and length.
    pub fn unit(&self, at: usize, len: usize) -> (usize, usize) {
        if !self.has_units || len == 0 {
            return (at, len);
        }
        let size = |at| usize::from(self.granule(at).unit.max(1));
        let (first, last) = (at, at + len - 1);
        let start = first / size(first) * size(first);
        let end = (last / size(last) + 1) * size(last);
        (start, end.max(at + len) - start)
    }

    /// True where the values of some byte are collected: racy ones, and if `written` all written
    /// ones may be.
    pub fn may_collect(&self, written: bool) -> bool {
        let may = |granule: &Granule| {
            granule.flags & COLLECT != 0 || granule.group == MANY || written && granule.group != 0
        };
        self.granules.iter().any(may)
    }

    /// The granules of bytes that [`KernelPage::fit`] has seen.
    pub fn granules_mut(&mut self, at: usize, len: usize) -> &mut [Granule] {
        &mut self.granules[at >> self.shift..(at + len) >> self.shift]
    }

    /// The granule of a byte.
    pub fn granule(&self, at: usize) -> &Granule {
        &self.granules[at >> self.shift]
    }

    /// Number of the collected byte.
    pub fn collected(&self, at: usize) -> Option<usize> {
        let granule = self.granule(at);
        let within = at & (self.granule_bytes() - 1);
        (granule.flags & COLLECTED != 0).then_some(granule.item as usize + within)
    }

    /// The numbers of collected bytes mean nothing any more.
    pub fn forget_collected(&mut self) {
        for granule in &mut self.granules {
            granule.flags &= !COLLECTED;
        }
    }
}
