//! The inputs of a cycle: the coalescing buffer, the L1 and the L2 of the agent's CU.

use super::*;

impl Inputs {
    /// Any address, or one of a band that is granted, or of a band in use. Bits that the block
    /// cuts off too.
    fn address(d: &mut Driver<Self>, cer: &Epoch, granted: u32) -> u32 {
        let Driver { config: c, phase: p, random: r, .. } = d;
        let any = r.word() as u32;
        let bands = if r.chance(granted) { cer.gvec } else { p.bands & !cer.gvec };
        if bands == 0 || granted < 256 && r.chance(8) {
            return any;
        }
        let mut band = r.below(c.bands());
        while bands >> band & 1 == 0 {
            band = (band + 1) % c.bands();
        }
        let field = (u64::from(c.bands() - 1) << cer.seb) as u32;
        any & !field | (u64::from(band) << cer.seb) as u32
    }

    /// A slot that nothing has.
    fn free_slot(&mut self, d: &mut Driver<Self>) -> Option<u8> {
        let Driver { config: c, phase: p, random: r, .. } = d;
        let n = c.bsq_n;
        if self.in_use >= p.most.min(n) {
            return None;
        }
        let (first, step) = match p.order {
            Order::Turn => (self.turn, 1),
            Order::Any => (r.below(n), 1),
            Order::Lowest => (0, 1),
            Order::Highest => (n - 1, n - 1),
            Order::Bank(bank) => (bank, c.bsq_banks),
        };
        let slots = (0..n).map(|k| (first + k * step) % n);
        let slot = slots.into_iter().find(|&slot| !self.used[slot as usize])?;
        self.turn = (slot + 1) % n;
        Some(slot as u8)
    }

    /// A store, or one that must be dropped. Returns whether it is legal.
    fn store(&mut self, d: &mut Driver<Self>, out: &Out) -> Option<(Store, bool)> {
        let n = d.config.bsq_n;
        if self.in_use > 0 && d.random.chance(d.phase.fault) {
            // Of all those in use, or the youngest or the oldest.
            let first = d.random.below(n);
            let any = (0..n).map(|k| (first + k) % n).find(|&slot| self.used[slot as usize])? as u8;
            let input = self.input.map_or(any, |store| store.slot);
            let issued = out.st.map_or(any, |store| store.slot);
            let slot = d.random.pick(&[any, input, issued]);
            return Some((Store { slot, addr: Self::address(d, &out.cer, 128) }, false));
        }
        if !d.random.chance(d.phase.st) {
            return None;
        }
        let slot = self.free_slot(d)?;
        Some((Store { slot, addr: Self::address(d, &out.cer, d.phase.granted) }, true))
    }

    /// A store that waits, of so many slots.
    pub(super) fn waiting(&self, r: &mut Random, c: &Config, slots: u32) -> Option<Waiting> {
        let (n, first) = (c.bsq_n, r.below(c.bsq_n));
        (0..slots.min(n)).find_map(|k| self.queue[((first + k) % n) as usize])
    }

    fn load(&self, d: &mut Driver<Self>, out: &Out) -> Load {
        let Driver { config: c, phase: p, random: r, .. } = d;
        let id = r.word() as u8;
        let near = r.chance(p.near).then(|| self.waiting(r, c, 16)).flatten();
        let granted = p.ld_granted;
        let addr = near.map_or_else(|| Self::address(d, &out.cer, granted), |w| w.addr);
        Load { id, addr }
    }

    pub(super) fn draw(&mut self, d: &mut Driver<Self>, out: &Out) -> (In, bool) {
        let stored = self.store(d, out);
        let ld = d.offer(d.last.ld, d.before.ld_ready, d.phase.ld, |d| self.load(d, out));
        let (prep, chg, chg_info) = self.levels(d, out);
        let Driver { phase: p, random: r, .. } = d;
        let st_ready = r.chance(p.st_ready);
        let taken = self.taken + u32::from(out.st.is_some() && st_ready);
        let none_out = self.taken == 0 && out.st.is_none();
        let wa_valid = if taken > 0 { r.chance(p.wa) } else { none_out && r.chance(p.fault) };
        let demands = self.demands;
        let input = In {
            st: stored.map(|(store, _)| store),
            st_ready,
            wa_valid,
            ld,
            ld_ready: r.chance(p.ld_ready),
            prep,
            chg,
            chg_info,
            dmd_ack: r.chance(if demands > 0 { p.ack } else { p.fault }),
            sweep_done: r.chance(p.sweep),
        };
        (input, stored.is_some_and(|(_, legal)| legal))
    }
}
