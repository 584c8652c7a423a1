//! Leases: what a request does to them, what it is answered. G-TSC's are in logical time
//! (specification 5.4), TC's until a cycle (5.8).

use ports::timestamp::timestamp_l2::{Config, Counters};
use ports::timestamp::types::{BusReq, BusRsp, LineData, Protocol, TC_TS_W, bus_op, rsp_op};

use super::atomic::{change, write};
use super::choices::Choices;
use super::count;

/// The lease of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Lease {
    /// G-TSC: when it was written. TC: 0.
    pub wts: u32,
    /// G-TSC: the last logical time of its lease. TC: the first cycle after its lease.
    pub rts: u32,
}

/// What holds for all leases of a bank.
#[derive(Clone, Debug)]
pub(super) struct Leases {
    pub is_gtsc: bool,
    lease: u32,
    /// G-TSC: the last timestamp, and a 1 for each bit of one.
    max: u64,
    mask: u64,
    /// A mask of a whole line.
    all: u128,
    /// G-TSC: until when lines are lent that went.
    pub mem_ts: u32,
    /// G-TSC: generation.
    pub rep: u8,
    /// G-TSC: a timestamp did not fit.
    pub ovf: bool,
    /// TC: cycles since reset. G-TSC: 0.
    pub now: u32,
    /// Writes wait for the ends of leases; lines that are lent stay.
    waits: bool,
    stay: bool,
    choices: &'static Choices,
}

impl Leases {
    pub fn new(config: &Config, choices: &'static Choices) -> Self {
        let mask = (1 << config.ts_w) - 1;
        let is_gtsc = config.protocol == Protocol::Gtsc;
        Self {
            is_gtsc,
            lease: if is_gtsc { config.lease } else { config.tc_lease },
            max: mask - 1,
            mask,
            all: u128::MAX >> (128 - config.line),
            mem_ts: 1,
            rep: 0,
            ovf: false,
            now: 0,
            waits: choices.writes_wait[config.protocol as usize],
            stay: choices.inclusive[config.protocol as usize],
            choices,
        }
    }

    /// The lease of all lines when timestamps restart.
    pub fn first(&self) -> Lease {
        Lease { wts: 1, rts: self.lease }
    }

    /// All timestamps restart.
    pub fn restart(&mut self) {
        (self.mem_ts, self.ovf) = (1, false);
        self.rep = (self.rep + 1) & 3;
    }

    /// G-TSC: the end of a lease that begins in `from`; `None` where it does not fit.
    #[inline(always)]
    fn end(&mut self, from: u64) -> Option<u32> {
        let end = from + u64::from(self.lease);
        if end > self.max && !self.choices.wraps {
            self.ovf = true;
            return None;
        }
        Some((end & self.mask) as u32)
    }

    /// The lease of a line that memory has sent; `None` where it does not fit.
    #[inline(always)]
    pub fn lends(&mut self) -> Option<Lease> {
        if !self.is_gtsc {
            return Some(Lease::default());
        }
        let wts = self.mem_ts;
        self.end(wts.into()).map(|rts| Lease { wts, rts })
    }

    /// Performs a request on its line; `None` where the timestamps do not fit, and nothing changes.
    #[inline(always)]
    pub fn perform(
        &mut self,
        lease: &mut Lease,
        data: &mut LineData,
        req: &BusReq,
        cnt: &mut Counters,
    ) -> Option<BusRsp> {
        match self.is_gtsc {
            true => self.perform_logical(lease, data, req, cnt),
            false => Some(self.perform_physical(lease, data, req)),
        }
    }

    #[inline(always)]
    fn perform_logical(
        &mut self,
        lease: &mut Lease,
        data: &mut LineData,
        req: &BusReq,
        cnt: &mut Counters,
    ) -> Option<BusRsp> {
        let own = req.rep == self.rep || self.choices.keeps_old;
        let (wts, warp_ts) = if own { (req.wts, req.warp_ts) } else { (0, 1) };
        let as_new = wts != 0 && wts == lease.wts;
        let rep = self.rep;
        if req.op == bus_op::RD {
            let end = self.end(warp_ts.into())?;
            lease.rts = lease.rts.max(end);
            count(&mut cnt.busrd, true);
            let rts = lease.rts;
            if as_new || wts != 0 && self.choices.any_is_renewed {
                count(&mut cnt.renews_sent, true);
                return Some(BusRsp { op: rsp_op::RNW, rep, rts, ..BusRsp::default() });
            }
            count(&mut cnt.fills_sent, true);
            let (op, wts) = (rsp_op::FILL, lease.wts);
            return Some(BusRsp { op, rep, wts, rts, data: *data, ..BusRsp::default() });
        }
        let behind = u64::from(lease.rts) + u64::from(self.choices.behind_leases);
        let warp = if self.choices.above_warp { warp_ts } else { 0 };
        let at = behind.max(warp.into());
        let rts = self.end(at)?;
        let wts = (at & self.mask) as u32;
        *lease = Lease { wts, rts };
        if req.op == bus_op::WR {
            count(&mut cnt.buswr, true);
            let ok = as_new || req.mask & self.all == self.all || self.choices.any_is_ok;
            write(data, req);
            return Some(BusRsp { op: rsp_op::WR_ACK, rep, ok, wts, rts, ..BusRsp::default() });
        }
        count(&mut cnt.busatom, true);
        let data = change(data, req);
        Some(BusRsp { op: rsp_op::ATOM_ACK, rep, wts, rts, data, ..BusRsp::default() })
    }

    #[inline(always)]
    fn perform_physical(&self, lease: &mut Lease, data: &mut LineData, req: &BusReq) -> BusRsp {
        let (op, data) = match req.op {
            bus_op::RD => {
                lease.rts = lease.rts.max(self.now.wrapping_add(self.lease));
                (rsp_op::FILL, *data)
            }
            bus_op::WR => {
                write(data, req);
                (rsp_op::WR_ACK, LineData::default())
            }
            _ => (rsp_op::ATOM_ACK, change(data, req)),
        };
        let (wts, rts) = self.fields(lease);
        BusRsp { op, wts, rts, data, ..BusRsp::default() }
    }

    /// The fields of an answer, and of the RTL, that a lease is.
    #[inline(always)]
    pub fn fields(&self, lease: &Lease) -> (u32, u32) {
        match self.is_gtsc {
            true => (lease.wts, lease.rts),
            false => (lease.rts >> TC_TS_W, lease.rts & ((1 << TC_TS_W) - 1)),
        }
    }

    /// A line with this lease goes.
    #[inline(always)]
    pub fn goes(&mut self, lease: &Lease) {
        if self.is_gtsc && self.choices.remembers {
            self.mem_ts = self.mem_ts.max(lease.rts);
        }
    }

    /// It may.
    #[inline(always)]
    pub fn may_go(&self, lease: &Lease) -> bool {
        !self.stay || self.now >= lease.rts
    }

    /// Some writes wait.
    #[inline(always)]
    pub fn some_wait(&self) -> bool {
        self.waits
    }

    /// The request cannot be performed yet.
    #[inline(always)]
    pub fn must_wait(&self, req: &BusReq, lease: &Lease) -> bool {
        self.waits && req.op != bus_op::RD && self.now < lease.rts
    }
}
