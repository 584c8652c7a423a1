//! What the host does between kernels.

use cosim::cpelide::SyncMode;

use super::memory::{look, part_below};
use super::{Machine, RunError};
use crate::build::part::Part;
use crate::context::masks;
use crate::context::message::MAX_LINE;
use crate::context::pages::SPACE;
use crate::engine::ComponentId;

impl Machine {
    /// The host writes memory.
    pub(super) fn host_write(&mut self, addr: u64, data: &[u8]) {
        self.ctx.check.host_write(addr, data);
        self.ctx.written_past += 1;
        let line = u64::from(self.ctx.layout.line);
        let mut bytes = [0; MAX_LINE];
        let mut at = addr;
        while at < addr + data.len() as u64 {
            let offset = (at % line) as usize;
            let done = (at - addr) as usize;
            let len = (line as usize - offset).min(data.len() - done);
            bytes[offset..offset + len].copy_from_slice(&data[done..done + len]);
            let first = at - offset as u64;
            let mask = masks::span(offset, len);
            self.write_line(first, mask, &bytes, false);
            at += len as u64;
        }
    }

    /// Bytes of a line change while nothing is under way: in memory, and in L2s that may hold the
    /// line. These keep it where it is renewed, else they forget it.
    pub(super) fn write_line(
        &mut self,
        first: u64,
        mask: u128,
        bytes: &[u8; MAX_LINE],
        renews: bool,
    ) {
        let line = self.ctx.layout.line;
        // Where pages have copies, all memories take it: who will be whose home is open.
        let gpus = match self.ctx.places.are_replicated() {
            true => 0..self.ctx.layout.gpus,
            false => 0..1,
        };
        let home = self.ctx.places.home(first);
        for gpu in gpus {
            let chiplet = match self.ctx.places.are_replicated() {
                true => self.ctx.places.on(gpu, first),
                false => home,
            };
            let place = part_below(&self.ctx, chiplet, first);
            let Part::Slice(slice) = &mut self.parts[place] else {
                unreachable!("a slice has its number")
            };
            slice.host_write(&mut self.ctx.memory, first, &bytes[..line as usize], mask);
        }
        // L2s that are acquired hold nothing between kernels. Those of the chiplet coherence
        // table do, and the host comes when all of it is released and to be acquired.
        let keeps = match self.sync {
            SyncMode::Hmg => true,
            SyncMode::Cpelide => renews,
            SyncMode::Baseline | SyncMode::None => false,
        };
        let chiplets = if keeps { self.ctx.layout.all_chiplets() } else { 0 };
        for chiplet in 0..chiplets {
            let layout = &self.ctx.layout;
            let place = layout.part_of(layout.bank(chiplet, layout.bank_of(first)));
            let Part::Bank(bank) = &mut self.parts[place] else {
                unreachable!("a bank has its number")
            };
            if renews {
                bank.renew_line(first, mask, &bytes[..line as usize]);
            } else {
                bank.forget_line(first);
            }
            // A hook may have to notify its block.
            self.wake(ComponentId(place as u32), self.ctx.now + 1);
        }
    }

    /// A buffer ends. No other will have its addresses: what is held between the live ones goes,
    /// for caches may have written lines of a buffer back after its end.
    pub(super) fn free(&mut self, addr: u64) {
        let Some((bytes, _)) = self.buffers.remove(&addr) else { return };
        self.ctx.private.retain(|bytes| bytes.start != addr);
        self.ctx.check.free(addr, bytes);
        let mut end = 0;
        for (&addr, (bytes, _)) in &self.buffers {
            self.ctx.memory.forget(end, addr - end);
            end = addr + bytes;
        }
        self.ctx.memory.forget(end, SPACE - end);
    }

    /// The host reads memory: every byte is compared.
    pub(super) fn host_read(&mut self, addr: u64, bytes: u64) -> Result<(), RunError> {
        let line = u64::from(self.ctx.layout.line);
        let mut seen = [0; MAX_LINE];
        for at in (addr / line * line..addr + bytes).step_by(line as usize) {
            let seen = &mut seen[..line as usize];
            let home = self.ctx.layout.gpu_of(self.ctx.places.home(at));
            look(&self.parts, &self.ctx, (home, at), seen);
            let (from, to) = (addr.max(at), (addr + bytes).min(at + line));
            let mask = masks::span((from - at) as usize, (to - from) as usize);
            self.ctx.check.host_read(self.ctx.now, at, mask, seen);
            if let Some(values) = &mut self.ctx.values {
                values.see_host(at, seen);
            }
            self.check()?;
        }
        Ok(())
    }
}
