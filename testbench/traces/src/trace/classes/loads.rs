//! Second look at a work-group, when all writers of the kernel are known: which lanes are racy.
//!
//! A load is racy when another group writes one of its bytes, or another work-item of its group
//! does so between the same two barriers, or when the byte has several possible values at that
//! time: an earlier kernel left them, or unordered work-items of this group wrote them before the
//! last barrier, or a kernel that may overlap has to do with it. Of a unit's bytes, who writes one
//! writes all.

use super::page::{COLLECT, MANY, MIXED, RACY_READ, how};
use super::writers::{Run, parts, writing};
use super::{Classifier, Counts};
use crate::trace::group::RacyLanes;
use crate::trace::instr_code::lanes;
use crate::trace::limits::PAGE;
use crate::trace::pages::{offset_of, page_of};
use crate::trace::walk::{Order, Walk};
use crate::trace::{Error, Group, Instr, InstrKind, LANES};

/// A write to a unit that several work-items write in one segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Write {
    /// First byte of the unit, and its bytes.
    unit: (u64, usize),
    addr: u64,
    item: u32,
    /// Rank in the segment: program order for one work-item.
    rank: u64,
    how: u8,
    value: u8,
}

/// Why a load is racy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Why {
    /// By this kernel.
    here: bool,
    /// By an earlier kernel.
    carried: bool,
}

impl Classifier {
    /// The racy lanes of a work-group, for each warp.
    pub fn classify(
        &mut self,
        group: &Group,
        counts: &mut Counts,
    ) -> Result<Vec<Vec<RacyLanes>>, Error> {
        let mut racy = vec![Vec::new(); group.warps()];
        let mut instr = Instr::default();
        let mut walk = Walk::new(group, Order::File);
        self.several.clear();
        while !walk.at_end() {
            self.segment += 1;
            let start = walk.clone();
            let mut conflicts = false;
            start.clone().segment(group, &mut instr, |warp, _, instr| {
                conflicts |= self.mark_writes(warp, instr);
            })?;
            let mut writes = Vec::new();
            if conflicts {
                start.clone().segment(group, &mut instr, |warp, _, instr| {
                    self.conflicting_writes(warp, instr, &mut writes);
                })?;
            }
            walk.segment(group, &mut instr, |warp, index, instr| {
                let lanes = self.classify_instr(group.group(), warp, instr, counts);
                if lanes != 0 {
                    racy[warp].push(RacyLanes { index, lanes });
                }
            })?;
            self.settle(writes);
        }
        Ok(racy)
    }

    /// Notes who writes in this segment; true when two work-items write the same byte.
    fn mark_writes(&mut self, warp: usize, instr: &Instr) -> bool {
        let segment = self.segment;
        let mut conflicts = false;
        if let (InstrKind::Store, Some(run)) = (instr.kind, Run::of(instr)) {
            let page = self.page(page_of(run.addr));
            if page.is_plain() {
                let each = usize::from(instr.size) / page.granule_bytes();
                let granules = page.granules_mut(offset_of(run.addr), run.len);
                let items = (warp * LANES + run.lane) as u32 + 1..;
                for (granules, item) in granules.chunks_exact_mut(each).zip(items) {
                    granules.iter_mut().for_each(|granule| {
                        conflicts |= granule.mark_write(segment, item);
                    });
                }
                return conflicts;
            }
        }
        for lane in writing(instr) {
            let item = (warp * LANES + lane) as u32 + 1;
            for (addr, _, len) in parts(instr.addrs[lane], instr.size) {
                let page = self.page(page_of(addr));
                let (at, len) = page.unit(offset_of(addr), len);
                for granule in page.granules_mut(at, len) {
                    conflicts |= granule.mark_write(segment, item);
                }
            }
        }
        conflicts
    }

    /// Collects the writes to bytes that several work-items write in this segment.
    fn conflicting_writes(&mut self, warp: usize, instr: &Instr, writes: &mut Vec<Write>) {
        let how = how(instr.kind, instr.size);
        for lane in writing(instr) {
            let item = (warp * LANES + lane) as u32;
            for (addr, first, len) in parts(instr.addrs[lane], instr.size) {
                let Some(page) = self.touched_page(page_of(addr)) else { continue };
                for (i, addr) in (0..len).zip(addr..) {
                    let granule = page.granule(offset_of(addr));
                    if granule.segment == self.segment && granule.item == MANY {
                        let value = instr.value(lane)[first + i];
                        let rank = writes.len() as u64;
                        let (at, len) = page.unit(offset_of(addr), 1);
                        let unit = (page_of(addr) * PAGE + at as u64, len);
                        writes.push(Write { unit, addr, item, rank, how, value });
                    }
                }
            }
        }
    }

    /// Racy lanes of an instruction.
    fn classify_instr(
        &mut self,
        group: u32,
        warp: usize,
        instr: &Instr,
        counts: &mut Counts,
    ) -> u64 {
        match instr.kind {
            InstrKind::Load if self.is_plain_load(group, instr) => {
                counts.loads += u64::from(instr.lanes.count_ones());
                return 0;
            }
            InstrKind::Store if self.all_have_one() => return 0,
            _ => {}
        }
        let mut racy = 0;
        for lane in lanes(instr.lanes) {
            let item = (warp * LANES + lane) as u32 + 1;
            let (addr, size) = (instr.addrs[lane], instr.size);
            if matches!(instr.kind, InstrKind::Load | InstrKind::Atomic(_)) {
                let why = self.why_racy(group, item, addr, size);
                if why.here || why.carried {
                    racy |= 1 << lane;
                    self.mark_racy(addr, size);
                }
                match instr.kind {
                    InstrKind::Load if !why.here && why.carried => counts.loads_carried += 1,
                    InstrKind::Load if !why.here => counts.loads += 1,
                    InstrKind::Atomic(_) if why == Why::default() => counts.atomics += 1,
                    _ => {}
                }
            }
            match instr.kind {
                InstrKind::Atomic(op) if op.commutes() => self.own_atomic(addr, size),
                InstrKind::Store | InstrKind::Atomic(_) => self.own_store(item, addr, size),
                _ => {}
            }
        }
        racy
    }

    /// True for a load of a run of bytes that surely have one value each: no other work-item writes
    /// them in this kernel, and none at all in this segment.
    fn is_plain_load(&mut self, group: u32, instr: &Instr) -> bool {
        let Some(run) = Run::of(instr).filter(|_| self.all_have_one()) else { return false };
        let (kernel, segment) = (self.kernel, self.segment);
        let page = self.pages.get_mut(page_of(run.addr)).filter(|page| page.kernel == kernel);
        page.is_none_or(|page| {
            let at = offset_of(run.addr);
            page.fit(at, instr.size.into());
            let granules = page.granules_mut(at, run.len);
            let own = |group_of: u32| group_of == 0 || group_of == group + 1;
            granules.iter().all(|g| own(g.group) && g.segment != segment)
        })
    }

    fn why_racy(&mut self, group: u32, item: u32, addr: u64, size: u8) -> Why {
        let (kernel, segment) = (self.kernel, self.segment);
        let mut why = Why::default();
        for (addr, _, len) in parts(addr, size) {
            let page = self.pages.get_mut(page_of(addr)).filter(|page| page.kernel == kernel);
            if let Some(page) = page {
                page.fit(offset_of(addr), len);
                for granule in page.granules_mut(offset_of(addr), len) {
                    let other_group = granule.group != 0 && granule.group != group + 1;
                    let other_item = granule.segment == segment && granule.item != item;
                    why.here |= other_group | other_item;
                }
            }
            if self.all_have_one() {
                continue;
            }
            for addr in addr..addr + len as u64 {
                match self.several.get(&addr) {
                    Some(&several) => why.here |= several | self.common.contains(addr),
                    None => why.carried |= self.carried.contains(addr),
                }
            }
        }
        why
    }

    fn mark_racy(&mut self, addr: u64, size: u8) {
        for (addr, _, len) in parts(addr, size) {
            let page = self.page(page_of(addr));
            page.fit(offset_of(addr), len);
            for granule in page.granules_mut(offset_of(addr), len) {
                granule.flags |= COLLECT | RACY_READ;
            }
        }
    }

    /// True when every byte surely has one possible value.
    fn all_have_one(&self) -> bool {
        self.several.is_empty() && self.carried.values.is_empty()
    }

    /// True when a byte has several possible values for the group that is being classified.
    fn has_several(&self, addr: u64) -> bool {
        let several = self.several.get(&addr).copied();
        self.common.contains(addr) || several.unwrap_or_else(|| self.carried.contains(addr))
    }

    /// A store that no other work-item's is unordered with settles the bytes for this work-item at
    /// once. (Loads of others in this segment are racy anyway.)
    fn own_store(&mut self, item: u32, addr: u64, size: u8) {
        if self.all_have_one() {
            return;
        }
        for addr in addr..addr + u64::from(size) {
            let page = self.touched_page(page_of(addr));
            let alone = page.is_some_and(|page| page.granule(offset_of(addr)).item == item);
            if alone && self.has_several(addr) {
                self.several.insert(addr, false);
            }
        }
    }

    /// A commutative atomic spreads several possible values from one of its bytes to all.
    fn own_atomic(&mut self, addr: u64, size: u8) {
        if self.all_have_one() {
            return;
        }
        let bytes = addr..addr + u64::from(size);
        if bytes.clone().any(|addr| self.has_several(addr)) {
            self.several.extend(bytes.map(|addr| (addr, true)));
        }
    }

    /// A barrier ends the segment: which of the bytes that several work-items wrote have one value
    /// now?
    fn settle(&mut self, mut writes: Vec<Write>) {
        writes.sort_unstable();
        for of_unit in writes.chunk_by(|a, b| a.unit == b.unit) {
            let how = of_unit[0].how;
            let one_how = of_unit.iter().all(|write| write.how == how);
            let (start, len) = of_unit[0].unit;
            let before = (start..start + len as u64).any(|addr| self.has_several(addr));
            for of_byte in of_unit.chunk_by(|a, b| a.addr == b.addr) {
                let several = if one_how && how == MIXED {
                    let last = of_byte.chunk_by(|a, b| a.item == b.item).filter_map(<[_]>::last);
                    let mut values = last.map(|write| write.value);
                    let first = values.next();
                    values.any(|value| Some(value) != first)
                } else {
                    before || !one_how
                };
                self.several.insert(of_byte[0].addr, several);
            }
        }
    }
}
