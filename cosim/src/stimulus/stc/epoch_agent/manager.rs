//! The manager that the agent sees: a handshake with four phases, and one that breaks the rules.

use super::*;

/// Its levels, and the epoch of the change.
#[derive(Clone, Debug, Default)]
pub struct Manager {
    prep: bool,
    chg: bool,
    epoch: Epoch,
}

impl Inputs {
    /// The epoch of the next change.
    fn legal_epoch(&mut self, d: &mut Driver<Self>, cer: &Epoch) -> Epoch {
        let Driver { config: c, phase: p, random: r, .. } = d;
        let (low, high, bands) = (c.seb_min, c.seb_max, c.bands());
        let seb = u32::from(cer.seb);
        let any = low + r.below(high - low + 1);
        let seb = match r.below(8) {
            _ if r.chance(p.stay) => seb,
            0 => any,
            1..=4 if seb < high => seb + 1,
            _ if seb > low => seb - 1,
            _ => seb,
        };
        let mut epoch = Epoch { seb: seb as u8, gvec: 0 };
        for _ in 0..1 + r.below(p.most_bands) {
            let (any, wanted) = (r.below(bands), r.chance(p.wanted));
            let wanted = wanted.then(|| self.waiting(r, c, SLOTS as u32)).flatten();
            let band = wanted.map_or(any, |w| epoch.band(w.addr, c.band_bits));
            epoch.gvec |= 1 << band;
        }
        epoch
    }

    /// One that must be refused.
    fn illegal_epoch(&mut self, d: &mut Driver<Self>, cer: &Epoch) -> Epoch {
        let legal = self.legal_epoch(d, cer);
        let Driver { config: c, random: r, .. } = d;
        match r.below(4) {
            0 => Epoch { gvec: 0, ..legal },
            1 if c.bands() > c.max_bands => {
                let mut gvec = legal.gvec;
                while gvec.count_ones() <= c.max_bands {
                    gvec |= 1 << r.below(c.bands());
                }
                Epoch { gvec, ..legal }
            }
            2 => {
                let (edge, any) = (c.seb_max + 1, c.seb_max + 1 + r.below(63 - c.seb_max));
                Epoch { seb: r.pick(&[edge, any]) as u8, ..legal }
            }
            _ => {
                let (edge, any) = (c.seb_min - 1, r.below(c.seb_min));
                Epoch { seb: r.pick(&[edge, any]) as u8, ..legal }
            }
        }
    }

    pub(super) fn is_legal(c: &Config, epoch: &Epoch) -> bool {
        let Config { seb_min, seb_max, max_bands, .. } = *c;
        (1..=max_bands).contains(&epoch.gvec.count_ones())
            && (seb_min..=seb_max).contains(&epoch.seb.into())
    }

    /// The manager's levels: those of a handshake with four phases, or broken.
    pub(super) fn levels(&mut self, d: &mut Driver<Self>, out: &Out) -> (bool, bool, Epoch) {
        let at = At::of(out);
        match (self.manager.prep, self.manager.chg) {
            (false, _) => {
                self.manager.prep = !out.ready && d.random.chance(d.phase.prep);
                self.manager.epoch = out.cer;
            }
            (true, false) => {
                self.manager.chg = out.ready && d.random.chance(d.phase.chg);
                if self.manager.chg {
                    self.manager.epoch = self.legal_epoch(d, &out.cer);
                }
            }
            (true, true) if out.done && d.random.chance(d.phase.fall) => {
                (self.manager.prep, self.manager.chg) = (false, false);
            }
            _ => {}
        }
        let (mut prep, mut chg, mut epoch) =
            (self.manager.prep, self.manager.chg, self.manager.epoch);
        if !chg && d.random.chance(16) {
            // It is ignored.
            epoch.gvec = d.random.word() as u32 & (all_bands(&d.config));
            epoch.seb = d.random.word() as u8 & 63;
        }
        if d.random.chance(d.phase.broken) {
            match d.random.below(4) {
                // For a cycle; in READY a legal change would be one.
                0 if at != At::Ready => chg = true,
                1 => prep = false,
                2 if at == At::Ready => (chg, epoch) = (true, self.illegal_epoch(d, &out.cer)),
                3 if at == At::Ready => {
                    epoch = match d.random.chance(64) {
                        true => self.illegal_epoch(d, &out.cer),
                        false => self.legal_epoch(d, &out.cer),
                    };
                    (prep, chg) = (false, true);
                    (self.manager.prep, self.manager.chg) = (false, false);
                }
                _ => {}
            }
        }
        (prep, chg, epoch)
    }
}
