//! First look at a work-group: who writes what.

use super::Classifier;
use super::page::how;
use crate::trace::instr_code::lanes;
use crate::trace::limits::PAGE;
use crate::trace::pages::{offset_of, page_of};
use crate::trace::walk::{Order, Walk};
use crate::trace::{Error, Group, Instr, InstrKind};

/// The parts of an access that lie in one page each: address, first byte within the access, bytes.
pub fn parts(addr: u64, size: u8) -> impl Iterator<Item = (u64, usize, usize)> {
    let size = usize::from(size);
    let first = size.min(PAGE as usize - offset_of(addr));
    let second = (addr + first as u64, first, size - first);
    [(addr, 0, first), second].into_iter().filter(|&(_, _, len)| len > 0)
}

/// An instruction of which each lane accesses the bytes behind those of the lane before, all in one
/// page.
pub struct Run {
    /// First byte.
    pub addr: u64,
    /// Bytes of all lanes.
    pub len: usize,
    /// First lane.
    pub lane: usize,
}

impl Run {
    /// Most instructions are one.
    pub fn of(instr: &Instr) -> Option<Self> {
        let first = instr.lanes.trailing_zeros();
        let neighbours = instr.lanes.checked_shr(first)?;
        let len = usize::from(instr.size) * neighbours.count_ones() as usize;
        let addr = instr.addrs[first as usize];
        let is_one = instr.is_run && neighbours & neighbours.wrapping_add(1) == 0;
        let is_run = is_one && offset_of(addr) + len <= PAGE as usize;
        is_run.then_some(Self { addr, len, lane: first as usize })
    }
}

/// Lanes that write.
pub fn writing(instr: &Instr) -> impl Iterator<Item = usize> {
    let writes = matches!(instr.kind, InstrKind::Store | InstrKind::Atomic(_));
    lanes(if writes { instr.lanes } else { 0 })
}

impl Classifier {
    /// Takes the next work-group of the kernel.
    pub fn gather(&mut self, group: &Group) -> Result<(), Error> {
        let mut instr = Instr::default();
        let mut walk = Walk::new(group, Order::File);
        while !walk.at_end() {
            walk.segment(group, &mut instr, |_, _, instr| self.gather_instr(group.group(), instr))?;
        }
        Ok(())
    }

    fn gather_instr(&mut self, group: u32, instr: &Instr) {
        let how = how(instr.kind, instr.size);
        if let (InstrKind::Store, Some(run)) = (instr.kind, Run::of(instr)) {
            let (page, at) = (self.page(page_of(run.addr)), offset_of(run.addr));
            // What fits one lane fits all.
            page.fit(at, instr.size.into());
            page.write(group, how, at, run.len);
            let values = &instr.values[usize::from(instr.size) * run.lane..][..run.len];
            return self.memory.write(run.addr, values);
        }
        for lane in writing(instr) {
            let (addr, value) = (instr.addrs[lane], instr.value(lane));
            for (addr, _, len) in parts(addr, instr.size) {
                let page = self.page(page_of(addr));
                page.fit(offset_of(addr), len);
                page.write(group, how, offset_of(addr), len);
            }
            // The page has its copy of the old bytes by now.
            match instr.kind {
                InstrKind::Atomic(op) => self.memory.update(op, addr, value),
                _ => self.memory.write(addr, value),
            }
        }
    }
}
