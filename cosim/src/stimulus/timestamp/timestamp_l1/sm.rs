//! The SM: requests, some of them illegal.

use ports::timestamp::timestamp_l1::Config;
use ports::timestamp::types::{CoreReq, aop, op};

use super::Phase;
use crate::stimulus::{Random, masked_bytes};

/// The SM.
#[derive(Default)]
pub(super) struct Sm {
    /// Selects the line of a store in phases with `stored` lines.
    stores: u32,
}

impl Sm {
    /// The next request, if a warp can send one; `busy` is `warp_busy_o`.
    pub fn draw(&mut self, r: &mut Random, p: &Phase, c: &Config, busy: u64) -> Option<CoreReq> {
        let from = r.below(p.warps);
        let mut warps = (0..p.warps).map(|n| (p.first + (from + n) % p.warps) % c.warps);
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
        let line = p.base.wrapping_add(u64::from(near) * p.stride) & (u64::MAX >> (64 - c.line_w));
        let all = u128::MAX >> (128 - c.line);
        let (sz, of_aop) = (r.chance(128), r.below(u32::from(aop::XCHG) + 1) as u8);
        let mut mask = match op {
            _ if r.chance(p.empty) => 0,
            op::ATOM => elements(r.mask(c.line, None), sz) & all,
            _ if r.chance(p.full) => all,
            _ => r.mask(c.line, p.form),
        };
        let (mut warp, mut op, mut aop) = (warp as u8, op, of_aop);
        if r.chance(p.bad) {
            match r.below(4) {
                0 => op = 3,
                1 if c.warps < 64 => {
                    warp = (c.warps + r.below(64 - c.warps)) as u8;
                }
                2 => (op, aop) = (op::ATOM, 9 + r.below(7) as u8),
                // A random mask, seldom of whole elements.
                _ => (op, mask) = (op::ATOM, r.mask(c.line, None)),
            }
        }
        let data = masked_bytes(r, c.line, all);
        let id = r.word() as u8;
        Some(CoreReq { op, aop, sz, id, warp, line, mask, data })
    }
}

/// Extends the mask to whole elements.
fn elements(mask: u128, sz: bool) -> u128 {
    let size = if sz { 8 } else { 4 };
    let whole = (1u128 << size) - 1;
    let places = (0..128 / size).map(|n| whole << (n * size));
    places.filter(|element| mask & element != 0).sum()
}
