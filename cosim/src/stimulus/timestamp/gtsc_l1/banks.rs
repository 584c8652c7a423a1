//! The banks, as the L1 sees them: they lend lines in logical time, and sometimes say what no bank
//! would.

use ports::timestamp::types::{BusReq, BusRsp, bus_op, rsp_op};

use super::super::timestamp_l1::Phase;
use crate::stimulus::{Random, masked_bytes};

/// Leases that are kept: lines share them.
const LEASES: usize = 64;

/// They.
#[derive(Clone, Debug)]
pub struct Banks {
    line: u32,
    /// The largest timestamp of a lease.
    most: u64,
    /// wts, rts.
    leases: [(u64, u64); LEASES],
    pub rep: u8,
    /// A timestamp did not fit.
    pub overflows: bool,
}

impl Banks {
    pub fn new(line: u32, ts_w: u32) -> Self {
        let most = (1 << ts_w) - 2;
        let mut banks = Self { line, most, leases: [(1, 1); LEASES], rep: 0, overflows: false };
        banks.restart(0);
        banks
    }

    /// All timestamps begin anew.
    pub fn restart(&mut self, rep: u8) {
        (self.leases, self.rep, self.overflows) = ([(1, 1); LEASES], rep, false);
    }

    /// A timestamp, cut to what fits.
    fn fit(&mut self, ts: u64) -> u64 {
        self.overflows |= ts > self.most;
        ts.min(self.most)
    }

    /// An answer to a request.
    pub fn serve(&mut self, r: &mut Random, p: &Phase, req: &BusReq) -> BusRsp {
        let at = req.line as usize % LEASES;
        let lease = u64::from(p.lease);
        let (mut wts, mut warp_ts) = (u64::from(req.wts), u64::from(req.warp_ts));
        if req.rep != self.rep {
            (wts, warp_ts) = (0, 1);
        }
        if r.chance(p.other) {
            let wts = self.fit(self.leases[at].1 + 1);
            self.leases[at] = (wts, self.fit(wts + lease));
        }
        let (mut of, mut until) = self.leases[at];
        let lies = r.chance(p.lie);
        let rsp = BusRsp { rep: self.rep, sm: req.sm, id: req.id, ..BusRsp::default() };
        if req.op == bus_op::RD {
            until = self.fit(until.max(warp_ts + lease));
            self.leases[at] = (of, until);
            if r.chance(p.short) {
                until = of + u64::from(r.below(3)).min(until - of);
            }
            if (wts != 0 && wts == of) != lies {
                return BusRsp { op: rsp_op::RNW, rts: until as u32, ..rsp };
            }
            let data = masked_bytes(r, self.line, u128::MAX);
            return BusRsp { op: rsp_op::FILL, wts: of as u32, rts: until as u32, data, ..rsp };
        }
        let same = wts != 0 && wts == of || req.mask == u128::MAX >> (128 - self.line);
        of = self.fit((until + 1).max(warp_ts));
        until = self.fit(of + lease);
        self.leases[at] = (of, until);
        let rsp = BusRsp { wts: of as u32, rts: until as u32, ..rsp };
        // Which of the two an L1 is told, it tells its SM.
        if (req.op == bus_op::WR) != (lies && r.chance(64)) {
            BusRsp { op: rsp_op::WR_ACK, ok: same != lies, ..rsp }
        } else {
            let data = masked_bytes(r, self.line, u128::MAX);
            BusRsp { op: rsp_op::ATOM_ACK, data, ..rsp }
        }
    }

    /// An answer that nobody waits for, or somebody does by chance.
    pub fn nobodys(&mut self, r: &mut Random) -> BusRsp {
        let word = r.word();
        let wts = 1 + (word >> 32) % self.most;
        let rts = wts + u64::from(r.below(4)).min(self.most - wts);
        let near = r.below(8) as u8 | if r.chance(128) { 0x80 } else { 0 };
        BusRsp {
            op: word as u8 & 3,
            rep: r.pick(&[self.rep, (word >> 2) as u8 & 3]),
            ok: word & 16 != 0,
            sm: (word >> 8) as u8 & 31,
            id: r.pick(&[(word >> 16) as u8, near]),
            wts: wts as u32,
            rts: rts as u32,
            data: masked_bytes(r, self.line, u128::MAX),
        }
    }
}
