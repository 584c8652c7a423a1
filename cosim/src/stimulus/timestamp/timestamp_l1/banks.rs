//! The banks: they grant leases in logical time or in cycles, and sometimes send answers that no
//! bank would send.

use ports::timestamp::timestamp_l1::Config;
use ports::timestamp::types::{BusReq, BusRsp, Protocol, TC_TS_W, bus_op, rsp_op};

use super::Phase;
use crate::stimulus::{Random, masked_bytes};

/// Number of leases: lines share them.
const LEASES: usize = 64;

/// Leases and time of the banks.
#[derive(Clone, Debug)]
pub(super) struct Banks {
    is_gtsc: bool,
    line: u32,
    /// The largest timestamp of a lease.
    most: u64,
    /// G-TSC: wts, rts. TC: 0, end of the lease.
    leases: [(u64, u64); LEASES],
    /// G-TSC: generation.
    pub rep: u8,
    /// G-TSC: a timestamp overflowed.
    pub overflows: bool,
    /// TC: `now_q` of all blocks.
    pub now: u32,
}

/// An answer with the end of a lease of TC.
fn until(end: u32, rsp: BusRsp) -> BusRsp {
    BusRsp { wts: end >> TC_TS_W, rts: end & ((1 << TC_TS_W) - 1), ..rsp }
}

impl Banks {
    pub fn new(config: &Config) -> Self {
        let mut banks = Self {
            is_gtsc: config.protocol == Protocol::Gtsc,
            line: config.line,
            most: (1 << config.ts_w) - 2,
            leases: [(0, 0); LEASES],
            rep: 0,
            overflows: false,
            now: 0,
        };
        banks.restart(0);
        banks
    }

    /// All timestamps restart.
    pub fn restart(&mut self, rep: u8) {
        let first = if self.is_gtsc { (1, 1) } else { (0, 0) };
        (self.leases, self.rep, self.overflows, self.now) = ([first; LEASES], rep, false, 0);
    }

    /// An answer to a request.
    pub fn serve(&mut self, r: &mut Random, p: &Phase, req: &BusReq) -> BusRsp {
        match self.is_gtsc {
            true => self.serve_logical(r, p, req),
            false => self.serve_physical(r, p, req),
        }
    }

    /// An answer that no request caused; its identifier may match a request by chance.
    pub fn unrequested(&self, r: &mut Random) -> BusRsp {
        let word = r.word();
        let of_gtsc = |r: &mut Random| {
            let wts = 1 + (word >> 32) % self.most;
            (wts, wts + u64::from(r.below(4)).min(self.most - wts))
        };
        let (wts, rts) = if self.is_gtsc { of_gtsc(r) } else { (0, 0) };
        let near = r.below(8) as u8 | if r.chance(128) { 0x80 } else { 0 };
        let any_rep = (word >> 2) as u8 & 3;
        let rsp = BusRsp {
            op: word as u8 & 3,
            rep: if self.is_gtsc { r.pick(&[self.rep, any_rep]) } else { any_rep },
            ok: word & 16 != 0,
            sm: (word >> 8) as u8 & 31,
            id: r.pick(&[(word >> 16) as u8, near]),
            wts: wts as u32,
            rts: rts as u32,
            data: masked_bytes(r, self.line, u128::MAX),
        };
        if self.is_gtsc { rsp } else { until(self.now + r.below(8), rsp) }
    }

    /// A timestamp, saturated; records an overflow.
    fn fit(&mut self, ts: u64) -> u64 {
        self.overflows |= ts > self.most;
        ts.min(self.most)
    }

    fn serve_logical(&mut self, r: &mut Random, p: &Phase, req: &BusReq) -> BusRsp {
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
        // An L1 forwards to its SM which of the two it received.
        if (req.op == bus_op::WR) != (lies && r.chance(64)) {
            BusRsp { op: rsp_op::WR_ACK, ok: same != lies, ..rsp }
        } else {
            let data = masked_bytes(r, self.line, u128::MAX);
            BusRsp { op: rsp_op::ATOM_ACK, data, ..rsp }
        }
    }

    fn serve_physical(&mut self, r: &mut Random, p: &Phase, req: &BusReq) -> BusRsp {
        let (_, end) = self.leases[req.line as usize % LEASES];
        let rsp = BusRsp { sm: req.sm, id: req.id, ..BusRsp::default() };
        let (line, end) = (self.line, end as u32);
        let data = |r: &mut Random| masked_bytes(r, line, u128::MAX);
        match req.op {
            bus_op::RD => {
                let end = (self.now + p.lease).max(end);
                self.leases[req.line as usize % LEASES] = (0, end.into());
                let short = if r.chance(p.short) { r.below(p.lease + 1) } else { 0 };
                // A longer lease than any bank grants, which sets high bits of its end.
                let long = if r.chance(p.lie / 8) { 1 << r.below(31) } else { 0 };
                until(end - short + long, BusRsp { op: rsp_op::FILL, data: data(r), ..rsp })
            }
            op if (op == bus_op::WR) != r.chance(p.lie / 8) => {
                // Fences of the warp wait until the reset where it is very long.
                let long = if r.chance(p.lie / 8) { 1 << r.below(32) } else { 0 };
                until(end + long, BusRsp { op: rsp_op::WR_ACK, ..rsp })
            }
            _ => until(end, BusRsp { op: rsp_op::ATOM_ACK, data: data(r), ..rsp }),
        }
    }
}
