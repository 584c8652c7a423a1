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

impl Classifier {
    /// Takes the next work-group of the kernel.
    pub fn gather(&mut self, group: &Group) -> Result<(), Error> {
        let mut instr = std::mem::take(&mut self.instr);
        let mut walk = Walk::new(group, Order::File);
        while !walk.at_end() {
            walk.segment(group, &mut instr, |_, _, instr| self.gather_instr(group.group(), instr))?;
        }
        self.instr = instr;
        Ok(())
    }

    fn gather_instr(&mut self, group: u32, instr: &Instr) {
        if !matches!(instr.kind, InstrKind::Store | InstrKind::Atomic(_)) {
            return;
        }
        let how = how(instr.kind, instr.size);
        for lane in lanes(instr.lanes) {
            let addr = instr.addrs[lane];
            for (addr, _, len) in parts(addr, instr.size) {
                self.gather_write(group, how, addr, len);
            }
            // The page has its copy of the old bytes by now.
            let value = instr.value(lane);
            match instr.kind {
                InstrKind::Store => self.memory.write(addr, value),
                InstrKind::Atomic(op) => self.memory.update(op, addr, value),
                _ => {}
            }
        }
    }

    fn gather_write(&mut self, group: u32, how: u8, addr: u64, len: usize) {
        let page = self.page(page_of(addr));
        page.fit(offset_of(addr), len);
        page.write(group, how, offset_of(addr), len);
    }
}
