//! The SM: requests, and some that cannot be.

use ports::timestamp::types::{CoreReq, aop, op};

use super::Phase;
use crate::stimulus::{Random, masked_bytes};

/// It.
#[derive(Clone, Debug)]
pub(super) struct Sm {
    pub warps: u32,
    pub line: u32,
    pub line_w: u32,
    held: Option<CoreReq>,
    /// Stores to lines that are stored to in turn.
    stores: u32,
}

impl Sm {
    pub fn new(warps: u32, line: u32, line_w: u32) -> Self {
        Self { warps, line, line_w, held: None, stores: 0 }
    }

    pub fn restart(&mut self) {
        self.held = None;
    }

    /// The request that is shown. `busy` as the L1 shows it, and whether it takes one.
    pub fn request(
        &mut self,
        r: &mut Random,
        p: &Phase,
        busy: u64,
        ready: bool,
    ) -> Option<CoreReq> {
        if self.held.is_none() || !r.chance(p.again) {
            self.held = if r.chance(p.request) { self.draw(r, p, busy) } else { None };
        }
        let shown = self.held;
        if ready {
            self.held = None;
        }
        shown
    }

    fn draw(&mut self, r: &mut Random, p: &Phase, busy: u64) -> Option<CoreReq> {
        let from = r.below(p.warps);
        let mut warps = (0..p.warps).map(|n| (p.first + (from + n) % p.warps) % self.warps);
        let warp = warps.find(|warp| !p.one || busy >> warp & 1 == 0)?;
        let (op, near) = match p.stored {
            0 => ([op::LD, op::ST, op::ATOM][r.weighted(&p.ops)], r.below(p.lines)),
            stored if p.loads_first() => (op::LD, r.below(stored)),
            stored if r.chance(16) => (op::LD, stored + r.below(p.lines - stored)),
            stored => {
                if !r.chance(p.runs) {
                    self.stores = self.stores.wrapping_add(1);
                }
                (op::ST, self.stores % stored)
            }
        };
        let line =
            p.base.wrapping_add(u64::from(near) * p.stride) & (u64::MAX >> (64 - self.line_w));
        let all = u128::MAX >> (128 - self.line);
        let (sz, of_aop) = (r.chance(128), r.below(u32::from(aop::XCHG) + 1) as u8);
        let mut mask = match op {
            _ if r.chance(p.empty) => 0,
            op::ATOM => elements(r.mask(self.line, None), sz) & all,
            _ if r.chance(p.full) => all,
            _ => r.mask(self.line, p.form),
        };
        let (mut warp, mut op, mut aop) = (warp as u8, op, of_aop);
        if r.chance(p.bad) {
            match r.below(4) {
                0 => op = 3,
                1 if self.warps < 64 => {
                    warp = (self.warps + r.below(64 - self.warps)) as u8;
                }
                2 => (op, aop) = (op::ATOM, 9 + r.below(7) as u8),
                // Whole elements of 8 bytes are not those of 4; now and then it is legal.
                _ => (op, mask) = (op::ATOM, r.mask(self.line, None)),
            }
        }
        let data = masked_bytes(r, self.line, all);
        let id = r.word() as u8;
        Some(CoreReq { op, aop, sz, id, warp, line, mask, data })
    }
}

/// The elements of which some byte is in the mask.
fn elements(mask: u128, sz: bool) -> u128 {
    let size = if sz { 8 } else { 4 };
    let whole = (1u128 << size) - 1;
    let places = (0..128 / size).map(|n| whole << (n * size));
    places.filter(|element| mask & element != 0).sum()
}
