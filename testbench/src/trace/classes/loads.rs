//! Second look at a work-group, when all writers of the kernel are known: which lanes are racy.
//!
//! A load is racy when another group writes one of its bytes, or another work-item of its group does so
//! between the same two barriers, or when the byte has several possible values at that time: an earlier
//! kernel left them, or unordered work-items of this group wrote them before the last barrier.

use super::page::{COLLECT, MANY, MIXED, RACY_READ, how};
use super::writers::parts;
use super::{Classifier, Counts};
use crate::trace::group::RacyLanes;
use crate::trace::instr_code::lanes;
use crate::trace::pages::{offset_of, page_of};
use crate::trace::walk::{Order, Walk};
use crate::trace::{Error, Group, Instr, InstrKind, LANES};

/// A byte that several work-items write in one segment, and by whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Write {
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
        let mut instr = std::mem::take(&mut self.instr);
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
        self.instr = instr;
        Ok(racy)
    }

    /// Notes who writes in this segment; true when two work-items write the same byte.
    fn mark_writes(&mut self, warp: usize, instr: &Instr) -> bool {
        let segment = self.segment;
        let mut conflicts = false;
        if !matches!(instr.kind, InstrKind::Store | InstrKind::Atomic(_)) {
            return false;
        }
        for lane in lanes(instr.lanes) {
            let item = (warp * LANES + lane) as u32 + 1;
            for (addr, _, len) in parts(instr.addrs[lane], instr.size) {
                let page = self.page(page_of(addr));
                for granule in page.granules_mut(offset_of(addr), len) {
                    if granule.segment != segment {
                        (granule.segment, granule.item) = (segment, item);
                    } else if granule.item != item {
                        granule.item = MANY;
                        granule.flags |= COLLECT;
                        conflicts = true;
                    }
                }
            }
        }
        conflicts
    }

    /// Collects the writes to bytes that several work-items write in this segment.
    fn conflicting_writes(&mut self, warp: usize, instr: &Instr, writes: &mut Vec<Write>) {
        if !matches!(instr.kind, InstrKind::Store | InstrKind::Atomic(_)) {
            return;
        }
        let how = how(instr.kind, instr.size);
        for lane in lanes(instr.lanes) {
            let item = (warp * LANES + lane) as u32;
            for (addr, first, len) in parts(instr.addrs[lane], instr.size) {
                let Some(page) = self.touched_page(page_of(addr)) else { continue };
                for i in 0..len {
                    let granule = page.granule(offset_of(addr) + i);
                    if granule.segment == self.segment && granule.item == MANY {
                        let value = instr.values[16 * lane + first + i];
                        let rank = writes.len() as u64;
                        writes.push(Write { addr: addr + i as u64, item, rank, how, value });
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
            if instr.kind == InstrKind::Store || how(instr.kind, size) == MIXED {
                self.own_store(instr.kind, item, addr, size);
            }
        }
        racy
    }

    fn why_racy(&mut self, group: u32, item: u32, addr: u64, size: u8) -> Why {
        let mut why = Why::default();
        for (addr, _, len) in parts(addr, size) {
            let segment = self.segment;
            let kernel = self.kernel;
            let page = self.pages.get_mut(page_of(addr)).filter(|page| page.kernel == kernel);
            if let Some(page) = page {
                page.fit(offset_of(addr), len);
                for granule in page.granules_mut(offset_of(addr), len) {
                    let other_group = granule.group != 0 && granule.group != group + 1;
                    let other_item = granule.segment == segment && granule.item != item;
                    why.here |= other_group | other_item;
                }
            }
            if self.several.is_empty() && self.carried.values.is_empty() {
                continue;
            }
            for addr in addr..addr + len as u64 {
                match self.several.get(&addr) {
                    Some(&several) => why.here |= several,
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

    /// A store that no other work-item's is unordered with settles the bytes for this work-item at once.
    /// (Loads of others in this segment are racy anyway.)
    fn own_store(&mut self, kind: InstrKind, item: u32, addr: u64, size: u8) {
        if matches!(kind, InstrKind::Load | InstrKind::Fence | InstrKind::Barrier)
            || (self.several.is_empty() && self.carried.values.is_empty())
        {
            return;
        }
        for addr in addr..addr + u64::from(size) {
            let page = self.touched_page(page_of(addr));
            let alone = page.is_some_and(|page| page.granule(offset_of(addr)).item == item);
            if alone && (self.several.contains_key(&addr) || self.carried.contains(addr)) {
                self.several.insert(addr, false);
            }
        }
    }

    /// A barrier ends the segment: which of the bytes that several work-items wrote have one value now?
    fn settle(&mut self, mut writes: Vec<Write>) {
        writes.sort_unstable();
        for of_byte in writes.chunk_by(|a, b| a.addr == b.addr) {
            let addr = of_byte[0].addr;
            let before =
                self.several.get(&addr).copied().unwrap_or_else(|| self.carried.contains(addr));
            let how = of_byte[0].how;
            let several = if of_byte.iter().any(|write| write.how != MIXED) {
                before || of_byte.iter().any(|write| write.how != how)
            } else {
                let last = of_byte.chunk_by(|a, b| a.item == b.item).filter_map(|own| own.last());
                let mut values = last.map(|write| write.value);
                let first = values.next();
                values.any(|value| Some(value) != first)
            };
            self.several.insert(addr, several);
        }
    }
}
