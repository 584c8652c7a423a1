//! Leases: what a request does to them, what it is answered. G-TSC's are in logical time
//! (specification 5.4), TC's until a cycle (5.8).

use ports::timestamp::timestamp_l2::Config;
use ports::timestamp::types::{BusReq, BusRsp, LineData, Protocol, TC_TS_W, bus_op, rsp_op};

use super::atomic::change;
use super::choices::Choices;
use crate::timestamp::write;

/// What a request is granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The lease of the line from now on.
    pub lease: Lease,
    /// A read: G-TSC: the L1's copy is as new as the line, and its lease is renewed.
    pub renews: bool,
    /// A write: G-TSC: the L1's copy was as new as the line, or the whole line is written.
    pub ok: bool,
}

/// The lease of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Lease {
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

    /// G-TSC: the end of a lease that begins at `from`; `None`: it does not fit.
    #[inline(always)]
    fn end(&self, from: u64) -> Option<u32> {
        let end = from + u64::from(self.lease);
        (end <= self.max || self.choices.wraps).then_some((end & self.mask) as u32)
    }

    /// The lease of a line that memory has sent; `None`: it does not fit.
    #[inline(always)]
    pub fn lends(&self) -> Option<Lease> {
        if !self.is_gtsc {
            return Some(Lease::default());
        }
        let wts = self.mem_ts;
        self.end(wts.into()).map(|rts| Lease { wts, rts })
    }

    /// What a request for a line with this lease is granted; `None`: timestamps do not fit.
    #[inline(always)]
    pub fn grant(&self, lease: &Lease, req: &BusReq) -> Option<Grant> {
        match self.is_gtsc {
            true => self.grant_logical(lease, req),
            false => {
                let read = self.now.wrapping_add(self.lease);
                let rts = if req.op == bus_op::RD { lease.rts.max(read) } else { lease.rts };
                Some(Grant { lease: Lease { wts: 0, rts }, renews: false, ok: false })
            }
        }
    }

    #[inline(always)]
    fn grant_logical(&self, lease: &Lease, req: &BusReq) -> Option<Grant> {
        let own = req.rep == self.rep || self.choices.keeps_old;
        let (wts, warp_ts) = if own { (req.wts, req.warp_ts) } else { (0, 1) };
        let as_new = wts != 0 && wts == lease.wts;
        if req.op == bus_op::RD {
            let rts = lease.rts.max(self.end(warp_ts.into())?);
            let renews = as_new || wts != 0 && self.choices.any_is_renewed;
            return Some(Grant { lease: Lease { rts, ..*lease }, renews, ok: false });
        }
        let behind = u64::from(lease.rts) + u64::from(self.choices.behind_leases);
        let warp = if self.choices.above_warp { warp_ts } else { 0 };
        let at = behind.max(warp.into());
        let lease = Lease { wts: (at & self.mask) as u32, rts: self.end(at)? };
        let whole = req.mask & self.all == self.all;
        let ok = req.op == bus_op::WR && (as_new || whole || self.choices.any_is_ok);
        Some(Grant { lease, renews: false, ok })
    }

    /// Reads or writes the bytes of a line.
    #[inline(always)]
    pub fn answer(&self, grant: Grant, data: &mut LineData, req: &BusReq) -> BusRsp {
        let Grant { lease, renews, ok } = grant;
        let (rep, (wts, rts)) = (self.rep, self.fields(&lease));
        let answer = BusRsp { rep, wts, rts, ..BusRsp::default() };
        match req.op {
            bus_op::RD if renews => BusRsp { op: rsp_op::RNW, wts: 0, ..answer },
            bus_op::RD => BusRsp { op: rsp_op::FILL, data: *data, ..answer },
            bus_op::WR => {
                write(data, &req.data, req.mask);
                BusRsp { op: rsp_op::WR_ACK, ok, ..answer }
            }
            _ => BusRsp { op: rsp_op::ATOM_ACK, data: change(data, req), ..answer },
        }
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
